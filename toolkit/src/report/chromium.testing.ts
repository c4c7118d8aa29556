/**
 * The page in a real Chromium, the one of the system.
 *
 * @module
 */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Its program, or why there is none. `HOLDFAST_CHROMIUM` names another one. */
export function findChromium(): { readonly file: string } | { readonly missing: string } {
  const named = process.env.HOLDFAST_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const files = named ? [named] : folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  const file = files.find(isExecutable);
  return file ? { file } : { missing: 'chromium is not installed. To install it: npm run setup' };
}

export function launch(file: string): Promise<Browser> {
  // The sandbox of Chromium does not work for root.
  return chromium.launch({ executablePath: file, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

export interface Opened {
  readonly page: Page;
  /** What the browser complained about, and every address that was asked for but the page itself. */
  readonly complaints: string[];
}

export async function open(browser: Browser, file: string, hash = ''): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== `file://${file}` && !request.url().startsWith('data:'))
      complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(`file://${file}${hash}`);
  return { page, complaints };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
