// SPDX-License-Identifier: Apache-2.0
// A chart with two axes: Apache ECharts draws axes and lines; the rows, up to 10^5 points, and their marks are drawn by
// us on two canvases above it, so that a brush repaints points in milliseconds and selects by our own arrays.
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { h } from './dom.js';
import { rangeBetween } from './scale.js';
import { paintOf } from './paint.js';
import { pictureForPaper, pixelRatio } from './paper.js';
import { colours, pixelOf } from './theme.js';
import { hideTip, rowLines, showTip } from './tip.js';

use([CustomChart, LineChart, ScatterChart, GridComponent, MarkLineComponent, CanvasRenderer]);

const manyPoints = 6000; // from here on squares of pixels instead of discs
const near = 14; // px: what a pointer means

function axisOption(scale, title, position, { ink, muted, line }) {
  const label = (at) => scale.text(at);
  return {
    type: 'value',
    position,
    min: scale.low,
    max: scale.high,
    silent: true,
    name: title,
    nameLocation: position === 'left' ? 'end' : 'middle',
    nameGap: position === 'left' ? 12 : 28,
    nameTextStyle: {
      color: ink,
      fontSize: 12,
      align: position === 'left' ? 'left' : 'center',
      padding: position === 'left' ? [0, 0, 0, -42] : 0,
    },
    axisLine: { show: position === 'bottom', onZero: false, lineStyle: { color: line } },
    axisTick: { show: position === 'bottom', customValues: scale.ticks, lineStyle: { color: line } },
    axisLabel: { color: muted, fontSize: 11, hideOverlap: true, customValues: scale.ticks, formatter: label },
    splitLine: { show: false },
  };
}

/** Grid lines at our own ticks. */
function gridLines(x, y, { line }) {
  const at = [
    ...y.ticks.map((one) => ({ yAxis: one })),
    ...(x.categories ? [] : x.ticks.map((one) => ({ xAxis: one }))),
  ];
  return {
    type: 'line',
    silent: true,
    data: [],
    z: 0,
    markLine: {
      silent: true,
      z: 0,
      symbol: 'none',
      animation: false,
      label: { show: false },
      lineStyle: { color: line, width: 1, type: 'solid', opacity: 0.7 },
      data: at,
    },
  };
}

export class Plot {
  /**
   * @param spec () => { x, y: scales; xTitle, yTitle; series: ECharts series in places of the scales; xs, ys: places of the
   * rows (Float64Array, may be absent); columns: [x column, y column] for brushing and tips; label: what it shows, in words;
   * onBrush: instead of brushing the columns; edge: rows without y are drawn as crosses above }
   */
  constructor(host, model, spec) {
    Object.assign(this, { host, model, spec });
    this.base = h('div', { class: 'chart', 'aria-hidden': 'true' });
    this.points = h('canvas', { 'aria-hidden': 'true' });
    this.marks = h('canvas', { 'aria-hidden': 'true' });
    this.pad = h('div', { class: 'pad', tabindex: 0, role: 'application' });
    host.classList.add('plot');
    host.replaceChildren(this.base, this.points, this.marks, this.pad);
    this.begin();
    this.listen();
    this.redraw();
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(host);
    host.addEventListener('paper', () => {
      const sharper = this.sharpness !== pixelRatio();
      if (sharper) this.begin();
      if (sharper || host.clientWidth !== this.width) this.redraw();
      this.chart.getZr().flush();
      pictureForPaper(host);
    });
  }

  /** The chart anew, as sharp as screen or paper want it. */
  begin() {
    this.chart?.dispose();
    this.sharpness = pixelRatio();
    this.chart = init(this.base, null, { renderer: 'canvas', devicePixelRatio: this.sharpness });
  }

