// SPDX-License-Identifier: Apache-2.0
// One set of the report: its rows as columns, and what can be asked of a column.
import { decodeColumn, decodeList } from './decode.js';
import { number, quantity, scaled, time } from './format.js';

/** Words for columns whose name says little to people. */
const words = {
  time_ms: 'time',
  low_ms: 'lower end of the median',
  high_ms: 'upper end of the median',
  at_s: 'measured at',
  shared_bytes: 'shared memory',
  dynamic_shared_bytes: 'dynamic shared memory',
  spill_bytes: 'spills',
  order: 'evaluation',
  sm_clock_mhz: 'SM clock',
  effective_gb_per_s: 'effective bandwidth',
  gflop_per_s: 'arithmetic rate',
  ipc: 'instructions per cycle',
  percent_of_copy: 'share of copy bandwidth',
  percent_of_dram_peak: 'share of DRAM peak',
  percent_of_fp32_peak: 'share of FP32 peak',
};

const capitals = new Set(['dram', 'l1', 'l2', 'sm', 'tma', 'ipc', 'fp16', 'fp32', 'fp64', 'mio', 'lg']);

/** "dram_read_gb_per_s" as "DRAM read throughput": the unit stands next to it. */
const readable = (name) =>
  name
    .replace(/_(percent|ghz|mhz|ms)$/, '')
    .replace(/_gb_per_s$/, '_throughput')
    .replace(/_gflop_per_s$/, '_rate')
    .split('_')
    .map((word) => (capitals.has(word) ? word.toUpperCase() : word))
    .join(' ');

const manyValues = 24; // from here on a parameter's values are an axis of numbers, not of categories

/** Distinct values in their order: words as they come, numbers ascending. */
function distinct(column) {
  if (column.words) return column.words.map((_, code) => code);
  const seen = new Set();
  for (const value of column.numbers)
    if (!Number.isNaN(value) && seen.add(value).size > manyValues && column.kind !== 'parameter') return [];
  return [...seen].sort((a, b) => a - b);
}

function rangeOf(numbers) {
  let [low, high, positive, whole, present] = [Infinity, -Infinity, Infinity, true, 0];
  for (const value of numbers) {
    if (Number.isNaN(value)) continue;
    ++present;
    if (value < low) low = value;
    if (value > high) high = value;
    if (value > 0 && value < positive) positive = value;
    if (whole && !Number.isInteger(value)) whole = false;
  }
  return { low, high, positive, whole, present };
}

export class Column {
  /** @param decoded as decodeColumn gives it */
  constructor(decoded) {
    Object.assign(this, { unit: '', about: '' }, decoded, rangeOf(decoded.numbers));
    this.isText = Boolean(this.words);
    this.boolean =
      this.isText && this.words.length > 0 && this.words.every((word) => word === 'True' || word === 'False');
    this.rename(this.name);
  }
  rename(name) {
    this.name = name;
    /** What the filter calls it. */
    this.word = name.replace(/[^A-Za-z0-9_[\]]/g, '_');
  }

  /** Distinct values in order; of a column that is no parameter none where they are too many for an axis. */
  get values() {
    return (this.values_ ??= distinct(this));
  }
  get isCategory() {
    return (this.isText || this.kind === 'parameter') && this.values.length <= manyValues;
  }
  /** Wide enough, and all above 0, for an axis by powers. */
  get isLog() {
    return !this.isText && this.low > 0 && this.high / this.low >= (this.kind === 'time' ? 2 : 8);
  }
  /** For heads of tables and axes. */
  get short() {
    if (this.kind === 'parameter') return this.name;
    // Labels of the program's tables are short for their columns; the busy units and ours have words.
    const own = this.name.startsWith('busy_') || this.name === 'slowdown' ? this.label : undefined;
    return own ?? words[this.name] ?? readable(this.name);
  }
  /** The same with its unit; ticks of bytes have their own. */
  get title() {
    return this.unit && this.unit !== 'B'
      ? `${this.short}, ${this.unit}`
      : this.short;
  }
  /** For the tip: what the filter calls it, and what it is. */
  get says() {
    const about = this.about && this.about !== this.short ? `: ${this.about}` : '';
    return `${this.word}${about}${this.source ? ` (${this.source})` : ''}`;
  }
  known(row) {
    return !Number.isNaN(this.numbers[row]);
  }
  /** A value of this column, without its unit. */
  labelOf(value) {
    if (Number.isNaN(value) || value === undefined) return '–';
    if (this.isText) return this.words[value] || '–';
    if (this.name === 'slowdown') return value.toFixed(3);
    return this.kind === 'parameter' ? String(value) : this.name.endsWith('_ms') ? number(value, 4) : number(value);
  }
  /** A row's value as people read it. */
  text(row) {
    const value = this.numbers[row];
    if (this.isText || this.kind === 'parameter' || Number.isNaN(value)) return this.labelOf(value);
    if (this.kind === 'counter' && !this.unit && value >= 1e6) return scaled(value, '');
    return this.unit === 'ms' ? time(value) : quantity(value, this.unit);
  }
  /** A row's value as data: text, number or null. */
  raw(row) {
    const value = this.numbers[row];
    return Number.isNaN(value) ? null : this.isText ? this.words[value] : value;
  }
  /** For expressions, by row: integers as BigInt; null is not known. */
  get boxes() {
    return (this.boxes_ ??= this.box());
  }
  /** Of a column of categories, by row: the place of its value among `values`, -1 for none. */
  get codes() {
    return (this.codes_ ??= this.code());
  }
  code() {
    const places = new Map(this.values.map((value, i) => [value, i]));
    const out = new Int32Array(this.numbers.length);
    for (let row = 0; row < out.length; ++row) out[row] = places.get(this.numbers[row]) ?? -1;
    return out;
  }
  box() {
    const one = this.isText
      ? (code) => (this.boolean ? this.words[code] === 'True' : this.words[code])
      : this.whole && Math.abs(this.high) < 2 ** 53
        ? BigInt
        : (value) => value;
    const known = new Map(this.isCategory ? this.values.map((value) => [value, one(value)]) : []);
    return Array.from(this.numbers, (value) => (Number.isNaN(value) ? null : (known.get(value) ?? one(value))));
  }
  /** As an expression writes a value. */
  literal(value) {
    if (!this.isText) return String(value);
    return this.boolean
      ? this.words[value]
      : this.words[value].includes("'")
        ? `"${this.words[value]}"`
        : `'${this.words[value]}'`;
  }
}

