// SPDX-License-Identifier: Apache-2.0
// The roofline: all configurations below the ceilings that the device was measured to reach, the way from the default to
// the best, and how near each comes to each limit. Without FLOPs in the work model the work is the bytes that it needs.
import { box, boxAxis, boxMark } from '../boxes.js';
import { h, svg } from '../dom.js';
import { number, quantity, tick } from '../format.js';
import { Plot } from '../plot.js';
import { linearScale, logScale } from '../scale.js';
import { colours } from '../theme.js';

/** A peak as measured, else of the data sheet: { value, measured }. */
function peakOf(set, name, fact) {
  const measured = set.peaks?.find((one) => one.name === name);
  if (measured) return { value: measured.value, measured: true };
  const value = set.device.facts?.[fact];
  return value > 0 ? { value, measured: false } : null;
}

const perNs = (rate, ns) => rate && ns && rate.numbers.map((value, row) => value * ns.numbers[row]); // GB/s × ns = bytes

/** Levels of the memory: name, peak's word, fact of the data sheet, bytes of each row where counted, symbol. */
const roofs = [
  ['DRAM', 'copy', 'peak_dram_gb_per_s', (set) => set.fact('dram_bytes')?.numbers],
  ['L2', 'l2_read', '', (set) => perNs(set.fact('l2_gb_per_s'), set.fact('duration_ns')), 'rect'],
  // A wavefront is a row of 32 banks of 4 bytes.
  [
    'shared memory',
    'shared_read',
    '',
    (set) => set.fact('shared_wavefronts')?.numbers.map((value) => 128 * value),
    'triangle',
  ],
];
const flats = [
  ['FP32', 'fp32_fma', 'peak_fp32_gflop_per_s'],
  ['FP16', 'fp16_fma'],
  ['tensor FP16', 'tensor_fp16'],
];

/** What the work is: FLOPs, else the least bytes. */
function workOf(set) {
  const { flops, bytes } = set.workload ?? {};
  if (flops > 0) return { amount: flops, unit: 'GFLOP/s', isFlops: true };
  return bytes > 0 ? { amount: bytes, unit: 'GB/s', isFlops: false } : null;
}

/** Work per byte of DRAM (as counted, else of the work model), and work per second in G. */
function pointsOf(set, work) {
  const times = set.fact('time_ms').numbers;
  const counted = set.fact('dram_bytes')?.numbers;
  const xs = Float64Array.from(times, (_, row) => work.amount / (counted ? counted[row] : set.workload.bytes));
  return { xs, ys: times.map((ms) => work.amount / ms / 1e6), counted: Boolean(counted) };
}

const finite = (values) => values.filter((value) => value > 0 && Number.isFinite(value));

function spec(model) {
  const { set } = model;
  const work = workOf(set);
  const { xs, ys, counted } = pointsOf(set, work);
  const slants = roofs
    .map(([name, word, fact, bytes, symbol]) => ({ name, symbol, bytes: bytes(set), ...peakOf(set, word, fact) }))
    .filter((one) => one.value && (one.name === 'DRAM' || (work.isFlops && one.bytes?.[set.best] > 0)));
  const levels = work.isFlops
    ? flats.map(([name, word, fact]) => ({ name, ...peakOf(set, word, fact) })).filter((one) => one.value)
    : [];
  const others = slants.filter((one) => one.symbol).map((roof) => standsOf(roof, set, work, ys));
  const [x, y] = scalesOf(finite([...xs, ...others.flatMap((one) => one.xs)]), finite(ys), slants, levels);
  const places = { xs: xs.map(x.at), ys: ys.map(y.at) };
  const series = [
    ...slants.map((roof, i) => slant(roof, i, x, y, levels, slants.length - 1 - i)),
    ...levels.map((one, i) => flat(one, i, x, y, slants)),
    path(set, places),
    ...others.map((one) => standMarks(one, slants.indexOf(one.roof), x, y)),
  ];
  const xTitle = work.isFlops
    ? `FLOPs per byte of DRAM${counted ? '' : ' that the work model needs'}${others.map(({ roof }) => `; ${roof.symbol === 'rect' ? '■' : '▲'} of ${roof.name}`).join('')}`
    : 'bytes needed per byte that DRAM moved';
  return {
    x,
    y,
    ...places,
    series,
    xTitle,
    yTitle: work.isFlops ? 'GFLOP/s' : 'effective GB/s',
    columns: [null, null],
    onBrush: brushWith(model, work, counted),
    label: 'Roofline of all configurations.',
    margin: { right: 34 },
  };
}

/** Where best and default stand by the bytes of another level. */
function standsOf(roof, set, work, ys) {
  const rows = [set.best, set.answer.default_row].filter((row) => row >= 0 && roof.bytes[row] > 0);
  return { roof, rows, xs: rows.map((row) => work.amount / roof.bytes[row]), ys: rows.map((row) => ys[row]) };
}

