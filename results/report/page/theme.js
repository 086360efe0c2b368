// SPDX-License-Identifier: Apache-2.0
// The colours of the page's style sheet, for what is drawn on canvas. Roles never differ by colour alone: the best is a
// star, the default a diamond, ties are rings, failures crosses.

const names = [
  'ink',
  'muted',
  'line',
  'surface',
  'cloud',
  'faded',
  'selected',
  'best',
  'default',
  'tied',
  'failed',
  'accent',
  'series1',
  'series2',
  'series3',
  'series4',
];

let now = null;

export function colours() {
  if (now) return now;
  const style = getComputedStyle(document.documentElement);
  now = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return now;
}

/** Light and dark: 'auto' follows the system. Everything drawn listens to 'theme' of the document. */
export function setTheme(word) {
  if (word === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = word;
  now = null;
  document.dispatchEvent(new Event('theme'));
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  now = null;
  document.dispatchEvent(new Event('theme'));
});

/** "#rrggbb" as a pixel of little-endian RGBA. */
export function pixelOf(colour) {
  const rgb = parseInt(colour.slice(1), 16);
  return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

/** Shares 0 … 1 from pale to strong, readable in grey too. @return "#rrggbb" */
export function ramp(share, dark) {
  const stops = dark ? ['#20262d', '#1d4a6b', '#2a7fb0', '#7cc4ee'] : ['#f4f6f8', '#bcd9ec', '#5a9fcb', '#00588f'];
  const at = Math.min(Math.max(share, 0), 0.9999) * (stops.length - 1);
  const [a, b] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
  const mix = (from) =>
    Math.round(
      parseInt(a.slice(from, from + 2), 16) * (1 - (at % 1)) + parseInt(b.slice(from, from + 2), 16) * (at % 1),
    );
  return `#${[1, 3, 5].map((from) => mix(from).toString(16).padStart(2, '0')).join('')}`;
}

export const isDark = () => getComputedStyle(document.documentElement).colorScheme === 'dark';

/** Black or white, whichever is read on this colour (relative luminance of WCAG 2). */
export function inkOn(colour) {
  const channel = (from) => {
    const value = parseInt(colour.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5) > 0.179 ? '#000000' : '#ffffff';
}
