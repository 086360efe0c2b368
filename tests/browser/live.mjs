// SPDX-License-Identifier: Apache-2.0
// A page of a run that goes on takes models and points from the server's events, and keeps what is selected.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { modelOf, withData } from './reports.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that speaks as `tune --watch` does: `say(event, data)` to whoever listens. */
function serve(html) {
  const listeners = [];
  const server = createServer((request, response) => {
    if (request.url !== '/events') return response.setHeader('Content-Type', 'text/html').end(html);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    return listeners.push(response);
  });
  const say = (event, data) => listeners.forEach((one) => one.write(`event: ${event}\ndata: ${data}\n\n`));
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, say, listeners, address: `http://127.0.0.1:${server.address().port}/` }),
    ),
  );
}

export async function checkLive({ check, reports, openAddress }) {
  const model = await modelOf(reports.one);
  const html = withData(reports.one, '')
    .replace('data-live=""', 'data-live="events"')
    .replace(/connect-src ('|&#39;)none\1/, 'connect-src $1self$1');
  const { server, say, listeners, address } = await serve(html);
  const { page, noise } = await openAddress(address);
  for (let i = 0; i < 200 && listeners.length === 0; ++i) await pause(20);
  if (
    !check(listeners.length === 1, `the live page listens to the server's events${noise.length ? `: ${noise[0]}` : ''}`)
  )
    return (server.closeAllConnections(), server.close());
  say('model', gzipSync(JSON.stringify(model)).toString('base64'));
  await page.waitForFunction('window.gridsmith');
  await page.evaluate(() => window.gridsmith.model.setFilter('time_ms < 0.135'));
  const before = await page.evaluate(() => [window.gridsmith.model.set.rows, window.gridsmith.model.selected]);
  for (const time_ms of [0.12, 0.5])
    say('point', JSON.stringify({ set: 0, row: { VARIANT: 'tiled', TILE: 16, status: 'correct', time_ms, at_s: 99 } }));
  await page.waitForFunction(`window.gridsmith.model.set.rows === ${before[0] + 2}`);
  const after = await page.evaluate(() => {
    const { model } = window.gridsmith;
    return {
      selected: model.selected,
      best: model.set.fact('time_ms').numbers[model.set.best],
      words: model.set.configuration(model.set.best),
    };
  });
  check(
    after.selected === before[1] + 1 && after.best === 0.12 && after.words.startsWith('VARIANT=tiled TILE=16'),
    `points that arrive join the ${before[0]} rows and the selection; the best is the new one`,
  );
  say('end', '');
  await page.waitForFunction("document.querySelector('.live')?.textContent === 'ended'");
  check(noise.length === 0, `a live page is silent${noise.length ? `: ${noise[0]}` : ''}`);
  await page.close();
  const late = await openAddress(address);
  for (let i = 0; i < 200 && listeners.length === 1; ++i) await pause(20);
  say('model', gzipSync(JSON.stringify(model)).toString('base64'));
  say('end', '');
  await late.page.waitForFunction('window.gridsmith');
  const state = await late.page.$eval('.live', (one) => one.textContent);
  check(state === 'ended', `a page that is opened after the run says so: ${state}`);
  await late.page.close();
  server.closeAllConnections();
  return server.close();
}
