// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: three significant digits, with their unit.

const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const scales = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** A number of `digits` significant digits without an exponent where that stays short; '–' for what is not known. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(digits - 1);
  if (Number.isInteger(value) && size < 1e6) return groups.format(value);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  if (decimals > 0) return value.toFixed(decimals);
  const step = 10 ** (Math.floor(Math.log10(size)) - digits + 1);
  return groups.format(Math.round(value / step) * step);
}

/** A tick of an axis: no digits that it does not need. */
export const tick = (value) =>
  Math.abs(value) >= 1e5
    ? scaled(value, '').trim()
    : value !== 0 && Math.abs(value) < 1e-4
      ? value.toExponential()
      : Number(value.toPrecision(4)).toLocaleString('en', { maximumFractionDigits: 8 });

/** A count, exact. */
export const count = (value) => groups.format(value);

/** "268 MB": a decimal prefix before a unit that takes one. */
export function scaled(value, unit) {
  const [by, prefix] = scales.find(([from]) => Math.abs(value) >= from) ?? [1, ''];
  return `${number(value / by)} ${prefix}${unit}`;
}

/** A value with its unit: bytes get a prefix, "GB/s" from 1,000 on a "TB/s". */
export function quantity(value, unit = '', digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (unit === 'B') return scaled(value, 'B');
  if (unit === 'GFLOP/s' && Math.abs(value) >= 1e4) return `${number(value / 1e3, digits)} TFLOP/s`;
  return unit ? `${number(value, digits)} ${unit}` : number(value, digits);
}

/** Milliseconds, of four digits: the fastest differ in the fourth. */
export const time = (ms) => (Number.isFinite(ms) ? `${number(ms, 4)} ms` : '–');

/** "1.17 times", of a ratio of two times. */
export const times = (ratio) => `${number(ratio)}×`;

/** "3.2 %", of a share. */
export const percent = (share) => `${number(100 * share)} %`;

const outcomes = {
  correct: 'correct',
  constraints: 'not allowed by the constraints',
  compile: 'failed to compile',
  runtime: 'failed at run time',
  correctness: 'gave wrong results',
  timeout: 'timed out',
};

/** "255 failed at run time", of a status and how many rows have it. */
export const outcome = (status, many) => `${count(many)} ${outcomes[status] ?? status}`;

/** A date of ISO 8601 without its seconds. */
export const date = (text) => (text ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : '');
