// Writes docs/protocol/index.md: every rule, the sources that decide it and the tests that show it. Also checks the rules'
// numbers: each is defined once, none is cited that does not exist, a source cites one once, and each is in the name of a test.
//   node scripts/docs/rules.mjs           writes it
//   node scripts/docs/rules.mjs --check   exits 1 if what is committed differs
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INDEX = 'docs/protocol/index.md';
/** The pages of rules, and where to look for what no source claims. */
const CHAPTERS = {
  program: 'program/src',
  market: 'packages/protocol/src/rules',
  ledger: 'packages/ledger/src',
  service: 'packages/server/src',
  agents: 'packages/agents/src',
  dashboard: 'packages/dashboard/src',
  terms: 'packages/protocol/src/rules',
};
const INSTRUCTIONS = 'program/src/instructions';
const NOT_OURS = /^(\..*|node_modules|dist|target|generated)$/;
const NUMBER = /(?<![\w-])[PMLSADT]-\d+(?![\w-])/g;
/** A rule begins a line, or an item of a list, with its number in bold. */
const DEFINITION = /^(?:- )?\*\*(?<number>[PMLSADT]-\d+)(?<bold>[^*]*)\*\*(?<text>(?:.|\n(?!\n|- |#|\|))*)/gm;

const HEAD = `# Index of the rules

<!-- Written by scripts/docs/rules.mjs from the pages of this folder and the citations in sources and tests. -->

Each rule by its first sentence, the sources that decide it, and the tests whose names cite it. \`git grep M-41\` shows the tests
by name; those that end in \`.slow\` run in the slow lane alone. Where no source cites a rule, the folder of its chapter is named.
`;

function* filesOf(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !NOT_OURS.test(entry.name)) yield* filesOf(path);
    if (entry.isFile() && /\.(ts|tsx|rs|mjs|md)$/.test(entry.name)) yield path.split(sep).join('/');
  }
}

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** The rules of a chapter: `{ number, chapter, section, sentence }`, in the order of the page. */
function rulesOf(chapter) {
  const page = read(`docs/protocol/${chapter}.md`);
  return [...page.matchAll(DEFINITION)].map(({ index, groups: { number, bold, text } }) => {
    const [, section] = [...page.slice(0, index).matchAll(/^## (\S+)/gm)].at(-1) ?? [];
    return { number, chapter, section, sentence: firstSentence(bold.trim(), text) };
  });
}

/** The title, where a rule has one, and its first sentence. A colon before a table or a list goes. */
function firstSentence(bold, text) {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const [sentence] = words.match(/^.*?\.(?= |$)|^.*/);
  return `${bold} ${sentence}`.trim().replace(' ,', ',').replace(/:$/, '').replaceAll('|', '\\|');
}

/** Numbers that a file cites: a test by a test's name, `(M-1, S-2)` or `[M-1]`, anything else anywhere. */
function citationsOf(path) {
  const text = read(path);
  if (!isTest(path)) return [...text.matchAll(NUMBER)].map(([number]) => number);
  const names = text.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  return [...names.join('\n').matchAll(/[([][PMLSADT]-\d+[^)\]]*[)\]]/g)].flatMap(([cited]) => cited.match(NUMBER));
}

const isTest = (path) => path.endsWith('.test.ts') || path.endsWith('.test.tsx');
const isSource = (path) => /^(packages|program)\/(.*\/)?src\//.test(path);

/** `confirm_leg (7)` is decided by `confirm_leg.rs`. */
function instructionOf({ section }) {
  const path = `${INSTRUCTIONS}/${section}.rs`;
  return existsSync(join(ROOT, path)) ? [path] : [];
}

function links(paths) {
  const name = (path) => basename(path).replace(/\.test\.tsx?$/, '');
  return paths
    .map((path) => `[${name(path)}](${relative(join(ROOT, 'docs/protocol'), join(ROOT, path)).split(sep).join('/')})`)
    .join(', ');
}

function row(rule, citing) {
  const sources = [...new Set([...instructionOf(rule), ...citing.filter(isSource)])];
  if (sources.length === 0) sources.push(CHAPTERS[rule.chapter]);
  return `| [${rule.number}](${rule.chapter}.md) | ${rule.sentence} | ${links(sources)} | ${links(citing.filter(isTest))} |\n`;
}

const repeats = (list) => list.filter((one, index) => list.indexOf(one) < index);

/** The faults of the numbers, a line each. */
function problemsOf(rules, citations) {
  const numbers = rules.map(({ number }) => number);
  const tested = new Set([...citations].flatMap(([path, cited]) => (isTest(path) ? cited : [])));
  const unknown = [...citations].flatMap(([path, cited]) =>
    [...new Set(cited)].filter((number) => !numbers.includes(number)).map((number) => `${path} cites ${number}`),
  );
  const repeated = [...citations].flatMap(([path, cited]) =>
    isSource(path) ? repeats(cited).map((number) => `${path} cites ${number} again`) : [],
  );
  return [
    ...repeats(numbers).map((number) => `${number} is defined twice`),
    ...repeated,
    ...numbers.filter((number) => !tested.has(number)).map((number) => `${number} is in the name of no test`),
    ...unknown.map((citation) => `${citation}, which is no rule`),
  ];
}

const rules = Object.keys(CHAPTERS).flatMap(rulesOf);
const files = [...filesOf('')].filter((path) => path !== INDEX).sort((a, b) => (a < b ? -1 : 1));
const citations = new Map(files.map((path) => [path, citationsOf(path)]));
const problems = problemsOf(rules, citations);
const citing = (number) => [...citations].filter(([, numbers]) => numbers.includes(number)).map(([path]) => path);
const page = Object.keys(CHAPTERS).map((chapter) => {
  const [, title] = read(`docs/protocol/${chapter}.md`).match(/^# (.*)$/m);
  const rows = rules.filter((rule) => rule.chapter === chapter).map((rule) => row(rule, citing(rule.number)));
  return `\n## ${title}\n\n| rule | says | decided in | shown by |\n|---|---|---|---|\n${rows.join('')}`;
});
if (!process.argv.includes('--check')) writeFileSync(join(ROOT, INDEX), HEAD + page.join(''));
else if (!existsSync(join(ROOT, INDEX)) || read(INDEX) !== HEAD + page.join('')) {
  problems.push(`${INDEX} is not current: run "node scripts/docs/rules.mjs"`);
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
