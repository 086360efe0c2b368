// SPDX-License-Identifier: Apache-2.0
// The measurement: samples of the fastest, their order in time with the SM clock, interleaved finals.
import { h } from '../dom.js';
import { number, tick, time } from '../format.js';
import { Plot } from '../plot.js';
import { jitter, linearScale } from '../scale.js';
import { colours } from '../theme.js';

const mostLanes = 8;
const shapes = ['circle', 'triangle', 'rect', 'diamond', 'emptyCircle', 'emptyTriangle', 'emptyRect', 'emptyDiamond'];
const signs = ['●', '▲', '■', '◆', '○', '△', '□', '◇'];

/** Rows to show: the best, those next to it, what is picked. */
function rowsOf(model) {
  const { set } = model;
  const ranked = (set.answer.ranking ?? []).map((one) => one.row);
  const near = (row) => set.fact('slowdown').numbers[row] < 1.1;
  const all = [
    set.best,
    ...ranked,
    ...set.tied,
    ...set.byTime.slice(0, 20).filter(near),
    set.answer.default_row,
  ].filter((row) => row >= 0 && set.samples?.[row]);
  const first = [...new Set(all)].slice(0, mostLanes);
  return [...new Set([...first, ...[model.pick, model.against].filter((row) => row >= 0 && set.samples?.[row])])];
}

/** "best", else the parameters in which a row differs from the best. */
function nameOf(set, row, i) {
  if (row === set.best) return 'best';
  const role = row === set.answer.default_row ? 'default' : set.tied.has(row) ? 'tied' : 'next';
  return `${role} ${i}`;
}

const seriesColour = (theme, i) => theme[`series${(i % 4) + 1}`];

/** A lane of samples per row: each sample a dot, the median a bar. */
function lanesSpec(model, rows) {
  const { set } = model;
  const theme = colours();
  const samples = rows.map((row) => set.samples[row]);
  const [low, high] = [Math.min(...samples.flat()), Math.max(...samples.flat())];
  const label = (at) =>
    Number.isInteger(at) && rows[rows.length - 1 - at] !== undefined
      ? nameOf(set, rows[rows.length - 1 - at], rows.length - 1 - at)
      : '';
  const y = {
    low: -0.6,
    high: rows.length - 0.4,
    ticks: rows.map((_, i) => i),
    text: label,
    categories: [],
    at: (v) => v,
    value: (v) => v,
  };
  const dots = samples.map((list, i) => ({
    type: 'scatter',
    z: 3,
    symbol: 'circle',
    symbolSize: 6,
    itemStyle: { color: i === 0 ? theme.best : theme.cloud, opacity: 0.75 },
    data: list.map((ms, k) => [ms, rows.length - 1 - i + 0.4 * jitter(k)]),
  }));
  const bars = rows.map((row, i) => ({
    type: 'line',
    z: 4,
    data: [-0.34, 0.34].map((by) => [set.fact('time_ms').numbers[row], rows.length - 1 - i + by]),
    lineStyle: { color: theme.ink, width: 2 },
  }));
  return {
    x: linearScale(low, high, (ms) => number(ms, 4), 6),
    y,
    series: [...dots, ...bars],
    xTitle: 'ms; each dot a launch, the bar the median',
    label: 'Samples of the fastest configurations.',
    margin: { left: 84, top: 10 },
  };
}

/** All samples of these rows that have a time of their own, in the order in which they were taken. */
function takenInOrder(set, rows) {
  const of = (row) =>
    (set.sample_at_ms?.[row] ?? []).map((at, k) => ({
      row,
      at,
      ms: set.samples[row][k],
      mhz: set.sample_clock_mhz?.[row]?.[k],
    }));
  return rows.flatMap(of).sort((a, b) => a.at - b.at);
}

const pause = 100; // ms without a launch of these, from here on shown as one

const gapBefore = (taken, i) => (i > 0 ? taken[i].at - taken[i - 1].at : 0);

/** Places between launches where something else ran. */
const pausesOf = (taken) => taken.flatMap((_, i) => (gapBefore(taken, i) > pause ? [i + 0.5] : []));

/** What the dashed lines are; null without any. */
function pauseNote(taken) {
  const gaps = taken.map((_, i) => gapBefore(taken, i) / 1e3).filter((s) => s > pause / 1e3);
  if (gaps.length === 0) return null;
  const [least, most] = [Math.min(...gaps), Math.max(...gaps)].map((s) => number(s));
  return h(
    'p',
    { class: 'quiet' },
    `Dashed: something else ran there, for ${least === most ? most : `${least} to ${most}`} s.`,
  );
}

