// SPDX-License-Identifier: Apache-2.0
// The page: decodes the report, draws its views as they come into sight, and keeps them and the address in step.
import { decodeModel } from './decode.js';
import { h, segments } from './dom.js';
import { date } from './format.js';
import { inspector } from './inspector.js';
import { followLive } from './live.js';
import { Model } from './model.js';
import { overview } from './overview.js';
import { setTheme } from './theme.js';
import { startTips } from './tip.js';
import { toolbar } from './toolbar.js';
import { views } from './views/views.js';

/** One view: its heading and body; drawn when it comes near the window, then told of changes while it is in sight. */
class Section {
  constructor(view, model) {
    Object.assign(this, { view, model, drawn: null, late: new Set() });
    this.body = h('div', { class: 'body' });
    this.element = h(
      'section',
      { id: view.id, 'aria-labelledby': `${view.id}-title` },
      h('header', {}, h('h2', { id: `${view.id}-title` }, view.title), view.about && h('p', {}, view.about)),
      this.body,
    );
  }
  /** Empty again; of another set. */
  reset() {
    this.drawn = null;
    this.late.clear();
    if (this.inSight) this.draw();
  }
  draw() {
    const missing = this.view.missing(this.model.set, this.model);
    if (missing) {
      const [why, run] = missing;
      this.body.replaceChildren(h('p', { class: 'empty' }, why, ' ', h('code', {}, run)));
      this.drawn = { update() {} };
    } else this.drawn = this.view.draw(this.body, this.model);
  }
  see(inSight) {
    this.inSight = inSight;
    if (!inSight) return;
    if (!this.drawn) this.draw();
    for (const what of this.late) this.drawn.update(what);
    this.late.clear();
  }
  update(what) {
    if (!this.drawn) return;
    if (this.inSight) this.drawn.update(what);
    else this.late.add(what);
  }
}

class Page {
  constructor(raw) {
    this.model = new Model(raw);
    this.sections = views.map((view) => new Section(view, this.model));
    this.header = h('header', { class: 'top' });
    this.tools = h('div', { class: 'tools', role: 'search' });
    this.side = h('aside', { 'aria-label': 'Configurations A and B' });
    this.first = h('div', {});
    this.nav = h(
      'nav',
      { 'aria-label': 'Views' },
      views.map((view) =>
        h('a', { href: `#${view.id}`, onclick: (event) => (event.preventDefault(), this.go(view.id)) }, view.title),
      ),
    );
    document.body.replaceChildren(
      h(
        'a',
        { class: 'skip', href: '#main', onclick: (event) => (event.preventDefault(), this.main.focus()) },
        'Skip to the views',
      ),
      this.header,
      (this.bar = h('div', { class: 'bar' }, this.nav, this.tools)),
      (this.main = h(
        'main',
        { id: 'main', tabindex: -1 },
        this.first,
        this.sections.map((one) => one.element),
      )),
      this.side,
      this.footer(),
    );
    this.drawTools = toolbar(this.tools, this.model);
    this.drawSide = inspector(this.side, this.model);
    this.listen();
    this.model.fromAddress(location.hash.slice(1));
  }

