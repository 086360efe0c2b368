// SPDX-License-Identifier: Apache-2.0
// The kernel's source with the lines that the analysis names, how it was compiled, and the code of the best where kept.
import { copyButton, h, table } from '../dom.js';
import { count, quantity } from '../format.js';

const mostLines = 5000;

function listing(source) {
  const named = new Map();
  for (const one of source.lines ?? [])
    named.set(one.line, [named.get(one.line), one.words].filter(Boolean).join('; '));
  const lines = source.text.split('\n');
  const line = (text, i) => {
    const words = named.get(i + 1);
    return [
      h(
        'span',
        { class: words ? 'line named' : 'line', id: words ? `line-${i + 1}` : null },
        h('i', { 'aria-hidden': 'true' }, String(i + 1)),
        h('code', {}, text || ' '),
      ),
      words && h('span', { class: 'remark' }, `▲ ${words}`),
    ];
  };
  const cut =
    lines.length > mostLines
      ? h('p', { class: 'quiet' }, `the first ${count(mostLines)} of ${count(lines.length)} lines`)
      : null;
  return [
    h(
      'div',
      { class: 'listing', tabindex: 0, role: 'region', 'aria-label': `Source ${source.file}` },
      lines.slice(0, mostLines).map(line),
    ),
    cut,
  ];
}

function compiled(set) {
  const { command, ...facts } = set.compile ?? {};
  const rows = Object.entries(facts)
    .filter(([, value]) => Number.isFinite(value))
    .map(([name, value]) => [
      name.replaceAll('_', ' ').replace(/ bytes$/, ''),
      quantity(value, name.endsWith('bytes') ? 'B' : ''),
    ]);
  if (rows.length === 0 && !command) return null;
  return h(
    'div',
    { class: 'card' },
    h('h3', {}, 'The best, compiled'),
    rows.length > 0 && table(null, rows, { class: 'facts' }),
    command && [h('h3', {}, 'Command', copyButton(command)), h('pre', { tabindex: 0 }, command)],
  );
}

function code(set) {
  if (!set.code?.text)
    return h(
      'p',
      { class: 'empty' },
      'The machine code was not kept. ',
      h('code', {}, `gridsmith inspect ${set.kernelWord} --ptx ${set.kernel}.ptx`),
      ' writes it.',
    );
  return h(
    'details',
    {},
    h('summary', {}, `${set.code.kind.toUpperCase()} of the best, ${count(set.code.text.split('\n').length)} lines`),
    h('pre', { class: 'code', tabindex: 0 }, set.code.text),
  );
}

export const source = {
  id: 'source',
  title: 'Source',
  about: 'Marked lines are those that the analysis names.',
  missing: (set, model) =>
    set.source?.text || set.compile || set.code
      ? null
      : model.raw.with_source === false
        ? ['This report was written without sources (--no-source).', 'gridsmith report … -o report.html']
        : ['This file holds no source.', `gridsmith tune ${set.kernelWord} --report report.html`],
  draw(body, model) {
    const { set } = model;
    const text = set.source?.text
      ? h('div', {}, h('h3', {}, set.source.file), listing(set.source))
      : h(
          'p',
          { class: 'empty' },
          model.raw.with_source === false
            ? 'Written without sources (--no-source).'
            : 'The source is not in this file.',
        );
    body.replaceChildren(h('div', { class: 'code-view' }, text, h('div', {}, compiled(set), code(set))));
    return { update() {} };
  },
};
