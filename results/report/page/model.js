// SPDX-License-Identifier: Apache-2.0
// What the page shows and what is selected in it. A selection is a conjunction: brushed ranges by column and a filter,
// so it can always be written as one expression. Views listen: 'set', 'selection', 'mark' (hover, pick, against), 'options'.
import { RowSet } from './columns.js';
import { isTrue, parse, unknown } from './expression.js';

export class Model extends EventTarget {
  constructor(raw) {
    super();
    this.options = new Map(); // of views: 'scatter.x' → 'registers'
    this.take(raw);
    this.choose(0);
  }

  /** A whole new report, of the same or more sets; the selection stays. */
  take(raw) {
    this.raw = raw;
    this.words = raw.words ?? {};
    this.sets = raw.sets.map((set) => new RowSet(set, raw.with_source));
    if (this.set) {
      this.set = this.sets.find((set) => set.id === this.set.id) ?? this.sets[0];
      this.readFilter();
      this.compute();
    }
  }

  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  choose(index) {
    this.set = this.sets[index] ?? this.sets[0];
    Object.assign(this, {
      ranges: new Map(),
      filter: '',
      filterError: '',
      pick: -1,
      against: -1,
      hover: -1,
      onFilter: null,
    });
    this.compute();
    this.tell('set');
  }

  // ---- selection

  get isActive() {
    return this.ranges.size > 0 || this.onFilter !== null;
  }

  /** Selects rows with lo <= value <= hi; null for no limit of this column. @param quiet: the caller tells */
  brush(name, range, quiet = false) {
    if (range) this.ranges.set(name, range);
    else this.ranges.delete(name);
    if (!quiet) this.select();
  }

  /** Adds or removes one value of a column of categories. */
  toggle(name, value) {
    const range = this.ranges.get(name);
    const values = new Set(range?.values ?? []);
    if (!values.delete(value)) values.add(value);
    this.brush(name, values.size > 0 ? { values } : null);
  }

  clear() {
    this.ranges.clear();
    this.filter = this.filterError = '';
    this.onFilter = null;
    this.select();
  }

  /** Takes a filter's text; what is wrong with it is in filterError, and the last right one stays. */
  setFilter(text) {
    this.filter = text;
    this.readFilter();
    this.select();
  }
  readFilter() {
    this.filterError = '';
    try {
      this.onFilter = this.filter.trim() ? this.maskOf(parse(this.filter)) : null;
    } catch (error) {
      this.filterError = error.short ?? error.message;
    }
  }

  maskOf(parsed) {
    const { set } = this;
    const columns = new Map([...set.columns.values()].map((column) => [column.word, column]));
    const used = parsed.names.map(
      (name) => columns.get(name)?.boxes ?? fail(unknownName(name, [...columns.values()])),
    );
    const values = new Array(used.length);
    const mask = new Uint8Array(set.rows);
    for (let row = 0; row < mask.length; ++row) {
      for (let i = 0; i < used.length; ++i) values[i] = used[i][row];
      mask[row] = holds(parsed, values);
    }
    return mask;
  }

  select() {
    this.compute();
    this.tell('selection');
  }

  /** The mask of selected rows and how many they are; of all rows where nothing is brushed. */
  compute() {
    const { rows } = this.set;
    this.mask = this.onFilter?.length === rows ? this.onFilter.slice() : new Uint8Array(rows).fill(1);
    for (const [name, range] of this.ranges) {
      const column = this.set.column(name);
      if (column) keep(this.mask, column.numbers, range);
    }
    this.selected = 0;
    for (const one of this.mask) this.selected += one;
  }

  /** The selection as the expression that it is. */
  expression() {
    const parts = [...this.ranges].map(([name, range]) => textOfRange(this.set.column(name), range));
    if (this.onFilter && this.filter) parts.unshift(parts.length > 0 ? `(${this.filter.trim()})` : this.filter.trim());
    return parts.join(' and ');
  }

  selectedRows() {
    return Array.from(this.mask.keys()).filter((row) => this.mask[row]);
  }

  // ---- marks

