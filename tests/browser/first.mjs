// SPDX-License-Identifier: Apache-2.0
// What people look for first: why the best beats the default, what differs most, lines for their code, the overview sorted,
// colours by a column, and that nothing is covered or cut.

const waitForFrame = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))));

async function checkAnswer(check, open, reports) {
  const { page } = await open(reports.one);
  const found = await page.evaluate(() => {
    const { set } = window.gridsmith.model;
    const text = (selector) => document.querySelector(selector)?.textContent ?? '';
    const groups = [...document.querySelectorAll('aside tbody')].map((one) => one.className);
    const pres = [...document.querySelectorAll('#answer .lines pre')].map((one) => one.textContent);
    return {
      answer: set.answer,
      hero: [...document.querySelector('#answer .hero').children].map((one) => one.className),
      why: text('#answer .faster'),
      groups,
      most: [...document.querySelectorAll('aside .most tr:not(.title) th')].map((one) => one.textContent),
      names: set.answer.differences.map((name) => set.fact(name)?.short),
      pres,
      words: document.body.innerText,
    };
  });
  const { answer } = found;
  check(
    found.hero.indexOf('lead faster') === 2 && found.why === answer.winner.against_default && /^[0-9.]+ times as fast as the default: /.test(found.why),
    `why it beats the default stands below its time: ${found.why}`,
  );
  check(
    found.groups[1] === 'most' && found.most.length > 0 && found.most.length <= 3 && found.most.join() === found.names.slice(0, 3).join(),
    `what differs most stands before all else: ${found.most.join(', ')}`,
  );
  check(
    found.pres.some((text) => text.startsWith('-DVARIANT=')) &&
      found.pres.some((text) => /^struct transpose_8192x8192 \{\n {2}static constexpr /.test(text)) &&
      found.pres.every((text) => !text.includes('//')),
    `lines for the user's code are options and a struct: ${found.pres.join(' | ').slice(0, 120)}`,
  );
  const bad = ['The way there', 'rival', 'Take away', 'Let go'].filter((word) => found.words.includes(word));
  check(bad.length === 0, `words are plain${bad.length ? `: ${bad}` : ''}`);
  await page.close();
}

/** Any two: what differs most between them, by ratio; nothing of what is the time in other words. */
async function checkPair(check, open, reports) {
  const { page } = await open(reports.one);
  const most = await page.evaluate(() => {
    const { model } = window.gridsmith;
    const { byTime, best } = model.set;
    model.mark('pick', byTime[byTime.length - 2]);
    model.mark('against', byTime.find((row) => row !== best && row !== model.set.answer.default_row));
    return [...document.querySelectorAll('aside .most tr:not(.title) th')].map((one) => one.textContent);
  });
  check(
    most.length === 3 && most.every((name) => !/\b(time|bandwidth|throughput|rate|share)\b/.test(name)),
    `of any two the most different quantities come first: ${most.join(', ')}`,
  );
  await page.close();
}

/** Without counters the parameters and what moves the time stand in for them. */
async function checkUncounted(check, open, reports) {
  const { page } = await open(reports.uncounted);
  const text = await page.$eval('#answer', (one) => one.innerText);
  check(
    /times as fast as the default/.test(text) && /What moves the time/.test(text),
    `without counters there is a reason too: ${/.*times as fast as the default.*/.exec(text)?.[0]}`,
  );
  await page.close();
}

async function checkOverview(check, open, reports) {
  const { page } = await open(reports.all);
  const sorted = (name) =>
    page.evaluate((column) => {
      const heads = [...document.querySelectorAll('#overview thead th')];
      const place = [...document.querySelectorAll('#overview tbody tr:first-child > *')].findIndex(
        (one) => one.dataset.column === column,
      );
      heads[place].querySelector('button').click();
      return {
        way: document.querySelectorAll('#overview thead th')[place].getAttribute('aria-sort'),
        values: [...document.querySelectorAll(`#overview tbody [data-column=${column}]`)].map((one) => one.textContent),
        bars: document.querySelectorAll(`#overview tbody [data-column=${column}] .meter`).length,
      };
    }, name);
  const numbers = ({ values }) => values.map(parseFloat).filter((value) => !Number.isNaN(value));
  const down = await sorted('gain');
  const up = await sorted('gain');
  const ordered = (list, sign) => list.every((value, i) => i === 0 || sign * (value - list[i - 1]) >= 0);
  check(
    down.way === 'descending' && up.way === 'ascending' && ordered(numbers(down), -1) && ordered(numbers(up), 1) && down.bars === down.values.length,
    `a click sorts the overview, with bars: ${down.values.slice(0, 3).join(', ')}`,
  );
  await waitForFrame(page);
  check(
    (await page.evaluate(() => location.hash)).includes('overview.sort=gain'),
    'the address keeps how it is sorted',
  );
  const chosen = await page.evaluate(() => {
    document.querySelector('#overview tbody tr:last-child .link').click();
    const { model } = window.gridsmith;
    return [model.set.kernel, document.querySelector('#overview [aria-current]').textContent, document.querySelector('.bar select').selectedOptions[0].textContent];
  });
  check(chosen[0] === chosen[1] && chosen[2].startsWith(chosen[0]), `a click on a kernel shows it, and the bar says so: ${chosen[2]}`);
  await page.close();
}

/** Colours of a canvas that are no shade of another; two reports of a view differ where a column colours it. */
async function checkColours(check, open, reports) {
  const { page } = await open(reports.one);
  const pictures = () =>
    page.evaluate(() => {
      window.gridsmith.drawAll();
      const data = (selector) => document.querySelector(selector).toDataURL();
      return ['#way .plot > canvas', '#every .plot > canvas', '#roofline .plot > canvas', '#parameters .parallel > canvas'].map(data);
    });
  const before = await pictures();
  for (const column of ['registers', 'VARIANT']) {
    await page.evaluate((name) => window.gridsmith.model.setOption('colour.by', name), column);
    const after = await pictures();
    const legend = await page.$eval('.colour .legend', (one) => ({ text: one.textContent, swatches: one.querySelectorAll('.swatch').length }));
    check(
      after.every((one, i) => one !== before[i]) && legend.swatches === (column === 'VARIANT' ? 3 : 8),
      `${column} colours points and lines in every view, with a legend: ${legend.text}`,
    );
  }
  await waitForFrame(page);
  const hash = await page.evaluate(() => location.hash);
  await page.evaluate(() => window.gridsmith.model.setOption('colour.by', ''));
  const again = await pictures();
  check(hash.includes('colour.by=VARIANT') && again.every((one, i) => one === before[i]), 'the address keeps it, and nothing colours them again');
  await page.close();
}

/** With many chips the bar is high: a view that one goes to, and the side, begin below it. */
async function checkBar(check, open, reports) {
  const { page } = await open(reports.one, { width: 1280 });
  await page.evaluate(() => {
    const { model } = window.gridsmith;
    window.gridsmith.drawAll();
    for (const name of ['registers', 'time_ms', 'achieved_occupancy', 'load_sectors_per_request', 'threads_per_block'])
      model.brush(name, { low: 0.001, high: 100000 });
  });
  const places = [];
  for (const id of ['every', 'roofline', 'memory']) {
    await waitForFrame(page);
    await page.evaluate((one) => window.gridsmith.go(one), id);
    await waitForFrame(page);
    places.push(
      await page.evaluate((one) => {
        const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
        const { bottom } = document.querySelector('.bar').getBoundingClientRect();
        return [bottom, top(`#${one} h2`) - bottom, top('aside') - bottom].map(Math.round);
      }, id),
    );
  }
  check(
    places.every(([bottom, title, side]) => bottom > 100 && title >= 0 && side >= 0),
    `the bar covers no title and nothing at the side: ${JSON.stringify(places)}`,
  );
  await page.close();
}

/** In the page: labels whose text is wider or higher than its place, which then cuts it. */
const cutLabels = () => {
  window.gridsmith.drawAll();
  const cuts = (one) => {
    const { overflowX, overflowY } = getComputedStyle(one);
    return (
      (overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1) ||
      (overflowY !== 'visible' && one.scrollHeight > one.clientHeight + 1)
    );
  };
  const labels = 'h2, h3, h4, th, dt, dd, aside td, .bars span, .value span, .limits span, .head .name, .chip, .legend span, nav a, button, .letters li';
  return [...document.querySelectorAll(labels)]
    .filter((one) => !one.closest('.everything') && one.getClientRects().length > 0)
    .filter((one) => cuts(one) || (one.matches('.head .name') && one.scrollHeight > one.clientHeight + 1))
    .map((one) => one.textContent);
};

async function checkLabels(check, open, reports) {
  for (const width of [390, 768, 1280, 1920]) {
    const { page } = await open(reports.all, { width });
    const bad = [];
    const sets = await page.evaluate(() => window.gridsmith.model.sets.map((set) => set.id));
    for (const name of ['transpose/8192x8192', 'matmul/1024x1024x1024', 'attention_half', 'stencil_3d']) {
      const index = sets.findIndex((id) => id.startsWith(name));
      if (index < 0) continue;
      await page.evaluate((one) => window.gridsmith.model.choose(one), index);
      bad.push(...(await page.evaluate(cutLabels)));
      // What is wider than its place says that it scrolls.
      await waitForFrame(page);
      bad.push(
        ...(await page.evaluate(() =>
          [...document.querySelectorAll('.scrolls, .grid')]
            .filter((one) => one.scrollWidth > one.clientWidth + 1 && (one.nextSibling?.hidden || !one.hasAttribute('data-behind')))
            .map((one) => `scrolls without a word: ${one.textContent.slice(0, 40)}`),
        )),
      );
    }
    check(bad.length === 0, `no label is cut at ${width} px${bad.length ? `: ${bad.slice(0, 5).join(' | ')}` : ''}`);
    await page.close();
  }
}

export async function checkFirst({ check, reports, open }) {
  await checkAnswer(check, open, reports);
  await checkPair(check, open, reports);
  await checkUncounted(check, open, reports);
  await checkOverview(check, open, reports);
  await checkColours(check, open, reports);
  await checkBar(check, open, reports);
  await checkLabels(check, open, reports);
}
