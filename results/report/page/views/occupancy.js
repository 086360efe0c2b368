// SPDX-License-Identifier: Apache-2.0
// Occupancy: the three curves of the occupancy calculator with this configuration's point, and predicted against achieved.
import { h } from '../dom.js';
import { count, number } from '../format.js';
import { launchOf, occupancy as of } from '../occupancy.js';
import { Plot } from '../plot.js';
import { linearScale, places } from '../scale.js';
import { colours } from '../theme.js';
import { roleOf } from './memory.js';

/** Each: the launch's fact that varies, its steps, its axis. */
const curves = [
  {
    fact: 'threads',
    title: 'threads per block',
    unit: 1,
    step: 256,
    values: (limits) => steps(limits.warp_size, limits.max_threads_per_block, limits.warp_size),
  },
  {
    fact: 'registers',
    title: 'registers per thread',
    unit: 1,
    step: 64,
    values: (limits) => steps(1, Math.min(255, limits.max_registers_per_thread), 1),
  },
  {
    fact: 'shared',
    title: 'shared memory per block, KiB',
    unit: 1024,
    step: 32,
    values: (limits) => steps(0, limits.shared_bytes_per_block_optin, 512),
  },
];

const steps = (from, to, by) => Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => from + i * by);

function curveSpec(model, curve) {
  const { set } = model;
  const limits = set.occupancy_limits;
  const launches = [model.shown, model.rival].map((row) => row >= 0 && launchOf(set, row));
  const theme = colours();
  const values = curve.values(limits);
  const x = {
    ...linearScale(0, values.at(-1) / curve.unit, number),
    ticks: steps(0, values.at(-1) / curve.unit, curve.step),
  };
  const y = linearScale(0, 100, (value) => `${number(value)} %`, 5);
  const line = (launch, i) =>
    launch && {
      type: 'line',
      step: 'start',
      z: 3 - i,
      lineStyle: {
        color: i === 0 ? theme.selected : theme.muted,
        width: i === 0 ? 2 : 1.4,
        type: i === 0 ? 'solid' : [5, 4],
      },
      data: values.map((value) => [value / curve.unit, at(limits, { ...launch, [curve.fact]: value })]),
    };
  const point = (launch, i) =>
    launch && {
      type: 'scatter',
      z: 5,
      symbol: i === 0 ? 'circle' : 'diamond',
      symbolSize: i === 0 ? 10 : 9,
      itemStyle: { color: i === 0 ? theme.selected : theme.muted, borderColor: theme.surface, borderWidth: 1.5 },
      data: [[launch[curve.fact] / curve.unit, at(limits, launch)]],
      label: {
        show: true,
        formatter: 'AB'[i],
        position: i === 0 ? 'right' : 'bottom',
        color: theme.ink,
        fontWeight: 600,
      },
    };
  return {
    x,
    y,
    series: [...launches.map(line), ...launches.map(point)].filter(Boolean),
    xTitle: curve.title,
    yTitle: 'predicted occupancy',
    label: `Occupancy against ${curve.title}.`,
    margin: { top: 36 },
  };
}

const at = (limits, { threads, registers, shared }) => of(limits, threads, registers, shared).percent;

function againstSpec(model) {
  const [a, b] = ['predicted_occupancy', 'achieved_occupancy'].map((name) => model.set.fact(name));
  const x = linearScale(0, 100, (value) => `${number(value)} %`, 5);
  const line = {
    type: 'line',
    z: 1,
    data: [
      [0, 0],
      [100, 100],
    ],
    lineStyle: { color: colours().muted, width: 1, type: [5, 4] },
  };
  return {
    x,
    y: x,
    xs: places(a, x),
    ys: places(b, x),
    columns: [a, b],
    series: [line],
    xTitle: 'predicted occupancy',
    yTitle: 'achieved occupancy',
    label: 'Predicted against achieved occupancy of all configurations.',
    margin: { top: 36 },
  };
}

/** "A: 512 threads, 32 registers, 32 KiB: 3 blocks, limited by shared memory: 75 % predicted, 71.3 % achieved". */
function sentence(model, row, name) {
  const launch = row >= 0 && launchOf(model.set, row);
  if (!launch) return null;
  const found = of(model.set.occupancy_limits, launch.threads, launch.registers, launch.shared);
  const achieved = model.set.fact('achieved_occupancy')?.numbers[row];
  return h(
    'p',
    {},
    h('span', { class: 'badge' }, name),
    ` ${roleOf(model.set, row)}: ${number(launch.threads)} threads, ${number(launch.registers)} registers per thread and ${count(launch.shared)} B shared memory per block. `,
    h(
      'b',
      {},
      `${number(found.blocks)} blocks per SM${found.percent < 100 ? `, limited by ${found.limiter}` : ''}: ${number(found.percent)} % predicted`,
    ),
    achieved === undefined || Number.isNaN(achieved) ? '.' : `, ${number(achieved)} % achieved.`,
  );
}

export const occupancy = {
  id: 'occupancy',
  title: 'Occupancy',
  about: 'Each curve varies one of three, the other two stay as in A (solid) and B (dashed).',
  missing: (set) =>
    set.occupancy_limits && set.fact('registers') && set.fact('threads_per_block')
      ? null
      : [
          'This file does not contain registers and shared memory of the configurations.',
          `gridsmith tune ${set.kernelWord}`,
        ],
  draw(body, model) {
    const words = h('div', {});
    const hosts = curves.map(() => h('div', { class: 'small' }));
    const both = model.set.fact('predicted_occupancy') && model.set.fact('achieved_occupancy');
    const against = h('div', { class: 'small' });
    body.replaceChildren(words, h('div', { class: 'fours' }, hosts, both && against));
    const plots = curves.map((curve, i) => new Plot(hosts[i], model, () => curveSpec(model, curve)));
    const cloud = both ? new Plot(against, model, () => againstSpec(model)) : null;
    const say = () =>
      words.replaceChildren(...[sentence(model, model.shown, 'A'), sentence(model, model.rival, 'B')].filter(Boolean));
    say();
    let shown = `${model.shown} ${model.rival}`;
    return {
      update(what) {
        cloud?.update(what);
        const now = `${model.shown} ${model.rival}`;
        if (what === 'selection' || (what === 'mark' && now === shown)) return;
        shown = now;
        say();
        for (const plot of plots) plot.redraw();
      },
    };
  },
};
