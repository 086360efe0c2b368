// SPDX-License-Identifier: Apache-2.0
// Distributions as small boxes on a shared axis, in SVG.
import { svg } from './dom.js';

/** Quantile of a sorted array, between its neighbours. */
export function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

/**
 * Values of rows parted by a code: of rows in the order of their values the groups are sorted.
 * @param codes by row; below 0 is in no group. @return an array of Float64Array
 */
export function grouped(rows, codes, many, values) {
  const ends = new Uint32Array(many + 1);
  const own = new Int32Array(rows.length); // rows are in no order of memory: read once
  for (let i = 0; i < own.length; ++i) {
    own[i] = codes[rows[i]];
    if (own[i] >= 0) ++ends[own[i] + 1];
  }
  for (let i = 0; i < many; ++i) ends[i + 1] += ends[i];
  const all = new Float64Array(ends[many]);
  const next = ends.slice();
  for (let i = 0; i < own.length; ++i) if (own[i] >= 0) all[next[own[i]]++] = values[rows[i]];
  return Array.from({ length: many }, (_, i) => all.subarray(ends[i], ends[i + 1]));
}

const place = (at, scale) => 100 * Math.min(1, Math.max(0, (at - scale.low) / (scale.high - scale.low)));

/** One box: least to most as a line, the middle half as a bar, the median as a tick, the least as a dot. */
export function box(list, y, scale, kind) {
  if (list.length === 0) return null;
  const x = (value) => `${place(scale.at(value), scale)}%`;
  const width = (from, to) => `${Math.max(0.3, place(scale.at(to), scale) - place(scale.at(from), scale))}%`;
  const [low, q1, median, q3, high] = [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(list, share));
  return svg(
    'g',
    { class: `box ${kind}` },
    svg('line', { x1: x(low), x2: x(high), y1: y, y2: y }),
    svg('rect', { x: x(q1), width: width(q1, q3), y: y - 4, height: 8, rx: 1 }),
    svg('line', { class: 'median', x1: x(median), x2: x(median), y1: y - 6, y2: y + 6 }),
    svg('circle', { cx: x(low), cy: y, r: 3 }),
  );
}

/** The axis under boxes. @param unit behind each number */
export function boxAxis(scale, unit) {
  let last = -Infinity;
  const ticks = scale.ticks.filter(
    (at) => at >= scale.low && at <= scale.high && place(at, scale) - last >= 19 && ((last = place(at, scale)), true),
  );
  return svg(
    'svg',
    { height: 16, 'aria-hidden': 'true' },
    ticks.map((at) =>
      svg('text', { x: `${place(at, scale)}%`, y: 12, 'text-anchor': 'middle' }, `${scale.text(at)}${unit}`),
    ),
  );
}

/** A mark on a box's axis: "★" or "◆". */
export function boxMark(value, scale, text, kind) {
  return svg(
    'text',
    { class: `mark ${kind}`, x: `${place(scale.at(value), scale)}%`, y: 15, 'text-anchor': 'middle' },
    text,
  );
}
