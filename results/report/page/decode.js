// SPDX-License-Identifier: Apache-2.0
// From the page's data to columns: base64 of gzip of JSON, long columns as little-endian arrays.

const arrays = {
  f32: Float32Array,
  f64: Float64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
};

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The model of base64 of gzip of JSON. @throws where it is cut off or of a version that this page does not know */
export async function decodeModel(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const model = JSON.parse(await new Response(stream).text());
  if (model.version !== 1) throw new Error(`this page reads reports of version 1, not ${model.version}`);
  return model;
}

/** A packed array, or nothing for what is none. */
function packed(values) {
  for (const [word, Type] of Object.entries(arrays))
    if (typeof values[word] === 'string') return new Type(bytesOf(values[word]).buffer);
  return null;
}

/** A list of numbers in any of the forms, as an array; null and NaN are not known. */
export function decodeList(values) {
  if (!values || Array.isArray(values)) return values ?? null;
  if (!values.words) return packed(values);
  const codes = Array.isArray(values.codes) ? values.codes : packed(values.codes);
  return Array.from(codes, (code) => values.words[code] ?? null);
}

/** The codes of a column of words, -1 where there is none: a code that no word has. */
function codesOf({ words, codes }, rows) {
  const out = new Int32Array(rows).fill(-1);
  const list = Array.isArray(codes) ? codes : packed(codes);
  const many = Math.min(rows, list.length);
  for (let row = 0; row < many; ++row) if (list[row] !== null && list[row] < words.length) out[row] = list[row];
  return out;
}

function numbersOf(list, rows) {
  const out = new Float64Array(rows).fill(NaN);
  const many = Math.min(rows, list.length);
  for (let row = 0; row < many; ++row) if (list[row] !== null) out[row] = list[row];
  return out;
}

/**
 * One column: `numbers` (of words: their codes; NaN is not known), of words also `words`, and `about`, its explanation.
 * A column whose words are all numbers is a column of numbers.
 */
export function decodeColumn({ values, words: about = '', ...rest }, rows) {
  const column = { ...rest, about };
  if (values.words) {
    const codes = codesOf(values, rows);
    if (values.words.length > 0 && values.words.every((word) => typeof word === 'number'))
      return { ...column, numbers: mapped(codes, values.words) };
    return { ...column, words: values.words.map(wordOf), numbers: mapped(codes, [...values.words.keys()]) };
  }
  const list = Array.isArray(values) ? values : packed(values);
  if (Array.isArray(list) && list.some((value) => typeof value === 'string' || typeof value === 'boolean'))
    return { ...column, ...wordsOf(list, rows) };
  return { ...column, numbers: numbersOf(list, rows) };
}

/** The number of each code; NaN of none. */
function mapped(codes, numbers) {
  const out = new Float64Array(codes.length);
  for (let row = 0; row < out.length; ++row) out[row] = codes[row] < 0 ? NaN : numbers[codes[row]];
  return out;
}

const wordOf = (value) => (value === true ? 'True' : value === false ? 'False' : String(value));

function wordsOf(list, rows) {
  const words = [...new Set(list.filter((value) => value !== null).map(wordOf))];
  const codes = new Map(words.map((word, code) => [word, code]));
  const numbers = new Float64Array(rows).fill(NaN);
  list.forEach((value, row) => value !== null && (numbers[row] = codes.get(wordOf(value))));
  return { words, numbers };
}
