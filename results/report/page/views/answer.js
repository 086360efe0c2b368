// SPDX-License-Identifier: Apache-2.0
// The answer: the best with its interval and ties, why it takes as long as it does, what was verified, and how to repeat it.
import { button, copyButton, download, h, scrolls, svg, table, term } from '../dom.js';
import { count, number, outcome, time, times } from '../format.js';
import { importanceBars } from './parameters.js';

/** An interval and its median on a scale shared by all rows of the table. */
function strip(low, high, median, from, to, isBest) {
  const at = (ms) => `${(100 * (ms - from)) / (to - from)}%`;
  return svg(
    'svg',
    { class: isBest ? 'strip best' : 'strip', height: 14, width: '100%', 'aria-hidden': 'true' },
    svg('line', { x1: at(low), x2: at(high), y1: 7, y2: 7 }),
    svg('circle', { cx: at(median), cy: 7, r: 3.5 }),
  );
}

function ranking(model) {
  const { set } = model;
  const rows = set.answer.ranking ?? [set.best, ...set.tied].map((row) => rankOf(set, row));
  if (rows.length === 0) return null;
  const [from, to] = [
    Math.min(...rows.map((one) => one.low_ms ?? one.time_ms)),
    Math.max(...rows.map((one) => one.high_ms ?? one.time_ms)),
  ];
  const pad = (to - from) * 0.05 || to * 0.001;
  const differing = set.parameters.filter((column) =>
    rows.some(({ row }) => column.numbers[row] !== column.numbers[rows[0].row]),
  );
  const lines = rows.map((one, i) => [
    one.row === set.best ? h('b', {}, '★ best') : one.tied ? '○ tied' : String(i + 1),
    time(one.time_ms),
    (one.time_ms / rows[0].time_ms).toFixed(3),
    [
      strip(
        one.low_ms ?? one.time_ms,
        one.high_ms ?? one.time_ms,
        one.time_ms,
        from - pad,
        to + pad,
        one.row === set.best,
      ),
      h('small', {}, differing.map((column) => `${column.name}=${column.text(one.row)}`).join(' ')),
    ],
  ]);
  const head = [
    term('finalist', model.words.tied),
    'time',
    '/ best',
    `interval of the median, ${number(from)} to ${number(to)} ms`,
  ];
  const out = table(head, lines, { class: 'ranking' });
  [...out.tBodies[0].rows].forEach((tr, i) => pickable(tr, model, rows[i].row));
  return scrolls(out);
}

function rankOf(set, row) {
  const at = (name) => set.fact(name)?.raw(row) ?? undefined;
  return { row, time_ms: at('time_ms'), low_ms: at('low_ms'), high_ms: at('high_ms'), tied: set.tied.has(row) };
}

function pickable(tr, model, row) {
  tr.dataset.row = row;
  tr.addEventListener('mouseenter', () => model.mark('hover', row));
  tr.addEventListener('mouseleave', () => model.mark('hover', -1));
  tr.addEventListener('click', (event) => model.mark(event.shiftKey ? 'against' : 'pick', row));
}

/** Parameters of the best; those that the default has otherwise are marked, with its value. */
function configuration(set) {
  const { row, default_row = -1 } = set.answer;
  return h(
    'dl',
    { class: 'chips' },
    set.parameters.map((column) => {
      const differs = default_row >= 0 && column.numbers[row] !== column.numbers[default_row];
      return h(
        'div',
        { class: differs ? 'chip differs' : 'chip' },
        h('dt', {}, column.name),
        h('dd', {}, column.text(row), differs && h('small', {}, ` default ${column.text(default_row)}`)),
      );
    }),
  );
}

/** Why it beats the default, a sentence; its ratio stands out. */
function whyFaster({ winner }) {
  const sentence = winner?.against_default;
  if (!sentence) return null;
  const [ratio] = /^[0-9.]+ times/.exec(sentence) ?? [''];
  return h('p', { class: 'lead faster' }, ratio && h('b', {}, ratio), sentence.slice(ratio.length));
}

