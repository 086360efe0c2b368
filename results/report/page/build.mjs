// SPDX-License-Identifier: Apache-2.0
// Bundles the page: dist/page.js (our modules and Apache ECharts), dist/page.css, dist/notices.txt. `npm run build`.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url).pathname;
const read = (path) => readFileSync(here(path), 'utf8').trim();

mkdirSync(here('dist'), { recursive: true });
await build({
  entryPoints: [here('main.js')],
  outfile: here('dist/page.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome110', 'firefox115', 'safari16.4'],
  legalComments: 'none',
  charset: 'utf8',
});
await build({
  entryPoints: [here('page.css')],
  outfile: here('dist/page.css'),
  minify: true,
  target: ['chrome110', 'firefox115', 'safari16.4'],
});

// What the licences of the bundled packages ask to be kept.
const kept = [
  ['Apache ECharts', 'echarts/NOTICE'],
  ['Apache ECharts, licence', 'echarts/LICENSE'],
  ['d3 in Apache ECharts', 'echarts/licenses/LICENSE-d3'],
  ['zrender', 'zrender/LICENSE'],
  ['tslib', 'tslib/LICENSE.txt'],
];
writeFileSync(
  here('dist/notices.txt'),
  `${kept.map(([name, path]) => `==== ${name} ====\n\n${read(`node_modules/${path}`)}`).join('\n\n')}\n`,
);
