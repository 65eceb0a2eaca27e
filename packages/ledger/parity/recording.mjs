// The committed answers of the validator, and the committed list of gaps: an answer a line.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const RECORDED = new URL('./recorded.json', import.meta.url);
const README = new URL('../README.md', import.meta.url);
/** All of its lines. */
const TABLE = /\| \| \|\n\|---\|---\|\n\| equal \|.*(\n\|.*)*/;
const GAPS = new URL('./gaps.json', import.meta.url);

/** Among the methods, of which none has this name. */
const SALT = '.salt';

const read = (url) => (existsSync(url) ? JSON.parse(readFileSync(url, 'utf8')) : {});

/** @returns the answers by method and label, and the salt of the scene that they are about */
export function readRecorded() {
  const { [SALT]: salt = 'nothing recorded', ...answers } = read(RECORDED);
  return { salt, answers };
}

export const readGaps = () => read(GAPS);
export const writeRecorded = ({ salt, answers }) => writeFileSync(RECORDED, textOf({ ...answers, [SALT]: salt }));
export const writeGaps = (gaps) => writeFileSync(GAPS, textOf(gaps));

/** Puts the table into the ledger's README, in the place of the one that is there. */
export function writeTable(table) {
  const readme = readFileSync(README, 'utf8');
  writeFileSync(
    README,
    readme.replace(TABLE, () => table),
  );
}

/** Two levels of objects over several lines, what is inside on one. */
function textOf(byMethod) {
  const methods = Object.keys(byMethod)
    .sort()
    .map((method) => `  ${JSON.stringify(method)}: ${bodyOf(byMethod[method])}`);
  return `{\n${methods.join(',\n')}\n}\n`;
}

function bodyOf(value) {
  if (typeof value !== 'object') return JSON.stringify(value);
  const lines = Object.keys(value).map((label) => `    ${JSON.stringify(label)}: ${JSON.stringify(value[label])}`);
  return `{\n${lines.join(',\n')}\n  }`;
}