/** What the value of each parameter is worth, from configurations that differ in it alone, and what to try next. */
function whyItWon({ winner }) {
  const list = (title, lines) =>
    lines.length > 0 && [
      h('h3', {}, title),
      h(
        'ul',
        { class: 'plain' },
        lines.map((line) => h('li', {}, line)),
      ),
    ];
  if (!winner) return null;
  const sentences = winner.sentences.filter((one) => one !== winner.against_default); // that one stands below the time
  return h('div', { class: 'card' }, list('Why it won', sentences), list('Next to try', winner.next));
}

function headline(set) {
  const { answer } = set;
  const at = (row) => set.fact('time_ms')?.raw(row);
  const [low, high] = answer.quartiles_ms ?? [];
  const best_ms = answer.time_ms ?? at(answer.row);
  const gains = [
    ['the default', answer.winner?.against_default ? 0 : at(answer.default_row)], // the sentence says it
    ['the slowest', at(answer.worst_row)],
  ].filter(([, ms]) => ms > 0);
  return h(
    'div',
    { class: 'hero' },
    h('p', { class: 'figure' }, number(best_ms, 4), h('small', {}, ' ms')),
    answer.time_words &&
      h(
        'p',
        { class: 'quiet' },
        answer.time_words,
        low < high ? `; the middle half of them takes ${number(low, 4)} to ${number(high, 4)} ms` : '',
      ),
    whyFaster(answer),
    h(
      'p',
      { class: 'gains' },
      gains.map(([what, ms]) => h('span', {}, h('b', {}, times(ms / best_ms)), ` as fast as ${what}`)),
    ),
    configuration(set),
  );
}

/** Shares in percent as bars, the largest first. */
function bars(title, shares, about) {
  const all = Object.entries(shares ?? {})
    .filter(([, value]) => value >= 0.5)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 8);
  if (all.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, term(title, about)),
    h(
      'ul',
      { class: 'bars' },
      all.map(([name, value]) =>
        h(
          'li',
          {},
          h('span', {}, name.replaceAll('_', ' ')),
          meter(value),
          h('span', { class: 'n' }, `${number(value)} %`),
        ),
      ),
    ),
  );
}

function meter(value) {
  const bar = h('i', { class: 'meter' }, h('i', {}));
  bar.firstChild.style.width = `${Math.min(100, value)}%`;
  return bar;
}

function findings(answer) {
  if (!answer.findings?.length)
    return Object.keys(answer.busy ?? {}).length === 0
      ? null
      : h('p', { class: 'quiet' }, 'No cause is known whose removal would make it 1.3 times as fast.');
  return h(
    'ol',
    { class: 'findings' },
    answer.findings.map((one) =>
      h(
        'li',
        {},
        h('b', {}, one.cause.replaceAll('_', ' ')),
        h('span', { class: 'gain' }, one.gain_text),
        h('p', {}, one.what),
        h('p', {}, one.remedy),
        one.places.length > 0 && h('p', { class: 'quiet' }, `at ${one.places.map(({ place }) => place).join(', ')}`),
      ),
    ),
  );
}

/** Known without counters too: what the time depends on. */
function movers(set) {
  const bars = importanceBars(set, 6);
  return bars && [h('h3', {}, term('What moves the time', 'share of the variance of the time that each tells')), bars];
}

function why(set, words) {
  const { answer } = set;
  const bound = answer.bound_text ?? answer.bound;
  const texts = [...(answer.traffic ?? []), ...(answer.against_default ?? []), ...(answer.influence ?? [])].filter(
    (one) => typeof one === 'string',
  );
  const counted = [answer.busy, answer.waits].some((one) => Object.keys(one ?? {}).length > 0);
  const known = bound || answer.findings?.length;
  return h(
    'div',
    { class: 'card' },
    h('h3', {}, 'What limits the best'),
    known
      ? bound && h('p', { class: 'lead' }, bound.charAt(0).toUpperCase() + bound.slice(1), '.')
      : h(
          'p',
          { class: 'empty' },
          'Nothing was counted. ',
          h('code', {}, `gridsmith explain ${set.kernelWord}`),
          ' counts the best and says what holds it back.',
        ),
    findings(answer),
    counted ? null : movers(set),
    texts.length > 0 &&
      h(
        'details',
        {},
        h('summary', {}, 'In numbers'),
        h(
          'ul',
          { class: 'plain' },
          texts.map((text) => h('li', {}, text)),
        ),
      ),
    h(
      'div',
      { class: 'halves' },
      bars('Busy', answer.busy, words.busy ?? 'share of the rate that each unit reaches'),
      bars('Warps wait for', answer.waits, words.waits ?? 'share of the cycles that warps wait'),
    ),
  );
}

