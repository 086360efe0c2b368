// The report's page in a real browser: page_check.mjs GRIDSMITH PACKAGES [--shots DIR]
// GRIDSMITH writes the reports of the shipped recordings; PACKAGES has node_modules with puppeteer-core and axe-core.
// Exit code 77 (skipped) without Chromium or packages, 1 where something is wrong.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkAccess } from './access.mjs';
import { checkExpressions } from './expressions.mjs';
import { checkOccupancy } from './occupancy.mjs';
import { checkLive } from './live.mjs';
import { makeReports } from './reports.mjs';
import { checkSafety } from './safety.mjs';
import { checkSelection } from './selection.mjs';
import { checkSpeed } from './speed.mjs';
import { checkViews } from './views.mjs';

const [gridsmith, packages, ...rest] = process.argv.slice(2);
const modules = join(packages ?? '', 'node_modules');
const shots = rest[0] === '--shots' ? rest[1] : null;
const places = [...(process.env.PATH ?? '').split(':'), '/usr/bin'].flatMap((folder) =>
  ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)),
);
const chromium = places.find((path) => existsSync(path));

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

/** A new page at this size and colour scheme; what it says on the console and asks of the network is kept in `noise`. */
async function opened(browser, address, { width = 1280, height = 900, scheme = 'light', script = true } = {}) {
  const page = await browser.newPage();
  const noise = [];
  page.on('console', (message) => noise.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  const own = (request) => request.url().startsWith(address.split('#')[0]);
  const refused = (request) => !request.failure()?.errorText?.startsWith('net::'); // by the policy
  page.on('requestfinished', (request) => own(request) || noise.push(`request: ${request.url().slice(0, 100)}`));
  page.on(
    'requestfailed',
    (request) =>
      own(request) ||
      noise.push(
        `${refused(request) ? 'refused' : 'request'}: ${request.url().slice(0, 100)} ${request.failure()?.errorText}`,
      ),
  );
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.setJavaScriptEnabled(script);
  await page.goto(address);
  if (script) await page.waitForFunction('document.documentElement.dataset.ready');
  return { page, noise };
}

const folder = mkdtempSync(join(tmpdir(), 'gridsmith-browser-'));
const { launch } = await import(
  pathToFileURL(join(modules, 'puppeteer-core/lib/esm/puppeteer/puppeteer-core.js')).href
);
const browser = await launch({ executablePath: chromium, args: ['--no-sandbox'] });
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
  await checkViews(tools);
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
