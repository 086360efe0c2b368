// SPDX-License-Identifier: Apache-2.0
// The page's filter says what the C++ evaluator says: the 50,000 random expressions of tests/data/expressions, which hold
// Python's results, and the messages of tests/cpu/base/expression_test.cpp.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { EvaluationError, InputError, NumberTooLarge, isTrue, parse } from '../../results/report/page/expression.js';

const file = new URL('../data/expressions/expressions.txt.gz', import.meta.url);

/** A literal of the data: integers are BigInt, as the evaluator has them. */
function valueOf(text) {
  if (/^'.*'$/.test(text)) return text.slice(1, -1);
  if (text === 'True' || text === 'False') return text === 'True';
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : Number(text);
}

function readData() {
  const parameters = new Map();
  const lines = [];
  for (const line of gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')) {
    const last = line.lastIndexOf('|');
    if (last < 0) parameters.set(line[0], line.slice(5, -1).split(', ').map(valueOf));
    else {
      const first = line.lastIndexOf('|', last - 1);
      lines.push({ text: line.slice(0, first), value: line.slice(first + 1, last), truths: line.slice(last + 1) });
    }
  }
  return { parameters, lines };
}

function* combinations(names, parameters) {
  const sizes = names.map((name) => parameters.get(name).length);
  const total = sizes.reduce((a, b) => a * b, 1);
  for (let i = 0; i < total; ++i) {
    const one = new Map();
    let rest = i;
    for (let k = names.length - 1; k >= 0; rest = Math.floor(rest / sizes[k--]))
      one.set(names[k], parameters.get(names[k])[rest % sizes[k]]);
    yield one;
  }
}

/** What `act` gives, in the words of the data. */
function answerOf(act) {
  try {
    return act();
  } catch (error) {
    if (error instanceof EvaluationError) return 'z';
    if (error instanceof NumberTooLarge) return 'L';
    throw error;
  }
}

const isWord = (value) => value >= -(1n << 63n) && value < 1n << 63n;

function textOf(value) {
  if (typeof value === 'bigint') return isWord(value) ? String(value) : 'big';
  return value === true ? 'True' : value === false ? 'False' : value;
}

/** Powers may differ in their last bit: V8 has its own. */
function same(wanted, value) {
  if (typeof value !== 'number') return textOf(value) === wanted;
  if (!/[.en]/.test(wanted)) return false;
  const number = Number(wanted.replace('inf', 'Infinity'));
  return Object.is(number, value) || number === value || Math.abs(number - value) <= 4e-16 * Math.abs(number);
}

const step = 4; // all of them take four seconds

function checkPython(check) {
  const { parameters, lines } = readData();
  const some = lines.filter((_, i) => i % step === 0);
  let wrong = 0;
  for (const { text, value, truths } of some) {
    const parsed = parse(text);
    const names = [...parameters.keys()].filter((name) => parsed.names.includes(name));
    const all = [...combinations(names, parameters)];
    const found = all
      .map((one) => answerOf(() => (isTrue(parsed.evaluate(parsed.names.map((name) => one.get(name)))) ? '1' : '0')))
      .join('');
    const first = answerOf(() => parsed.evaluate(parsed.names.map((name) => all[0].get(name))));
    if (found === truths && same(value, first)) continue;
    if (++wrong <= 10) console.log(`  ${text}: ${value} ${truths}, found ${String(first)} ${found}`);
  }
  check(
    lines.length === 50000 && wrong === 0,
    `${some.length} random expressions are what Python says, ${wrong} are not`,
  );
}

const messages = [
  ['a +* 2', "expression 'a +* 2', column 4: expected a value, found '*'"],
  ['(a', "column 3: expected ')', found the end"],
  ['a b', "column 3: expected an operator or the end, found 'b'"],
  ['', 'column 1: expected a value, found the end'],
  ['a ? b', "column 3: unexpected character '?'"],
  ['a = 1', "column 3: expected an operator or the end, found '='"],
  ['cell(a)', "column 1: unknown function 'cell'; did you mean 'ceil'?"],
  ['ceil(a, b)', 'column 1: ceil() takes one value, found 2'],
  ["a + 'b'", 'column 3: a text cannot be used here with a number'],
  ['layout < 3', 'column 8: a text cannot be used here with a number'],
  ['1e999', "column 1: the number '1e999' cannot be represented"],
  ['12ab', 'column 1: a number with letters'],
  ["'open", 'column 1: the text that begins here has no closing quote'],
  ['a[b]', 'column 3: expected a whole number as index'],
  ['a in 5', "column 6: expected a list after 'in'"],
  ['[1, 2]', 'column 1: a list can stand only after'],
  ['a if yes', "column 9: expected 'else', found the end"],
  ["min('ab')", 'of one text; expected numbers or a list'],
  ['('.repeat(500), 'nested too deeply'],
  ['-'.repeat(500) + '1', 'nested too deeply'],
];

function checkMessages(check) {
  const names = { a: 7n, b: -2n, zero: 0n, half: 0.5, yes: true, layout: 'row' };
  for (const [text, wanted] of messages) {
    let found = '';
    try {
      const parsed = parse(text);
      parsed.evaluate(parsed.names.map((name) => names[name]));
    } catch (error) {
      found = error instanceof InputError ? error.message : `not an input error: ${error}`;
    }
    check(found.includes(wanted), `'${text.slice(0, 20)}' is refused: ${found.slice(0, 120)}`);
  }
}

/** @param check (holds, what) */
export function checkExpressions(check) {
  checkPython(check);
  checkMessages(check);
}
