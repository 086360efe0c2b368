// SPDX-License-Identifier: Apache-2.0
// A table of everything: sorted by any column, of the columns that one chooses; only the rows in sight are elements.
import { button, download, h, sideways } from '../dom.js';
import { toCsv, toJson } from '../export.js';
import { count } from '../format.js';
import { onPaper } from '../paper.js';

const rowHeight = 28; // px, as in the style sheet
const spare = 8; // rows drawn beyond those in sight
const mostOnPaper = 500; // rows; the files have all

const firstKinds = [
  'time_ms',
  'slowdown',
  'effective_gb_per_s',
  'gflop_per_s',
  'achieved_occupancy',
  'registers',
  'shared_bytes',
  'status',
];

function columnsOf(model) {
  const { set } = model;
  const chosen = model
    .option('table.columns')
    ?.split(',')
    .map((name) => set.column(name))
    .filter(Boolean);
  return chosen?.length > 0
    ? chosen
    : [...set.parameters, ...firstKinds.map((name) => set.column(name)).filter(Boolean)];
}

/** All rows in the order that is asked for; what is not known comes last. */
function ordered(set, name, way) {
  const column = set.column(name) ?? [...set.columns.values()][0];
  const sign = way === 'down' ? -1 : 1;
  const ranks = column.isText ? rankOf(column.words) : null;
  const key = column.numbers.map((value) => (Number.isNaN(value) ? Infinity : sign * (ranks ? ranks[value] : value)));
  return Uint32Array.from(key.keys()).sort((a, b) => key[a] - key[b] || a - b);
}

/** Place of each word in alphabetical order. */
function rankOf(words) {
  const order = [...words.keys()].sort((a, b) => (words[a] < words[b] ? -1 : 1));
  return order.reduce((ranks, word, rank) => ((ranks[word] = rank), ranks), []);
}

class Grid {
  constructor(host, model) {
    Object.assign(this, { host, model });
    this.body = h('tbody', {});
    this.head = h('thead', {});
    this.table = h('table', { class: 'everything' }, this.head, this.body);
    this.scroll = h(
      'div',
      {
        class: 'grid',
        tabindex: 0,
        role: 'region',
        'aria-label': 'Table of configurations; arrow keys move, Enter picks',
        onscroll: () => this.draw(),
        onkeydown: (event) => this.key(event),
      },
      this.table,
    );
    host.replaceChildren(this.scroll, sideways(this.scroll));
    this.scroll.addEventListener('paper', () => ((this.from = -1), this.draw()));
    this.all();
  }

  /** Anew: columns, order, rows. */
  all() {
    this.columns = columnsOf(this.model);
    this.drawHead();
    this.again();
  }
  again() {
    const { mask, set } = this.model;
    const sort = this.model.option('table.sort', 'time_ms up');
    if (this.sorted !== sort) this.order = ordered(set, ...sort.split(' '));
    this.sorted = sort;
    this.rows = this.order.filter((row) => mask[row]);
    this.from = -1;
    this.table.setAttribute('aria-rowcount', this.rows.length + 1);
    this.draw();
  }

  drawHead() {
    const [name, way] = this.model.option('table.sort', 'time_ms up').split(' ');
    const cell = (column) => {
      const now = column.name === name;
      const next = `${column.name} ${now && way === 'up' ? 'down' : 'up'}`;
      const turn = button(`${column.short}${now ? (way === 'up' ? ' ↑' : ' ↓') : ''}`, () => this.sort(next), {
        'data-words': column.says,
      });
      return h(
        'th',
        {
          scope: 'col',
          class: column.isText ? '' : 'n',
          'aria-sort': now ? (way === 'up' ? 'ascending' : 'descending') : 'none',
        },
        turn,
        column.unit ? h('small', {}, column.unit) : null,
      );
    };
    this.head.replaceChildren(h('tr', {}, h('th', { scope: 'col' }, '#'), this.columns.map(cell)));
  }
  sort(text) {
    this.model.options.set('table.sort', text);
    this.model.tell('address');
    this.drawHead();
    this.again();
  }

