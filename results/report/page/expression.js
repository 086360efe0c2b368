// SPDX-License-Identifier: Apache-2.0
// The language of constraints (base/expression) for filters of this page: Python's arithmetic, comparisons with
// chains, and/or/not, in, conditionals and eight functions. Parsed to closures; nothing of a text runs as code.
// Integers are BigInt, exact to 4,096 bits; reals are numbers; booleans and strings are themselves.

const deepest = 200;
const longest = 1 << 20;
const bits = 4096n;
const limit = 1n << bits;
const functions = ['min', 'max', 'abs', 'ceil', 'floor', 'log2', 'round', 'int'];
const keywords = ['and', 'or', 'not', 'in', 'if', 'else', 'for'];
const symbols = ['**', '//', '<=', '>=', '==', '!=', '&&', '||', ...'+-*/%<>!()[],;:={}'];
const relations = ['==', '!=', '<', '<=', '>', '>='];

/** What is wrong with a text, with its column from 1. */
export class InputError extends Error {
  constructor(text, column, message) {
    const first = column > 100 && text.length > 200 ? column - 100 : 0;
    const cut = text.length - first > 200 ? '…' : '';
    super(`expression '${first ? '…' : ''}${text.slice(first, first + 200)}${cut}', column ${column}: ${message}`);
    this.column = column;
    this.short = `column ${column}: ${message}`;
  }
}
/** Arithmetic without an answer; a filter takes it as "not satisfied". */
export class EvaluationError extends Error {}
/** An integer of more than 4,096 bits, or a real beyond 1.8e308. */
export class NumberTooLarge extends Error {}

// ---- reading ----------------------------------------------------------------------------------

const patterns = [
  ['name', /[A-Za-z_][A-Za-z_0-9]*/y],
  ['integer', /0[xX][A-Za-z_0-9]+/y],
  ['real', /(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+/y],
  ['integer', /[0-9]+/y],
];

function tokenAt(text, at) {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) continue;
    const end = at + found[0].length;
    if (kind !== 'name' && /[A-Za-z_0-9]/.test(text[end] ?? ''))
      throw new InputError(text, at + 1, 'a number with letters in it is no number');
    return { kind, text: found[0], end };
  }
  if (text[at] === "'" || text[at] === '"') {
    const close = text.indexOf(text[at], at + 1);
    if (close < 0) throw new InputError(text, at + 1, 'the text that begins here has no closing quote');
    return { kind: 'text', text: text.slice(at + 1, close), end: close + 1 };
  }
  const symbol = symbols.find((one) => text.startsWith(one, at));
  if (!symbol) throw new InputError(text, at + 1, `unexpected character '${text[at]}'`);
  return { kind: 'symbol', text: symbol, end: at + symbol.length };
}

function tokensOf(text) {
  if (text.length > longest)
    throw new InputError(text, longest, `it has ${text.length} characters, the limit is ${longest}`);
  const tokens = [];
  for (let at = 0; ;) {
    while (' \t\n\r'.includes(text[at] ?? 'x')) ++at;
    if (at >= text.length) return [...tokens, { kind: 'end', text: '', column: at + 1 }];
    const token = tokenAt(text, at);
    tokens.push({ ...token, column: at + 1 });
    at = token.end;
  }
}