/** Rows that there are not are -1. */
function known(answer = {}) {
  const row = (value) => (value === null || value === undefined ? -1 : value);
  return { ...answer, row: row(answer.row), default_row: row(answer.default_row), worst_row: row(answer.worst_row) };
}

/** The rows of one kernel, problem and device. */
export class RowSet {
  /** @param withSource whether the report tells of files and commands */
  constructor(raw, withSource = false) {
    const { columns, ...rest } = raw;
    Object.assign(this, rest, { withSource });
    this.answer = known(this.answer);
    this.runs = (this.runs ?? []).map((run) => ({
      ...run,
      rows: decodeList(run.rows),
      at_s: decodeList(run.at_s),
      time_ms: decodeList(run.time_ms),
    }));
    this.columns = new Map();
    this.facts = new Map();
    for (const column of columns) this.add(new Column(decodeColumn(column, this.rows)));
    this.addSlowdown();
    this.tied = new Set(this.answer.tied ?? []);
  }
  /** A parameter may have a word of ours as its name: then ours is called after its kind. */
  add(column) {
    if (column.kind !== 'parameter') this.facts.set(column.name, column);
    if (this.columns.has(column.name)) column.rename(`${column.kind}_${column.name}`);
    this.columns.set(column.name, column);
  }
  /** By the name that the page shows. */
  column(name) {
    return this.columns.get(name);
  }
  /** A column that is no parameter. */
  fact(name) {
    return this.facts.get(name);
  }
  ofKind(...kinds) {
    return [...this.columns.values()].filter((column) => kinds.includes(column.kind));
  }
  get parameters() {
    return this.ofKind('parameter');
  }
  get title() {
    return `${this.kernel} ${this.problem}`;
  }
  get best() {
    return this.answer.row;
  }
  /** What commands call the kernel: the word of the one that repeats the tuning; a file, where it is known by none. */
  get kernelWord() {
    const [, word] = /^gridsmith tune ((?:'[^']*'|[^ '-])(?:'[^']*'|[^ '])*)/.exec(this.answer.command ?? '') ?? [];
    return word ?? (this.withSource ? 'KERNEL.json' : this.kernel);
  }
  /** Evaluations are counted from 1, wherever people see them. */
  numberOf(row) {
    return row + 1;
  }
  /** Time over the best time: 1 is the best; what the views call slowdown. */
  addSlowdown() {
    const time_ms = this.fact('time_ms');
    if (!time_ms) return;
    const best = this.answer.row >= 0 ? time_ms.numbers[this.answer.row] : time_ms.low;
    const about = 'its time over the time of the best: 1 is the best';
    this.add(
      new Column({
        name: 'slowdown',
        label: 'time / best',
        kind: 'time',
        about,
        better: 'lower',
        numbers: time_ms.numbers.map((value) => value / best),
      }),
    );
  }
  /** Rows that have a time, the fastest first. */
  get byTime() {
    const times = this.fact('time_ms')?.numbers ?? [];
    return (this.byTime_ ??= Uint32Array.from(times.keys())
      .filter((row) => times[row] > 0)
      .sort((a, b) => times[a] - times[b]));
  }
  /** "TILE=32 ROWS=8". */
  configuration(row, separator = ' ') {
    return this.parameters.map((column) => `${column.name}=${column.labelOf(column.numbers[row])}`).join(separator);
  }
}
