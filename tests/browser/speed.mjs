// SPDX-License-Identifier: Apache-2.0
// Figures of a report of 100,000 configurations and 30 columns, and of the smallest kind: size and seconds are printed;
// sizes and the exactness of the selection are checked, seconds depend on the machine.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { modelOf, withData } from './reports.mjs';

const packed = (values) => ({ f32: Buffer.from(Float32Array.from(values).buffer).toString('base64') });

/** Numbers that do not compress, the same each time (xorshift). */
function* noise(state = 88172645) {
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield (state >>> 0) / 2 ** 32;
  }
}

/** A set of `rows` rows of the kind of another: 8 parameters, times and rates and metrics up to 30 columns. */
function madeUp(model, rows) {
  const random = noise();
  const next = () => random.next().value;
  const list = (of) => Array.from({ length: rows }, (_, row) => of(row));
  const column = (name, kind, unit, of) => ({ name, kind, unit, values: packed(list(of)) });
  const coded = (name, words) => ({
    name,
    kind: 'parameter',
    unit: '',
    values: { words, codes: { u8: Buffer.from(list(() => Math.floor(next() * words.length))).toString('base64') } },
  });
  const times = list(() => 0.1 * 50 ** (next() * next()));
  const best = times.indexOf(Math.min(...times.slice(0, 1e5)));
  const columns = [
    ...Array.from({ length: 8 }, (_, i) => coded(`P${i}`, [1, 2, 4, 8, 16])),
    {
      name: 'status',
      kind: 'result',
      unit: '',
      values: { words: ['correct'], codes: { u8: Buffer.alloc(rows).toString('base64') } },
    },
    { name: 'time_ms', kind: 'time', unit: 'ms', values: packed(times) },
    column('order', 'order', '', (row) => row),
    column('at_s', 'order', 's', (row) => row / 100),
    column('registers', 'compile', '', () => 16 + Math.floor(next() * 200)),
    column('effective_gb_per_s', 'rate', 'GB/s', (row) => 400 / times[row]),
    column('dram_gb_per_s', 'rate', 'GB/s', (row) => (400 / times[row]) * (1 + next())),
    column('dram_bytes', 'metric', 'B', () => 5e8 * (1 + next())),
    ...Array.from({ length: 14 }, (_, i) => column(`counter_${i}`, 'counter', '', next)),
  ];
  const { id, kernel, problem, device, peaks, workload, occupancy_limits } = model.sets[0];
  return {
    ...model,
    sets: [
      {
        id,
        kernel,
        problem,
        device,
        peaks,
        workload,
        occupancy_limits,
        rows,
        columns,
        runs: [],
        answer: { row: best, default_row: 0, worst_row: null, tied: [], sentences: [], findings: [] },
        timeline: [],
      },
    ],
    families: [],
  };
}

/** Milliseconds of the page's main thread that `act` costs, until all is painted: what others do on the machine does not count. */
async function costOf(page, session, act) {
  const busy = async () =>
    (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration').value;
  const before = await busy();
  const start = Date.now();
  await act();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  return { busy: Math.round(1e3 * ((await busy()) - before)), wall: Date.now() - start };
}

async function figures(check, open, file, rows, mostBytes) {
  const bytes = statSync(file).size;
  check(bytes <= mostBytes, `${rows} configurations: ${(bytes / 1e6).toFixed(1)} MB of at most ${mostBytes / 1e6}`);
  const { page, noise: said } = await open(file, { script: true, hash: '#blank' });
  const session = await page.createCDPSession();
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const first = await costOf(page, session, async () => {
    await page.reload();
    await page.waitForFunction('document.documentElement.dataset.ready');
  });
  await page.evaluate(() => window.gridsmith.drawAll()); // every view is drawn, as if in sight
  const brushes = [];
  for (const high of [2, 0.3, 0.6])
    brushes.push(
      await costOf(page, session, () =>
        page.evaluate((ms) => window.gridsmith.model.brush('time_ms', { low: 0.15, high: ms }), high),
      ),
    );
  const brush = brushes.sort((a, b) => a.busy - b.busy)[1];
  const exact = await page.evaluate(() => {
    const { set, selected } = window.gridsmith.model;
    return selected === set.fact('time_ms').numbers.filter((ms) => ms >= 0.15 && ms <= 0.6).length;
  });
  const filter = await costOf(page, session, () =>
    page.evaluate(() => window.gridsmith.model.setFilter('registers <= 64 and time_ms < 1')),
  );
  check(
    exact && said.length === 0,
    `${rows} configurations: first view ${first.busy} ms, a brush to all views ${brush.busy} ms (of three), filter ${filter.busy} ms of the main thread (${first.wall}, ${brush.wall}, ${filter.wall} ms on the clock)`,
  );
  await page.close();
}

export async function checkSpeed({ check, reports, open, folder }) {
  const model = await modelOf(reports.one);
  const file = join(folder, 'large.html');
  writeFileSync(file, withData(reports.one, gzipSync(JSON.stringify(madeUp(model, 100000))).toString('base64')));
  await figures(check, open, reports.one, model.sets[0].rows, 2.5e6);
  await figures(check, open, file, 100000, 15e6);
}