/** Recursive descent; every function gives a node: (row) => value, of the values of all names in their order. */
class Parser {
  constructor(text) {
    Object.assign(this, { text, names: [], tokens: tokensOf(text), at: 0, depth: 0 });
  }
  peek(ahead = 0) {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)];
  }
  is(word) {
    const token = this.peek();
    return (token.kind === 'symbol' || token.kind === 'name') && token.text === word;
  }
  accept(word) {
    return this.is(word) && Boolean(++this.at);
  }
  expect(word) {
    if (!this.accept(word)) this.expected(`'${word}'`);
  }
  expected(what) {
    const token = this.peek();
    this.fail(token.column, `expected ${what}, found ${token.kind === 'end' ? 'the end' : `'${token.text}'`}`);
  }
  fail(column, message) {
    throw new InputError(this.text, column, message);
  }
  deeper(column, read) {
    if (++this.depth > deepest) this.fail(column, `nested too deeply, the limit is ${deepest}`);
    const node = read();
    --this.depth;
    return node;
  }

  whole() {
    const node = this.conditional();
    if (this.peek().kind !== 'end') this.expected('an operator or the end');
    return node;
  }
  conditional() {
    return this.deeper(this.peek().column, () => {
      const then = this.disjunction();
      if (!this.accept('if')) return then;
      const condition = this.disjunction();
      this.expect('else');
      const other = this.conditional();
      return (row) => (isTrue(condition(row)) ? then(row) : other(row));
    });
  }
  junction(words, stopAt, operand) {
    const all = [operand()];
    while (words.some((word) => this.accept(word))) all.push(operand());
    if (all.length === 1) return all[0];
    return (row) => {
      let value;
      for (const one of all) if (isTrue((value = one(row))) === stopAt) break;
      return value;
    };
  }
  disjunction() {
    return this.junction(['or', '||'], true, () => this.junction(['and', '&&'], false, () => this.negation()));
  }
  negation() {
    const { column } = this.peek();
    if (!this.accept('not')) return this.comparison();
    const inner = this.deeper(column, () => this.negation());
    return (row) => !isTrue(inner(row));
  }
  relation() {
    const { kind, text } = this.peek();
    if (kind === 'symbol' && relations.includes(text)) return (++this.at, text);
    if (this.accept('in')) return 'in';
    if (this.is('not') && this.peek(1).kind === 'name' && this.peek(1).text === 'in') return ((this.at += 2), 'not in');
    return null;
  }
  comparison() {
    const first = this.sum();
    const links = [];
    for (;;) {
      const { column } = this.peek();
      const relation = this.relation();
      if (!relation) break;
      links.push({ relation, column, right: this.sum() });
    }
    if (links.length === 0) return first;
    if (links.length > 1 || links[0].relation.endsWith('in')) return (row) => this.chain(first, links, row);
    const [{ relation, column, right }] = links;
    return (row) => this.compare(relation, first(row), right(row), column);
  }
  chain(first, links, row) {
    let left = first(row);
    for (const [i, { relation, column, right }] of links.entries()) {
      if (relation === 'in' || relation === 'not in') {
        if (this.contains(right, left, row) !== (relation === 'in')) return false;
        if (i + 1 < links.length) this.fail(column, 'nothing can be compared with a list');
        return true;
      }
      const value = right(row);
      if (!this.compare(relation, left, value, column)) return false;
      left = value;
    }
    return true;
  }
  contains(list, value, row) {
    if (list.items) return list.items.map((item) => this.compare('==', item(row), value, item.column)).includes(true);
    const whole = list(row);
    if (typeof whole !== 'string' || typeof value !== 'string')
      this.fail(list.column ?? 1, "expected a list after 'in'");
    return whole.includes(value);
  }
  compare(relation, a, b, column) {
    if ((typeof a === 'string') !== (typeof b === 'string')) {
      if (relation !== '==' && relation !== '!=') this.fail(column, 'a text cannot be used here with a number');
      return relation === '!=';
    }
    return holds[relation](a, b);
  }
  operators(words, operand) {
    const first = operand();
    const rest = [];
    while (this.peek().kind === 'symbol' && words.includes(this.peek().text)) {
      const { text, column } = this.peek();
      ++this.at;
      rest.push({ op: text, column, right: operand() });
    }
    if (rest.length === 0) return first;
    const node = (row) =>
      rest.reduce((left, { op, column, right }) => this.compute(op, left, right(row), column), first(row));
    return Object.assign(node, { column: rest[0].column });
  }
  sum() {
    return this.operators(['+', '-'], () => this.operators(['*', '/', '//', '%'], () => this.sign()));
  }
  sign() {
    const { column } = this.peek();
    const op = ['-', '+', '!'].find((one) => this.accept(one));
    if (!op) return this.power();
    const inner = this.deeper(column, () => this.sign());
    if (op === '!') return (row) => !isTrue(inner(row));
    return Object.assign((row) => this.signed(op, inner(row), column), { column });
  }
  signed(op, value, column) {
    if (typeof value === 'number') return op === '-' ? -value : value;
    return this.compute(op, typeof value === 'string' ? value : 0n, value, column);
  }
  power() {
    const base = this.primary();
    const { column } = this.peek();
    if (!this.accept('**')) return base;
    const exponent = this.deeper(column, () => this.sign());
    return Object.assign((row) => this.compute('**', base(row), exponent(row), column), { column });
  }
  compute(op, a, b, column) {
    if (typeof a === 'string' || typeof b === 'string') {
      if (op === '+' && typeof a === typeof b) return a + b;
      this.fail(column, 'a text cannot be used here with a number');
    }
    return arithmetic(op, integer(a), integer(b));
  }
  primary() {
    const token = this.peek();
    const { column } = token;
    if (token.kind === 'name') return this.name();
    if (token.kind === 'symbol' || token.kind === 'end') return this.group();
    ++this.at;
    const value = token.kind === 'text' ? token.text : this.literal(token);
    return Object.assign(() => value, { column });
  }
  literal({ kind, text, column }) {
    if (kind === 'real') {
      if (Number.isFinite(Number(text))) return Number(text);
    } else if (/^(0[xX][0-9a-fA-F]+|[0-9]+)$/.test(text)) {
      const value = BigInt(/^0[xX]/.test(text) ? text : text.replace(/^0+(?=.)/, ''));
      if (value < limit) return value;
    }
    return this.fail(column, `the number '${text}' cannot be represented`);
  }
  name() {
    const { text, column } = this.peek();
    if (keywords.includes(text)) this.expected('a value');
    ++this.at;
    if (/^([Tt]rue|[Ff]alse)$/.test(text)) return Object.assign(() => text.length === 4, { column });
    if (this.is('(')) return this.call(text, column);
    let name = text;
    if (this.accept('[')) {
      if (this.peek().kind !== 'integer') this.expected('a whole number as index');
      name = `${text}[${this.tokens[this.at++].text}]`;
      this.expect(']');
    }
    const slot = this.slot(name);
    return Object.assign((row) => row[slot] ?? this.absent(row[slot], name, column), { column, isName: name });
  }
  slot(name) {
    const found = this.names.indexOf(name);
    return found >= 0 ? found : this.names.push(name) - 1;
  }
  absent(value, name, column) {
    if (value === undefined) this.fail(column, `unknown name '${name}'`);
    throw new EvaluationError(`'${name}' is not known`);
  }
  items(closing) {
    const all = [];
    while (!this.accept(closing)) {
      const { column } = this.peek();
      all.push(Object.assign(this.conditional(), { column }));
      if (!this.accept(',') && !this.is(closing)) this.expected(`',' or '${closing}'`);
    }
    return all;
  }
  call(text, column) {
    if (!functions.includes(text)) this.fail(column, unknown('function', text, functions));
    this.expect('(');
    const given = this.items(')');
    const extreme = text === 'min' || text === 'max';
    if (given.length === 0 || (!extreme && given.length !== 1))
      this.fail(column, `${text}() takes ${extreme ? 'at least one value' : 'one value'}, found ${given.length}`);
    if (extreme) return Object.assign((row) => this.extreme(text, given, row, column), { column });
    return Object.assign((row) => apply(text, this.numeric(given[0](row), column)), { column });
  }
  numeric(value, column) {
    if (typeof value === 'string') this.fail(column, 'a text cannot be used here with a number');
    return integer(value);
  }
  extreme(text, given, row, column) {
    const alone = given.length === 1 && !given[0].items;
    const all = given.length === 1 && given[0].items ? given[0].items : given;
    if (all.length === 0) this.fail(column, 'the list is empty');
    const values = all.map((one) => one(row));
    if (alone && typeof values[0] === 'string')
      this.fail(column, 'min() and max() of one text; expected numbers or a list');
    return values.reduce((best, value) =>
      this.compare(text === 'min' ? '<' : '>', value, best, column) ? value : best,
    );
  }
  group() {
    const { column } = this.peek();
    if (this.accept('[')) return this.list(this.items(']'), column);
    if (!this.accept('(')) this.expected('a value');
    if (this.accept(')')) return this.list([], column);
    const first = this.conditional();
    if (this.accept(',')) return this.list([first, ...this.items(')')], column);
    this.expect(')');
    return first;
  }
  list(items, column) {
    const node = () => this.fail(column, "a list can stand only after 'in' or in min() and max()");
    return Object.assign(node, { items, column });
  }
}

