// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line per configuration over axes that can be brushed, moved and turned. Drawn by us on canvas:
// of many rows a stated sample of lines, while the selection stays exact.
import { button, h } from '../dom.js';
import { count } from '../format.js';
import { paintOf } from '../paint.js';
import { onPaper, pictureForPaper, pixelRatio } from '../paper.js';
import { jitter, rangeBetween, scaleOf } from '../scale.js';
import { colours, ramp, isDark } from '../theme.js';
import { rowLines, showTip, hideTip } from '../tip.js';

const mostLines = 1000; // more are one colour, and take longer than a brush may
const [top, bottom] = [84, 14]; // px around the axes

/** Axes at first: the parameters that vary, what explains, and the time. */
function firstAxes(set) {
  const more = [
    'registers',
    'shared_bytes',
    'achieved_occupancy',
    'load_sectors_per_request',
    'store_sectors_per_request',
  ]
    .map((name) => set.column(name))
    .filter(Boolean);
  const all = [...set.parameters, ...more].filter((column) =>
    column.isText ? column.words.length > 1 : column.low < column.high,
  );
  return [...all.slice(0, 11).map((column) => column.name), 'time_ms'].filter((name) => set.column(name));
}

/** Every best one, and of the others one in so many. */
function sampleOf(set) {
  const rows = Array.from({ length: set.rows }, (_, row) => row);
  if (rows.length <= mostLines) return rows;
  const step = rows.length / mostLines;
  return rows.filter(
    (row) =>
      row === set.best || row === set.answer.default_row || Math.floor(row / step) !== Math.floor((row - 1) / step),
  );
}

export class Parallel {
  constructor(host, model) {
    Object.assign(this, { host, model });
    this.lines = h('canvas', { 'aria-hidden': 'true' });
    this.marks = h('canvas', { 'aria-hidden': 'true' });
    this.heads = h('div', { class: 'heads' });
    host.classList.add('parallel');
    host.replaceChildren(this.lines, this.marks, this.heads);
    this.listen();
    this.layout();
    const watch = new ResizeObserver(() =>
      host.isConnected ? host.clientWidth !== this.width && this.layout() : watch.disconnect(),
    );
    watch.observe(host);
    host.addEventListener('paper', () => (this.layout(), pictureForPaper(host)));
  }

  get names() {
    const { set } = this.model;
    const chosen = this.model
      .option('parallel.axes')
      ?.split(',')
      .filter((name) => set.column(name));
    return chosen?.length > 1 ? chosen : firstAxes(set);
  }
  get turned() {
    return new Set(this.model.option('parallel.turned', '').split(',').filter(Boolean));
  }

  layout() {
    const { set } = this.model;
    const names = this.names;
    // Names stay legible, narrow windows scroll; paper does not.
    this.host.style.minWidth = onPaper() ? '' : `${72 * names.length}px`;
    [this.width, this.height] = [this.host.clientWidth, this.host.clientHeight];
    this.ratio = pixelRatio();
    for (const canvas of [this.lines, this.marks])
      [canvas.width, canvas.height] = [this.width * this.ratio, this.height * this.ratio];
    const gap = (this.width - 96) / Math.max(1, names.length - 1);
    this.axes = names.map((name, i) => this.axisOf(set.column(name), 48 + i * gap));
    this.rows = sampleOf(set);
    this.drawHeads(gap);
    this.drawLines();
    this.drawMarks();
  }

  axisOf(column, x) {
    const scale = scaleOf(column);
    const flip = this.turned.has(column.name);
    const [foot, head] = flip ? [top, this.height - bottom] : [this.height - bottom, top];
    const y = (at) => foot + ((at - scale.low) / (scale.high - scale.low)) * (head - foot);
    const back = (pixel) => scale.low + ((pixel - foot) / (head - foot)) * (scale.high - scale.low);
    const ys = new Float32Array(column.numbers.length);
    for (let row = 0; row < ys.length; ++row) {
      const at = scale.at(column.numbers[row]);
      ys[row] = Number.isFinite(at) ? y(at + (scale.categories ? 0.3 * jitter(row) : 0)) : NaN;
    }
    return { column, scale, x, y, back, ys };
  }

