// SPDX-License-Identifier: Apache-2.0
// Every configuration: any quantity against any other, the Pareto front of the two, failures at the edge.
import { button, choice, h } from '../dom.js';
import { count, outcome } from '../format.js';
import { Plot } from '../plot.js';
import { linearScale, logScale, places, scaleOf } from '../scale.js';
import { colours } from '../theme.js';

const kinds = {
  time: 'Time',
  rate: 'Rates',
  parameter: 'Parameters',
  compile: 'Compiled code',
  geometry: 'Launch',
  metric: 'Metrics',
  counter: 'Counters',
  order: 'Order',
  result: 'Result',
};

/** Columns to choose from, by kind; those with one value are left out. */
function columnChoices(set) {
  const groups = Object.entries(kinds).map(([kind, label]) => ({
    label,
    options: set
      .ofKind(kind)
      .filter(varies)
      .map((column) => [column.name, column.title]),
  }));
  return groups.filter((group) => group.options.length > 0);
}

const varies = (column) => (column.isText ? column.words.length > 1 : column.low < column.high);

/** The first of these names that this set has and that varies. */
function firstOf(set, names) {
  const found = names.map((name) => set.column(name)).find((column) => column && varies(column));
  return (found ?? [...set.columns.values()].find(varies))?.name;
}

/** The axis of a column, of the selected rows alone if asked. */
function axisOf(column, model, zoomed) {
  if (!zoomed || !model.isActive || column.isCategory) return scaleOf(column);
  let [low, high] = [Infinity, -Infinity];
  model.mask.forEach((one, row) => {
    const value = column.numbers[row];
    if (one && value < low) low = value;
    if (one && value > high) high = value;
  });
  if (!(low <= high)) return scaleOf(column);
  return column.isLog && low > 0 && low < high ? logScale(low, high) : linearScale(low, high);
}

/** Rows that no other beats in both; a column without a better direction counts as lower. Walks along x, keeps the best y. */
function paretoFront(set, a, b) {
  const sign = (column) => (column.better === 'higher' ? -1 : 1);
  const [sa, sb] = [sign(a), sign(b)];
  const rows = Array.from(a.numbers.keys()).filter((row) => a.known(row) && b.known(row));
  rows.sort((i, j) => sa * (a.numbers[i] - a.numbers[j]) || sb * (b.numbers[i] - b.numbers[j]));
  let best = Infinity;
  return rows.filter((row) => sb * b.numbers[row] < best && ((best = sb * b.numbers[row]), true));
}

function spec(model) {
  const { set } = model;
  const [a, b] = [columnOf(model, 'every.x'), columnOf(model, 'every.y')];
  const zoomed = model.option('every.zoom') === 'selection';
  const [x, y] = [axisOf(a, model, zoomed), axisOf(b, model, zoomed)];
  const [xs, ys] = [places(a, x), places(b, y)];
  const front = !a.isCategory && !b.isCategory && a !== b ? paretoFront(set, a, b) : [];
  const line = front.map((row) => [xs[row], ys[row]]);
  const theme = colours();
  const series =
    line.length > 1
      ? [{ type: 'line', step: 'end', z: 2, data: line, lineStyle: { color: theme.best, width: 1.5, type: [5, 4] } }]
      : [];
  return {
    x,
    y,
    xs,
    ys,
    series,
    columns: [a, b],
    xTitle: a.title,
    yTitle: b.title,
    edge: true,
    label: `${count(set.rows)} configurations, ${b.title} against ${a.title}.`,
    margin: { left: b.isText ? 80 : 54 },
  };
}

/** Chosen, else an objective of a front that was looked for, else what most want to see. */
function columnOf(model, option) {
  const { set } = model;
  const usual = {
    'every.x': ['registers', 'achieved_occupancy', 'predicted_occupancy', 'threads_per_block'],
    'every.y': ['time_ms'],
  }[option];
  const objective = set.answer.axes?.[option === 'every.x' ? 0 : 1];
  return set.column(model.option(option)) ?? set.column(firstOf(set, [objective, ...usual]));
}

function failures(set) {
  const status = set.fact('status');
  const without = status?.words
    .map((word, code) => [word, status.numbers.reduce((sum, one) => sum + (one === code), 0)])
    .filter(([word, many]) => word !== 'correct' && many > 0);
  return without?.length
    ? `× at the upper edge: no time (${without.map(([word, many]) => outcome(word, many)).join(', ')})`
    : 'all configurations have a time';
}

function controls(model, redraw) {
  const { set } = model;
  const axis = (label, option) =>
    choice(
      label,
      columnChoices(set),
      columnOf(model, option).name,
      (name) => (model.options.set(option, name), redraw()),
    );
  const zoom = model.option('every.zoom') === 'selection';
  return h(
    'div',
    { class: 'controls' },
    axis('Up', 'every.y'),
    axis('Right', 'every.x'),
    button('Swap', () => {
      const [x, y] = [columnOf(model, 'every.x').name, columnOf(model, 'every.y').name];
      model.options.set('every.x', y).set('every.y', x);
      redraw();
    }),
    button('Zoom to selection', () => (model.options.set('every.zoom', zoom ? 'all' : 'selection'), redraw()), {
      'aria-pressed': String(zoom),
    }),
    h('span', { class: 'quiet' }, failures(set)),
  );
}

export const configurations = {
  id: 'every',
  title: 'Every configuration',
  about:
    'Drag to select; click to pick (A), shift-click to compare with (B). The dashed line is the Pareto front: nothing is better in both.',
  missing: (set) =>
    [...set.columns.values()].some(varies)
      ? null
      : ['There is nothing that varies yet.', `gridsmith tune ${set.kernelWord}`],
  draw(body, model) {
    const chart = h('div', { class: 'tall' });
    const redraw = () => {
      body.firstChild?.replaceWith(controls(model, redraw));
      plot.update('options');
      model.tell('address');
    };
    body.replaceChildren(controls(model, redraw), chart);
    const plot = new Plot(chart, model, () => spec(model));
    return {
      update: (what) =>
        plot.update(what === 'selection' && model.option('every.zoom') === 'selection' ? 'options' : what),
      plot,
    };
  },
};