// ---- computing --------------------------------------------------------------------------------

/** Python's truth. */
export function isTrue(value) {
  return typeof value === 'string' ? value !== '' : typeof value === 'number' ? value !== 0 : Boolean(value);
}

const integer = (value) => (typeof value === 'boolean' ? BigInt(value) : value);
const isInfinite = (value) => !Number.isFinite(value) && !Number.isNaN(value);

// JavaScript compares booleans, BigInt and numbers exactly, and texts among themselves.
const holds = {
  '==': (a, b) => a == b,
  '!=': (a, b) => a != b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const magnitude = (value) => (value < 0n ? -value : value);

function small(value) {
  if (magnitude(value) >= limit)
    throw new NumberTooLarge('the number is too large: integers have at most 4096 bits, reals end at 1.8e308');
  return value;
}

function floorDivide(a, b) {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function nonZero(b) {
  if (b == 0) throw new EvaluationError('division by zero');
  return b;
}

const onIntegers = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '//': (a, b) => floorDivide(a, nonZero(b)),
  '%': (a, b) => a - floorDivide(a, nonZero(b)) * b,
  '**': integerPower,
};

function integerPower(base, exponent) {
  const length = BigInt(magnitude(base).toString(2).length);
  if (magnitude(base) > 1n && (length - 1n) * exponent >= bits) return limit; // too large, without computing it
  if (magnitude(base) <= 1n) return exponent === 0n ? 1n : base === -1n ? (exponent % 2n ? -1n : 1n) : base;
  return base ** exponent;
}

/** a / b to the nearest real, also where neither is one. */
function quotient(a, b) {
  nonZero(b);
  const exact = BigInt(Number.MAX_SAFE_INTEGER) + 1n;
  if (magnitude(a) <= exact && magnitude(b) <= exact) return Number(a) / Number(b);
  const negative = a < 0n !== b < 0n;
  const [x, y] = [magnitude(a), magnitude(b)];
  // 64 bits and more of the quotient, the last one set where something is left: Number() then rounds to nearest.
  const shift = BigInt(Math.max(0, 66 + y.toString(2).length - x.toString(2).length));
  const whole = (x << shift) / y;
  const sticky = (x << shift) % y === 0n ? whole : whole | 1n;
  const real = scaledReal(sticky, Number(shift));
  if (!Number.isFinite(real)) throw new NumberTooLarge('the number is too large: reals end at 1.8e308');
  return negative ? -real : real;
}

/** value / 2^shift; the powers are taken off in two steps, as one alone may be beyond a real. */
function scaledReal(value, shift) {
  const real = Number(value >> 0n);
  if (Number.isFinite(real)) return shift > 1000 ? real / 2 ** 1000 / 2 ** (shift - 1000) : real / 2 ** shift;
  const drop = BigInt(value.toString(2).length - 70);
  return Number((value >> drop) | 1n) * 2 ** (Number(drop) - shift);
}

const onReals = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / nonZero(b),
  '//': (a, b) => floorReal(a, nonZero(b)),
  '%': (a, b) => moduloReal(a, nonZero(b)),
  '**': realPower,
};

