// SPDX-License-Identifier: Apache-2.0
// For people: axe-core finds nothing in light and dark, nothing sticks out at 390 to 1920 pixels, the keyboard does it all,
// and without script there is still the answer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readable = (violation) =>
  `${violation.id} (${violation.nodes.length}): ${violation.nodes[0].target} ${violation.nodes[0].failureSummary?.split('\n')[1] ?? ''}`;

async function checkAxe(check, page, axe, name) {
  await page.evaluate(() => window.gridsmith.drawAll());
  await page.evaluate(axe); // addScriptTag is refused by the policy
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  check(
    violations.length === 0,
    `axe finds nothing, ${name}${violations.length ? `: ${violations.map(readable).join(' | ')}` : ''}`,
  );
}

/** Space at two points of a chart, and up and down at an axis, select; Escape lets go. */
async function checkKeyboardBrush(check, page, pad) {
  const state = () =>
    page.evaluate(() => {
      const { model } = window.gridsmith;
      return { selected: model.selected, rows: model.set.rows, ranges: model.ranges.size, words: model.expression() };
    });
  await pad.focus();
  for (const key of ['Home', ' ', 'End', ' ']) await page.keyboard.press(key);
  const box = await state();
  await page.keyboard.press('Escape');
  const free = await state();
  check(
    box.ranges === 2 && box.selected >= 2 && box.selected < box.rows && free.ranges === 0,
    `Space at two points selects the ${box.selected} of ${box.rows} where ${box.words}, Escape lets go`,
  );
  await page.focus('#parameters .head button');
  await page.keyboard.press('ArrowUp');
  const first = await state();
  await page.keyboard.down('Shift');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.up('Shift');
  const both = await state();
  await page.keyboard.press('Escape');
  check(
    first.selected > 0 && both.selected > first.selected && (await state()).ranges === 0,
    `up and down brush an axis: ${first.words}, with Shift ${both.words}`,
  );
}

async function checkKeyboard(check, page) {
  const pad = await page.waitForSelector('#every .pad');
  await pad.focus();
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  const first = await page.evaluate(() => window.gridsmith.model.pick);
  await (await page.$('#table .grid')).focus();
  for (const key of ['Home', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const second = await page.evaluate(() => window.gridsmith.model.pick);
  const fastest = await page.evaluate(() => window.gridsmith.model.set.byTime[1]);
  check(
    first >= 0 && second === fastest,
    `arrow keys and Enter pick in a chart (row ${first}) and in the table (row ${second})`,
  );
  await checkKeyboardBrush(check, page, pad);
  await page.focus('#parameters .head button');
  const order = () => page.$$eval('#parameters .head .name', (all) => all.map((one) => one.textContent));
  const before = await order();
  await page.keyboard.press('ArrowRight');
  const after = await order();
  check(before[0] === after[1] && before[1] === after[0], `an arrow key moves the axis ${before[0]}`);
}

export async function checkAccess({ check, reports, open, modules }) {
  const axe = readFileSync(join(modules, 'axe-core/axe.min.js'), 'utf8');
  for (const [scheme, width, file] of [
    ['light', 1280, reports.all],
    ['dark', 1280, reports.one],
    ['light', 390, reports.one],
    ['dark', 390, reports.all],
    ['light', 1920, reports.one],
  ]) {
    const { page } = await open(file, { scheme, width });
    if (width < 1920) await checkAxe(check, page, axe, `${scheme}, ${width} px`);
    else await page.evaluate(() => window.gridsmith.drawAll());
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, `nothing sticks out at ${width} px${over > 0 ? `: ${over} px` : ''}`);
    if (scheme === 'dark' && width > 400) await checkKeyboard(check, page);
    await page.close();
  }
  const { page } = await open(reports.one, { script: false });
  const text = await page.$eval('main', (main) => main.innerText);
  check(
    /transpose/.test(text) && /0\.132/.test(text),
    `without script there is the answer: ${text.replace(/\s+/g, ' ').slice(0, 100)}`,
  );
  await page.close();
}
