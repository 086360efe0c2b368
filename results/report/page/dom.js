// SPDX-License-Identifier: Apache-2.0
// Elements of the page. Text from reports enters as text nodes and attribute values, never as HTML.

/** h('button', { class: 'x', onclick: f }, 'text', child): an element. Properties that start with "on" are listeners. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A word with its explanation, shown on hover and focus; plain text where there is none. */
export function term(text, words) {
  return words ? h('span', { class: 'term', tabindex: 0, 'data-words': words }, text) : text;
}

/** A choice of one of `options` ([value, label] or groups { label, options }). */
export function choice(label, options, value, onchange) {
  const option = ([name, text]) => h('option', { value: name, selected: name === value }, text);
  const items = options.map((one) =>
    Array.isArray(one) ? option(one) : h('optgroup', { label: one.label }, one.options.map(option)),
  );
  const select = h('select', { onchange: () => onchange(select.value) }, items);
  return h('label', { class: 'choice' }, h('span', {}, label), select);
}

export function button(text, onclick, more = {}) {
  return h('button', { type: 'button', onclick, ...more }, text);
}

/** A switch between a few words. */
export function segments(label, options, value, onchange) {
  const group = h('div', { class: 'segments', role: 'group', 'aria-label': label });
  const draw = (chosen) =>
    group.replaceChildren(
      ...options.map(([name, text]) =>
        button(text, () => (draw(name), onchange(name)), { 'aria-pressed': String(name === chosen) }),
      ),
    );
  draw(value);
  return group;
}

/** A table of rows of cells; cells are text or elements. */
export function table(head, rows, more = {}) {
  const cell = (tag) => (value, i) =>
    h(i === 0 ? 'th' : tag, tag === 'th' ? { scope: 'col' } : i === 0 ? { scope: 'row' } : {}, value);
  return h(
    'table',
    more,
    head && h('thead', {}, h('tr', {}, head.map(cell('th')))),
    h(
      'tbody',
      {},
      rows.map((row) => h('tr', {}, row.map(cell('td')))),
    ),
  );
}

/** A box that scrolls fades at the side where there is more. @return a note that says so, to be put below it */
export function sideways(box) {
  const note = h('p', { class: 'quiet more', hidden: true }, 'wider than the window: scroll sideways →');
  const see = () => {
    const hidden = box.scrollWidth - box.clientWidth;
    box.toggleAttribute('data-before', box.scrollLeft > 1);
    box.toggleAttribute('data-behind', box.scrollLeft < hidden - 1);
    note.hidden = hidden <= 1;
  };
  box.addEventListener('scroll', see);
  const seen = new ResizeObserver(see);
  for (const one of [box, ...box.children]) seen.observe(one);
  return note;
}

/** What may be wider than its place. */
export function scrolls(...children) {
  const box = h('div', { class: 'scrolls', tabindex: 0 }, ...children);
  return h('div', { class: 'scrolling' }, box, sideways(box));
}

/** Copies text, and says so on the button. */
export function copyButton(text, label = 'Copy') {
  const copy = button(label, async () => {
    await navigator.clipboard.writeText(text).catch(() => copyBySelection(text));
    copy.textContent = 'Copied';
    setTimeout(() => (copy.textContent = label), 1500);
  });
  return copy;
}

/** Where a file:// page may not use the clipboard. */
function copyBySelection(text) {
  const area = h('textarea', { class: 'away' });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** Offers `text` as a file. */
export function download(name, type, text) {
  const link = h('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
