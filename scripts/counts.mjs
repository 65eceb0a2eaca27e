// `npm run counts`: how much there is, as tables: files and lines by kind and ending, exported names, short files, tests.
//   npm run counts                                       counts tests by the calls that declare them
//   npm test -- --reporter=json --outputFile=tests.json, then npm run counts -- tests.json   counts the tests that ran
// `/usr/bin/time -v npm test` tells the suite's cost in processor time.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { root } from './bootstrap.mjs';

const ENDINGS = ['.ts', '.tsx', '.mjs', '.rs', '.sql', '.css'];
const KINDS = ['source', 'tests', 'generated'];
const SHORT = 30;

const isTest = (path) => /(^|\/)tests\//.test(path) || /\.(test|check|soak)\.tsx?$/.test(path);
const kindOf = (path) => (/(^|\/)generated\//.test(path) ? 'generated' : isTest(path) ? 'tests' : 'source');

/** The files that git follows and that can be counted, with their texts. */
function files() {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  return paths
    .filter((path) => ENDINGS.includes(extname(path)))
    .map((path) => ({ path, kind: kindOf(path), text: readFileSync(join(root, path), 'utf8') }))
    .map((file) => ({ ...file, lines: file.text.split('\n').length - 1 }));
}

const sum = (list, number) => list.reduce((total, one) => total + number(one), 0);
const matches = (text, pattern) => text.match(pattern)?.length ?? 0;

/** Declarations that are exported, and names in lists of exports; `export *` counts no name. */
function exportedNames(text) {
  const declared = matches(
    text,
    /^export (default |declare )*(abstract )?(async )?(function|class|const|let|type|interface|enum) ?\*?[ \w]/gm,
  );
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names.split(','));
  return declared + lists.filter((name) => name.trim() !== '').length;
}

/** Calls of `it` and `test`; a table of cases (`it.each`) counts as one. */
const declaredTests = (text) => matches(text, /^\s*(it|test)(\.\w+)*\s*[(`]/gm);

function testsThatRan(report) {
  const { numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return [`tests that ran: ${numTotalTests} in ${testResults.length} files`];
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const line = (row) => row.map((cell, i) => String(cell)[i === 0 ? 'padEnd' : 'padStart'](widths[i])).join('  ');
  return rows.map(line).join('\n');
}

const all = files();
const counted = [...ENDINGS.map((ending) => [ending, (path) => extname(path) === ending]), ['all', () => true]];
const byKind = counted.map(([name, isOf]) => [
  name,
  ...[...KINDS, undefined].flatMap((kind) => {
    const chosen = all.filter((file) => isOf(file.path) && (kind === undefined || file.kind === kind));
    return [chosen.length, sum(chosen, ({ lines }) => lines)];
  }),
]);
const heads = ['', ...[...KINDS, 'all'].flatMap((kind) => [kind, 'lines'])];
const own = all.filter(({ path, kind }) => kind === 'source' && /^packages\/[^/]+\/src\//.test(path));
const declared = sum(all, ({ path, text }) => (path.endsWith('.test.ts') ? declaredTests(text) : 0));
const [report] = process.argv.slice(2);
process.stdout.write(
  `${[
    table([heads, ...byKind]),
    '',
    `exported names of packages: ${sum(own, ({ text }) => exportedNames(text))}`,
    `package sources under ${SHORT} lines: ${own.filter(({ lines }) => lines < SHORT).length} of ${own.length}`,
    `tests declared: ${declared} in ${all.filter(({ path }) => path.endsWith('.test.ts')).length} files`,
    ...(report === undefined ? [] : testsThatRan(report)),
  ].join('\n')}\n`,
);
