// SPDX-License-Identifier: Apache-2.0
// Axes: where a value stands (all axes are linear in `at(value)`), and the ticks that a person would draw.
import { scaled, tick } from './format.js';

const steps = [1, 2, 5, 10];

function linearTicks(low, high, wanted) {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * steps.find((one) => one * power >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

function decimalTicks(low, high, wanted) {
  const decades = Math.log10(high / low);
  if (decades < 0.5) return linearTicks(low, high, wanted).filter((value) => value > 0);
  const within =
    decades > wanted ? [1] : decades > wanted / 3 ? [1, 3] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const stride = Math.max(1, Math.ceil(decades / wanted));
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += stride)
    ticks.push(...within.map((one) => Number((one * 10 ** e).toPrecision(12))));
  return ticks.filter((value) => value >= low * 0.999 && value <= high * 1.001);
}

/** By powers; `format` of a tick's value. */
export function logScale(low, high, format = tick, wanted = 6) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const pad = Math.max((b - a) * 0.04, 0.01);
  return {
    at: (value) => Math.log10(value),
    value: (at) => 10 ** at,
    low: a - pad,
    high: b + pad,
    ticks: decimalTicks(10 ** (a - pad), 10 ** (b + pad), wanted).map(Math.log10),
    text: (at) => format(10 ** at),
  };
}

export function linearScale(low, high, format = tick, wanted = 6, padded = true) {
  const pad = padded ? (high - low || Math.abs(high) || 1) * 0.04 : 0;
  return {
    at: (value) => value,
    value: (at) => at,
    low: low - pad,
    high: high + pad,
    ticks: linearTicks(low - pad, high + pad, wanted),
    text: (at) => format(Number(at.toPrecision(12))),
  };
}

/** Categories side by side; `values` are in their order. */
function categoryScale(values, label) {
  const places = new Map(values.map((value, i) => [value, i]));
  return {
    at: (value) => places.get(value) ?? NaN,
    value: (at) => values[Math.round(at)],
    low: -0.5,
    high: values.length - 0.5,
    ticks: values.map((_, i) => i),
    text: (at) => (Number.isInteger(at) ? label(values[at]) : ''),
    categories: values,
  };
}

/** The axis that suits a column. @param log: by powers, where all known values are above 0 */
export function scaleOf(column, log = column.isLog) {
  if (column.isCategory) return categoryScale(column.values, (value) => column.labelOf(value));
  const format = column.unit === 'B' ? (value) => scaled(value, 'B') : tick;
  if (column.present === 0) return linearScale(0, 1, format);
  if (log && column.positive < Infinity)
    return logScale(column.positive, Math.max(column.high, column.positive * 1.01), format);
  return linearScale(column.low, column.high, format);
}

/** -0.5 … 0.5, the same for a row each time: points of one category stand side by side. */
export const jitter = (row) => ((Math.imul(row + 1, 2654435761) >>> 8) & 0xffff) / 65535 - 0.5;

/** Where each row stands on an axis; NaN where its value is not known. */
export function places(column, scale) {
  const { numbers } = column;
  const out = new Float64Array(numbers.length);
  const spread = scale.categories ? 0.6 : 0;
  for (let row = 0; row < out.length; ++row) {
    const at = scale.at(numbers[row]);
    out[row] = Number.isFinite(at) ? at + spread * jitter(row) : NaN;
  }
  return out;
}

/** The range of values between two places, tidy: outward to four digits. */
export function rangeBetween(scale, from, to) {
  const [a, b] = from < to ? [from, to] : [to, from];
  if (scale.categories) {
    const values = scale.categories.filter((_, i) => i >= a - 0.4 && i <= b + 0.4);
    return { values: new Set(values) };
  }
  return { low: tidy(scale.value(a), Math.floor), high: tidy(scale.value(b), Math.ceil) };
}

function tidy(value, round) {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 3);
  return Number((round(value / step) * step).toPrecision(6));
}
