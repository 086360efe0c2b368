// SPDX-License-Identifier: Apache-2.0
// The search: the best so far as excess over the best known, against evaluations and seconds, and where the time went.
import { h, segments } from '../dom.js';
import { count, number, tick, time } from '../format.js';
import { Plot } from '../plot.js';
import { linearScale, logScale } from '../scale.js';
import { colours } from '../theme.js';
import { rowLines, showTip, hideTip } from '../tip.js';

const [leastFoot, mostFoot] = [1e-4, 1e-2]; // excess at the foot of the axis, as `gridsmith plot convergence` has it
const styles = [[], [6, 4], [2, 3], [8, 3, 2, 3]];

/** Times and places of a run, in its order. */
function pointsOf(run, set, against) {
  const own = run.rows;
  const times = own
    ? Array.from(own, (row) => set.fact('time_ms')?.numbers[row] ?? NaN)
    : Array.from(run.time_ms, (ms) => ms ?? NaN);
  const seconds = run.at_s ?? null;
  if (against === 'seconds' && !seconds) return null;
  return { times, at: against === 'seconds' ? seconds : times.map((_, i) => i + 1), rows: own };
}

/** Where the best so far changes: [at, best ms]. */
function steps({ times, at }) {
  const out = [];
  let best = Infinity;
  times.forEach((ms, i) => ms < best && out.push([at[i], (best = ms)]));
  if (out.length > 0) out.push([at.at(-1), best]);
  return out;
}

const runsOf = (set) => (set.runs.length ? set.runs : [{ name: 'this run', rows: orderOf(set), at_s: null }]);

function orderOf(set) {
  const order = set.fact('order');
  const rows = Array.from({ length: set.rows }, (_, row) => row);
  return order ? rows.sort((a, b) => order.numbers[a] - order.numbers[b]) : rows;
}

function spec(model) {
  const { set } = model;
  const against = model.option('way.against', 'evaluations');
  const runs = runsOf(set)
    .map((run) => ({ run, points: pointsOf(run, set, against) }))
    .filter((one) => one.points);
  const times = runs.flatMap(({ points }) => points.times.filter((ms) => ms > 0));
  const others = runs.filter(({ run }) => !run.rows).flatMap(({ points }) => points.times.filter((ms) => ms > 0));
  const own = set.answer.time_ms ?? times.reduce((low, ms) => Math.min(low, ms), Infinity);
  const best = others.reduce((low, ms) => Math.min(low, ms), own);
  const { y, least, excess } = excessAxis(times, best);
  const last = Math.max(1, ...runs.map(({ points }) => points.at.at(-1) ?? 1));
  const x = linearScale(0, last, tick, 8, false);
  const theme = colours();
  const series = runs.map(({ run, points }, i) => ({
    type: 'line',
    step: 'end',
    z: 3,
    name: run.name,
    lineStyle: { color: theme[`series${(i % 4) + 1}`], width: 2, type: styles[i % 4].length ? styles[i % 4] : 'solid' },
    data: steps(points).map(([at, ms]) => [at, y.at(excess(ms))]),
  }));
  return {
    x,
    y,
    series,
    ...rowPlaces(set, runs, x, y, excess),
    xTitle: against === 'seconds' ? 'seconds since the start' : 'evaluations',
    yTitle: 'above the best time',
    columns: [set.fact(against === 'seconds' ? 'at_s' : 'order'), set.fact('slowdown')],
    edge: true,
    onBrush: brushWith(model, against, best, least),
  };
}

/**
 * The axis from the decade below the smallest excess, so that what is a little above the best is seen above it; below
 * that the best itself. @return excess(ms): what stands for a time on it
 */
function excessAxis(times, best) {
  const above = times.map((ms) => ms / best - 1).filter((one) => one > 0);
  const smallest = above.reduce((low, one) => Math.min(low, one), mostFoot);
  const least = Math.max(leastFoot, 10 ** Math.floor(Math.log10(smallest)));
  const foot = least / 2.5; // where the best lies
  const y = logScale(
    foot,
    above.reduce((high, one) => Math.max(high, one), 10 * least),
    (value) => (value < least * 0.99 ? 'best' : `${tick(100 * value)} %`),
  );
  y.ticks = [Math.log10(foot), ...y.ticks.filter((at) => 10 ** at >= least * 0.99)];
  return { y, least, excess: (ms) => (ms > best ? Math.max(ms / best - 1, least) : foot) };
}

