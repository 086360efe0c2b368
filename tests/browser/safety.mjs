// SPDX-License-Identifier: Apache-2.0
// Names, logs and sources are data: no script of theirs runs, and the page's policy refuses script that gets in anyway.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { modelOf, withData } from './reports.mjs';

const hostile =
  '</script><script>window.ran = 1</script><img src=x onerror="window.ran = 2"><a href="javascript:window.ran=3">=cmd|!A1 {{data}} <!--';

/** Every text of a model becomes hostile, as a definition, a log or a recording from elsewhere could have it. */
function poisoned(value, key = '') {
  if (typeof value === 'string')
    return ['kind', 'name', 'f32', 'u8', 'u16', 'u32', 'id', 'unit'].includes(key) ? value : hostile + value;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, key));
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, name)]));
  return value;
}

export async function checkSafety({ check, reports, open, folder }) {
  const model = poisoned(await modelOf(reports.one));
  model.sets[0].columns.find((column) => column.kind === 'parameter').name = hostile;
  const long = 'x'.repeat(1 << 20) + hostile;
  model.sets[0].source = { file: hostile, text: `${hostile}\n${long}`, lines: [{ line: 1, words: hostile }] };
  const file = join(folder, 'hostile.html');
  writeFileSync(file, withData(reports.one, gzipSync(JSON.stringify(model)).toString('base64')));
  const { page, noise } = await open(file);
  await page.evaluate(() => window.gridsmith.drawAll());
  await page.evaluate(() =>
    document
      .querySelectorAll('[data-words]')
      .forEach((one) => one.dispatchEvent(new Event('mouseover', { bubbles: true }))),
  );
  const found = await page.evaluate(() => ({
    ran: window.ran,
    images: document.images.length,
    links: [...document.querySelectorAll('a')].filter((one) => one.href.startsWith('javascript:')).length,
    text: document.body.textContent.includes('window.ran = 1'),
  }));
  check(
    found.ran === undefined && found.images === 0 && found.links === 0 && found.text,
    `hostile texts are shown as texts and run nothing (${JSON.stringify(found)})`,
  );
  check(noise.length === 0, `and nothing was asked of the network${noise.length ? `: ${noise[0]}` : ''}`);
  await checkPolicy(check, page, noise);
  await page.close();
}

/** What gets in is refused: inline script, an image from elsewhere, a request. */
async function checkPolicy(check, page, noise) {
  const refused = await page.evaluate(async () => {
    const events = [];
    document.addEventListener('securitypolicyviolation', (event) => events.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.ran = 4';
    const image = document.createElement('img');
    image.src = 'https://example.org/x.png';
    document.body.append(script, image);
    await fetch('https://example.org/').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { ran: window.ran, events };
  });
  const all = ['script-src-elem', 'img-src', 'connect-src'];
  check(
    refused.ran === undefined && all.every((one) => refused.events.includes(one)),
    `the policy refuses ${refused.events.join(', ')}`,
  );
  check(
    noise.every((one) => !one.startsWith('request: https')),
    'no request left the page',
  );
}