/** A quantity of each sample against its place; a line where something else ran for a while. */
function orderSpec(model, rows, of, yTitle, label) {
  const { set } = model;
  const theme = colours();
  const taken = takenInOrder(set, rows);
  const values = taken.map((one) => one[of]);
  const y = linearScale(Math.min(...values), Math.max(...values), (value) => number(value, 4), 5);
  const lines = pausesOf(taken).map((at) => ({
    type: 'line',
    z: 1,
    data: [
      [at, y.low],
      [at, y.high],
    ],
    lineStyle: { color: theme.muted, width: 1, type: [3, 3] },
  }));
  const dots = rows.map((row, i) => ({
    type: 'scatter',
    z: 3,
    symbol: shapes[i % shapes.length],
    symbolSize: 7,
    itemStyle: { color: row === set.best ? theme.best : seriesColour(theme, i) },
    data: taken.flatMap((one, at) => (one.row === row ? [[at + 1, one[of]]] : [])),
  }));
  return {
    x: linearScale(1, Math.max(2, taken.length), tick, 6),
    y,
    series: [...lines, ...dots],
    xTitle: 'launch, in the order taken',
    yTitle,
    label,
  };
}

/** Every launch of the finals as it was taken: the finalists in turns, one round after the other. */
const launchesOf = (set) =>
  set.finals
    .flatMap(({ row, ms, at_ms }) => ms.map((one, turn) => ({ row, ms: one, at: at_ms?.[turn] ?? turn })))
    .sort((a, b) => a.at - b.at);

function finalsSpec(model) {
  const finals = launchesOf(model.set);
  const theme = colours();
  const rows = [...new Set(finals.map((one) => one.row))];
  const times = finals.map((one) => one.ms);
  const series = rows.map((row, i) => ({
    type: 'line',
    showSymbol: true,
    symbol: shapes[i % shapes.length],
    symbolSize: 6,
    lineStyle: { width: 1, color: row === model.set.best ? theme.best : seriesColour(theme, i) },
    itemStyle: { color: row === model.set.best ? theme.best : seriesColour(theme, i) },
    data: finals.flatMap((one, at) => (one.row === row ? [[at + 1, one.ms]] : [])),
  }));
  return {
    x: linearScale(0, finals.length, tick, 8),
    y: linearScale(Math.min(...times), Math.max(...times), (ms) => number(ms, 4), 5),
    series,
    xTitle: 'launch of the interleaved finals',
    yTitle: 'ms',
    label: 'Interleaved finals.',
  };
}

function legend(set, rows) {
  return h(
    'ul',
    { class: 'lanes' },
    rows.map((row, i) =>
      h(
        'li',
        {},
        h('b', { class: row === set.best ? 'best' : `series${(i % 4) + 1}` }, signs[i % signs.length]),
        ` ${nameOf(set, row, i)}: `,
        time(set.fact('time_ms').numbers[row]),
        h('small', {}, ` ${set.samples[row].length} samples, ${set.configuration(row)}`),
      ),
    ),
  );
}

export const measurement = {
  id: 'measurement',
  title: 'The measurement',
  about: 'Whether the fastest are tied, and whether clocks or temperature drifted while they were timed.',
  missing: (set) =>
    Object.keys(set.samples ?? {}).length > 0
      ? null
      : ['This file keeps medians, not the samples behind them.', `gridsmith tune ${set.kernelWord} --report report.html`],
  draw(body, model) {
    const draw = () => {
      const rows = rowsOf(model);
      const { set } = model;
      const hosts = {
        lanes: h('div', { class: 'small' }),
        order: h('div', { class: 'small' }),
        clock: h('div', { class: 'small' }),
        finals: h('div', { class: 'small' }),
      };
      hosts.lanes.style.height = `${80 + 30 * rows.length}px`;
      const timed = rows.some((row) => set.sample_at_ms?.[row]);
      const clocked = timed && rows.some((row) => set.sample_clock_mhz?.[row]);
      body.replaceChildren(
        hosts.lanes,
        legend(set, rows),
        h(
          'div',
          { class: 'fours' },
          timed && h('div', {}, h('h3', {}, 'In the order in which they were taken'), hosts.order),
          clocked && h('div', {}, h('h3', {}, 'Clock'), hosts.clock),
          set.finals?.length ? h('div', {}, h('h3', {}, 'Finals, in turns'), hosts.finals) : null,
        ),
        (timed && pauseNote(takenInOrder(set, rows))) || '',
      );
      return [
        new Plot(hosts.lanes, model, () => lanesSpec(model, rows)),
        timed &&
          new Plot(hosts.order, model, () =>
            orderSpec(model, rows, 'ms', 'ms', 'Samples in the order in which they were taken.'),
          ),
        clocked &&
          new Plot(hosts.clock, model, () =>
            orderSpec(model, rows, 'mhz', 'SM clock, MHz', 'SM clock while sampling.'),
          ),
        set.finals?.length && new Plot(hosts.finals, model, () => finalsSpec(model)),
      ].filter(Boolean);
    };
    let plots = draw();
    let picked = `${model.pick} ${model.against}`;
    return {
      update(what) {
        const now = `${model.pick} ${model.against}`;
        if (what === 'mark' && now !== picked) plots = draw();
        else if (what === 'theme') for (const plot of plots) plot.redraw();
        picked = now;
      },
      get plots() {
        return plots;
      },
    };
  },
};
