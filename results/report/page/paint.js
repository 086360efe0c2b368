// SPDX-License-Identifier: Apache-2.0
// Colour by a column, of points and lines alike: rows in a few steps, each with its colour, and the legend that says which.
import { h } from './dom.js';
import { colours, isDark, ramp } from './theme.js';

const manySteps = 8;
const fewWords = 4; // so many texts have colours of their own; more are steps of one

/** Of a column of numbers: the step of each row, its limits; -1 is not known. What is better is stronger. */
function steps(column) {
  const { numbers, isLog } = column;
  const at = isLog ? Math.log : (value) => value;
  const [low, high] = [at(isLog ? column.positive : column.low), at(column.high)];
  const width = (high - low) / manySteps || 1;
  const turned = column.better === 'lower';
  const out = new Int8Array(numbers.length).fill(-1);
  for (let row = 0; row < out.length; ++row) {
    if (!Number.isFinite(at(numbers[row]))) continue;
    const step = Math.min(manySteps - 1, Math.max(0, Math.floor((at(numbers[row]) - low) / width)));
    out[row] = turned ? manySteps - 1 - step : step;
  }
  const ends = [column.labelOf(isLog ? column.positive : column.low), column.labelOf(column.high)];
  return { codes: out, many: manySteps, ends: turned ? ends.reverse() : ends };
}

const shade = (i, many) => ramp(0.28 + (0.72 * i) / Math.max(1, many - 1), isDark());

/** Whether a column can colour rows: it varies, and has few values where they are texts. */
export const canPaint = (column) =>
  column.isText ? column.values.length > 1 && column.values.length <= 24 : column.low < column.high;

/**
 * How rows are coloured now; null: by nothing. { codes: by row, -1 for a value that is not known; colours: of each code,
 * the strongest last; ends or words: what they mean }
 */
export function paintOf(model) {
  const column = model.set.column(model.option('colour.by', ''));
  if (!column || !canPaint(column)) return null;
  const category = column.isCategory && (column.isText || column.values.length <= manySteps);
  const dark = isDark();
  const key = `${column.name} ${dark}`;
  if (model.set.paint?.key === key) return model.set.paint;
  const theme = colours();
  const found = category
    ? {
        codes: column.codes,
        many: column.values.length,
        words: column.values.map((value) => column.labelOf(value)),
      }
    : steps(column);
  const own = column.isText && found.many <= fewWords;
  const list = Array.from({ length: found.many }, (_, i) => (own ? theme[`series${i + 1}`] : shade(i, found.many)));
  return (model.set.paint = { ...found, key, column, colours: list });
}

function swatch(colour) {
  const box = h('i', { class: 'swatch' });
  box.style.background = colour;
  return box;
}

/** What the colours mean, for the bar above the views. */
export function paintLegend(model) {
  const paint = paintOf(model);
  if (!paint) return null;
  if (paint.words) return paint.words.map((word, i) => h('span', {}, swatch(paint.colours[i]), word));
  const { unit } = paint.column;
  return h(
    'span',
    { class: 'steps' },
    `${paint.ends[0]} `,
    paint.colours.map(swatch),
    ` ${paint.ends[1]}${unit ? ` ${unit}` : ''}`,
  );
}