function repeat(set) {
  const { command, options, constants, header } = set.answer;
  const code = (title, text, shown = text.trimEnd()) => [
    h('h4', {}, title, copyButton(text)),
    h('pre', { class: 'wraps', tabindex: 0 }, shown),
  ];
  // A line breaks between options, not within one.
  const words = (options ?? '').split(/ (?=-D|"-D)/).flatMap((one, i) => [i > 0 ? ' ' : '', h('span', {}, one)]);
  const file = `${set.kernel}_tuned.hpp`.replace(/[^A-Za-z0-9_.-]/g, '_');
  return h(
    'div',
    { class: 'card lines' },
    command && [h('h3', {}, 'Repeat it', copyButton(command)), h('pre', { class: 'wraps', tabindex: 0 }, command)],
    (options || constants) && h('h3', {}, 'Lines for your code'),
    options && code('Options of the compiler', options, words),
    constants && code('Constants', constants),
    header &&
      h(
        'p',
        { class: 'quiet' },
        button('Save the header', () => download(file, 'text/plain', header)),
        ` C++17, ${count(header.split('\n').length - 1)} lines: it chooses by problem size and device.`,
      ),
  );
}

/** Texts like "verified against the reference kernel", as a small table. */
function evidence(set) {
  const { answer } = set;
  const statuses = set.fact('status');
  const counts = statuses
    ? statuses.words.map((word, code) => [word, statuses.numbers.reduce((sum, one) => sum + (one === code), 0)])
    : [];
  const rows = [
    ['Verified', answer.verified],
    ['Conditions', answer.conditions ?? set.conditions],
    ['Tried', counts.map(([word, many]) => outcome(word, many)).join(', ')],
    ['In doubt', answer.ranking?.find((one) => one.doubt)?.doubt],
    ['Chosen by', [answer.tie_break ?? []].flat().join('; ')],
    [
      'Device',
      `${set.device.name}${set.device.compute_capability ? `, compute capability ${set.device.compute_capability}` : ''}${set.driver ? `, driver ${set.driver}` : ''}${set.toolkit ? `, CUDA ${set.toolkit}` : ''}`,
    ],
    ['From', [set.origin, set.format, set.date && `${set.date.slice(0, 10)}`].filter(Boolean).join(', ')],
  ].filter(([, text]) => text);
  return h(
    'div',
    { class: 'card' },
    h('h3', {}, 'How it is known'),
    table(null, rows, { class: 'facts' }),
    inTerminal(answer),
  );
}

const inTerminal = ({ sentences }) =>
  sentences?.length
    ? h(
        'details',
        {},
        h('summary', {}, 'As in the terminal'),
        h(
          'ul',
          { class: 'plain' },
          sentences.map((text) => h('li', {}, text)),
        ),
      )
    : null;

export const answer = {
  id: 'answer',
  title: 'The answer',
  missing: (set) =>
    set.best < 0
      ? [
          set.answer.not_confirmed_because
            ? `Not confirmed: ${set.answer.not_confirmed_because}.`
            : 'No configuration has a time: all failed, or nothing was measured yet.',
          `gridsmith show --kernel ${set.kernel} --failures`,
        ]
      : null,
  draw(body, model) {
    const draw = () => {
      const { set } = model;
      body.replaceChildren(
        h(
          'div',
          { class: 'answer' },
          h('div', { class: 'card' }, headline(set), ranking(model)),
          why(set, model.words),
          whyItWon(set.answer),
          evidence(set),
          repeat(set),
        ),
      );
      mark();
    };
    const mark = () => {
      for (const tr of body.querySelectorAll('tr[data-row]'))
        tr.classList.toggle('hover', Number(tr.dataset.row) === model.hover || Number(tr.dataset.row) === model.pick);
    };
    draw();
    return { update: (what) => (what === 'mark' ? mark() : what === 'set' && draw()) };
  },
};
