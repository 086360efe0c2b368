// SPDX-License-Identifier: Apache-2.0
// Memory traffic of one configuration beside another: what threads asked for, what L1, L2 and DRAM moved for it, hit rates,
// the ideal beside the actual, and bank conflicts of shared memory.
import { h, scrolls, svg, table } from '../dom.js';
import { number, quantity, scaled } from '../format.js';

const sector = 32; // bytes
const wavefront = 128; // bytes of shared memory per wavefront without conflicts

/** All figures of a row; what was not counted is NaN. */
function trafficOf(set, row) {
  const at = (name) => set.fact(name)?.numbers[row] ?? NaN;
  const bytes = (name) => sector * at(name);
  return {
    loads: {
      asked: at('load_data_bytes'),
      l1: bytes('load_sectors'),
      l2: bytes('l2_read_sectors'),
      dram: at('dram_read_bytes'),
      requests: at('load_instructions'),
      per: at('load_sectors_per_request'),
      ideal: at('load_ideal_sectors_per_request'),
    },
    stores: {
      asked: at('store_data_bytes'),
      l1: bytes('store_sectors'),
      l2: bytes('l2_write_sectors'),
      dram: at('dram_write_bytes'),
      requests: at('store_instructions'),
      per: at('store_sectors_per_request'),
      ideal: at('store_ideal_sectors_per_request'),
    },
    fill: bytes('l1_fill_sectors'),
    l1_hit: at('l1_hit_percent'),
    l2_hit: at('l2_hit_percent'),
    shared: {
      bytes: at('shared_load_data_bytes') + at('shared_store_data_bytes'),
      moved: wavefront * (at('shared_load_wavefronts') + at('shared_store_wavefronts')),
      conflicts: at('shared_load_conflicts') + at('shared_store_conflicts'),
      load: at('shared_load_wavefronts_per_request'),
      store: at('shared_store_wavefronts_per_request'),
    },
    model: set.workload?.bytes ?? NaN,
  };
}

const has = (value) => Number.isFinite(value) && value > 0;
const [boxWidth, bandMost] = [104, 40];
const xs = [0, 312, 548, 784]; // of the stages; the first gap is the widest, it has the words on requests

/** The stages left to right, bands as thick as the bytes. `most` bytes are the thickest. */
function picture(traffic, most, name) {
  const thick = (bytes) => (has(bytes) ? Math.max(1.5, (bytes / most) * bandMost) : 0);
  const band = (way, key, i, y) =>
    bandOf(
      way[key],
      has(way.asked) && key === 'l1' ? way.asked : NaN,
      xs[i] + boxWidth,
      xs[i + 1],
      y,
      thick,
      way === traffic.stores,
    );
  const keys = ['l1', 'l2', 'dram'];
  const stages = [
    ['threads', requests(traffic)],
    ['L1', hit(traffic.l1_hit)],
    ['L2', hit(traffic.l2_hit)],
    ['DRAM', has(traffic.model) ? `least ${scaled(traffic.model, 'B')}` : ''],
  ];
  return svg(
    'svg',
    {
      class: 'traffic',
      viewBox: `0 0 ${xs[3] + boxWidth} ${Number.isNaN(traffic.shared.moved) ? 188 : 246}`,
      role: 'img',
      'aria-label': `Memory traffic of ${name}: ${keys.map((key) => `${key} ${scaled(traffic.loads[key] || 0, 'B')} read, ${scaled(traffic.stores[key] || 0, 'B')} written`).join('; ')}`,
    },
    stages.map(([title, text], i) => stage(xs[i], title, text)),
    keys.map((key, i) => [band(traffic.loads, key, i, 50), band(traffic.stores, key, i, 136)]),
    efficiency(traffic.loads, xs[0] + boxWidth, xs[1], 86),
    efficiency(traffic.stores, xs[0] + boxWidth, xs[1], 172),
    shared(traffic.shared, thick),
  );
}

const requests = ({ loads, stores }) =>
  has(loads.requests) || has(stores.requests)
    ? `${scaled((loads.requests || 0) + (stores.requests || 0), '')} requests`
    : '';
const hit = (percent) => (Number.isNaN(percent) ? '' : `${number(percent)} % hit`);

function stage(x, title, text) {
  return svg(
    'g',
    {},
    svg('rect', { class: 'stage', x: x + 0.5, y: 8.5, width: boxWidth - 1, height: 172, rx: 4 }),
    svg('text', { class: 'title', x: x + boxWidth / 2, y: 92, 'text-anchor': 'middle' }, title),
    svg('text', { x: x + boxWidth / 2, y: 110, 'text-anchor': 'middle' }, text),
  );
}

/** A band with its bytes above; where fewer were needed, the needed part is darker. */
function bandOf(bytes, needed, from, to, y, thick, isStore) {
  const label = (text) => svg('text', { class: 'bytes', x: (from + to) / 2, y: y - 26, 'text-anchor': 'middle' }, text);
  if (!has(bytes)) return label(bytes === 0 ? (isStore ? 'no writes' : 'no reads') : 'not counted');
  const height = thick(bytes);
  const inner = has(needed) ? Math.min(height, thick(needed)) : height;
  const arrow = isStore ? '→' : '←';
  return [
    svg('rect', { class: isStore ? 'band store' : 'band load', x: from, y: y - height / 2, width: to - from, height }),
    svg('rect', {
      class: isStore ? 'band store needed' : 'band load needed',
      x: from,
      y: y - inner / 2,
      width: to - from,
      height: inner,
    }),
    label(`${arrow} ${scaled(bytes, 'B')}${isStore ? ' written' : ' read'}`),
  ];
}

