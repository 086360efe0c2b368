// SPDX-License-Identifier: Apache-2.0
// The views of the page, in their order. Each: id, title, about (one line), missing(set, model) (nothing, or why it is
// empty and what to run), draw(body, model) → { update(what) }; `what` is selection, mark, options or theme.
import { answer } from './answer.js';
import { configurations } from './configurations.js';
import { everything } from './everything.js';
import { measurement } from './measurement.js';
import { memory } from './memory.js';
import { occupancy } from './occupancy.js';
import { parameters } from './parameters.js';
import { roofline } from './roofline.js';
import { search } from './search.js';
import { sizes } from './sizes.js';
import { source } from './source.js';

export const views = [
  answer,
  search,
  configurations,
  parameters,
  roofline,
  memory,
  occupancy,
  measurement,
  sizes,
  source,
  everything,
];
