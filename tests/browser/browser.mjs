// SPDX-License-Identifier: Apache-2.0
// The browser of the checks and of the pictures.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const places = [...(process.env.PATH ?? '').split(':'), '/usr/bin'].flatMap((folder) =>
  ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)),
);

/** Its path; undefined: there is none. */
export const chromium = places.find((path) => existsSync(path));

/** @param packages whose node_modules has puppeteer-core */
export async function launched(packages) {
  const path = join(packages, 'node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js');
  const { launch } = await import(pathToFileURL(path).href);
  return launch({ executablePath: chromium, args: ['--no-sandbox'] });
}

/** A new page at this size and colour scheme; what it says on the console and asks of the network is kept in `noise`. */
export async function opened(browser, address, { width = 1280, height = 900, scheme = 'light', script = true } = {}) {
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