  /** Names over the axes: drag or arrow keys move an axis or brush it, the button turns it. */
  drawHeads(gap) {
    this.heads.replaceChildren(
      ...this.axes.map(({ column, x }, i) => {
        const turn = button('⇅', () => this.turn(column.name), {
          title: `Turn ${column.name}`,
          'aria-label': `Turn the axis ${column.name}`,
        });
        const name = button(column.title, () => {}, {
          class: 'name',
          'aria-label': `Axis ${column.title}: left and right move it, up and down brush it, with Shift more of it, Escape clears the selection`,
          'data-words': column.says,
          draggable: 'true',
          onkeydown: (event) => this.key(event, i),
          ondragstart: (event) => event.dataTransfer.setData('text/plain', String(i)),
        });
        const head = h(
          'div',
          {
            class: 'head',
            ondragover: (event) => event.preventDefault(),
            ondrop: (event) => (
              event.preventDefault(),
              this.moveAxis(Number(event.dataTransfer.getData('text/plain')), i)
            ),
          },
          name,
          turn,
        );
        head.style.left = `${x - gap / 2}px`;
        head.style.width = `${gap}px`;
        return head;
      }),
    );
  }
  key(event, i) {
    if (event.key in moves) this.moveAxis(i, i + moves[event.key]);
    else if (event.key in brushes) this.brushStep(this.axes[i], brushes[event.key], event.shiftKey);
    else if (event.key === 'Escape') this.model.brush(this.axes[i].column.name, null);
    else return;
    event.preventDefault();
  }
  /** The next value of an axis, or tenth of one of numbers. */
  brushStep({ column: { name }, scale }, by, widens) {
    const cells = scale.categories?.length ?? 10;
    const last = this.cell?.name === name && this.model.ranges.has(name) ? this.cell : null;
    const to = last ? Math.min(cells - 1, Math.max(0, last.to + by)) : by > 0 ? 0 : cells - 1;
    this.cell = { name, from: widens && last ? last.from : to, to };
    const size = (scale.high - scale.low) / cells;
    const inset = scale.categories ? size / 2 : 0;
    const [low, high] = [Math.min(this.cell.from, to), Math.max(this.cell.from, to) + 1];
    this.model.brush(name, rangeBetween(scale, scale.low + low * size + inset, scale.low + high * size - inset));
  }
  turn(name) {
    const turned = this.turned;
    if (!turned.delete(name)) turned.add(name);
    this.model.setOption('parallel.turned', [...turned].join(','));
  }
  moveAxis(from, to) {
    const names = this.names;
    if (to < 0 || to >= names.length || !names[from]) return;
    names.splice(to, 0, ...names.splice(from, 1));
    this.model.setOption('parallel.axes', names.join(','));
    this.heads.children[to]?.firstChild.focus();
  }

  context(canvas) {
    const context = canvas.getContext('2d');
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }

  path(context, row) {
    let pen = false;
    for (const { x, ys } of this.axes) {
      if (Number.isNaN(ys[row])) pen = false;
      else {
        context[pen ? 'lineTo' : 'moveTo'](x, ys[row]);
        pen = true;
      }
    }
  }

