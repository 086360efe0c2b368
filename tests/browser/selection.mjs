// SPDX-License-Identifier: Apache-2.0
// Brushing selects exactly the rows that the program's CSV has in that range; the address restores what is selected.
import { exportCsv, readCsv } from './reports.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Drags over a part of a view's first chart, given as shares of its area. */
async function drag(page, selector, from, to) {
  await page.evaluate(
    (one) => document.querySelector(one).scrollIntoView({ block: 'center', behavior: 'instant' }),
    selector,
  );
  await page.waitForSelector(`${selector} .pad`);
  await pause(100);
  const box = await (await page.$(`${selector} .pad`)).boundingBox();
  const at = ([x, y]) => [box.x + 60 + x * (box.width - 90), box.y + 40 + y * (box.height - 90)];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

/** In the page: what is selected, and in which words. */
const state = () => {
  const { model } = window.gridsmith;
  return {
    rows: model.selectedRows(),
    configurations: model.selectedRows().map((row) => model.set.configuration(row)),
    expression: model.expression(),
    ranges: [...model.ranges].map(([name, { low, high }]) => ({ name, low, high })),
    pick: model.pick,
    hash: location.hash,
  };
};

const columns = { time_ms: 'median_ms', registers: 'registers_per_thread' }; // of the page, of the CSV

function rowsOfCsv(csv, parameters, ranges) {
  const inside = (row) =>
    ranges.every(
      ({ name, low, high }) =>
        row[columns[name]] !== '' && Number(row[columns[name]]) >= low && Number(row[columns[name]]) <= high,
    );
  return csv.filter(inside).map((row) => parameters.map((name) => `${name}=${row[name]}`).join(' '));
}

const same = (a, b) => JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());

export async function checkSelection({ check, reports, open, gridsmith }) {
  const csv = exportCsv(gridsmith, reports.oneRecording);
  const { page, noise } = await open(reports.one, { hash: '#every.x=registers&every.y=time_ms' });
  const parameters = await page.evaluate(() => window.gridsmith.model.set.parameters.map((one) => one.name));
  await drag(page, '#every', [0.3, 0.5], [0.8, 0.97]);
  const brushed = await page.evaluate(state);
  const wanted = rowsOfCsv(csv, parameters, brushed.ranges);
  check(
    brushed.ranges.length === 2 &&
      wanted.length > 5 &&
      wanted.length < csv.length &&
      same(wanted, brushed.configurations),
    `a drag selects the ${wanted.length} of ${csv.length} rows that the CSV has where ${brushed.expression}`,
  );
  await checkFiles(check, page, brushed);
  await checkWords(check, page, brushed);
  await checkAddress(check, page, open, reports.one);
  check(noise.length === 0, `selecting is silent${noise.length ? `: ${noise[0]}` : ''}`);
  await page.close();
}

/** The page's own files hold the selection, all columns of it. */
async function checkFiles(check, page, brushed) {
  const files = await page.evaluate(async () => {
    const texts = [];
    const create = URL.createObjectURL;
    URL.createObjectURL = (blob) => (texts.push(blob.text()), 'about:blank#');
    HTMLAnchorElement.prototype.click = () => {};
    document.getElementById('table').scrollIntoView({ behavior: 'instant' });
    while (!document.querySelector('#table .controls button')) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const button of [...document.querySelectorAll('#table .controls > button')].slice(0, 2)) button.click();
    URL.createObjectURL = create;
    return Promise.all(texts);
  });
  const csv = readCsv(files[0]).map((row) => Number(row.row) - 1); // counted from 1
  const json = JSON.parse(files[1]).rows.map((row) => row.row - 1);
  check(
    same(csv, brushed.rows) && same(json, brushed.rows),
    'the CSV and the JSON that are downloaded hold these rows',
  );
}

/** The selection as an expression, typed into the filter, is the same selection; a range by keyboard narrows it. */
async function checkWords(check, page, brushed) {
  await page.evaluate(() => window.gridsmith.model.clear());
  await page.type('#filter', brushed.expression);
  await page.keyboard.press('Enter');
  check(
    same((await page.evaluate(state)).rows, brushed.rows),
    'the expression of the selection, as a filter, selects the same',
  );
  await page.type('#filter', ' and layuot == 1');
  await page.keyboard.press('Enter');
  const error = await page.$eval('#filter-error', (one) => one.textContent);
  const total = await page.$eval('.total', (one) => one.textContent);
  check(
    error.includes("unknown name 'layuot'") && !/[0-9]/.test(total),
    `a wrong filter is told, and no count of another: ${error.slice(0, 60)}; ${total}`,
  );
  for (const [text, meant] of [
    ['time < 0.2', "did you mean 'time_ms'?"],
    ['VARIANT == blocked', "the text 'blocked' of VARIANT, in quotes"],
  ]) {
    const told = await page.evaluate((one) => (window.gridsmith.model.setFilter(one), window.gridsmith.model.filterError), text);
    check(told.includes(meant), `${text}: ${told}`);
  }
  await page.evaluate(() => window.gridsmith.model.clear());
}

/** A link shows the same picture. */
async function checkAddress(check, page, open, file) {
  await page.evaluate(() => {
    const { model } = window.gridsmith;
    model.brush('registers', { low: 20, high: 64 });
    model.toggle('VARIANT', 0);
    model.setFilter('time_ms < 0.3');
    model.mark('pick', 7);
    model.setOption('every.x', 'achieved_occupancy');
  });
  await page.waitForFunction("location.hash.includes('every.x=achieved_occupancy')");
  const before = await page.evaluate(state);
  const other = await open(file, { hash: before.hash });
  const after = await other.page.evaluate(state);
  check(
    before.rows.length > 0 &&
      same(before.rows, after.rows) &&
      after.pick === 7 &&
      after.expression === before.expression &&
      after.hash === before.hash,
    `the address restores ${before.rows.length} rows, the pick and the axes: ${before.hash.slice(0, 80)}`,
  );
  await other.page.close();
}
