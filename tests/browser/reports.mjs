// SPDX-License-Identifier: Apache-2.0
// Reports that the program writes, and what is read back from them.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeModel } from '../../results/report/page/decode.js';

const catalogue = fileURLToPath(new URL('../../kernels/catalogue', import.meta.url));

/** All recordings that ship. */
export function recordings() {
  const files = readdirSync(catalogue, { recursive: true }).filter((path) => path.endsWith('.json.gz'));
  return files.sort().map((path) => join(catalogue, path));
}

/** The same recording with nothing counted, and nothing known of the compiled code. */
function uncounted(recording, folder) {
  const json = JSON.parse(gunzipSync(readFileSync(recording)));
  json.counters = [];
  for (const row of json.rows) {
    delete row.counters;
    delete row.compile_facts;
  }
  const file = join(folder, 'uncounted.json');
  writeFileSync(file, JSON.stringify(json));
  return file;
}

/** { all, one, uncounted, oneRecording }: files of all recordings in one report, of transpose 8192x8192 alone, and without counters. */
export function makeReports(gridsmith, folder) {
  const report = (name, inputs) => {
    const file = join(folder, name);
    execFileSync(gridsmith, ['report', ...inputs, '-o', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    return file;
  };
  const oneRecording = recordings().find((path) => path.includes('transpose/recordings/8192x8192'));
  return {
    all: report('all.html', recordings()),
    one: report('one.html', [oneRecording]),
    uncounted: report('uncounted.html', [uncounted(oneRecording, folder)]),
    oneRecording,
  };
}

const dataOf = /(<script type="text\/plain" id="data">)([^<]*)(<\/script>)/;

/** The model that a report holds. */
export const modelOf = (file) => decodeModel(dataOf.exec(readFileSync(file, 'utf8'))[2]);

/** A report's page with other data. @param data base64 */
export const withData = (file, data) =>
  readFileSync(file, 'utf8').replace(dataOf, (_, before, __, after) => before + data + after);

/** Rows of a CSV as objects. */
export function readCsv(text) {
  const rows = [];
  let [row, cell, quoted] = [[], '', false];
  const endCell = () => (row.push(cell), (cell = ''));
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') ((cell += '"'), ++i);
    else if (c === '"') quoted = !quoted;
    else if (c === ',' && !quoted) endCell();
    else if (c === '\n' && !quoted) (endCell(), rows.push(row), (row = []));
    else if (c !== '\r' || quoted) cell += c;
  }
  const [head, ...lines] = rows;
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

export const exportCsv = (gridsmith, recording) =>
  readCsv(execFileSync(gridsmith, ['export', 'csv', recording], { maxBuffer: 1 << 28 }).toString());