function moduloReal(a, b) {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest === 0 ? (b < 0 ? -0 : 0) : rest;
}

// As Python does: through the remainder, so that quotient and remainder fit together.
function floorReal(a, b) {
  const rest = a % b;
  const quotient = (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0);
  const whole = Math.floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

function realPower(a, b) {
  if (a === 0 && b < 0 && Number.isFinite(b)) throw new EvaluationError('division by zero');
  if (a < 0 && Number.isFinite(a) && Number.isFinite(b) && !Number.isInteger(b))
    throw new EvaluationError('the result is undefined');
  if (b === 0 || a === 1) return 1;
  const result = a ** b;
  if (isInfinite(result) && Number.isFinite(a) && Number.isFinite(b))
    throw new NumberTooLarge('the number is too large: reals end at 1.8e308');
  return result;
}

function real(value) {
  const number = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(number))
    throw new NumberTooLarge('the number is too large: reals end at 1.8e308');
  return number;
}

function arithmetic(op, a, b) {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (op === '/') return quotient(a, b);
    if (op !== '**' || b >= 0n) return small(onIntegers[op](a, b));
  }
  return onReals[op](real(a), real(b));
}

function roundToEven(value) {
  const whole = Math.floor(value);
  const rest = value - whole;
  return rest === 0.5 ? whole + (whole % 2 === 0 ? 0 : 1) : whole + (rest > 0.5 ? 1 : 0);
}