/** Filled for the best, hollow for the default. */
function standMarks({ roof, xs, ys }, i, x, y) {
  const colour = colours()[`series${(i % 4) + 1}`];
  return {
    type: 'scatter',
    z: 4,
    symbol: roof.symbol,
    symbolSize: 9,
    data: xs.map((at, k) => ({
      value: [x.at(at), y.at(ys[k])],
      itemStyle: { color: k === 0 ? colour : colours().surface, borderColor: colour, borderWidth: 1.6 },
    })),
  };
}

function scalesOf(xs, ys, slants, levels) {
  const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
  const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
  const top = most([
    ...ys,
    ...levels.map((one) => one.value),
    ...(levels.length > 0 ? [] : slants.map((one) => one.value)),
  ]);
  const ridges = levels.length > 0 ? slants.map((one) => levels[0].value / one.value) : [];
  const foot = least(ridges) / 6; // so much of every slant is seen
  return [
    logScale(Math.min(least(xs) / 1.6, foot), most([...xs, ...ridges]) * 1.6, tick, 7),
    logScale(least(ys) / 2, top * 1.3, tick, 7),
  ];
}

const dashes = ['solid', [7, 4], [2, 3], [9, 3, 2, 3]];
const labelled = (text, theme, position) => ({
  show: true,
  position,
  formatter: text,
  color: theme.ink,
  fontSize: 11,
  backgroundColor: theme.surface,
  padding: [1, 3],
});

/** In a narrow window the name alone: the rest stands below. */
const labelOf = (name, value, unit, measured) =>
  innerWidth < 600 ? name : `${name} ${quantity(value, unit)}${measured ? '' : ' (data sheet)'}`;

/** A slanted roof of bytes/s, up to the first flat one; its label lies on it, below those of the `above` faster ones. */
function slant({ name, value, measured }, i, x, y, levels, above) {
  const theme = colours();
  const roof = levels.length > 0 ? levels[0].value : Infinity;
  const at = (intensity) => [x.at(intensity), y.at(intensity * value)];
  const from = Math.max(x.value(x.low), y.value(y.low) / value);
  const to = Math.min(x.value(x.high), roof / value, y.value(y.high) / value);
  if (!(from < to)) return { type: 'line', data: [] };
  const middle = from * (to / from) ** (0.8 - 0.22 * above);
  const text = labelOf(name, value, 'GB/s', measured);
  return {
    type: 'line',
    z: 2,
    data: [at(from), at(middle), at(to)].map((point, k) => ({
      value: point,
      label: k === 1 ? labelled(text, theme, 'left') : { show: false },
    })),
    symbol: 'circle',
    symbolSize: 0.1,
    showSymbol: true,
    lineStyle: { color: theme[`series${(i % 4) + 1}`], width: 1.8, type: dashes[i % 4] },
  };
}

/** What is not measured, and what would. */
function unmeasured(set, work) {
  const names = [...roofs, ...(work.isFlops ? flats : [])]
    .filter(([, word]) => !set.peaks?.some((one) => one.name === word))
    .map(([name]) => name);
  if (names.length === 0) return '';
  return h(
    'p',
    { class: 'quiet' },
    `Not measured on this device: ${names.join(', ')}. `,
    h('code', {}, 'gridsmith devices --measure'),
    ' measures them for the tunings that follow in the same store.',
  );
}

function flat({ name, value, measured }, i, x, y, slants) {
  const theme = colours();
  const from =
    slants.length > 0 ? Math.max(x.value(x.low), value / Math.max(...slants.map((one) => one.value))) : x.value(x.low);
  const text = labelOf(name, value, 'GFLOP/s', measured);
  return {
    type: 'line',
    z: 2,
    data: [
      { value: [x.at(from), y.at(value)], label: { show: false } },
      { value: [x.high, y.at(value)], label: { ...labelled(text, theme, 'left'), offset: [0, -10] } },
    ],
    symbol: 'circle',
    symbolSize: 0.1,
    showSymbol: true,
    lineStyle: { color: theme.ink, width: 1.5, type: dashes[i % 4] },
  };
}

/** From the default over each that was the best so far to the best. */
function path(set, { xs, ys }) {
  const order = set.fact('order')?.numbers;
  const times = set.fact('time_ms').numbers;
  const rows = [...set.byTime].sort((a, b) => (order ? order[a] - order[b] : a - b));
  let least = times[set.answer.default_row] ?? Infinity;
  const better = rows.filter((row) => times[row] < least && ((least = times[row]), true));
  const way = [set.answer.default_row, ...better, set.best].filter((row, i, all) => row >= 0 && row !== all[i - 1]);
  return {
    type: 'line',
    z: 3,
    data: way.map((row) => [xs[row], ys[row]]),
    lineStyle: { color: colours().best, width: 1.4, type: [4, 3] },
  };
}

