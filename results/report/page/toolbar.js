// SPDX-License-Identifier: Apache-2.0
// The bar above the views: which kernel is shown, what is selected, in words that can be changed (the filter, each brushed
// range, how many rows), and what colours it.
import { button, choice, copyButton, h } from './dom.js';
import { count, percent } from './format.js';
import { textOfRange } from './model.js';
import { canPaint, paintLegend } from './paint.js';

const pause = 200; // ms after the last key before the filter is taken

/** @return draw(), to be called where the selection changed */
export function toolbar(host, model) {
  const input = h('input', {
    type: 'text',
    id: 'filter',
    spellcheck: 'false',
    autocomplete: 'off',
    placeholder: 'time_ms < 0.2 and registers <= 64',
    'aria-describedby': 'filter-error',
    'aria-label': 'Filter by expression',
  });
  const error = h('p', { id: 'filter-error', class: 'error', role: 'alert' });
  const chips = h('div', { class: 'ranges' });
  let form = null;
  let formOf = null;
  const total = h('p', { class: 'total', role: 'status' });
  let waiting = 0;
  const take = () => (clearTimeout(waiting), model.setFilter(input.value));
  input.addEventListener('input', () => (clearTimeout(waiting), (waiting = setTimeout(take, pause))));
  input.addEventListener('keydown', (event) => event.key === 'Enter' && take());
  const shown = h('div', { class: 'shown' });
  const colour = h('div', { class: 'colour' });
  const legend = h('span', { class: 'legend' });
  let colourOf = '';
  host.replaceChildren(
    shown,
    h('div', { class: 'filter' }, h('label', { for: 'filter' }, 'Filter'), input),
    chips,
    total,
    colour,
    error,
  );
  return () => {
    if (input.value !== model.filter && document.activeElement !== input) input.value = model.filter;
    error.textContent = model.filterError;
    input.setAttribute('aria-invalid', String(Boolean(model.filterError)));
    if (formOf !== model.set) {
      [form, formOf] = [rangeForm(model), model.set];
      shown.replaceChildren(...setChoice(model));
    }
    const now = `${model.set.id} ${model.option('colour.by', '')} ${model.set.rows}`;
    if (colourOf !== now) colour.replaceChildren(colourChoice(model), legend);
    colourOf = now;
    legend.replaceChildren(...[paintLegend(model) ?? []].flat());
    chips.replaceChildren(...[...model.ranges].map(([name, range]) => chip(model, name, range)), form);
    const { rows } = model.set;
    total.replaceChildren(
      ...(model.filterError
        ? ['the filter is not applied ', button('Clear', () => ((input.value = ''), model.clear()))]
        : model.isActive
        ? [
            h('b', {}, count(model.selected)),
            ` of ${count(rows)} configurations (${percent(model.selected / rows)})`,
            button('Clear', () => ((input.value = ''), model.clear())),
            copyButton(model.expression(), 'Copy as expression'),
          ]
        : [h('b', {}, count(rows)), ' configurations; drag in any picture to select']),
    );
  };
}

/** Which kernel, size and device, where there are several. */
function setChoice(model) {
  if (model.sets.length < 2) return [];
  const several = new Set(model.sets.map((one) => one.device.name)).size > 1;
  const names = model.sets.map((one, i) => [String(i), several ? `${one.title}, ${one.device.name}` : one.title]);
  return [choice('Show', names, String(model.sets.indexOf(model.set)), (i) => model.choose(Number(i)))];
}

/** By which column points and lines are coloured. */
function colourChoice(model) {
  const columns = [...model.set.columns.values()].filter(canPaint).map((column) => [column.name, column.title]);
  return choice('Colour by', [['', 'nothing'], ...columns], model.option('colour.by', ''), (name) =>
    model.setOption('colour.by', name),
  );
}

function chip(model, name, range) {
  const text = textOfRange(model.set.column(name), range);
  return h(
    'span',
    { class: 'range' },
    h('code', {}, text),
    button('×', () => model.brush(name, null), { 'aria-label': `Remove ${text}` }),
  );
}

/** Brushing without a pointer: a column and its limits. */
function rangeForm(model) {
  const columns = [...model.set.columns.values()].filter((column) => !column.isText && column.low < column.high);
  const select = h(
    'select',
    { 'aria-label': 'Column to select by' },
    columns.map((column) => h('option', { value: column.name }, column.name)),
  );
  const field = (label) => h('input', { type: 'number', step: 'any', 'aria-label': label, placeholder: label });
  const [low, high] = [field('from'), field('to')];
  const apply = (event) => {
    event.preventDefault();
    const limit = (input, otherwise) => (input.value === '' ? otherwise : Number(input.value));
    if (low.value !== '' || high.value !== '')
      model.brush(select.value, { low: limit(low, -Infinity), high: limit(high, Infinity) });
  };
  return h(
    'details',
    { class: 'by-range' },
    h('summary', {}, '+ range'),
    h('form', { onsubmit: apply }, select, low, high, h('button', { type: 'submit' }, 'Select')),
  );
}
