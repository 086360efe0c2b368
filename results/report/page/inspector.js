// SPDX-License-Identifier: Apache-2.0
// The column at the side: the configuration under the pointer, else the picked one (A), beside the one compared with (B).
import { button, copyButton, h } from './dom.js';
import { times } from './format.js';

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

function lines(model, a, b) {
  const { set } = model;
  const line = (column) => {
    const text = (row) =>
      column.short.includes(column.unit) && column.kind !== 'parameter'
        ? column.labelOf(column.numbers[row])
        : column.text(row);
    const [x, y] = [text(a), b >= 0 ? text(b) : ''];
    return h(
      'tr',
      { class: b >= 0 && x === y ? 'same' : '' },
      h('th', { scope: 'row', 'data-words': column.says }, column.short),
      h('td', {}, x),
      b >= 0 && h('td', {}, y),
    );
  };
  const shown = facts
    .map((name) => set.fact(name))
    .filter((column) => column && (column.known(a) || (b >= 0 && column.known(b))));
  return [set.parameters.map(line), h('tr', { class: 'rule' }, h('td', { colspan: 3 })), shown.map(line)];
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

/** @return draw() */
export function inspector(host, model) {
  return () => {
    const { set } = model;
    const a = model.hover >= 0 ? model.hover : model.shown;
    const b = a === model.rival ? -1 : model.rival;
    if (a < 0) return host.replaceChildren(h('p', { class: 'empty' }, 'Nothing has a time yet.'));
    const slowdown = set.fact('slowdown')?.numbers;
    const ratio = b >= 0 && slowdown ? slowdown[b] / slowdown[a] : NaN;
    const verdict = Number.isNaN(ratio)
      ? null
      : h(
          'p',
          { class: 'verdict' },
          Math.abs(ratio - 1) < 0.0005
            ? 'A and B take the same time'
            : ratio > 1
              ? ['A is ', h('b', {}, times(ratio)), ' as fast as B']
              : ['A takes ', h('b', {}, times(1 / ratio)), ' the time of B'],
        );
    return host.replaceChildren(
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
            h('th', { scope: 'col' }, h('span', { class: 'badge' }, 'A'), h('small', {}, roles(set, a))),
            b >= 0 && h('th', { scope: 'col' }, h('span', { class: 'badge' }, 'B'), h('small', {}, roles(set, b))),
          ),
        ),
        h('tbody', {}, lines(model, a, b)),
      ),
      verdict ?? '',
      h(
        'div',
        { class: 'controls' },
        copyButton(`--configuration ${set.configuration(a, ',')}`, 'Copy A'),
        model.pick >= 0 || model.against >= 0
          ? button('Clear', () => ((model.against = -1), model.mark('pick', -1), model.tell('mark')))
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
