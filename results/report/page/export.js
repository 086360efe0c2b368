// SPDX-License-Identifier: Apache-2.0
// The selection as CSV (RFC 4180) and JSON.

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Formulas of spreadsheets are defused: text that begins like one gets an apostrophe. */
const harmless = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function cell(column, row) {
  const value = column.raw(row);
  return value === null ? '' : quoted(typeof value === 'string' ? harmless(value) : String(value));
}

/** @param columns what is written, in this order. A row's number comes first, as the page counts them */
export function toCsv(set, rows, columns) {
  const lines = [['row', ...columns.map((column) => quoted(column.name))].join(',')];
  for (const row of rows) lines.push([set.numberOf(row), ...columns.map((column) => cell(column, row))].join(','));
  return `${lines.join('\r\n')}\r\n`;
}

export function toJson(set, rows, columns) {
  const all = rows.map((row) => ({
    row: set.numberOf(row),
    ...Object.fromEntries(columns.map((column) => [column.name, column.raw(row)])),
  }));
  return `${JSON.stringify({ kernel: set.kernel, problem: set.problem, device: set.device.name, rows: all }, null, 1)}\n`;
}
