// What a worker process of the contract suite opens: the built backend, on the directory `data.directory`.
import { sqliteBackend } from 'holdfast/sqlite';
import { loadEngine } from './engine.mjs';

export default async function open({ engine, ...options }) {
  return sqliteBackend((await loadEngine(engine)).open, options);
}
