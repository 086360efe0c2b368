// SPDX-License-Identifier: Apache-2.0
// Sizes and devices: what is lost where the winner of one serves another, the set that ships and its rule, and the history
// of regression checks.
import { h, scrolls, table } from '../dom.js';
import { date, number, tick } from '../format.js';
import { Plot } from '../plot.js';
import { linearScale } from '../scale.js';
import { colours, inkOn, isDark, ramp } from '../theme.js';
import { heatText } from './parameters.js';

/** Families of this kernel, this device first. */
const familiesOf = (model) =>
  (model.raw.families ?? [])
    .filter((one) => one.kernel === model.set.kernel)
    .sort((a, b) => Number(b.device === model.set.device.name) - Number(a.device === model.set.device.name));

function lossTable(model, family) {
  const worst = Math.max(1.1, ...family.loss.flat().filter(Number.isFinite));
  const chosen = new Set(family.chosen ?? []);
  const problemOf = (i) => family.problems[i];
  const cell = (value, i, k) => {
    if (value === null || value === undefined)
      return h('td', { class: 'none', title: 'not measured, or not valid there' }, '·');
    const colour = ramp(1 - Math.log(Math.max(1, value)) / Math.log(worst), isDark());
    const td = h(
      'td',
      {
        'data-words': `${problemOf(i)} with ${family.configurations[k]}: ${number(value)} times the best of this size`,
      },
      heatText(value),
    );
    td.style.background = colour;
    td.style.color = inkOn(colour);
    return td;
  };
  const head = h(
    'tr',
    {},
    h('td', { class: 'corner' }, 'problem size'),
    family.configurations.map((text, k) =>
      h(
        'th',
        { scope: 'col', 'data-words': text, tabindex: 0 },
        `${chosen.has(k) ? '✓ ' : ''}${String.fromCharCode(65 + (k % 26))}${k >= 26 ? Math.floor(k / 26) : ''}`,
      ),
    ),
  );
  const rows = family.loss.map((line, i) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, problemOf(i)),
      line.map((value, k) => cell(value, i, k)),
    ),
  );
  const names = h(
    'ol',
    { class: 'letters' },
    family.configurations.map((text, k) => h('li', { class: chosen.has(k) ? 'chosen' : '' }, text)),
  );
  return h(
    'div',
    {},
    scrolls(h('table', { class: 'heat' }, h('thead', {}, head), h('tbody', {}, rows))),
    names,
  );
}

/** What the figures of the table are; of sizes that do not compare there are none. */
function ratioWords({ objective = 'time', higher_is_better: higher }) {
  const title = objective[0].toUpperCase() + objective.slice(1);
  return higher ? `The best ${objective} of that size over its own` : `${title} over the best of that size`;
}

function familyCard(model, family) {
  return h(
    'div',
    { class: 'card' },
    h('h3', {}, `Loss on ${family.device}`),
    lossTable(model, family),
    h('p', { class: 'quiet' }, `${ratioWords(family)}. ✓: in the set that ships.`),
    family.curve?.length
      ? [
          h('h3', {}, 'How many to ship'),
          table(
            ['configurations', 'least worst loss', 'its mean loss'],
            family.curve.map((one) => [String(one.configurations), one.worst, one.mean]),
            { class: 'figures' },
          ),
        ]
      : null,
    family.rule ? [h('h3', {}, 'The rule that chooses'), h('p', { class: 'rule' }, family.rule)] : null,
  );
}

/** Sets of this kernel on other sizes and devices, whose best time can be compared here. */
function others(model) {
  const sets = model.sets.filter((set) => set.kernel === model.set.kernel);
  if (sets.length < 2) return null;
  const rate = (set) => ['effective_gb_per_s', 'gflop_per_s'].map((name) => set.fact(name)).find(Boolean);
  return h(
    'div',
    { class: 'card' },
    h('h3', {}, `All of ${model.set.kernel}`),
    scrolls(
      table(
        ['problem', 'device', 'best', 'rate', 'configuration'],
        sets.map((set) => [
          set.problem,
          set.device.name,
          set.fact('time_ms')?.text(set.best) ?? '–',
          rate(set)?.text(set.best) ?? '–',
          set.best >= 0 ? set.configuration(set.best) : 'no time',
        ]),
        { class: 'bests' },
      ),
    ),
  );
}

/** Whether a check has an interval: few pairs may have none. */
const isKnown = (one) => Number.isFinite(one.low) && Number.isFinite(one.high);

function drawHistory(model, host) {
  const { checks } = model.set;
  const verdicts = ['same', 'faster', 'slower', 'undecided'];
  const shapes = ['circle', 'triangle', 'diamond', 'rect'];
  new Plot(host, model, () => {
    const theme = colours();
    const all = checks.flatMap((one) => [one.low, one.high, one.ratio]).filter(Number.isFinite);
    const limits = checks.flatMap((one, i) =>
      isKnown(one)
        ? [
            {
              type: 'line',
              z: 2,
              data: [
                [i + 1, one.low],
                [i + 1, one.high],
              ],
              lineStyle: { color: theme.muted, width: 2 },
            },
          ]
        : [],
    );
    const points = verdicts.map((verdict, k) => ({
      type: 'scatter',
      z: 3,
      symbol: shapes[k],
      symbolSize: 9,
      itemStyle: { color: verdict === 'slower' ? theme.failed : theme[`series${k + 1}`] },
      data: checks.flatMap((one, i) =>
        one.verdict === verdict || (k === 0 && !verdicts.includes(one.verdict)) ? [[i + 1, one.ratio]] : [],
      ),
    }));
    return {
      x: linearScale(1, Math.max(2, checks.length), tick, 8),
      y: linearScale(Math.min(0.98, ...all), Math.max(1.02, ...all), (value) => number(value, 4), 5),
      series: [...limits, ...points],
      xTitle: 'check',
      yTitle: 'time over the baseline',
      label: 'History of regression checks.',
    };
  });
}

export const sizes = {
  id: 'sizes',
  title: 'Sizes and devices',
  about: 'How much slower one configuration is at sizes where another is the best, and how few are enough.',
  missing: (set, model) =>
    familiesOf(model).length > 0 ||
    set.checks?.length > 0 ||
    model.sets.filter((one) => one.kernel === set.kernel).length > 1
      ? null
      : ['One size on one device: nothing to compare.', `gridsmith tune ${set.kernelWord} --sizes all`],
  draw(body, model) {
    const { checks } = model.set;
    const chart = h('div', { class: 'small' });
    const past =
      checks?.length > 0 &&
      h(
        'div',
        { class: 'card' },
        h('h3', {}, 'Regression checks'),
        chart,
        table(
          ['when', 'ratio', 'interval', 'verdict'],
          checks
            .slice(-10)
            .reverse()
            .map((one) => [
              date(one.when),
              number(one.ratio, 4),
              isKnown(one) ? `${number(one.low, 4)} to ${number(one.high, 4)}` : '–',
              one.verdict,
            ]),
          { class: 'figures' },
        ),
      );
    body.replaceChildren(
      ...[...familiesOf(model).map((family) => familyCard(model, family)), others(model), past].filter(Boolean),
    );
    if (checks?.length > 0) drawHistory(model, chart);
    return { update: (what) => what === 'theme' && this.draw(body, model) };
  },
};
