// SPDX-License-Identifier: Apache-2.0
// Charts on paper: one picture each. Browsers print a 2D canvas by replaying what was last drawn on it, and lose what was
// drawn before; a picture that was handed to a canvas is printed as it is.
import { h } from './dom.js';

export const onPaper = () => document.body.classList.contains('on-paper');

/** Pixels of a canvas per CSS pixel. */
export const pixelRatio = () => (onPaper() ? 2 : Math.min(2, devicePixelRatio || 1));

/** The canvases of a host, one over the other, as a picture that is seen on paper in their place; none of them on screen. */
export function pictureForPaper(host) {
  host.querySelector('.paper')?.remove();
  if (!onPaper()) return;
  const all = [...host.querySelectorAll('canvas')];
  const [width, height] = ['width', 'height'].map((side) => Math.max(...all.map((one) => one[side])));
  if (!(width > 0 && height > 0)) return;
  const picture = new OffscreenCanvas(width, height);
  const context = picture.getContext('2d');
  for (const one of all) if (one.width > 0 && one.height > 0) context.drawImage(one, 0, 0, width, height);
  const paper = h('canvas', { class: 'paper', width, height, 'aria-hidden': 'true' });
  paper.getContext('bitmaprenderer').transferFromImageBitmap(picture.transferToImageBitmap());
  host.append(paper);
}
