// SPDX-License-Identifier: Apache-2.0
// Of a report of several kernels, sizes or devices: all of them in one table, sorted by any column, with bars.
import { button, h, scrolls } from './dom.js';
import { count, number, times } from './format.js';

/** The best's share of the peak that it comes nearest to: { percent, words }; words say what exceeds a peak. */
function ofDevice(set) {
  const share = (name) => set.fact(name)?.numbers[set.best] ?? NaN;
  const [copy, fp32] = [share('percent_of_copy'), share('percent_of_fp32_peak')];
  if (fp32 > 100)
    return {
      percent: NaN,
      words: `${times(fp32 / 100)} the FP32 peak: ${share('tensor_percent') > 2 ? 'tensor cores' : 'other units'}`,
    };
  if (copy > 100) return { percent: 100, words: `${number(copy)} % of copy: more than was measured of DRAM` };
  if (Number.isNaN(copy) && Number.isNaN(fp32)) return { percent: NaN, words: '–' };
  const nearest = copy >= fp32 || Number.isNaN(fp32);
  return nearest
    ? { percent: copy, words: `${number(copy)} % of copy` }
    : { percent: fp32, words: `${number(fp32)} % of the FP32 peak` };
}

/** What the table has of a set: by column what is shown, and what it is sorted by. */
function lineOf(set, index) {
  const ms = set.fact('time_ms');
  const { default_row, bound } = set.answer;
  const best = set.best >= 0 ? ms.numbers[set.best] : NaN;
  const gain = default_row >= 0 ? ms.numbers[default_row] / best : NaN;
  const near = ofDevice(set);
  return {
    set,
    index,
    texts: {
      kernel: set.kernel,
      problem: set.problem,
      device: set.device.name,
      best: Number.isNaN(best) ? 'no time' : ms.text(set.best),
      gain: Number.isNaN(gain) ? '–' : times(gain),
      near: near.words,
      bound: bound && bound !== 'unknown' ? bound : '–',
      tried: count(set.rows),
    },
    keys: { index, kernel: set.kernel, problem: set.problem, device: set.device.name, best, gain, near: near.percent, bound: bound ?? '', tried: set.rows },
  };
}

/** Each: what it is sorted by, its head, whether it is a number, and the share of its bar. */
const allColumns = [
  { name: 'kernel', head: 'kernel' },
  { name: 'problem', head: 'problem size' },
  { name: 'device', head: 'device' },
  { name: 'best', head: 'best', isNumber: true },
  { name: 'gain', head: 'over default', isNumber: true, bar: (keys, most) => Math.log(Math.max(1, keys.gain)) / Math.log(most.gain) },
  { name: 'near', head: 'of the device', isNumber: true, bar: (keys) => keys.near / 100 },
  { name: 'bound', head: 'bound by' },
  { name: 'tried', head: 'tried', isNumber: true },
];

/** What is not known comes last, either way. */
function compared(a, b, sign) {
  if (typeof a === 'string') return sign * a.localeCompare(b, 'en', { numeric: true });
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return sign * (a - b);
}

function bar(share) {
  const inner = h('i', {});
  inner.style.width = `${100 * Math.min(1, Math.max(0, share || 0))}%`;
  return h('i', { class: 'meter', 'aria-hidden': 'true' }, inner);
}

/** @param open (index of a set) shows it. @return { sets: that it is of, element, draw() } */
export function overview(model, open) {
  const lines = model.sets.map(lineOf);
  const devices = new Set(lines.map(({ texts }) => texts.device));
  const columns = allColumns.filter(({ name }) => name !== 'device' || devices.size > 1);
  const most = { gain: Math.max(1.05, ...lines.map(({ keys }) => keys.gain || 1)) };
  const body = h('tbody', {});
  const head = h('thead', {});
  const cell = (line, column) => {
    const text =
      column.name === 'kernel'
        ? button(line.texts.kernel, () => open(line.index), {
            class: 'link',
            'aria-current': line.set === model.set ? 'true' : null,
          })
        : line.texts[column.name];
    return h(
      column.name === 'kernel' ? 'th' : 'td',
      { class: column.isNumber ? 'n' : null, 'data-column': column.name, scope: column.name === 'kernel' ? 'row' : null },
      text,
      column.bar && bar(column.bar(line.keys, most)),
    );
  };
  const draw = () => {
    const [name, way] = model.option('overview.sort', 'kernel up').split(' ');
    const sign = way === 'down' ? -1 : 1;
    const sorted = [...lines].sort((a, b) => compared(a.keys[name], b.keys[name], sign) || a.index - b.index);
    body.replaceChildren(...sorted.map((line) => h('tr', {}, columns.map((column) => cell(line, column)))));
    head.replaceChildren(h('tr', {}, columns.map((column) => headOf(column, column.name === name ? way : ''))));
  };
  const headOf = ({ name, head: text, isNumber }, way) => {
    const turned = way ? (way === 'up' ? 'down' : 'up') : isNumber && name !== 'best' ? 'down' : 'up';
    return h(
      'th',
      {
        scope: 'col',
        class: isNumber ? 'n' : '',
        'aria-sort': way ? (way === 'up' ? 'ascending' : 'descending') : 'none',
      },
      button(`${text}${way ? (way === 'up' ? ' ↑' : ' ↓') : ''}`, () => sort(name, turned)),
    );
  };
  const sort = (name, way) => {
    model.options.set('overview.sort', `${name} ${way}`);
    model.tell('address');
    draw();
    head.querySelector('[aria-sort]:not([aria-sort=none]) button').focus();
  };
  draw();
  const element = h(
    'section',
    { id: 'overview', 'aria-labelledby': 'overview-title' },
    h(
      'header',
      {},
      h('h2', { id: 'overview-title' }, 'Overview'),
      h(
        'p',
        {},
        `${count(model.sets.length)} kernels × sizes × devices${devices.size === 1 ? `, all on ${[...devices][0]}` : ''}. A click on a column sorts; a click on a kernel shows it below.`,
      ),
    ),
    scrolls(h('table', { class: 'figures overview' }, head, body)),
  );
  return { sets: model.sets, element, draw };
}
