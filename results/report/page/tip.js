// SPDX-License-Identifier: Apache-2.0
// The one tooltip of the page: what a row is, and what a word means.
import { h } from './dom.js';

const box = h('div', { class: 'tip', role: 'tooltip', id: 'tip', hidden: true });

export function startTips() {
  document.body.append(box);
  const words = (event) => event.target.closest?.('[data-words]');
  const show = (event) => {
    const target = words(event);
    if (!target) return;
    const { left, bottom } = target.getBoundingClientRect();
    target.setAttribute('aria-describedby', 'tip');
    showTip([target.dataset.words], left, bottom + 6);
  };
  for (const name of ['mouseover', 'focusin']) document.addEventListener(name, show);
  for (const name of ['mouseout', 'focusout']) document.addEventListener(name, (event) => words(event) && hideTip());
  document.addEventListener('keydown', (event) => event.key === 'Escape' && hideTip());
}

/** Lines of text (or elements) near a place of the window. */
export function showTip(lines, x, y) {
  box.replaceChildren(...lines.map((line) => h('div', {}, line)));
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 12))}px`;
  box.style.top = `${y + height + 12 > innerHeight ? Math.max(8, y - height - 28) : y}px`;
}

export const hideTip = () => (box.hidden = true);

/** What the tip says of a row: configuration, time, and the columns that the view shows. */
export function rowLines(set, row, columns = []) {
  const time = set.fact('time_ms');
  const status = set.fact('status')?.text(row);
  const first = time?.known(row)
    ? `${time.text(row)}, ${set.fact('slowdown').text(row)}× the best`
    : `${status}: ${set.fact('failure')?.text(row) ?? ''}`;
  const more = columns.filter(
    (column) => column && column.kind !== 'parameter' && column.name !== 'time_ms' && column.name !== 'slowdown',
  );
  return [
    h('b', {}, first),
    set.configuration(row),
    ...new Set(more.map((column) => `${column.short}: ${column.text(row)}`)),
  ];
}