/** Every row of the own run as a point. */
function rowPlaces(set, runs, x, y, excess) {
  const xs = new Float64Array(set.rows).fill(NaN);
  const ys = new Float64Array(set.rows).fill(NaN);
  for (const { points } of runs.filter(({ run }) => run.rows))
    points.rows.forEach((row, i) => {
      xs[row] = x.at(points.at[i]);
      if (points.times[i] > 0) ys[row] = y.at(excess(points.times[i]));
    });
  return { xs, ys };
}

/** A brushed box selects by order (or seconds) and by time over the best. */
function brushWith(model, against, best, least) {
  return (rangeX, rangeY) => {
    const { set } = model;
    const column = set.fact(against === 'seconds' ? 'at_s' : 'order');
    if (column)
      model.brush(column.name, rangeX && { low: Math.ceil(rangeX.low), high: Math.floor(rangeX.high) }, true);
    const over = set.fact('time_ms').numbers[set.best] / best;
    const limit = (share) => Number(((1 + share) / over).toPrecision(5));
    model.brush(
      'slowdown',
      rangeY && { low: rangeY.low < least ? 0 : limit(rangeY.low), high: limit(rangeY.high) },
      true,
    );
    model.select();
  };
}

// ---- where the time went

const kindOf = (lane) => lane.replace(/ [0-9]+$/, '');

/** What each kind of lane is at, in the order in which it came: colours are told apart within a lane. */
function whatsOf(set) {
  const kinds = new Map();
  for (const { lane, what } of set.timeline) {
    const kind = kindOf(lane);
    if (!kinds.has(kind)) kinds.set(kind, []);
    if (!kinds.get(kind).includes(what)) kinds.get(kind).push(what);
  }
  return kinds;
}

/** Lanes of boxes. */
function timeline(host, model) {
  const { set } = model;
  const { timeline: spans } = set;
  const lanes = [...new Set(spans.map((one) => one.lane))];
  const kinds = whatsOf(set);
  const end = spans.reduce((last, one) => Math.max(last, one.to_s), 0);
  host.style.height = `${78 + lanes.length * 22}px`;
  const plot = new Plot(host, model, () => {
    const theme = colours();
    const y = {
      low: -0.5,
      high: lanes.length - 0.5,
      ticks: lanes.map((_, i) => i),
      text: (at) => lanes[lanes.length - 1 - at] ?? '',
      at: (v) => v,
      value: (v) => v,
      categories: [],
    };
    const boxes = spans.map((one) => [
      one.from_s,
      one.to_s,
      lanes.length - 1 - lanes.indexOf(one.lane),
      kinds.get(kindOf(one.lane)).indexOf(one.what),
      one.row ?? -1,
    ]);
    const series = [
      {
        type: 'custom',
        z: 3,
        encode: { x: [0, 1], y: 2 },
        data: boxes,
        renderItem: (params, api) => boxOf(api, spans[params.dataIndex].what, model, theme),
      },
    ];
    return {
      x: linearScale(0, end, tick, 8, false),
      y,
      series,
      xTitle: 'seconds since the start',
      label: 'Where the time went, by process.',
      margin: { left: 92, top: 12 },
    };
  });
  tipsOf(plot, spans, lanes, model);
  return plot;
}

/** A box, with its word where that fits in. */
function boxOf(api, what, model, theme) {
  const [from, y] = api.coord([api.value(0), api.value(2)]);
  const [to] = api.coord([api.value(1), api.value(2)]);
  const row = api.value(4);
  const width = Math.max(0.6, to - from);
  const fill = model.isActive && row >= 0 && !model.mask[row] ? theme.faded : theme[`series${(api.value(3) % 4) + 1}`];
  const box = { type: 'rect', shape: { x: from, y: y - 7, width, height: 14 }, style: { fill } };
  if (width < 7 * what.length + 8) return box;
  const style = { text: what, x: from + 4, y, verticalAlign: 'middle', fontSize: 11, fill: theme.surface };
  return { type: 'group', children: [box, { type: 'text', style }] };
}

