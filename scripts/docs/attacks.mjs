// Checks docs/security/attacks.md: each test it names is there. A row names files in `code`, from the folder of tests that its
// section tells or whole paths, and after a colon the tests in them, by words of their names in quotes; "…" stands for words left out.
//   node scripts/docs/attacks.mjs
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap.mjs';

const PAGE = 'docs/security/attacks.md';
const GUARDS = 'program/tests/harness/guards.ts';

const plain = (text) => text.replaceAll('\\', '').replaceAll(/\s+/g, ' ');

/** The page leaves out the lane in a file's name. */
function pathOf(folder, file) {
  if (file.endsWith('.ts')) return file;
  const paths = ['.slow', '.property', ''].map((lane) => `${folder}/${file}${lane}.test.ts`);
  return paths.find((path) => existsSync(join(root, path))) ?? file;
}

function sourceOf(path) {
  try {
    return plain(readFileSync(join(root, path), 'utf8'));
  } catch {
    return undefined;
  }
}

/** The faults of `files: "name", "name"`. */
function problemsOf(files, names, folder) {
  const paths = files.map((file) => (file === 'every instruction' ? GUARDS : pathOf(folder, file)));
  const sources = paths.map(sourceOf);
  const missing = paths.filter((_, index) => sources[index] === undefined).map((path) => `${path} does not exist`);
  const isThere = (name) =>
    sources.some(
      (source) =>
        source &&
        plain(name)
          .split('…')
          .every((part) => source.includes(part.trim())),
    );
  return [
    ...missing,
    ...names.filter((name) => !isThere(name)).map((name) => `${paths.join(', ')}: no test "${name}"`),
  ];
}

let folder = '';
const problems = [];
for (const line of readFileSync(join(root, PAGE), 'utf8').split('\n')) {
  folder = line.match(/^Each test is under `([\w/]+)\/`/)?.[1] ?? folder;
  const cell = line.startsWith('|') ? line.split(/(?<!\\)\|/)[2] : '';
  for (const [, named, quoted] of cell.matchAll(/((?:`[\w/.]+`,? ?)+|every instruction): ((?:"[^"]+",? ?)+)/g)) {
    const files = named.includes('`') ? [...named.matchAll(/`([\w/.]+)`/g)].map(([, file]) => file) : [named];
    problems.push(
      ...problemsOf(
        files,
        [...quoted.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
        folder,
      ),
    );
  }
}
if (problems.length > 0) {
  console.error(problems.map((problem) => `${PAGE}: ${problem}`).join('\n'));
  process.exitCode = 1;
}
