// The committed answers of the validator, and the committed list of gaps: an answer a line.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const RECORDED = new URL('./recorded.json', import.meta.url);
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
