// SPDX-License-Identifier: Apache-2.0
// The report's page in a real browser: page_check.mjs GRIDSMITH PACKAGES [--shots DIR]
// GRIDSMITH writes the reports of the shipped recordings; PACKAGES has node_modules with puppeteer-core and axe-core.
// Exit code 77 (skipped) without Chromium or packages, 1 where something is wrong.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkAccess } from './access.mjs';
import { chromium, launched, opened } from './browser.mjs';
import { checkExpressions } from './expressions.mjs';
import { checkFirst } from './first.mjs';
import { checkOccupancy } from './occupancy.mjs';
import { checkLive } from './live.mjs';
import { checkNumbers } from './numbers.mjs';
import { makeReports } from './reports.mjs';
import { checkSafety } from './safety.mjs';
import { checkSelection } from './selection.mjs';
import { checkSpeed } from './speed.mjs';
import { checkViews } from './views.mjs';

const [gridsmith, packages, ...rest] = process.argv.slice(2);
const modules = join(packages ?? '', 'node_modules');
const shots = rest[0] === '--shots' ? rest[1] : null;

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}
if (!existsSync(join(modules, 'puppeteer-core'))) skip('puppeteer-core is not there (npm ci in results/report/page)');
if (!chromium) skip('no Chromium is installed');

let failed = 0;
function check(holds, what) {
  if (!holds) ++failed;
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}`);
  return holds;
}

const folder = mkdtempSync(join(tmpdir(), 'gridsmith-browser-'));
const browser = await launched(packages);
try {
  const reports = makeReports(gridsmith, folder);
  const tools = {
    check,
    reports,
    folder,
    gridsmith,
    modules,
    shots,
    openAddress: (address, how) => opened(browser, address, how),
    open: (file, { hash = '', ...how } = {}) => opened(browser, pathToFileURL(file).href + hash, how),
  };
  checkExpressions(check);
  await checkOccupancy(tools);
  await checkNumbers(tools, await checkViews(tools));
  await checkFirst(tools);
  await checkSelection(tools);
  await checkSafety(tools);
  await checkAccess(tools);
  await checkLive(tools);
  await checkSpeed(tools);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(failed ? `${failed} checks failed` : 'all checks hold');
process.exit(failed ? 1 : 0);