/** "4 sectors per request, ideal 4". */
function efficiency({ per, ideal }, from, to, y) {
  if (!has(per)) return null;
  const bad = has(ideal) && per > 1.05 * ideal;
  return svg(
    'text',
    { class: bad ? 'small bad' : 'small', x: (from + to) / 2, y, 'text-anchor': 'middle' },
    `${number(per)} sectors/request${has(ideal) ? (bad ? `, ideal ${number(ideal)} ▲` : ', as ideal') : ''}`,
  );
}

function shared(one, thick) {
  if (!has(one.moved)) return svg('text', { x: 0, y: 230 }, one.moved === 0 ? 'shared memory: not used' : '');
  const height = Math.min(26, thick(one.moved));
  const inner = has(one.bytes) ? height * Math.min(1, one.bytes / one.moved) : height;
  const share = has(one.bytes) ? one.bytes / one.moved : NaN;
  const text = `shared memory: ${scaled(one.moved, 'B')} of wavefronts for ${scaled(one.bytes, 'B')}${has(one.conflicts) ? `, ${scaled(one.conflicts, '')} bank conflicts` : ''}`;
  return [
    svg('rect', { class: 'band shared', x: 0, y: 226 - height / 2, width: 120, height }),
    svg('rect', { class: 'band shared needed', x: 0, y: 226 - inner / 2, width: 120, height: inner }),
    svg('text', { class: share < 0.5 ? 'bad' : '', x: 130, y: 230 }, text, share < 0.5 ? ' ▲' : ''),
  ];
}

/** Both, and how many times as much B has. */
function comparison(a, b) {
  const lines = [
    ['asked by loads', 'B', (t) => t.loads.asked],
    ['asked by stores', 'B', (t) => t.stores.asked],
    ['sectors per load request', '', (t) => t.loads.per],
    ['… ideal', '', (t) => t.loads.ideal],
    ['sectors per store request', '', (t) => t.stores.per],
    ['… ideal', '', (t) => t.stores.ideal],
    ['L1 hit rate', '%', (t) => t.l1_hit],
    ['L2 to L1', 'B', (t) => t.fill],
    ['L2 read', 'B', (t) => t.loads.l2],
    ['L2 written', 'B', (t) => t.stores.l2],
    ['L2 hit rate', '%', (t) => t.l2_hit],
    ['DRAM read', 'B', (t) => t.loads.dram],
    ['DRAM written', 'B', (t) => t.stores.dram],
    ['wavefronts per shared load', '', (t) => t.shared.load],
    ['wavefronts per shared store', '', (t) => t.shared.store],
    ['bank conflicts', '', (t) => t.shared.conflicts],
  ].filter(([, , of]) => [a, b].some((one) => one && !Number.isNaN(of(one))));
  const ratio = (x, y) =>
    !b || Number.isNaN(y / x)
      ? '–'
      : x === 0
        ? 'only B'
        : y === 0
          ? 'only A'
          : Math.abs(y / x - 1) < 0.005
            ? 'same'
            : `${number(y / x)}×`;
  return table(
    ['bytes and ratios', 'A', b && 'B', b && 'B / A'].filter((one) => one !== null && one !== undefined),
    lines.map(([name, unit, of]) => [
      name,
      quantity(of(a), unit),
      ...(b ? [quantity(of(b), unit), ratio(of(a), of(b))] : []),
    ]),
    { class: 'figures' },
  );
}

const counters = ['dram_read_bytes', 'load_sectors', 'l2_read_sectors'];

export const memory = {
  id: 'memory',
  title: 'Memory traffic',
  about:
    'A is the picked configuration, else the best; B the one compared with, else the default. Solid: what threads asked for. ▲: more than the ideal.',
  missing: (set) =>
    counters.some((name) => set.fact(name))
      ? null
      : ['No memory counters were read.', `gridsmith tune ${set.kernelWord} --counters full`],
  draw(body, model) {
    const draw = () => {
      const { set, shown, rival } = model;
      const both = [shown, rival].filter((row) => row >= 0).map((row) => ({ row, traffic: trafficOf(set, row) }));
      const sizes = both.flatMap(({ traffic: { loads, stores } }) =>
        [loads, stores].flatMap((one) => [one.asked, one.l1, one.l2, one.dram]),
      );
      const most = sizes.filter(has).reduce((a, b) => Math.max(a, b), 1);
      const name = ({ row }, i) =>
        h(
          'h3',
          {},
          h('span', { class: 'badge' }, 'AB'[i]),
          ` ${roleOf(set, row)} `,
          h('small', {}, set.configuration(row)),
        );
      body.replaceChildren(
        h(
          'div',
          { class: 'memory' },
          h(
            'div',
            {},
            both.map((one, i) => [
              name(one, i),
              scrolls(picture(one.traffic, most, 'AB'[i])),
            ]),
          ),
          both.length > 0
            ? scrolls(comparison(both[0].traffic, both[1]?.traffic))
            : '',
        ),
      );
    };
    draw();
    let drawnFor = '';
    return {
      update(what) {
        const now = `${model.shown} ${model.rival}`;
        if (what === 'selection' || (what === 'mark' && now === drawnFor)) return;
        drawnFor = now;
        draw();
      },
    };
  },
};

/** "best, 0.132 ms". */
export function roleOf(set, row) {
  const { default_row, worst_row } = set.answer;
  const role =
    row === set.best
      ? 'the best'
      : row === default_row
        ? 'the default'
        : row === worst_row
          ? 'the slowest'
          : set.tied.has(row)
            ? 'tied with the best'
            : 'configuration';
  return `${role}, ${set.fact('time_ms')?.text(row) ?? '–'}`;
}