  /** Faded lines first; selected ones by their time, the fastest on top and darkest. */
  drawLines() {
    const context = this.context(this.lines);
    const { mask, isActive, set } = this.model;
    const theme = colours();
    context.lineWidth = 1;
    if (isActive)
      this.strokeAll(
        context,
        this.rows.filter((row) => !mask[row]),
        theme.faded,
        0.5,
      );
    const shown = this.rows.filter((row) => mask[row]);
    const alpha = Math.min(0.9, Math.max(0.12, 60 / Math.sqrt(shown.length * 40)));
    const paint = paintOf(this.model);
    if (paint)
      return [theme.cloud, ...paint.colours].forEach((colour, i) =>
        this.strokeAll(
          context,
          shown.filter((row) => paint.codes[row] === i - 1),
          colour,
          Math.min(1, 1.5 * alpha),
        ),
      );
    const slowdown = set.fact('slowdown')?.numbers;
    const rank = new Map(
      shown
        .filter((row) => slowdown?.[row] > 0)
        .sort((a, b) => slowdown[b] - slowdown[a])
        .map((row, i, all) => [row, i / all.length]),
    );
    const bands = Array.from({ length: 8 }, () => []);
    for (const row of shown) bands[Math.floor((rank.get(row) ?? 0) * 8)].push(row);
    return bands.forEach((rows, i) =>
      this.strokeAll(context, rows, ramp(0.3 + 0.1 * i, isDark()), i === 7 ? Math.min(1, alpha * 2) : alpha),
    );
  }
  strokeAll(context, rows, colour, alpha) {
    context.strokeStyle = colour;
    context.globalAlpha = alpha;
    for (let i = 0; i < rows.length; i += 50) {
      context.beginPath();
      for (const row of rows.slice(i, i + 50)) this.path(context, row);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  drawAxes(context, theme) {
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.axes.forEach(({ x, y, scale }, i) => {
      context.fillStyle = theme.line;
      context.fillRect(x - 0.5, top - 2, 1, this.height - top - bottom + 4);
      context.textAlign = i === this.axes.length - 1 ? 'left' : 'right';
      let last = Infinity;
      for (const at of scale.ticks) {
        if (at < scale.low || at > scale.high || Math.abs(y(at) - last) < 13) continue;
        last = y(at);
        grounded(context, scale.text(at), x + (context.textAlign === 'left' ? 6 : -6), last, theme);
      }
    });
  }

  drawMarks() {
    const context = this.context(this.marks);
    const { model } = this;
    const theme = colours();
    this.drawBrushes(context, theme);
    const marks = [
      [model.set.answer.default_row ?? -1, theme.default, [5, 4]],
      [model.set.best, theme.best, []],
      [model.against, theme.ink, [2, 3]],
      [model.pick, theme.ink, []],
      [model.hover, theme.ink, []],
    ];
    for (const [row, colour, dash] of marks) {
      if (row < 0) continue;
      context.setLineDash(dash);
      for (const [width, stroke] of [
        [4.5, theme.surface],
        [2, colour],
      ]) {
        context.lineWidth = width;
        context.strokeStyle = stroke;
        context.beginPath();
        this.path(context, row);
        context.stroke();
      }
    }
    context.setLineDash([]);
    this.drawAxes(context, theme);
  }
  drawBrushes(context, theme) {
    const box = (x, from, to) => {
      context.fillStyle = `${theme.selected}40`;
      context.strokeStyle = theme.selected;
      context.fillRect(x - 7, Math.min(from, to), 14, Math.abs(to - from));
      context.strokeRect(x - 7, Math.min(from, to), 14, Math.abs(to - from));
    };
    for (const { column, x, y, scale } of this.axes) {
      const range = this.model.ranges.get(column.name);
      if (!range) continue;
      if (range.values) for (const at of [...range.values].map(scale.at)) box(x, y(at - 0.4), y(at + 0.4));
      else
        box(x, y(Math.max(scale.low, scale.at(range.low) || scale.low)), y(Math.min(scale.high, scale.at(range.high))));
    }
    if (this.drag) box(this.drag.axis.x, this.drag.from, this.drag.to);
  }

  // ---- what people do

  listen() {
    const canvas = this.marks;
    canvas.addEventListener('pointerdown', (event) => {
      const axis = this.axes.find(({ x }) => Math.abs(x - event.offsetX) < 18);
      if (!axis || event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = { axis, from: event.offsetY, to: event.offsetY };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.drag) return this.hover(event);
      this.drag.to = Math.min(this.height - bottom, Math.max(top, event.offsetY));
      return this.drawMarks();
    });
    canvas.addEventListener('pointerup', (event) => this.release(event));
    canvas.addEventListener('pointerleave', () => (hideTip(), this.model.mark('hover', -1)));
  }
  release(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag) return this.model.hover >= 0 && this.model.mark(event.shiftKey ? 'against' : 'pick', this.model.hover);
    const { axis, from, to } = drag;
    if (Math.abs(to - from) < 4) return this.model.brush(axis.column.name, null);
    return this.model.brush(axis.column.name, rangeBetween(axis.scale, axis.back(from), axis.back(to)));
  }

  /** The line nearest to the pointer, between the two axes around it. */
  hover(event) {
    const [x, y] = [event.offsetX, event.offsetY];
    const right = this.axes.findIndex((axis) => axis.x >= x);
    let [best, least] = [-1, 8];
    if (right > 0 && y > top)
      for (const row of this.rows) {
        if (!this.model.mask[row]) continue;
        const [a, b] = [this.axes[right - 1], this.axes[right]];
        const share = (x - a.x) / (b.x - a.x);
        const distance = Math.abs(a.ys[row] * (1 - share) + b.ys[row] * share - y);
        if (distance < least) [best, least] = [row, distance];
      }
    this.model.mark('hover', best);
    if (best >= 0) showTip(rowLines(this.model.set, best), event.clientX + 14, event.clientY + 14);
    else hideTip();
  }

  note() {
    return this.rows.length < this.model.set.rows
      ? `lines: a sample of ${count(this.rows.length)} of ${count(this.model.set.rows)}; counts and selection are of all`
      : '';
  }

  update(what) {
    if (what === 'selection') this.drawLines();
    if (what === 'selection' || what === 'mark') this.drawMarks();
    else this.layout();
  }
}

const moves = { ArrowLeft: -1, ArrowRight: 1 };
const brushes = { ArrowDown: -1, ArrowUp: 1 };

/** A label on a ground of its own: lines end at it, none runs through it. */
function grounded(context, text, x, y, theme) {
  const { width } = context.measureText(text);
  context.fillStyle = theme.surface;
  context.globalAlpha = 0.9;
  context.fillRect((context.textAlign === 'right' ? x - width : x) - 2, y - 7, width + 4, 14);
  context.globalAlpha = 1;
  context.fillStyle = theme.ink;
  context.fillText(text, x, y);
}
