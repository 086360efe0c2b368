// SPDX-License-Identifier: Apache-2.0
// The column at the side: the configuration under the pointer, else the picked one (A), beside the one compared with (B).
// What differs most between the two stands first.
import { button, copyButton, h } from './dom.js';
import { number, times } from './format.js';

const facts = [
  'time_ms',
  'effective_gb_per_s',
  'gflop_per_s',
  'percent_of_copy',
  'percent_of_fp32_peak',
  'dram_gb_per_s',
  'achieved_occupancy',
  'predicted_occupancy',
  'registers',
  'spill_bytes',
  'shared_bytes',
  'threads_per_block',
  'blocks',
  'load_sectors_per_request',
  'store_sectors_per_request',
  'l2_hit_percent',
  'ipc',
];

const most = 3; // quantities that differ most
const least = Math.log(1.1); // what differs by less is noise

/**
 * Columns in which two rows differ most. Between the default and the best they are those that the analysis names; of
 * others those of the facts above that are no rate of the time, by their ratio.
 */
export function differing(set, a, b) {
  const { row, default_row, differences } = set.answer;
  const named = differences?.map((name) => set.fact(name)).filter(Boolean);
  if (named?.length > 0 && [a, b].every((one) => one === row || one === default_row)) return named.slice(0, most);
  const size = (column) => {
    const [x, y] = [column.numbers[a], column.numbers[b]];
    if (Number.isNaN(x) || Number.isNaN(y) || x === y) return 0;
    return x > 0 && y > 0 ? Math.abs(Math.log(x / y)) : Infinity;
  };
  return facts
    .map((name) => set.fact(name))
    .filter((column) => column && !['time', 'rate'].includes(column.kind) && !column.name.startsWith('percent_of_'))
    .map((column) => ({ column, size: size(column) }))
    .filter((one) => one.size >= least)
    .sort((x, y) => y.size - x.size)
    .slice(0, most)
    .map((one) => one.column);
}

function line(a, b, column) {
  const [x, y] = [column.text(a), b >= 0 ? column.text(b) : ''];
  return h(
    'tr',
    { class: b >= 0 && x === y ? 'same' : '' },
    h('th', { scope: 'row', 'data-words': column.says }, column.short),
    h('td', {}, x),
    b >= 0 && h('td', {}, y),
  );
}

/** Groups of lines: what differs most, the parameters, all else. */
function groups(model, a, b) {
  const { set } = model;
  const first = b >= 0 ? differing(set, a, b) : [];
  const rest = facts
    .map((name) => set.fact(name))
    .filter((column) => column && !first.includes(column) && (column.known(a) || (b >= 0 && column.known(b))));
  const [time, ...others] = rest;
  const title = (text) => h('tr', { class: 'title' }, h('th', { colspan: b >= 0 ? 3 : 2, scope: 'rowgroup' }, text));
  const lines = (columns) => columns.filter(Boolean).map((column) => line(a, b, column));
  return [
    h('tbody', { class: 'time' }, lines([time])),
    first.length > 0 && h('tbody', { class: 'most' }, title('differ most'), lines(first)),
    h('tbody', {}, title('parameters'), lines(set.parameters)),
    others.length > 0 && h('tbody', {}, title(first.length > 0 ? 'all else' : 'measured'), lines(others)),
  ];
}

function roles(set, row) {
  const all = [
    [set.best, '★ best'],
    [set.answer.default_row, '◆ default'],
    [set.answer.worst_row, 'slowest'],
  ]
    .filter(([one]) => one === row)
    .map(([, word]) => word);
  return [...all, ...(set.tied.has(row) ? ['○ tied'] : [])].join(', ') || `evaluation ${set.numberOf(row)}`;
}

function verdict(ratio) {
  if (Number.isNaN(ratio)) return '';
  return h(
    'p',
    { class: 'verdict' },
    Math.abs(ratio - 1) < 0.0005
      ? 'A and B take the same time'
      : ratio > 1
        ? ['A is ', h('b', {}, times(ratio)), ' as fast as B']
        : ['A takes ', h('b', {}, `${number(1 / ratio)} times`), ' the time of B'],
  );
}

/** @return draw() */
export function inspector(host, model) {
  return () => {
    const { set } = model;
    const a = model.hover >= 0 ? model.hover : model.shown;
    const b = a === model.rival ? -1 : model.rival;
    if (a < 0) return host.replaceChildren(h('p', { class: 'empty' }, 'Nothing has a time yet.'));
    const slowdown = set.fact('slowdown')?.numbers;
    const head = (name, row) =>
      h('th', { scope: 'col' }, h('span', { class: 'badge' }, name), h('small', {}, roles(set, row)));
    return host.replaceChildren(
      verdict(b >= 0 && slowdown ? slowdown[b] / slowdown[a] : NaN),
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('td', {}, model.hover >= 0 ? 'pointed at' : model.pick >= 0 ? 'picked' : ''),
            head('A', a),
            b >= 0 && head('B', b),
          ),
        ),
        groups(model, a, b).filter(Boolean),
      ),
      h(
        'div',
        { class: 'controls' },
        copyButton(`--configuration ${set.configuration(a, ',')}`, 'Copy A'),
        model.pick >= 0 || model.against >= 0
          ? button('Clear A and B', () => ((model.against = -1), model.mark('pick', -1), model.tell('mark')))
          : null,
      ),
      ...(status(set, a) ?? []),
    );
  };
}

function status(set, row) {
  const word = set.fact('status')?.text(row);
  return word && word !== 'correct'
    ? [h('p', { class: 'failure' }, `× ${word}: ${set.fact('failure')?.text(row) ?? ''}`)]
    : null;
}