  /** The rows in sight, with space above and below for the others; on paper the first ones, and how many follow. */
  draw() {
    if (onPaper()) return this.drawOnPaper();
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / rowHeight) - spare);
    const from = first - (first % 2);
    const many = Math.ceil((this.scroll.clientHeight || 480) / rowHeight) + 2 * spare;
    if (from === this.from) return undefined;
    this.from = from;
    const rows = [...this.rows.subarray(from, from + many)];
    const space = () =>
      h('tr', { class: 'space', 'aria-hidden': 'true' }, h('td', { colspan: this.columns.length + 1 }));
    const [above, below] = [space(), space()];
    above.firstChild.style.height = `${from * rowHeight}px`;
    below.firstChild.style.height = `${Math.max(0, this.rows.length - from - rows.length) * rowHeight}px`;
    this.body.replaceChildren(above, ...rows.map((row, i) => this.line(row, from + i)), below);
    return this.mark();
  }
  drawOnPaper() {
    const rows = [...this.rows.subarray(0, mostOnPaper)];
    const more = this.rows.length - rows.length;
    this.body.replaceChildren(
      ...rows.map((row, i) => this.line(row, i)),
      more > 0
        ? h('tr', {}, h('td', { colspan: this.columns.length + 1 }, `and ${count(more)} more: in the CSV and JSON of this table`))
        : '',
    );
  }
  line(row, at) {
    const { set } = this.model;
    const sign = row === set.best ? '★ ' : row === set.answer.default_row ? '◆ ' : set.tied.has(row) ? '○ ' : '';
    const text = (column) =>
      column.isText || column.kind === 'parameter'
        ? column.text(row)
        : column.unit === 'B'
          ? column.text(row)
          : column.labelOf(column.numbers[row]);
    return h(
      'tr',
      {
        'data-row': row,
        'aria-rowindex': at + 2,
        onclick: (event) => this.model.mark(event.shiftKey ? 'against' : 'pick', row),
        onmouseenter: () => this.model.mark('hover', row),
        onmouseleave: () => this.model.mark('hover', -1),
      },
      h('td', { class: 'n' }, `${sign}${set.numberOf(row)}`),
      this.columns.map((column) => h('td', { class: column.isText ? '' : 'n' }, text(column))),
    );
  }
  mark() {
    const { pick, against, hover } = this.model;
    for (const tr of this.body.querySelectorAll('tr[data-row]')) {
      const row = Number(tr.dataset.row);
      tr.classList.toggle('picked', row === pick);
      tr.classList.toggle('against', row === against);
      tr.classList.toggle('hover', row === hover);
    }
  }
  key(event) {
    const at = this.rows.indexOf(this.model.hover >= 0 ? this.model.hover : this.model.pick);
    const page = Math.floor(this.scroll.clientHeight / rowHeight) - 2;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(0, at - 1),
      PageDown: at + page,
      PageUp: Math.max(0, at - page),
      Home: 0,
      End: this.rows.length - 1,
    }[event.key];
    if (to !== undefined && !(event.target.tagName === 'BUTTON')) {
      const row = this.rows[Math.min(this.rows.length - 1, to)];
      if (row === undefined) return;
      const y = this.rows.indexOf(row) * rowHeight;
      if (y < this.scroll.scrollTop || y > this.scroll.scrollTop + this.scroll.clientHeight - 3 * rowHeight)
        this.scroll.scrollTop = y - this.scroll.clientHeight / 2;
      this.model.mark('hover', row);
    } else if (event.key === 'Enter' && this.model.hover >= 0 && event.target === this.scroll)
      this.model.mark(event.shiftKey ? 'against' : 'pick', this.model.hover);
    else return;
    event.preventDefault();
  }
}

/** Which columns: a box to tick for each, by kind. */
function chooser(model, grid) {
  const shown = new Set(grid.columns.map((column) => column.name));
  const set = (name, on) => {
    if (on) shown.add(name);
    else shown.delete(name);
    const names = [...model.set.columns.keys()].filter((one) => shown.has(one));
    model.options.set('table.columns', names.join(','));
    model.tell('address');
    grid.all();
  };
  const tick = (column) =>
    h(
      'label',
      {},
      h('input', {
        type: 'checkbox',
        checked: shown.has(column.name),
        onchange: (event) => set(column.name, event.target.checked),
      }),
      column.name,
    );
  const kinds = [...new Set([...model.set.columns.values()].map((column) => column.kind))];
  return h(
    'details',
    { class: 'chooser' },
    h('summary', {}, 'Columns'),
    h(
      'div',
      {},
      kinds.map((kind) => h('fieldset', {}, h('legend', {}, kind), model.set.ofKind(kind).map(tick))),
    ),
  );
}

function save(model, kind) {
  const { set } = model;
  const rows = model.selectedRows();
  const columns = [...set.columns.values()];
  const name = `${set.kernel}_${set.problem}${model.isActive ? '_selection' : ''}.${kind}`.replace(
    /[^A-Za-z0-9_.-]/g,
    '_',
  );
  download(
    name,
    kind === 'csv' ? 'text/csv' : 'application/json',
    (kind === 'csv' ? toCsv : toJson)(set, rows, columns),
  );
}

export const everything = {
  id: 'table',
  title: 'Table',
  about: 'All that is selected. A click on a row picks it (A), shift-click compares (B); a click on a column sorts.',
  missing: (set) => (set.rows > 0 ? null : ['No configurations yet.', `gridsmith tune ${set.kernelWord}`]),
  draw(body, model) {
    const host = h('div', {});
    const total = h('span', { class: 'quiet' });
    body.replaceChildren(h('div', { class: 'controls' }), host);
    const grid = new Grid(host, model);
    const say = () =>
      (total.textContent = `${count(grid.rows.length)} of ${count(model.set.rows)} rows; files hold all columns`);
    body.firstChild.replaceChildren(
      button('CSV', () => save(model, 'csv'), { 'aria-label': 'Download the selection as CSV' }),
      button('JSON', () => save(model, 'json'), { 'aria-label': 'Download the selection as JSON' }),
      total,
      chooser(model, grid),
    );
    say();
    return {
      update: (what) =>
        what === 'mark' ? grid.mark() : what === 'selection' ? (grid.again(), say()) : what === 'options' && grid.all(),
    };
  },
};