const wholes = { ceil: Math.ceil, floor: Math.floor, round: roundToEven, int: Math.trunc };

function logarithm(value) {
  if (!(value > 0)) throw new EvaluationError('the result is undefined');
  if (typeof value === 'number') return Math.log2(value);
  const drop = Math.max(0, value.toString(2).length - 1000);
  return drop + Math.log2(Number(value >> BigInt(drop)));
}

function apply(name, value) {
  if (name === 'log2') return logarithm(value);
  if (name === 'abs') return value < 0 ? -value : value;
  if (typeof value === 'bigint') return value;
  if (Number.isNaN(value)) throw new EvaluationError('the result is undefined');
  if (isInfinite(value)) throw new NumberTooLarge('the number is too large');
  return BigInt(wholes[name](value));
}

// ---- for users --------------------------------------------------------------------------------

/** "unknown name 'layuot'; did you mean 'layout'?", else the valid choices. */
export function unknown(what, text, choices) {
  const near = choices
    .map((one) => [distance(text.toLowerCase(), one.toLowerCase()), one])
    .sort((a, b) => a[0] - b[0])[0];
  const hint =
    near && near[0] <= Math.max(1, text.length / 3)
      ? `; did you mean '${near[1]}'?`
      : ` (valid: ${choices.slice(0, 12).join(', ')}${choices.length > 12 ? ', …' : ''})`;
  return `unknown ${what} '${text}'${hint}`;
}

/** Letters to insert, delete, replace or swap. */
function distance(a, b) {
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 1; j <= b.length; ++j) table[0][j] = j;
  for (let i = 1; i <= a.length; ++i)
    for (let j = 1; j <= b.length; ++j) {
      table[i][j] = Math.min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        table[i][j] = Math.min(table[i][j], table[i - 2][j - 2] + 1);
    }
  return table[a.length][b.length];
}

/**
 * A parsed text: the `names` that it uses and `evaluate(values)` of their values in that order, each a boolean, BigInt,
 * number or string; null for what is not known, undefined for an unknown name.
 * @throws InputError
 */
export function parse(text) {
  const parser = new Parser(text);
  const evaluate = parser.whole();
  return { evaluate, names: parser.names, text };
}
