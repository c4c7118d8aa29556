#!/usr/bin/env node
// The program itself is built into dist. This file is committed because npm links a bin only if its file already exists.
import '../dist/cli/main.mjs';