  /** What views show in detail: the picked row, else the best. */
  get shown() {
    return this.pick >= 0 ? this.pick : this.set.best;
  }
  /** What it is compared with: the row so chosen, else the default, of the best the worst. */
  get rival() {
    if (this.against >= 0) return this.against;
    const { default_row, worst_row, row } = this.set.answer;
    const first = this.shown === default_row ? row : default_row;
    return [first, worst_row].find((one) => one >= 0 && one !== this.shown) ?? -1;
  }
  mark(what, row) {
    if (this[what] === row) return;
    this[what] = row;
    this.tell('mark');
  }

  option(name, otherwise) {
    return this.options.get(name) ?? otherwise;
  }
  setOption(name, value) {
    this.options.set(name, value);
    this.tell('options');
  }

  // ---- address

  /** All that a link has to hold to show this picture. */
  toAddress() {
    const out = new URLSearchParams();
    if (this.sets.length > 1) out.set('set', this.set.id);
    if (this.filter) out.set('filter', this.filter);
    for (const [name, range] of this.ranges)
      out.append(
        'brush',
        range.values ? `${name}=${[...range.values].join('|')}` : `${name}=${range.low}..${range.high}`,
      );
    if (this.pick >= 0) out.set('pick', this.pick);
    if (this.against >= 0) out.set('against', this.against);
    for (const [name, value] of this.options) out.set(name, value);
    return out.toString();
  }

  fromAddress(text) {
    const all = new URLSearchParams(text);
    const index = this.sets.findIndex((set) => set.id === all.get('set'));
    this.choose(Math.max(0, index));
    for (const [name, value] of all) {
      if (name === 'pick' || name === 'against') this[name] = rowOf(value, this.set.rows);
      else if (name === 'brush') this.readBrush(value);
      else if (name.includes('.')) this.options.set(name, value);
    }
    this.setFilter(all.get('filter') ?? '');
  }

  readBrush(text) {
    const at = text.indexOf('=');
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (!this.set.column(name)) return;
    const limits = /^(.+)\.\.(.+)$/.exec(value);
    const numbers = (limits ? limits.slice(1) : value.split('|')).map(Number);
    if (numbers.some(Number.isNaN)) return;
    this.ranges.set(name, limits ? { low: numbers[0], high: numbers[1] } : { values: new Set(numbers) });
  }
}

function rowOf(text, rows) {
  const row = Number(text);
  return Number.isInteger(row) && row >= 0 && row < rows ? row : -1;
}

function fail(message) {
  throw new Error(message);
}

/** What may have been meant: a text without its quotes, the word that the page shows for a column, a word like it. */
function unknownName(name, columns) {
  const [low, hint] = [name.toLowerCase(), (meant) => `unknown name '${name}'; did you mean ${meant}?`];
  for (const column of columns) {
    const value = column.isText ? column.words.find((word) => word.toLowerCase() === low) : undefined;
    if (value) return hint(`the text '${value}' of ${column.word}, in quotes`);
  }
  const shown = columns.find((column) => column.short.toLowerCase() === low);
  return shown ? hint(`'${shown.word}'`) : unknown('name', name, columns.map((column) => column.word));
}

function holds(parsed, values) {
  try {
    return isTrue(parsed.evaluate(values)) ? 1 : 0;
  } catch (error) {
    if (error.short) throw error; // wrong for every row
    return 0; // no answer for this one: not satisfied
  }
}

function keep(mask, numbers, { low, high, values }) {
  if (values) {
    for (let row = 0; row < mask.length; ++row) if (mask[row] && !values.has(numbers[row])) mask[row] = 0;
  } else {
    for (let row = 0; row < mask.length; ++row) if (!(numbers[row] >= low && numbers[row] <= high)) mask[row] = 0;
  }
}

/** "TILE in [16, 32]", "0.1 <= time_ms <= 0.2". */
export function textOfRange(column, { low, high, values }) {
  if (values) {
    const all = [...values].sort((a, b) => a - b).map((value) => column.literal(value));
    return all.length === 1 ? `${column.word} == ${all[0]}` : `${column.word} in [${all.join(', ')}]`;
  }
  const [below, above] = [Number.isFinite(low), Number.isFinite(high)];
  if (below && above) return `${low} <= ${column.word} <= ${high}`;
  return below ? `${column.word} >= ${low}` : above ? `${column.word} <= ${high}` : `${column.word} == ${column.word}`;
}
