// SPDX-License-Identifier: Apache-2.0
// Parameters: parallel coordinates, the times of each value, how much each parameter explains, and any two as a heat map.
import { box, boxAxis, grouped, quantile } from '../boxes.js';
import { choice, h, scrolls, segments, svg } from '../dom.js';
import { count, number, percent, tick } from '../format.js';
import { inkOn, isDark, ramp } from '../theme.js';
import { logScale } from '../scale.js';
import { Parallel } from './parallel.js';

const varying = (set) => set.parameters.filter((column) => column.values.length > 1);

// ---- times of each value

/** Sorted slowdowns of each value of a column, of rows in the order of their times. */
const slowdownsByValue = ({ set }, column, rows) =>
  grouped(rows, column.codes, column.values.length, set.fact('slowdown').numbers);

/** A small picture per parameter; a value is a button that selects it. */
function valuePanel(model, column, scale, selected) {
  const all = (column.groups ??= slowdownsByValue(model, column, model.set.byTime));
  const chosen = selected && slowdownsByValue(model, column, selected);
  const range = model.ranges.get(column.name);
  const line = (value, i) => {
    const list = all[i];
    const some = chosen?.[i] ?? [];
    const words =
      list.length === 0
        ? 'no times'
        : `${count(list.length)} timed: best ${number(list[0])}×, median ${number(quantile(list, 0.5))}× the best time${chosen ? `; ${count(some.length)} selected` : ''}`;
    return h(
      'button',
      {
        type: 'button',
        class: 'value',
        'aria-pressed': String(Boolean(range?.values?.has(value))),
        'data-key': `${column.name}=${value}`,
        'data-words': `${column.name} = ${column.labelOf(value)}: ${words}`,
        onclick: () => model.toggle(column.name, value),
      },
      h('span', {}, column.labelOf(value)),
      svg(
        'svg',
        { height: 20, 'aria-hidden': 'true' },
        box(list, 10, scale, chosen ? 'faded' : 'all'),
        chosen && box(some, 10, scale, 'selected'),
      ),
      h('span', { class: 'n' }, count(chosen ? some.length : list.length)),
    );
  };
  const values = column.values.slice(0, 24);
  return h(
    'div',
    { class: 'panel', role: 'group', 'aria-label': column.name },
    h('h4', {}, column.name),
    values.map(line),
    h('div', { class: 'value axis', 'aria-hidden': 'true' }, h('span', {}), boxAxis(scale, '×'), h('span', {})),
    column.values.length > 24 ? h('p', { class: 'quiet' }, `${count(column.values.length - 24)} more values`) : null,
  );
}

function valuePanels(model) {
  const slowdown = model.set.fact('slowdown');
  const scale = logScale(1, Math.max(1.1, slowdown.high), tick, 3);
  const selected = model.isActive ? model.set.byTime.filter((row) => model.mask[row]) : null;
  return h(
    'div',
    { class: 'panels' },
    varying(model.set).map((column) => valuePanel(model, column, scale, selected)),
  );
}

// ---- importance

/** Shares of parameters and pairs as bars, the largest first; null where too little was tried. */
export function importanceBars(set, many) {
  const { mains = [], pairs = [] } = set.importance ?? {};
  if (mains.length === 0) return null;
  const all = [
    ...mains.map((one) => ({ name: one.parameter, share: one.share, chance: one.by_chance })),
    ...pairs.map((one) => ({ name: `${one.a} × ${one.b}`, share: one.share, pair: true, chance: one.by_chance })),
  ];
  const shown = all
    .filter((one) => one.share >= 0.001 || !one.pair)
    .sort((a, b) => b.share - a.share)
    .slice(0, many);
  const most = Math.max(...shown.map((one) => one.share), 1e-9);
  const bar = (one) => {
    const inner = h('i', {});
    inner.style.width = `${(100 * Math.max(0, one.share)) / most}%`;
    return h(
      'li',
      { class: one.pair ? 'pair' : '' },
      h(
        'span',
        {},
        one.name,
        one.chance ? h('small', { 'data-words': 'no more than chance would give', tabindex: 0 }, ' (chance)') : null,
      ),
      h('i', { class: 'meter' }, inner),
      h('span', { class: 'n' }, percent(Math.max(0, one.share))),
    );
  };
  return h('ul', { class: 'bars wide' }, shown.map(bar));
}

function importance(set) {
  const bars = importanceBars(set, 14);
  if (!bars)
    return h(
      'p',
      { class: 'empty' },
      'Too few configurations to see what matters: ',
      h('code', {}, `gridsmith tune ${set.kernelWord} --evaluations 100`),
      ' or more.',
    );
  const { explained } = set.importance;
  return h(
    'div',
    {},
    bars,
    h(
      'p',
      { class: 'quiet' },
      `How much of the variation of the time each explains by itself (functional ANOVA of its logarithm); shares overlap where constraints tie parameters together${explained === undefined ? '' : `. Together they explain ${percent(explained)}`}. Striped: what a pair explains beyond both.`,
    ),
  );
}

// ---- heat map

/** Ratios of a heat map under one another: "1.00" next to "1.04". */
export const heatText = (ratio) => (ratio < 10 ? ratio.toFixed(2) : number(ratio));

/** (x, y) => { value, many }: least or median slowdown of a pair of values; nothing where no selected row has a time. */
function cellsOf({ set, mask }, a, b, kind) {
  const pairs = a.codes.map((code, row) => (code < 0 || b.codes[row] < 0 ? -1 : code * b.values.length + b.codes[row]));
  const lists = grouped(
    set.byTime.filter((row) => mask[row]),
    pairs,
    a.values.length * b.values.length,
    set.fact('slowdown').numbers,
  );
  const cells = lists.map(
    (list) => list.length > 0 && { value: kind === 'best' ? list[0] : quantile(list, 0.5), many: list.length },
  );
  return (x, y) => cells[a.values.indexOf(x) * b.values.length + b.values.indexOf(y)];
}

