// Checks the numbers of rules: each is defined once in docs/protocol, and every one that sources or pages cite is defined there.
//   node scripts/docs/citations.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RULES = join(ROOT, 'docs/protocol');
const NOT_OURS = /^(\..*|node_modules|dist|target)$/;
const READ = /\.(ts|tsx|rs|mjs|md)$/;
const NUMBER = /(?<![\w-])[PMLS]-\d+(?![\w-])/g;
/** A rule begins a line, or an item of a list, with its number in bold. */
const DEFINITION = /^(?:- )?\*\*([PMLS]-\d+)\b/gm;

function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !NOT_OURS.test(entry.name)) yield* filesOf(path);
    if (entry.isFile() && READ.test(entry.name)) yield path;
  }
}

const problems = [];
const defined = new Set();
for (const page of filesOf(RULES)) {
  for (const [, number] of readFileSync(page, 'utf8').matchAll(DEFINITION)) {
    if (defined.has(number)) problems.push(`${relative(ROOT, page)} defines ${number} a second time`);
    defined.add(number);
  }
}
for (const path of filesOf(ROOT)) {
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    for (const [number] of line.matchAll(NUMBER)) {
      if (!defined.has(number)) problems.push(`${relative(ROOT, path)}:${index + 1} cites ${number}, which is no rule`);
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