  go(id) {
    document
      .getElementById(id)
      .scrollIntoView({ behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  }

  listen() {
    const { model } = this;
    model.addEventListener('set', () => this.changed());
    for (const what of ['selection', 'mark', 'options'])
      model.addEventListener(what, () => {
        for (const section of this.sections) section.update(what);
        if (what !== 'mark') this.drawTools();
        if (what === 'mark') this.drawSide();
        this.keepAddress();
      });
    model.addEventListener('address', () => this.keepAddress());
    document.addEventListener('theme', () => {
      this.sections.forEach((section) => section.update('theme'));
      this.drawTools();
    });
    const seen = new IntersectionObserver(
      (all) =>
        all.forEach((one) => this.sections.find((section) => section.element === one.target).see(one.isIntersecting)),
      { rootMargin: '300px' },
    );
    for (const section of this.sections) seen.observe(section.element);
    this.followNav();
    // The bar grows with what is selected: what scrolls to the top, and the side, stay below it.
    new ResizeObserver(() =>
      document.documentElement.style.setProperty('--bar', `${Math.ceil(this.bar.getBoundingClientRect().height)}px`),
    ).observe(this.bar);
    addEventListener('hashchange', () => model.fromAddress(location.hash.slice(1)));
    let [onScreen, closed] = ['auto', []];
    addEventListener('beforeprint', () => {
      onScreen = document.documentElement.dataset.theme ?? 'auto';
      setTheme('light'); // paper is
      document.body.classList.add('on-paper'); // as wide as paper, so that charts are drawn to fit
      this.drawAll();
      this.finishDrawing();
      closed = [...document.querySelectorAll('#answer details:not([open])')];
      for (const one of closed) one.open = true;
    });
    addEventListener('afterprint', () => {
      document.body.classList.remove('on-paper');
      for (const one of closed) one.open = false;
      this.finishDrawing();
      setTheme(onScreen);
    });
  }

  /** The view that is being read is marked in the list of views. */
  followNav() {
    const links = new Map([...this.nav.children].map((link) => [link.getAttribute('href').slice(1), link]));
    const observer = new IntersectionObserver(
      (all) => all.forEach((one) => links.get(one.target.id).toggleAttribute('data-now', one.isIntersecting)),
      { rootMargin: '-45% 0px -50% 0px' },
    );
    for (const section of this.sections) observer.observe(section.element);
  }

  /** Another set, or the same with more rows. */
  changed() {
    const { model } = this;
    document.title = `${model.set.title} on ${model.set.device.name}`;
    this.drawHeader();
    this.drawOverview();
    this.drawTools();
    this.drawSide();
    for (const section of this.sections) section.reset();
    this.keepAddress();
  }

  /** Of new sets anew; else the one that is shown is marked, and the table stays where it was scrolled to. */
  drawOverview() {
    const { model } = this;
    if (this.overview?.sets === model.sets) return this.overview.draw();
    this.overview = model.sets.length > 1 && overview(model, (i) => (model.choose(i), this.go('answer')));
    return this.first.replaceChildren(this.overview ? this.overview.element : '');
  }

  drawHeader() {
    const { model } = this;
    const { set } = model;
    const themes = [
      ['auto', 'Auto'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ];
    const theme = document.documentElement.dataset.theme ?? 'auto';
    this.header.replaceChildren(
      h(
        'div',
        {},
        h('h1', {}, set.kernel, h('span', {}, ` ${set.problem}`)),
        h('p', {}, [set.replayed && 'replayed', set.device.name, set.conditions, date(set.date)].filter(Boolean).join(' · ')),
      ),
      h(
        'div',
        { class: 'controls' },
        this.live ?? null,
        segments('Colours', themes, theme, setTheme),
      ),
    );
  }

  footer() {
    const { raw } = this.model;
    return h(
      'footer',
      {},
      h('p', {}, [raw.program, raw.written && `written ${date(raw.written)}`, raw.command].filter(Boolean).join(' · ')),
      h(
        'p',
        {},
        'A is what a click picks, B what shift-click picks. Pictures by Apache ECharts (Apache 2.0); notices are in this file.',
      ),
    );
  }

  keepAddress() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      const address = this.model.toAddress();
      if (address !== location.hash.slice(1))
        history.replaceState(null, '', address ? `#${address}` : location.pathname + location.search);
    }, 50);
  }

  /** All views, in sight or not; for print. */
  drawAll() {
    for (const section of this.sections) section.see(true);
  }

  /** Charts at the size that they have now, with nothing left for a later frame: there is none before paper. */
  finishDrawing() {
    for (const chart of document.querySelectorAll('.plot, .parallel, .grid')) chart.dispatchEvent(new Event('paper'));
  }

  /** A newer model of a run that goes on. */
  take(raw) {
    this.model.take(raw);
    this.changed();
  }
}

async function start() {
  const data = document.getElementById('data').textContent;
  const live = document.body.dataset.live;
  startTips();
  let page = null;
  const show = (raw) => (page ? page.take(raw) : (page = window.gridsmith = new Page(raw))); // named for the console and tests
  if (data.trim()) show(await decodeModel(data));
  if (live) followLive(live, show, () => page);
  document.documentElement.dataset.ready = 'yes';
}

start().catch((error) =>
  document
    .querySelector('main')
    ?.prepend(
      h('p', { class: 'error', role: 'alert' }, `The pictures of this report cannot be shown: ${error.message}`),
    ),
);
