// SPDX-License-Identifier: Apache-2.0
// Draws the pictures of the README anew from the recordings that ship: pictures.mjs GRIDSMITH PACKAGES, as page_check.mjs
// takes them. shown.txt beside them says which numbers they show; page_check.mjs compares it with the page of today.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launched, opened } from './browser.mjs';
import { makeReports } from './reports.mjs';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const address = (options) => `#${new URLSearchParams(options)}`;

const pictures = [
  {
    file: 'report_answer.png',
    view: 'answer',
    // So low that title, picture and the commands below it fit on one screen.
    how: { width: 1280, height: 560, hash: address({ set: 'transpose/8192x8192/NVIDIA H200' }) },
  },
  {
    file: 'report_linked.png',
    view: 'way',
    how: {
      width: 1800,
      height: 1000,
      scheme: 'dark',
      hash: address({ set: 'matmul/1024x1024x1024/NVIDIA H200', 'every.x': 'achieved_occupancy' }),
    },
    select: () => window.gridsmith.model.brush('slowdown', { low: 1, high: 1.3 }),
  },
];

/** In the page: the view is drawn, and at the top. @return what it shows in words and numbers */
const drawn = (view) => {
  const page = window.gridsmith;
  page.drawAll();
  document.getElementById(view).scrollIntoView({ behavior: 'instant' });
  const of = (selector) => [...document.querySelectorAll(selector)].map((one) => one.innerText.replace(/\s+/g, ' ').trim());
  return [...of('.total'), ...of(view === 'answer' ? '#answer .hero, #answer .ranking tr, #answer .bars li' : '#way .quiet, #way .stats'), ...of('aside tr')];
};

async function shown(page, { view, select }) {
  if (select) await page.evaluate(select);
  return page.evaluate(drawn, view);
}

/** The numbers of all pictures, a line each. */
export async function shownText(open, report) {
  const lines = [];
  for (const one of pictures) {
    const { page } = await open(report, one.how);
    lines.push(`# ${one.file}`, ...(await shown(page, one)));
    await page.close();
  }
  return `${lines.join('\n')}\n`;
}

async function draw(gridsmith, packages) {
  const browser = await launched(packages);
  const made = mkdtempSync(join(tmpdir(), 'gridsmith-pictures-'));
  try {
    const { all } = makeReports(gridsmith, made);
    const open = (file, { hash = '', ...how } = {}) => opened(browser, pathToFileURL(file).href + hash, how);
    for (const one of pictures) {
      const { page } = await open(all, one.how);
      await shown(page, one);
      await new Promise((resolve) => setTimeout(resolve, 500)); // charts are drawn in a later frame
      await page.screenshot({ path: join(folder, one.file) });
      await page.close();
    }
    writeFileSync(join(folder, 'shown.txt'), await shownText(open, all));
  } finally {
    await browser.close();
    rmSync(made, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await draw(...process.argv.slice(2));
