import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { advise } from '../../advise/advice.ts';
import { benchOfAll } from '../../advise/bench.testing.ts';
import { CheckupRun, RUN_LIMIT_MS, repository } from '../../lab/checkup.testing.ts';
import { prepareOutput } from '../../lab/output-files.ts';
import type { Run } from '../../lab/result.ts';
import { sayIn } from '../../messages/say.ts';
import { findChromium, launch, type Opened, open } from '../chromium.testing.ts';
import { reportPage } from '../html.ts';
import { runOfManyEvents } from '../many-events.testing.ts';

const alwaysGrants = path.join(repository, 'toolkit/src/lab/test-subjects/always-grants.mjs');

/** Without data, in bytes. */
const PAGE_LIMIT = 300_000;

/** Of a screen that shows sixty in a second. */
const FRAME_MS = 16.7;

const chromium = findChromium();
let run: CheckupRun;
let json: Run;
let stdout: string;
let browser: Browser | undefined;

beforeAll(async () => {
  run = new CheckupRun(
    ['crash', 'pause', '--subject', 'holdfast:sqlite', '--subject', alwaysGrants].concat([
      '--ttl',
      '1s',
      '--json',
      'run.json',
      '--report',
      'report.html',
    ]),
  );
  const ended = await run.ended;
  stdout = ended.stdout;
  expect(ended.code, ended.stdout + ended.stderr).toBe(1);
  json = JSON.parse(readFileSync(inFolder('run.json'), 'utf8')) as Run;
  // What follows is about such a run; on a machine that is too busy for one it would complain about everything else.
  expect(verdictsOf(json)).toEqual([
    'crash holdfast:sqlite safe',
    'crash always-grants unsafe',
    'pause holdfast:sqlite safe',
    'pause always-grants unsafe',
  ]);
  if ('file' in chromium) browser = await launch(chromium.file);
}, RUN_LIMIT_MS);

afterAll(async () => {
  await browser?.close();
  run?.dispose();
});

const inFolder = (name: string): string => path.join(run.folder, name);

const verdictsOf = ({ results }: Run): string[] =>
  results.map(({ experiment, subject, verdict }) => `${experiment} ${subject} ${verdict}`);

describe('a stored run', { timeout: RUN_LIMIT_MS }, () => {
  it('is judged again with the same verdicts, figures and evidence', async () => {
    const again = new CheckupRun(['judge', inFolder('run.json'), '--json', '-']);
    const { code, stdout: text } = await again.ended.finally(() => again.dispose());
    expect(code).toBe(1);
    expect(JSON.parse(text)).toEqual(json);
    expect(json.results.every(({ history }) => (history?.lines ?? 0) > 50)).toBe(true);
  });

  it('is judged by its histories: a verdict that was written over comes back, and is named', async () => {
    const forged = { ...json, results: json.results.map((result) => ({ ...result, verdict: 'safe', checks: [] })) };
    writeFileSync(inFolder('forged.json'), JSON.stringify(forged));
    const again = new CheckupRun(['judge', inFolder('forged.json')]);
    const { code, stdout: text } = await again.ended.finally(() => again.dispose());
    expect(code).toBe(1);
    expect(text).toContain('2 of 4 verdicts are not those of the run:');
    expect(text).toContain('crash with always-grants: unsafe, and it was safe.');
  });

  it('is told in Chinese, in lines that fit', async () => {
    writeFileSync(inFolder('bench.json'), JSON.stringify(benchOfAll));
    const files = ['--bench', inFolder('bench.json'), '--report', inFolder('zh.html')];
    const again = new CheckupRun(['judge', inFolder('run.json'), '--lang', 'zh', ...files]);
    const { stdout: text } = await again.ended.finally(() => again.dispose());
    expect(text).toContain('受保护的数据有可能被破坏吗？');
    expect(text).toContain('不安全！而预期为安全');
    expect(readFileSync(inFolder('zh.html'), 'utf8')).toContain('<html lang="zh-CN">');
  });
});

it('a page has the figures that were read before anything was run, since standard input can be read once', () => {
  const [report, bench] = [inFolder('figures.html'), inFolder('figures.json')];
  writeFileSync(bench, JSON.stringify(benchOfAll));
  const write = prepareOutput({ report, bench, lang: 'en' });
  writeFileSync(bench, '');
  expect(write(json)).toEqual([expect.stringContaining(report)]);
  expect(readFileSync(report, 'utf8')).toContain('"waitingProcesses"');
});

