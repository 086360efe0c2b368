// SPDX-License-Identifier: Apache-2.0
// Every view is drawn from the shipped recordings without a word on the console or a request.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { said } from './numbers.mjs';
import { recordings } from './reports.mjs';

/** In the page: draws everything of a set and tells what each view shows. */
const drawn = (index) => {
  const { model, sections } = window.gridsmith;
  model.choose(index);
  window.gridsmith.drawAll();
  const painted = (canvas) =>
    canvas.width > 0 &&
    canvas
      .getContext('2d')
      .getImageData(0, 0, canvas.width, canvas.height)
      .data.some((value) => value > 0);
  return sections.map(({ view, body }) => ({
    id: view.id,
    advice: body.querySelector(':scope > .empty code')?.textContent ?? '',
    blank: [...body.querySelectorAll('.chart canvas')].filter((canvas) => !painted(canvas)).length,
    charts: body.querySelectorAll('.chart canvas').length,
    text: body.textContent.length,
    rows: body.querySelectorAll('tr[data-row] td:nth-child(2)').length,
  }));
};

/** Views that a recording with counters has to fill. */
const filled = [
  'answer',
  'way',
  'every',
  'parameters',
  'roofline',
  'memory',
  'occupancy',
  'measurement',
  'sizes',
  'table',
];

/** @return what is said of every set, for checkNumbers */
export async function checkViews({ check, reports, open, shots }) {
  const { page, noise } = await open(reports.all);
  const names = await page.evaluate(() => window.gridsmith.model.sets.map((set) => set.id));
  check(names.length === recordings().length, `${names.length} sets in one report`);
  const all = [];
  for (const [i, name] of names.entries()) {
    const views = await page.evaluate(drawn, i);
    all.push(await page.evaluate(said));
    const bad = views.filter(
      (one) => one.blank > 0 || (one.text < 40 && !one.advice) || (one.advice && !one.advice.startsWith('gridsmith')),
    );
    check(
      bad.length === 0,
      `${name}: ${views.filter((one) => !one.advice).length} views drawn, ${
        views
          .filter((one) => one.advice)
          .map((one) => one.id)
          .join(', ') || 'none'
      } with advice${bad.length ? `; bad: ${JSON.stringify(bad)}` : ''}`,
    );
    if (name.startsWith('transpose/8192'))
      check(views.find((one) => one.id === 'table').rows >= 15, `${name}: the table has rows`);
    if (name.startsWith('transpose/8192'))
      check(
        filled.every((id) => !views.find((one) => one.id === id).advice),
        `${name}: all views are filled that can be`,
      );
  }
  check(noise.length === 0, `no console message, no request${noise.length ? `: ${noise.slice(0, 3).join('; ')}` : ''}`);
  await page.close();
  if (shots) await takeShots(open, reports.all, shots);
  return all;
}

/** Pictures of every view for people to look at. */
async function takeShots(open, file, folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, how] of Object.entries({
    light: {},
    dark: { scheme: 'dark' },
    narrow: { width: 400, height: 800 },
    wide: { width: 1920, height: 1080 },
  })) {
    const { page } = await open(file, {
      ...how,
      hash: `#${new URLSearchParams({ set: 'transpose/8192x8192/NVIDIA H200' })}`,
    });
    for (const id of await page.evaluate(() => window.gridsmith.sections.map((one) => one.view.id))) {
      await page.evaluate((one) => document.getElementById(one).scrollIntoView({ behavior: 'instant' }), id);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await page.screenshot({ path: join(folder, `${id}_${name}.png`) });
    }
    await page.close();
  }
}
