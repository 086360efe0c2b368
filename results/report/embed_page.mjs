// SPDX-License-Identifier: Apache-2.0
// Makes the C++ source that holds the page: node embed_page.mjs PAGE_FOLDER OUTPUT.cpp
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, output] = process.argv.slice(2);
const parts = { html: 'template.html', style: 'dist/page.css', script: 'dist/page.js', notices: 'dist/notices.txt' };
const placeholders = ['title', 'policy', 'style', 'answer', 'data', 'script', 'notices', 'live'];
const longest = 8000; // characters of one literal: compilers have limits

function checked(name, text) {
  const end = { script: /<\/script|<!--/i, notices: /<\/script|<!--/i, style: /<\/style/i }[name];
  if (end?.test(text)) throw new Error(`${parts[name]} holds what would end its element`);
  if (name === 'html')
    for (const one of placeholders)
      if (text.split(`{{${one}}}`).length !== 2) throw new Error(`template.html needs {{${one}}} once`);
  return text;
}

function literal(text) {
  const pieces = [];
  for (let at = 0; at < text.length; at += longest) pieces.push(`R"~page~(${text.slice(at, at + longest)})~page~"`);
  return `${pieces.length > 0 ? pieces.join('\n') : '""'}sv`; // its length is known without counting
}

const fields = Object.entries(parts).map(([name, file]) => {
  const text = checked(name, readFileSync(join(folder, file), 'utf8'));
  if (text.includes(')~page~"')) throw new Error(`${file} holds the end of a literal`);
  return { name, text };
});
writeFileSync(output, `// Made by embed_page.mjs of results/report/page.
#include "gridsmith/results/report/page_text.hpp"

namespace gridsmith {

using namespace std::string_view_literals;

const PageText& page_text() {
  static constexpr PageText text{
${fields.map(({ name, text }) => `.${name} = ${literal(text)}`).join(',\n')}};
  return text;
}

} // namespace gridsmith
`);