/** A box is a range of times and, where counted, of bytes. */
function brushWith(model, work, counted) {
  const tidy = (value) => Number(value.toPrecision(5));
  const over = (range, by) => range && { low: tidy(by / range.high), high: tidy(by / range.low) };
  return (rangeX, rangeY) => {
    model.brush('time_ms', over(rangeY, work.amount / 1e6), true);
    if (counted) model.brush('dram_bytes', over(rangeX, work.amount), true);
    model.select();
  };
}

// ---- how near each limit

/** Per row and limit, percent of what it reaches; how busy a unit was is the same number everywhere. */
function limitsOf(set) {
  const units = [...set.facts.values()]
    .filter((column) => column.name.startsWith('busy_'))
    .map((column) => [column.label.replace(/ busy$/, ''), { values: column.numbers, of: 'what it reaches' }]);
  const fp32 = peakOf(set, 'fp32_fma', 'peak_fp32_gflop_per_s');
  const rate = fp32 && set.fact('gflop_per_s')?.numbers.map((value) => (100 * value) / fp32.value);
  const all = [
    ...units,
    // Work of other units, such as tensor cores, is no share of this peak.
    [
      'FP32 rate, by the work model',
      rate && rate.every((value) => !(value > 100)) && { values: rate, of: `${quantity(fp32.value, 'GFLOP/s')}${fp32.measured ? ', measured' : ', data sheet'}` },
    ],
    ['tensor cores', percentOf(set, 'tensor_percent')],
    ['occupancy', percentOf(set, 'achieved_occupancy')],
  ];
  return all
    .filter(([, one]) => one && one.values.some((value) => value > 2)) // below that a unit is not used
    .map(([name, one]) => ({ name, ...one, ...sorted(one.values) }));
}

/** Known values ascending, and the rows that they are of. */
function sorted(values) {
  const order = Uint32Array.from(values.keys())
    .filter((row) => !Number.isNaN(values[row]))
    .sort((a, b) => values[a] - values[b]);
  return { order, all: Float64Array.from(order, (row) => values[row]) };
}

function percentOf(set, name) {
  const column = set.fact(name);
  return column && { values: column.numbers, of: 'what it can sustain' };
}

function limits(model) {
  const { set } = model;
  const scale = linearScale(0, 100, tick, 5, false);
  const chosen = ({ order, values }) =>
    Float64Array.from(
      order.filter((row) => model.mask[row]),
      (row) => values[row],
    );
  const line = (one) => {
    const { name, values, of } = one;
    const some = model.isActive ? chosen(one) : null;
    const marks = [
      [set.answer.default_row, '◆', 'default'],
      [set.best, '★', 'best'],
    ].filter(([row]) => row >= 0 && !Number.isNaN(values[row]));
    return h(
      'li',
      { 'data-words': `${name}: percent of ${of}` },
      h('span', {}, name, h('small', {}, of)),
      svg(
        'svg',
        { height: 22, 'aria-hidden': 'true' },
        box(one.all, 11, scale, some ? 'faded' : 'all'),
        some && box(some, 11, scale, 'selected'),
        marks.map(([row, text, kind]) => boxMark(values[row], scale, text, kind)),
      ),
      h('span', { class: 'n' }, `${number(values[set.best])} %`),
    );
  };
  const all = (set.limits ??= limitsOf(set));
  if (all.length === 0)
    return h(
      'p',
      { class: 'empty' },
      'No counters were read. ',
      h('code', {}, `gridsmith tune ${set.kernelWord} --counters full`),
      ' reads them.',
    );
  return h(
    'div',
    {},
    h(
      'ul',
      { class: 'limits' },
      all.map(line),
      h(
        'li',
        { class: 'axis', 'aria-hidden': 'true' },
        h('span', {}),
        boxAxis(scale, ' %'),
        h('span', { class: 'n' }, 'best'),
      ),
    ),
    h(
      'p',
      { class: 'quiet' },
      'Box: the middle half of all configurations, line: from least to most. ★ best, ◆ default.',
    ),
  );
}

export const roofline = {
  id: 'roofline',
  title: 'Roofline',
  about:
    'Ceilings are measured peaks of the device if there are any (gridsmith devices --measure), else of its data sheet. The dashed path leads from the default to the best.',
  missing: (set) =>
    workOf(set) && set.byTime.length > 0 && (set.workload.bytes || set.fact('dram_bytes'))
      ? null
      : [
          'A roofline needs a work model: FLOPs or bytes of the kernel, in the section Gridsmith of its definition.',
          `gridsmith check-definition ${set.kernel}.json`,
        ],
  draw(body, model) {
    const [chart, near] = [h('div', { class: 'tall' }), h('div', {})];
    body.replaceChildren(chart, unmeasured(model.set, workOf(model.set)), h('div', {}, h('h3', {}, 'How near each limit'), near));
    const plot = new Plot(chart, model, () => spec(model));
    const draw = () => near.replaceChildren(limits(model));
    draw();
    return { update: (what) => (plot.update(what), what !== 'mark' && draw()) };
  },
};
