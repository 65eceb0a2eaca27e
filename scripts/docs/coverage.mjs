// Checks docs/coverage.md: every test it names must be there, by its words, in the file it links to.
//   node scripts/docs/coverage.mjs
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const PAGE = new URL('../../docs/coverage.md', import.meta.url);
/** A link to a test file followed by words of the name of a test in it, in quotes. */
const SHOWN_BY = /\]\(([^)]+\.test\.ts)\)((?:,?\s*"[^"]+")*)/g;

/** White space and escapes differ between a table and a source. */
function plain(text) {
  return text.replaceAll('\\', '').replaceAll(/\s+/g, ' ');
}

const page = await readFile(PAGE, 'utf8');
const problems = [];
for (const [, file, names] of page.matchAll(SHOWN_BY)) {
  const path = new URL(file, PAGE);
  const source = plain(await readFile(path, 'utf8').catch(() => ''));
  if (source === '') problems.push(`${file} does not exist`);
  const quoted = [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => plain(name));
  if (quoted.length === 0) problems.push(`${file} is linked without a test's name in quotes`);
  for (const name of quoted) {
    if (!source.includes(name)) problems.push(`${file} has no test "${name}"`);
  }
}
for (const [number, line] of page.split('\n').entries()) {
  const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/).slice(1, -1) : [];
  if (cells.some((cell) => cell.trim() === '')) problems.push(`line ${number + 1} has an empty cell`);
}
if (problems.length > 0) {
  console.error(problems.map((problem) => `${fileURLToPath(PAGE)}: ${problem}`).join('\n'));
  process.exitCode = 1;
}