  /** All of it, from the spec. */
  redraw() {
    const { clientWidth, clientHeight } = this.host;
    if (this.chart.getWidth() !== clientWidth || this.chart.getHeight() !== clientHeight) this.chart.resize();
    this.drawn = this.spec();
    const { x, y, xTitle, yTitle, series = [], margin = {} } = this.drawn;
    const theme = colours();
    this.pad.setAttribute(
      'aria-label',
      `${this.drawn.label ?? ''} Arrow keys go from configuration to configuration, Enter picks one. Space at two of them selects all between, Escape clears the selection.`,
    );
    this.chart.setOption(
      {
        animation: false,
        textStyle: { fontFamily: 'system-ui, sans-serif' },
        grid: { left: 54, right: 22, top: 34, bottom: 44, ...margin },
        xAxis: axisOption(x, xTitle, 'bottom', theme),
        yAxis: axisOption(y, yTitle, 'left', theme),
        series: [gridLines(x, y, theme), ...series.map((one) => ({ silent: true, symbol: 'none', ...one }))],
      },
      true,
    );
    this.place();
    this.drawPoints();
    this.drawMarks();
  }

  /** Also called when the view was drawn anew and this chart is no longer in the page: then it ends. */
  resize() {
    if (!this.host.isConnected) {
      this.watch.disconnect();
      this.chart.dispose();
      return;
    }
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth !== this.width || clientHeight !== this.height) this.redraw();
  }

  /** Pixel of each row, and the canvases as large as the chart. */
  place() {
    const { x, y, xs, ys } = this.drawn;
    [this.width, this.height] = [this.host.clientWidth, this.host.clientHeight];
    const [left, bottom] = this.chart.convertToPixel({ gridIndex: 0 }, [x.low, y.low]) ?? [0, 0];
    const [right, top] = this.chart.convertToPixel({ gridIndex: 0 }, [x.high, y.high]) ?? [1, 1];
    this.area = { left, right, top, bottom };
    this.ratio = pixelRatio();
    for (const canvas of [this.points, this.marks])
      [canvas.width, canvas.height] = [this.width * this.ratio, this.height * this.ratio];
    const rows = xs?.length ?? 0;
    this.px = new Float32Array(rows).fill(NaN);
    this.py = new Float32Array(rows).fill(NaN);
    for (let row = 0; row < rows; ++row) {
      if (!(xs[row] >= x.low && xs[row] <= x.high)) continue;
      this.px[row] = this.xAt(xs[row]);
      this.py[row] =
        ys[row] >= y.low && ys[row] <= y.high
          ? this.yAt(ys[row])
          : this.drawn.edge && Number.isNaN(ys[row])
            ? top - 9
            : NaN;
    }
    if (rows > manyPoints) this.placeSquares();
  }

  /** Where the square of each row begins among the pixels; -1 where it has none: brushing then only colours. */
  placeSquares() {
    const { width, height } = this.points;
    this.size = Math.max(2, Math.round(2 * this.ratio));
    this.spots = new Int32Array(this.px.length).fill(-1);
    for (let row = 0; row < this.spots.length; ++row) {
      const left = (this.px[row] * this.ratio - this.size / 2) | 0;
      const top = (this.py[row] * this.ratio - this.size / 2) | 0;
      if (left >= 0 && top > 0 && left + this.size < width && top + this.size < height)
        this.spots[row] = top * width + left;
    }
  }
  xAt(at) {
    const { x } = this.drawn;
    return this.area.left + ((at - x.low) / (x.high - x.low)) * (this.area.right - this.area.left);
  }
  yAt(at) {
    const { y } = this.drawn;
    return this.area.bottom + ((at - y.low) / (y.high - y.low)) * (this.area.top - this.area.bottom);
  }

  context(canvas) {
    const context = canvas.getContext('2d', {
      willReadFrequently: canvas === this.points && this.px.length > manyPoints,
    });
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }

  drawPoints() {
    if (!this.drawn.xs) return;
    const { mask, isActive } = this.model;
    const theme = colours();
    const context = this.context(this.points);
    const paint = paintOf(this.model);
    // What is not selected first, then each colour: of a paint the strongest last.
    const layers = isActive ? [{ has: (row) => mask[row] === 0, colour: theme.faded }] : [];
    if (!paint) layers.push({ has: (row) => mask[row] === 1, colour: isActive ? theme.selected : theme.cloud });
    else
      [theme.cloud, ...paint.colours].forEach((colour, i) =>
        layers.push({ has: (row) => mask[row] === 1 && paint.codes[row] === i - 1, colour }),
      );
    if (this.px.length > manyPoints) return this.drawSquares(context, layers);
    const radius = this.px.length > 1500 ? 2 : this.px.length > 400 ? 2.8 : 3.6;
    for (const layer of layers) this.drawDiscs(context, layer, radius);
  }

  drawDiscs(context, { has, colour }, radius) {
    const { ys, edge } = this.drawn;
    context.fillStyle = context.strokeStyle = colour;
    context.globalAlpha = 0.72;
    context.lineWidth = 1.4;
    for (let row = 0; row < this.px.length; ++row) {
      if (!has(row) || Number.isNaN(this.py[row])) continue;
      context.beginPath();
      if (edge && Number.isNaN(ys[row])) cross(context, this.px[row], this.py[row], 3);
      else context.arc(this.px[row], this.py[row], radius, 0, 7);
      if (edge && Number.isNaN(ys[row])) context.stroke();
      else context.fill();
    }
    context.globalAlpha = 1;
  }

  drawSquares(context, layers) {
    const { width, height } = this.points;
    if (width === 0 || height === 0) return;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const { spots, size } = this;
    for (const { has, colour } of layers) {
      const pixel = pixelOf(colour);
      for (let row = 0; row < spots.length; ++row) {
        const spot = spots[row];
        if (spot < 0 || !has(row)) continue;
        for (let from = spot; from < spot + size * width; from += width)
          for (let at = from; at < from + size; ++at) pixels[at] = pixel;
      }
    }
    context.putImageData(image, 0, 0);
  }

  /** Best, default and ties; picked, compared and hovered rows; the brush. */
  drawMarks() {
    const context = this.context(this.marks);
    this.labels = []; // where words stand already
    if (this.drawn.xs) for (const mark of this.rowMarks()) this.drawMark(context, mark);
    const theme = colours();
    const box = this.drag ?? this.brushBox();
    if (!box) return;
    context.fillStyle = `${theme.selected}1c`;
    context.strokeStyle = theme.selected;
    context.lineWidth = 1;
    context.fillRect(box.x, box.y, box.w, box.h);
    context.strokeRect(box.x + 0.5, box.y + 0.5, box.w, box.h);
  }

  rowMarks() {
    const { model } = this;
    const { set } = model;
    const theme = colours();
    return [
      ...[...set.tied].map((row) => ({ row, shape: ring, colour: theme.tied, size: 5 })),
      { row: set.answer.default_row ?? -1, shape: diamond, colour: theme.default, size: 6, text: 'default' },
      { row: set.best, shape: star, colour: theme.best, size: 8, text: 'best' },
      { row: model.against, shape: ring, colour: theme.ink, size: 8, text: 'B' },
      { row: model.pick, shape: ring, colour: theme.ink, size: 9, text: 'A' },
      { row: model.hover, shape: ring, colour: theme.ink, size: 10 },
    ];
  }

  drawMark(context, { row, shape, colour, size, text }) {
    const [x, y] = [this.px[row], this.py[row]];
    if (row < 0 || !(x >= 0) || !(y >= 0)) return;
    const { surface, ink } = colours();
    context.lineWidth = 1.8;
    context.strokeStyle = shape === ring ? colour : surface;
    context.fillStyle = colour;
    context.beginPath();
    shape(context, x, y, size);
    if (shape !== ring) context.fill();
    context.stroke();
    if (!text) return;
    context.font = '600 11px system-ui, sans-serif';
    context.textAlign = x > this.area.right - 50 ? 'right' : 'left';
    const tx = x + (context.textAlign === 'right' ? -size - 4 : size + 4);
    const ty = this.freePlace(tx, y + 4);
    context.lineWidth = 3.5;
    context.strokeStyle = surface;
    context.strokeText(text, tx, ty);
    context.fillStyle = ink;
    context.fillText(text, tx, ty);
  }

  /** A height for a word at (x, y) that meets no other: further up where it belongs above that one, else further down. */
  freePlace(x, y) {
    const met = (at) => this.labels.find((one) => Math.abs(one.x - x) < 60 && Math.abs(one.y - at) < 13);
    const step = met(y)?.y > y ? -3 : 3;
    let free = y;
    while (met(free)) free += step;
    this.labels.push({ x, y: free });
    return free;
  }

  /** What is brushed on both of this chart's columns, as a box. */
  brushBox() {
    const { columns, x, y, onBrush } = this.drawn;
    if (!columns || onBrush) return null;
    const [a, b] = columns.map((column) => this.model.ranges.get(column.name));
    if (!a && !b) return null;
    const side = (range, scale, at, low, high) => {
      if (!range) return [low, high];
      const limits = range.values
        ? [...range.values].map(scale.at).flatMap((one) => [one - 0.5, one + 0.5])
        : [scale.at(range.low), scale.at(range.high)];
      const places = limits.map((one) =>
        at(Math.min(scale.high, Math.max(scale.low, Number.isFinite(one) ? one : scale.low))),
      );
      return [Math.min(...places), Math.max(...places)];
    };
    const [x0, x1] = side(a, x, (at) => this.xAt(at), this.area.left, this.area.right);
    const [y0, y1] = side(b, y, (at) => this.yAt(at), this.area.top, this.area.bottom);
    return { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
  }

  // ---- what people do

  /** The row nearest to a place, within `near` pixels; -1 for none. */
  rowAt(x, y) {
    let [best, least] = [-1, near * near];
    for (let row = 0; row < this.px.length; ++row) {
      const [dx, dy] = [this.px[row] - x, this.py[row] - y];
      const distance = dx * dx + dy * dy;
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }

  listen() {
    const { pad } = this;
    const place = (event) => {
      const { left, top } = pad.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    };
    pad.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !this.drawn.xs) return;
      [this.start] = [place(event)];
      if (event.pointerType === 'mouse') pad.setPointerCapture(event.pointerId);
    });
    pad.addEventListener('pointermove', (event) => this.move(...place(event), event));
    pad.addEventListener('pointerup', (event) => this.release(...place(event), event));
    pad.addEventListener('pointerleave', () => this.leave());
    pad.addEventListener('blur', () => this.leave());
    pad.addEventListener('keydown', (event) => this.key(event));
  }

  move(x, y, event) {
    if (this.start && event.pointerType === 'mouse') {
      const [x0, y0] = this.start;
      if (Math.abs(x - x0) + Math.abs(y - y0) < 5 && !this.drag) return;
      const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
      const [xs, ys] = [
        [x0, x].map((one) => clamp(one, this.area.left, this.area.right)),
        [y0, y].map((one) => clamp(one, this.area.top, this.area.bottom)),
      ];
      this.drag = { x: Math.min(...xs), y: Math.min(...ys), w: Math.abs(xs[1] - xs[0]), h: Math.abs(ys[1] - ys[0]) };
      this.drawMarks();
      return;
    }
    const row = this.rowAt(x, y);
    this.model.mark('hover', row);
    if (row >= 0) showTip(rowLines(this.model.set, row, this.drawn.columns), event.clientX + 14, event.clientY + 14);
    else hideTip();
  }

  release(x, y, event) {
    const { drag } = this;
    this.start = this.drag = null;
    if (drag) return this.brushed(drag);
    const row = this.rowAt(x, y);
    if (row >= 0) this.model.mark(event.shiftKey ? 'against' : 'pick', row);
    else if (this.brushBox()) this.letGo();
  }

  /** Nothing is brushed here any more. */
  letGo() {
    const { columns, onBrush } = this.drawn;
    if (onBrush) return onBrush(null, null);
    for (const column of columns ?? []) this.model.brush(column.name, null, true);
    return this.model.select();
  }

  brushed({ x, y, w, h: height }) {
    const { columns, onBrush } = this.drawn;
    const back = (pixel, scale, low, high) => scale.low + ((pixel - low) / (high - low)) * (scale.high - scale.low);
    const side = (scale, from, to, low, high) =>
      rangeBetween(scale, back(from, scale, low, high), back(to, scale, low, high));
    const rangeX = w < 8 ? null : side(this.drawn.x, x, x + w, this.area.left, this.area.right);
    const rangeY = height < 8 ? null : side(this.drawn.y, y, y + height, this.area.bottom, this.area.top);
    if (onBrush) return onBrush(rangeX, rangeY);
    if (!columns) return undefined;
    this.model.brush(columns[0].name, rangeX, true);
    this.model.brush(columns[1].name, rangeY, true);
    return this.model.select();
  }

  leave() {
    hideTip();
    this.corner = this.drag = null;
    this.model.mark('hover', -1);
  }

  /** The box of two rows, themselves within it. */
  boxOf(a, b) {
    const edge = 4; // px: what is narrower than two of them brushes nothing
    const side = (places) => [Math.min(...places) - edge, Math.abs(places[1] - places[0]) + 2 * edge];
    const [x, w] = side([this.px[a], this.px[b]]);
    const [y, height] = side([this.py[a], this.py[b]]);
    return { x, y, w, h: height };
  }

  /** One corner of a box, then the other. */
  hold(row) {
    const { corner } = this;
    this.corner = corner === null || corner === undefined ? row : null;
    this.drag = this.corner === null ? null : this.boxOf(row, row);
    if (this.corner === null) this.brushed(this.boxOf(corner, row));
    else this.drawMarks();
  }

  /** Left and right along x, Home and End; Enter picks, Shift+Enter compares, Space twice brushes, Escape clears the selection. */
  key(event) {
    const order = (this.order ??= Array.from(this.px.keys())
      .filter((row) => !Number.isNaN(this.py[row]))
      .sort((a, b) => this.px[a] - this.px[b] || a - b));
    if (order.length === 0) return;
    const at = order.indexOf(this.model.hover >= 0 ? this.model.hover : this.model.shown);
    const steps = {
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      Home: 0,
      End: order.length - 1,
    };
    if (event.key in steps) {
      const row = order[Math.min(order.length - 1, Math.max(0, steps[event.key]))];
      if (this.drag) this.drag = this.boxOf(this.corner, row);
      this.model.mark('hover', row);
      const { left, top } = this.pad.getBoundingClientRect();
      showTip(rowLines(this.model.set, row, this.drawn.columns), left + this.px[row] + 14, top + this.py[row] + 14);
    } else if (event.key === 'Enter' && this.model.hover >= 0)
      this.model.mark(event.shiftKey ? 'against' : 'pick', this.model.hover);
    else if (event.key === ' ' && this.model.hover >= 0) this.hold(this.model.hover);
    else if (event.key === 'Escape') {
      if (this.drag) this.corner = this.drag = null;
      else this.letGo();
      this.drawMarks();
    } else return;
    event.preventDefault();
  }

  update(what) {
    if (this.chart.isDisposed()) return;
    if (what === 'selection') {
      this.drawPoints();
      this.drawMarks();
    } else if (what === 'mark') this.drawMarks();
    else {
      this.order = null;
      this.redraw();
    }
  }
}

function star(context, x, y, size) {
  for (let i = 0; i < 10; ++i) {
    const [radius, angle] = [i % 2 ? size * 0.45 : size, (i * Math.PI) / 5 - Math.PI / 2];
    context[i ? 'lineTo' : 'moveTo'](x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  context.closePath();
}

function diamond(context, x, y, size) {
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

function ring(context, x, y, size) {
  context.arc(x, y, size, 0, 7);
}

function cross(context, x, y, size) {
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
}
