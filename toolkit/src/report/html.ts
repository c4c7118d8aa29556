/**
 * The report page: one HTML file with its style, its script and its data, which asks for nothing over a network.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchFigures } from '../advise/bench-figures.ts';
import type { Run } from '../lab/result.ts';
import type { Language } from '../messages/language.ts';
import { pageDataOf } from './page-data.ts';

/** The text of the page for a run, opening in this language; with what a benchmark has measured, if it is given. */
export function reportPage(run: Run, language: Language, bench?: BenchFigures): string {
  const style = asset('page.css');
  const script = asset('page.js');
  return pageOf({ style, script, data: jsonForHtml(pageDataOf(run, language, bench)), language });
}

interface Parts {
  readonly style: string;
  readonly script: string;
  /** JSON, fit to stand in HTML. */
  readonly data: string;
  readonly language: Language;
}

/** The browser is told to run this script and no other, and to connect to nothing. */
function pageOf({ style, script, data, language }: Parts): string {
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src data:`;
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="generator" content="holdfast checkup">
<title>Holdfast</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page draws itself with the script that it contains, which is switched off here.</noscript>
<script type="application/json" id="data">${data}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON in which no text can end the element that it stands in, or begin a comment there. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A built part of the page: beside this file, or in dist when this file runs as a source, in a test. */
function asset(name: 'page.css' | 'page.js'): string {
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/report/' : './';
  const file = fileURLToPath(new URL(`${folder}${name}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is missing. npm run build makes it.`);
  return readFileSync(file, 'utf8');
}
