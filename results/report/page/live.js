// SPDX-License-Identifier: Apache-2.0
// A report of a run that goes on: events of the server (tune --watch) bring whole models and single points.
import { decodeList, decodeModel } from './decode.js';
import { h } from './dom.js';

const pause = 1000; // ms at least between two drawings of new points

/** Adds what a point has to the columns of its set; a column that it lacks stays unknown. */
function append(raw, { set: index, row }) {
  const set = raw.sets[index];
  if (!set) return;
  for (const column of set.columns) column.values = [...listOf(column.values), row[column.name] ?? null];
  const own = set.runs?.find((run) => run.rows);
  if (own)
    Object.assign(own, {
      rows: [...decodeList(own.rows), set.rows],
      at_s: own.at_s && [...decodeList(own.at_s), row.at_s ?? null],
    });
  const best = set.columns.find((column) => column.name === 'time_ms')?.values[set.answer.row];
  if (row.status === 'correct' && row.time_ms > 0 && !(best <= row.time_ms))
    set.answer = {
      ...set.answer,
      row: set.rows,
      time_ms: row.time_ms,
      time_words: undefined,
      ranking: undefined,
      tied: [],
    };
  ++set.rows;
}

/** Values as a plain list, whatever form they came in; a list of ours is taken as it is. */
const listOf = (values) => Array.from(decodeList(values), (value) => (Number.isNaN(value) ? null : value));

/** @param show takes a raw model; @param page () => the page once there is one */
export function followLive(address, show, page) {
  const events = new EventSource(address);
  const state = h('span', { class: 'live', role: 'status' }, 'connecting');
  let raw = null;
  let waiting = 0;
  let cost = 0; // ms of the last drawing: a page that is slow to draw draws less often
  const draw = () => {
    const start = performance.now();
    waiting = 0;
    show(raw);
    page().live = state;
    page().drawHeader();
    cost = performance.now() - start;
  };
  if (page()) {
    page().live = state;
    page().drawHeader();
  }
  events.addEventListener('open', () => (state.textContent = 'running'));
  const later = () => (waiting ||= setTimeout(draw, Math.max(pause, 5 * cost)));
  events.addEventListener('model', async (event) => {
    raw = await decodeModel(event.data);
    if (!page()) draw();
    else later();
  });
  events.addEventListener('point', (event) => raw && (append(raw, JSON.parse(event.data)), later()));
  events.addEventListener('end', () => ((state.textContent = 'ended'), events.close(), raw && draw()));
  events.addEventListener(
    'error',
    () =>
      (state.textContent =
        events.readyState === EventSource.CLOSED ? 'ended' : 'no connection: the run has ended, or cannot be reached'),
  );
}