describe('the report page', { timeout: RUN_LIMIT_MS }, () => {
  beforeEach((context) => {
    if ('missing' in chromium) context.skip(chromium.missing);
  });

  async function withPage(file: string, use: (page: Page) => Promise<void>, hash = ''): Promise<void> {
    if (!browser) throw new Error('There is no browser.');
    const opened: Opened = await open(browser, file, hash);
    try {
      await use(opened.page);
      expect(opened.complaints).toEqual([]);
    } finally {
      await opened.page.close();
    }
  }

  it('is one file that asks for nothing, and is small without its data', async () => {
    const text = readFileSync(inFolder('report.html'), 'utf8');
    const data = /<script type="application\/json" id="data">.*<\/script>/.exec(text)?.[0] ?? '';
    expect(data.length).toBeGreaterThan(1_000);
    expect(text.length - data.length).toBeLessThan(PAGE_LIMIT);
    expect(stdout).toContain(inFolder('report.html'));
    await withPage(inFolder('report.html'), async (page) => {
      expect(await page.title()).toContain('Holdfast');
    });
  });

  it('has the verdicts as a matrix, and opens what happened from a cell', async () => {
    await withPage(inFolder('report.html'), async (page) => {
      const cells = page.locator('.matrix a.cell');
      const labels = await cells.evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
      expect(labels.sort()).toEqual(
        [
          'always-grants, crash: unsafe, not as expected',
          'always-grants, pause: unsafe, not as expected',
          'holdfast:sqlite, crash: safe',
          'holdfast:sqlite, pause: safe',
        ].sort(),
      );

      await page.getByRole('link', { name: 'holdfast:sqlite, pause: safe' }).click();
      const panel = page.locator('#panel-pause');
      await panel.waitFor();
      expect(await page.locator('#pause [aria-selected="true"]').textContent()).toContain('holdfast:sqlite');
      expect(await panel.locator('.headline').textContent()).toContain('stale writes refused');
      expect(await panel.locator('.timeline li').count()).toBeGreaterThan(6);
      expect(await page.locator('#pause table.figures tbody tr').count()).toBe(2);
    });
  });

  it('names in its head the locks that are unsafe, where others beside them are not', async () => {
    const [crash] = json.results.filter(({ subject }) => subject === 'holdfast:sqlite');
    if (!crash) throw new Error('There is no result to copy.');
    const other = { ...crash, subject: 'holdfast:redlock', verdict: 'unsafe' as const };
    const file = inFolder('head.html');
    writeFileSync(file, reportPage({ ...json, results: [...json.results, other] }, 'en'));
    await withPage(file, async (page) => {
      const heads = await page.locator('.answers .counts').allTextContents();
      expect(heads).toEqual(['unsafe in 2 of 2', 'safe in 2 of 3 · unsafe in 1 of 3: holdfast:redlock']);
    });
  });

  it('draws lanes that are zoomed with the keyboard, say each event, and show two holders in red', async () => {
    const use = async (page: Page): Promise<void> => {
      const stage = page.locator('#pause .stage');
      await stage.locator('canvas').waitFor();
      await expect.poll(() => stage.getAttribute('data-from')).not.toBeNull();
      const width = async (): Promise<number> =>
        Number(await stage.getAttribute('data-to')) - Number(await stage.getAttribute('data-from'));
      const whole = await width();
      expect(await redPixels(page)).toBeGreaterThan(100);

      await stage.focus();
      await page.keyboard.press('+');
      await expect.poll(width).toBeLessThan(whole * 0.7);
      await page.keyboard.press('0');
      await expect.poll(width).toBe(whole);
      await page.keyboard.press('Home');
      const first = await page.locator('#pause .said').textContent();
      await page.keyboard.press('ArrowRight');
      const second = await page.locator('#pause .said').textContent();
      expect(first).toMatch(/^T[-+]\d+\.\d\ds/);
      expect(second).not.toBe(first);

      const box = await stage.boundingBox();
      if (!box) throw new Error('The lanes are not to be seen.');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -300);
      await page.keyboard.up('Control');
      await expect.poll(width).toBeLessThan(whole * 0.9);
    };
    await withPage(inFolder('report.html'), use, '#pause/always-grants');
  });

  it('changes its language in place, and keeps open what was open', async () => {
    const use = async (page: Page): Promise<void> => {
      expect(await page.locator('h1').textContent()).toBe('Could the protected data have been damaged?');
      await page.locator('#language').click();
      expect(await page.locator('h1').textContent()).toBe('受保护的数据有可能被破坏吗？');
      expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
      expect(await page.locator('#panel-crash .headline').textContent()).toMatch(/\p{Script=Han}/u);
      // Every sentence of such a run is known.
      for (const text of await page.locator('#panel-crash .timeline span, #panel-crash dd').allTextContents()) {
        expect(text).toMatch(/\p{Script=Han}/u);
      }
      await page.locator('#language').click();
      expect(await page.locator('h1').textContent()).toBe('Could the protected data have been damaged?');
    };
    await withPage(inFolder('report.html'), use, '#crash/holdfast:sqlite');
  });

  it('advises as the command does, at once, by keyboard, in both languages, and by its address again', async () => {
    let address = '';
    const title = (page: Page): Promise<string | null> => page.locator('#advice-title').textContent();
    const use = async (page: Page): Promise<void> => {
      expect(await title(page)).toBe(advise({}).title);
      await page.locator('#advisor [name="advisor-failure"]:checked').focus();
      await page.keyboard.press('ArrowDown');
      expect(await title(page)).toBe(advise({ failure: 'repairable' }).title);
      await page.getByLabel('one Redis or Valkey').check();
      await page.getByLabel('And at the peak?').fill('9k');
      const told = { failure: 'repairable', servers: ['redis'], peakPerSecond: 9_000 } as const;
      expect(await title(page)).toBe(advise(told).title);
      expect(await page.locator('.advice pre').first().textContent()).toBe(advise(told).code[0]?.text);
      address = page.url();

      await page.getByLabel('And at the peak?').fill('many');
      expect(await page.getByLabel('And at the peak?').getAttribute('aria-invalid')).toBe('true');
      expect(await title(page)).toBe(advise(told).title);
      await page.getByLabel('How often a second').fill('20k');
      expect(await page.locator('.advice').textContent()).toContain('The peak is below the usual rate.');
      await page.locator('[data-input="usualPerSecond"]').getByText('take back').press('Enter');
      expect(await title(page)).toBe(advise(told).title);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('advisor-usualPerSecond');

      // A link to another part of the page, and the one that leads back.
      for (const place of ['#matrix', '#advisor']) await page.locator(`nav [href="${place}"]`).click();
      expect(await title(page)).toBe(advise(told).title);
      await expect.poll(() => page.url()).toBe(address);

      await page.locator('#language').click();
      expect(await title(page)).toBe(advise(told, undefined, sayIn('zh')).title);
      // Another answer is one click away.
      const button = page.locator('.neighbours button').first();
      const other = await page.locator('.neighbours li').first().locator('b').textContent();
      await button.click();
      expect(`→ ${await title(page)}`).toBe(other);
    };
    await withPage(inFolder('report.html'), use, '#advisor');
    const again = async (page: Page): Promise<void> => {
      expect(await page.getByLabel('And at the peak?').inputValue()).toBe('9,000');
    };
    await withPage(inFolder('report.html'), again, new URL(address).hash);
  });

  it('draws what was measured beside the bare commands, with a table, and on a phone; and nothing where nothing was', async () => {
    await withPage(inFolder('zh.html'), async (page) => {
      const labels = await page.locator('.plot svg[role="img"]').evaluateAll((all) => all.map((one) => one.ariaLabel));
      expect(labels).toHaveLength(6);
      expect(labels[0]).toBe('redis · 单台服务器，只在内存：Holdfast 2,000/s，裸命令 2,500/s，比值 0.80');
      const places = await page
        .locator('.plot')
        .first()
        .locator('circle.ours')
        .evaluateAll((dots) => dots.map((dot) => dot.getBoundingClientRect().x));
      expect(places[0]).toBeGreaterThan(places[1] as number);
      await page.setViewportSize({ width: 375, height: 700 });
      await page.locator('#costs summary').click();
      expect(await page.locator('#costs tbody tr').count()).toBe(4);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    });
    await withPage(inFolder('report.html'), async (page) => {
      expect(await page.locator('#costs, nav [href="#costs"]').count()).toBe(0);
    });
  });

  it('fits on a phone, in both languages', async () => {
    await withPage(inFolder('report.html'), async (page) => {
      await page.setViewportSize({ width: 375, height: 700 });
      for (const summary of await page.locator('details > summary').all()) await summary.click();
      const widths = (): Promise<readonly number[]> =>
        page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      expect(await widths()).toEqual([375, 375]);
      await page.locator('#language').click();
      const lines = page.locator('#crash .timeline span, #pause .timeline span');
      expect((await lines.allInnerTexts()).join('')).toContain('拿到锁');
      expect(await widths()).toEqual([375, 375]);
    });
  });

  it('is light on dark where that is wished, and dark on white on paper, the lanes too', async () => {
    const use = async (page: Page): Promise<void> => {
      await page.locator('#pause .stage canvas').waitFor();
      await page.emulateMedia({ colorScheme: 'dark' });
      // The red of the dark scheme is lighter than what counts as red here.
      await expect.poll(() => redPixels(page)).toBe(0);
      const texts =
        '#pause .headline, #pause .timeline li, #pause dd, #pause td, .answers .counts, .experiment summary';
      const dark = await contrasts(page, texts);
      expect(dark.length).toBeGreaterThan(20);
      expect(dark.filter(({ ratio, isLight }) => ratio < 4.5 || !isLight)).toEqual([]);

      await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
      await expect.poll(() => redPixels(page)).toBeGreaterThan(100);
      expect((await contrasts(page, texts)).filter(({ ratio, isLight }) => ratio < 4.5 || isLight)).toEqual([]);
      for (const { id, question } of json.experiments) {
        for (const text of [question, 'holdfast:sqlite', 'always-grants']) {
          expect(await page.locator(`#${id} > summary`).getByText(text).isVisible(), `${id}: ${text}`).toBe(true);
        }
      }
      expect(await page.locator('#pause .timeline').isVisible()).toBe(true);
      expect(await page.locator('nav, #language, #pause .tools').filter({ visible: true }).count()).toBe(0);
    };
    await withPage(inFolder('report.html'), use, '#pause/always-grants');
  });

  it('shows what a subject has said as text, whatever it is', async () => {
    const hostile = '</script><img src=x onerror="document.title=\'taken\'"><b>';
    const results = json.results.map((result) => ({
      ...result,
      evidence: [{ atMs: 0, by: 'A', says: hostile, tone: 'bad' as const }],
    }));
    writeFileSync(inFolder('hostile.html'), reportPage({ ...json, results }, 'en'));
    const use = async (page: Page): Promise<void> => {
      expect(await page.locator('#panel-crash .timeline').textContent()).toContain(hostile);
      expect(await page.title()).not.toContain('taken');
    };
    await withPage(inFolder('hostile.html'), use, '#crash/holdfast:sqlite');
  });

  it('moves ten thousand events without lag', async () => {
    writeFileSync(inFolder('many.html'), reportPage(runOfManyEvents(5_000), 'en'));
    const use = async (page: Page): Promise<void> => {
      await page.locator('#pause .stage canvas').waitFor();
      await page.locator('#pause .stage').focus();
      const idle = await medianFrame(page, []);
      const busy = await medianFrame(page, ['+', '+', '+', '-', '-', '-']);
      console.info(`frames: ${idle.toFixed(1)} ms at rest, ${busy.toFixed(1)} ms with 10000 events moving`);
      expect(await redPixels(page)).toBeGreaterThan(100);
      // A machine that is busy with other things has slow frames at rest as well.
      expect(busy).toBeLessThan(10 * Math.max(FRAME_MS, idle));
    };
    await withPage(inFolder('many.html'), use, '#pause/many');
  });

  /** How the text of each of these stands out from what is behind it, by the formula of WCAG, and whether it is lighter. */
  function contrasts(page: Page, selector: string): Promise<{ text: string; ratio: number; isLight: boolean }[]> {
    return page.locator(selector).evaluateAll((elements) => {
      const parts = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
      const luminance = (colour: string): number => {
        const [r = 0, g = 0, b = 0] = parts(colour)
          .map((part) => part / 255)
          .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const behind = (element: Element | null): string => {
        for (let at = element; at; at = at.parentElement) {
          const { backgroundColor } = getComputedStyle(at);
          if (parts(backgroundColor)[3] === undefined) return backgroundColor;
        }
        return 'rgb(255, 255, 255)';
      };
      return elements
        .filter((element) => element.checkVisibility())
        .map((element) => {
          const [text, back] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
          const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
          return { text: element.textContent ?? '', ratio, isLight: text > back };
        });
    });
  }

  /** The median time between two frames, with one of these keys pressed in each. */
  function medianFrame(page: Page, keys: readonly string[]): Promise<number> {
    return page.evaluate(async (pressed) => {
      const stage = document.querySelector('#pause .stage');
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      const gaps: number[] = [];
      let before = await frame();
      for (let index = 0; index < 30; index++) {
        const key = pressed[index % pressed.length];
        if (key !== undefined) stage?.dispatchEvent(new KeyboardEvent('keydown', { key }));
        const now = await frame();
        gaps.push(now - before);
        before = now;
      }
      return gaps.sort((one, other) => one - other)[15] ?? 0;
    }, keys);
  }

  /** How many pixels of the lanes of `pause` are as red as damage. */
  function redPixels(page: Page): Promise<number> {
    return page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('#pause canvas');
      if (!canvas) return 0;
      // From a copy, since Chromium complains of a canvas that is read several times.
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
      copy?.drawImage(canvas, 0, 0);
      const data = copy?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      let red = 0;
      for (let index = 0; index < data.length; index += 4) {
        const [r = 0, g = 0, b = 0, alpha = 0] = data.slice(index, index + 4);
        if (alpha > 200 && r > 150 && g < 60 && b < 70) red++;
      }
      return red;
    });
  }
});