function tipsOf(plot, spans, lanes, model) {
  plot.pad.addEventListener('pointermove', (event) => {
    const { x, y } = plot.drawn;
    const at = x.low + ((event.offsetX - plot.area.left) / (plot.area.right - plot.area.left)) * (x.high - x.low);
    const lane = Math.round(
      y.low + ((event.offsetY - plot.area.bottom) / (plot.area.top - plot.area.bottom)) * (y.high - y.low),
    );
    const slack = (x.high - x.low) / 400;
    const found = spans.find(
      (one) =>
        lanes.length - 1 - lanes.indexOf(one.lane) === lane && at >= one.from_s - slack && at <= one.to_s + slack,
    );
    model.mark('hover', found?.row ?? -1);
    if (!found) return hideTip();
    return showTip(
      [
        h('b', {}, `${found.lane}: ${found.what}, ${time(1e3 * (found.to_s - found.from_s))}`),
        ...(found.row >= 0 ? rowLines(model.set, found.row).slice(1) : []),
      ],
      event.clientX + 14,
      event.clientY + 14,
    );
  });
}

/** Which line is which run, where there are several. */
function runLegend(set) {
  const runs = runsOf(set);
  return runs.length > 1
    ? h(
        'p',
        { class: 'legend' },
        runs.map((run, i) => h('span', {}, h('i', { class: `swatch series${(i % 4) + 1}` }), run.name)),
      )
    : '';
}

function legend(set) {
  return h(
    'p',
    { class: 'legend' },
    [...whatsOf(set)].map(([kind, whats]) =>
      h(
        'span',
        {},
        `${kind}: `,
        whats.map((what, i) => h('span', {}, h('i', { class: `swatch series${(i % 4) + 1}` }), what)),
      ),
    ),
  );
}

/** Sums of what each stage took. */
function spent(set) {
  const names = {
    compile_s: 'compiling, over all compilers',
    verify_s: 'verifying',
    time_s: 'timing',
    count_s: 'counting',
    gpu_s: 'GPU busy in all',
  };
  const all = Object.entries(set.spent ?? {}).filter(([name, value]) => names[name] && value > 0);
  return all.length === 0
    ? null
    : h(
        'p',
        { class: 'stats' },
        all.map(([name, value]) => h('span', {}, h('b', {}, `${number(value)} s`), ` ${names[name]}`)),
      );
}

export const search = {
  id: 'way',
  title: 'Search',
  about: 'Best so far, as excess over the best time. A point is an evaluation; crosses at the upper edge have no time.',
  missing: (set) => (set.fact('time_ms')?.present ? null : ['Nothing has a time yet.', `gridsmith tune ${set.kernelWord}`]),
  draw(body, model) {
    const { set } = model;
    const chart = h('div', { class: 'tall' });
    const canSeconds = runsOf(set).some((run) => run.at_s);
    const axis = canSeconds
      ? segments(
          'Against',
          [
            ['evaluations', 'evaluations'],
            ['seconds', 'seconds'],
          ],
          model.option('way.against', 'evaluations'),
          (value) => model.setOption('way.against', value),
        )
      : null;
    const lanes = h('div', {});
    body.replaceChildren(
      h('div', { class: 'controls' }, axis, h('span', { class: 'quiet' }, summary(set))),
      chart,
      runLegend(set),
      h('h3', {}, 'Where the time went'),
      spent(set) ?? '',
      set.timeline?.length
        ? h('div', {}, legend(set), lanes)
        : '',
      set.timeline?.some((one) => one.lane !== 'worker')
        ? ''
        : h(
            'p',
            { class: 'quiet' },
            `What ${set.timeline?.length ? 'the compilers and the strategy did' : 'each process did'} is not kept with results. `,
            h('code', {}, `${set.answer.command || `gridsmith tune ${set.kernelWord}`} --no-store --report report.html`),
            ' shows it.',
          ),
    );
    const plots = [new Plot(chart, model, () => spec(model))];
    if (set.timeline?.length) plots.push(timeline(lanes, model));
    return {
      update: (what) => plots.forEach((plot, i) => plot.update(i === 1 && what === 'selection' ? 'options' : what)),
      plot: plots[0],
    };
  },
};

function summary(set) {
  const order = set.fact('order')?.numbers;
  const at = order && set.best >= 0 ? order[set.best] : NaN;
  return Number.isNaN(at)
    ? `${count(set.rows)} evaluations`
    : `the best was evaluation ${count(at)} of ${count(set.rows)}`;
}
