// SPDX-License-Identifier: Apache-2.0
// Numbers of one thing are one number in every view; the pictures of the README show those of today; on paper charts are whole.
import { readFileSync } from 'node:fs';
import { shownText } from './pictures.mjs';

/** In the page: what is said of the best of the set that was drawn, in several places. */
export const said = () => {
  const page = window.gridsmith;
  const { set } = page.model;
  const text = (selector) => document.querySelector(selector)?.textContent ?? '';
  const way = page.sections.find((one) => one.view.id === 'way').drawn;
  const line = way.plot?.drawn.series.find((one) => one.type === 'line')?.data ?? [];
  let least = Infinity;
  const bests = [...set.fact('time_ms').numbers].filter((ms) => ms < least && ((least = ms), true));
  const busy = Object.fromEntries(
    [...document.querySelectorAll('#answer .bars')[0]?.querySelectorAll('li') ?? []].map((li) => [
      li.firstChild.textContent,
      li.lastChild.textContent,
    ]),
  );
  const limits = Object.fromEntries(
    [...document.querySelectorAll('#roofline .limits li:not(.axis)')].map((li) => [
      li.firstChild.firstChild.textContent,
      li.lastChild.textContent,
    ]),
  );
  return {
    id: set.id,
    best: set.best,
    answer_ms: set.answer.time_ms,
    row_ms: set.fact('time_ms').numbers[set.best],
    figure: text('#answer .figure'),
    panel: text('aside tbody'),
    ranking: text('#answer .ranking tbody tr'),
    number: set.fact('order').numbers[set.best],
    summary: text('#way .controls .quiet'),
    heights: new Set(line.map(([, at]) => at)).size,
    above: bests.filter((ms) => ms / set.answer.time_ms - 1 > 1e-4).length,
    unequal: Object.keys(busy).filter((unit) => unit in limits && busy[unit] !== limits[unit]),
    common: Object.keys(busy).filter((unit) => unit in limits).length,
    overview: [...document.querySelectorAll("#overview td[data-column='near']")].map((td) => td.textContent),
  };
};

/** @param all what is said of every set */
export async function checkNumbers({ check, reports, open }, all) {
  const many = all.length;
  const bad = [];
  let units = 0;
  let overview = [];
  for (const one of all) {
    const ms = one.figure.replace(' ms', '');
    const same =
      Math.abs(one.answer_ms / one.row_ms - 1) < 1e-6 &&
      one.panel.includes(`${ms} ms`) &&
      one.ranking.includes(`${ms} ms`) &&
      one.number === one.best + 1 &&
      one.summary.includes(`evaluation ${one.number} `) &&
      one.heights >= one.above && // every step of the curve is seen
      one.unequal.length === 0;
    if (!same) bad.push(one);
    units += one.common;
    ({ overview } = one);
  }
  check(
    bad.length === 0 && units > 100,
    `of ${many} sets headline, finalists, panel, busy units and numbers agree${bad.length ? `; not: ${JSON.stringify(bad[0]).slice(0, 800)}` : ''}`,
  );
  const above = overview.filter((text) => parseFloat(text) > 100 && !text.includes('more than'));
  check(
    overview.length === many && above.length === 0 && overview.every((text) => !/ of FP32$/.test(text)),
    `the overview names the peak, and says where more is reached${above.length ? `: ${above[0]}` : ''}`,
  );
  await checkFinals(check, reports, open);
  await checkPaper(check, reports, open);
  await checkPictures(check, reports, open);
}

/** Who was measured again is drawn launch by launch, in turns. */
async function checkFinals(check, reports, open) {
  const { page } = await open(reports.one);
  const lines = await page.evaluate(() => {
    const { model, sections } = window.gridsmith;
    model.set.finals = [
      { row: 0, ms: [1, 2, 3] },
      { row: 1, ms: [1.5, 2.5, 3.5] },
    ];
    const section = sections.find((one) => one.view.id === 'measurement');
    section.inSight = true;
    section.reset();
    const plot = section.drawn.plots.at(-1);
    return plot.drawn.series.map((one) => one.data);
  });
  check(
    JSON.stringify(lines) === '[[[1,1],[3,2],[5,3]],[[2,1.5],[4,2.5],[6,3.5]]]',
    `finals are drawn in turns: ${JSON.stringify(lines)}`,
  );
  await page.close();
}

/** Before paper is drawn on all charts are, at its width, with every point; nothing that says something is left out. */
async function checkPaper(check, reports, open) {
  const { page } = await open(reports.one, { width: 1600 });
  await page.waitForSelector('#way .plot'); // drawn for the screen already
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMediaType('print');
  const found = await page.evaluate(() => {
    const painted = (canvas) =>
      canvas.width > 0 &&
      canvas
        .getContext('2d')
        .getImageData(0, 0, canvas.width, canvas.height)
        .data.some((value) => value > 0);
    const width = document.body.getBoundingClientRect().right;
    const charts = [...document.querySelectorAll('.plot')];
    // What is printed: a picture of each chart, in which its axes are too.
    const pictures = [...document.querySelectorAll('.plot > .paper, .parallel > .paper')];
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0);
    const { set } = window.gridsmith.model;
    return {
      pictures: pictures.length,
      unlike: pictures.filter(
        (one) => getComputedStyle(one).display === 'none' || one.width !== 2 * one.parentElement.clientWidth,
      ).length,
      uneven: charts.filter((one) => one.querySelector('.chart canvas').width !== one.querySelector('.paper').width).length,
      rows: seen('#table tbody tr[data-row]').length === set.rows,
      names: seen('#table thead button').length,
      axes: seen('#parameters .head .name').length,
      panel: seen('aside tbody tr').length,
      cut: [...document.querySelectorAll('pre, .grid, .scrolls')].filter(
        (one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible',
      ).length,
      width,
      charts: charts.length,
      wide: [...document.querySelectorAll('.plot, .plot canvas, .parallel, .parallel canvas')]
        .filter((one) => one.getBoundingClientRect().right > width + 1)
        .map((one) => one.className),
      blank: charts.filter((one) => !painted(one.querySelector('.chart canvas'))).length,
      points: painted(document.querySelector('#every .plot > canvas')),
      bars: getComputedStyle(document.querySelector('.meter > i')).printColorAdjust,
    };
  });
  check(
    found.width < 720 && found.charts > 5 && found.wide.length === 0 && found.blank === 0 && found.points && found.bars === 'exact',
    `on paper ${found.charts} charts are whole, with points and bars: ${JSON.stringify(found)}`,
  );
  check(
    found.pictures === found.charts + 1 && found.unlike === 0 && found.uneven === 0,
    'each chart is printed as one picture of its size',
  );
  check(
    found.rows && found.names > 5 && found.axes > 5 && found.panel > 20 && found.cut === 0,
    'on paper the table has all rows and names, axes have names, A and B are there, nothing is cut',
  );
  await page.emulateMediaType('screen');
  const left = await page.evaluate(() => {
    window.dispatchEvent(new Event('afterprint'));
    return document.querySelectorAll('.paper, .on-paper').length;
  });
  check(left === 0, 'after paper the screen is as before');
  await page.close();
}

/** Numbers of the README's pictures are those that the page shows now. */
async function checkPictures(check, reports, open) {
  const kept = readFileSync(new URL('../../docs/pictures/shown.txt', import.meta.url), 'utf8');
  const now = await shownText(open, reports.all);
  check(kept === now, `the pictures in docs/pictures show today's numbers${kept === now ? '' : '; run tests/browser/pictures.mjs'}`);
}