function heatMap(model, redraw) {
  const { set } = model;
  const columns = varying(set).filter((column) => column.isCategory);
  if (columns.length < 2) return h('p', { class: 'empty' }, 'A heat map needs two parameters that vary.');
  const first = bestPair(set, columns);
  const a = columns.find((one) => one.name === model.option('heat.x')) ?? first[0];
  const b =
    columns.find((one) => one.name === model.option('heat.y') && one !== a) ?? (first[1] === a ? first[0] : first[1]);
  const kind = model.option('heat.of', 'best');
  const cells = cellsOf(model, a, b, kind);
  const worst = a.values
    .flatMap((x) => b.values.map((y) => cells(x, y).value ?? 1))
    .reduce((most, value) => Math.max(most, value), 1.05);
  const pick = (label, option, other, value) =>
    choice(
      label,
      columns.filter((one) => one !== other).map((one) => [one.name, one.name]),
      value.name,
      (name) => redraw(option, name),
    );
  const cell = (x, y) => {
    const found = cells(x, y);
    if (!found)
      return h(
        'td',
        { class: 'none', title: model.isActive ? 'nothing selected has a time' : 'no configuration has a time' },
        '·',
      );
    const colour = ramp(1 - Math.log(found.value) / Math.log(worst), isDark());
    const words = `${a.name} = ${a.labelOf(x)}, ${b.name} = ${b.labelOf(y)}: ${kind} ${number(found.value)}× the best time, of ${count(found.many)}`;
    const td = h(
      'td',
      {},
      h(
        'button',
        {
          type: 'button',
          'aria-label': `${heatText(found.value)}: ${words}`,
          'data-key': `${x}|${y}`,
          'data-words': words,
          onclick: () => selectCell(model, a, x, b, y),
        },
        heatText(found.value),
      ),
    );
    td.style.background = colour;
    td.firstChild.style.color = inkOn(colour);
    return td;
  };
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'controls' },
      pick('Right', 'heat.x', b, a),
      pick('Up', 'heat.y', a, b),
      segments(
        'Of the times',
        [
          ['best', 'best'],
          ['median', 'median'],
        ],
        kind,
        (value) => redraw('heat.of', value),
      ),
    ),
    scrolls(
      h(
        'table',
        { class: 'heat' },
        h(
          'tbody',
          {},
          [...b.values].reverse().map((y) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, b.labelOf(y)),
              a.values.map((x) => cell(x, y)),
            ),
          ),
          h(
            'tr',
            {},
            h('td', { class: 'corner' }, `${b.name} ↑  ${a.name} →`),
            a.values.map((x) => h('th', { scope: 'col' }, a.labelOf(x))),
          ),
        ),
      ),
    ),
    h(
      'p',
      { class: 'quiet' },
      `${kind === 'best' ? 'Least' : 'Median'} time over the best time${model.isActive ? ', of the selection' : ''}. A click selects the cell.`,
    ),
  );
}

/** The two that explain most, or the pair that the analysis names first. */
function bestPair(set, columns) {
  const by = (name) => columns.find((column) => column.name === name);
  const pairs = [...(set.importance?.pairs ?? [])]
    .sort((x, y) => y.share - x.share)
    .map((one) => [by(one.a), by(one.b)]);
  const mains = [...(set.importance?.mains ?? [])]
    .sort((x, y) => y.share - x.share)
    .map((one) => by(one.parameter))
    .filter(Boolean);
  return pairs.find(([a, b]) => a && b) ?? (mains.length > 1 ? mains : columns);
}

function selectCell(model, a, x, b, y) {
  model.brush(a.name, { values: new Set([x]) }, true);
  model.brush(b.name, { values: new Set([y]) });
}

export const parameters = {
  id: 'parameters',
  title: 'Parameters',
  about:
    'Drag along an axis, or press up or down on its name, to select; drag a name, or press left or right, to move it. Stronger lines are faster, unless a column colours them.',
  missing: (set) =>
    varying(set).length > 0 && set.fact('slowdown')?.present
      ? null
      : [
          'No parameter varies among the configurations that have a time.',
          `gridsmith tune ${set.kernelWord} --evaluations 100`,
        ],
  draw(body, model) {
    const chart = h('div', { class: 'tall' });
    const [values, heat] = [h('div', {}), h('div', {})];
    body.replaceChildren(
      scrolls(chart),
      h('p', { class: 'quiet note' }),
      h('h3', {}, 'Times of each value'),
      values,
      h(
        'div',
        { class: 'halves' },
        h('div', {}, h('h3', {}, 'What matters'), importance(model.set)),
        h('div', {}, h('h3', {}, 'Two parameters'), heat),
      ),
    );
    const parallel = new Parallel(chart, model);
    body.querySelector('.note').textContent = parallel.note();
    const redraw = (option, value) => (model.options.set(option, value), drawHeat(), model.tell('address'));
    const drawHeat = () => heat.replaceChildren(heatMap(model, redraw));
    const drawValues = () => values.replaceChildren(valuePanels(model));
    const kept = keepingFocus(body, () => (drawValues(), drawHeat()));
    kept();
    return { update: (what) => (parallel.update(what), what !== 'mark' && kept()), parallel };
  },
};

/** Draws anew, and gives the focus back to the button that had it. */
function keepingFocus(body, draw) {
  return () => {
    const { key } = body.contains(document.activeElement) ? document.activeElement.dataset : {};
    draw();
    if (key)
      [...body.querySelectorAll('button')].find((one) => one.dataset.key === key)?.focus({ preventScroll: true });
  };
}
