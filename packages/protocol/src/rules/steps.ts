/** A line that may be an item of a list: where it starts, how far it is indented, its number if it has one. */
interface Item {
  readonly start: number;
  readonly indentation: string;
  readonly number: number;
}

const NUMBERED = /^([ \t]*)(?:step[ \t]+)?\(?(\d{1,4})[.):][ \t]+\S/gim;
const BULLETED = /^([ \t]*)[-*•][ \t]+\S/gm;
const PARAGRAPH_BREAK = /(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*/g;
/** A line that ends in a colon announces material to work on, not work. */
const ANNOUNCEMENT = /[:：][ \t]*[\r\n]/;

const ORDER = String.raw`(?:then|finally|lastly|afterwards?|after\s+(?:that|this))\b`;
const OPENING = String.raw`(?:${ORDER}|next\b|(?:second|third|fourth|last)(?:ly)?,)`;
/** The text before a word of order: the end of a sentence or a line, a comma or a semicolon; before "and then" a space will do. */
const TURN = new RegExp(
  String.raw`(?:(?:[.!?]["')\]]*\s+|[\r\n][ \t]*)(?=(?:and\s+)?${OPENING})|[,;]\s+(?=(?:and\s+)?${ORDER})|\s(?=and\s+then\b))`,
  'giu',
);
/** In a sentence with one of these, "then" tells a consequence. */
const CONDITION = /\b(?:if|when|whenever|once|unless)\b/iu;

/**
 * Where the items of a list start, the first of them with what stands before it. Lines numbered from 1 on are its items, else lines
 * with bullets; all are indented as the first. Rule M-51.
 *
 * @returns offsets, the first of them 0
 */
export function itemStarts(text: string): number[] {
  const numbered = itemsOf(text, NUMBERED);
  const first = numbered.findIndex(({ number }) => number === 1);
  const inOrder = alike(numbered.slice(Math.max(first, 0))).reduce<Item[]>(
    (list, item) => (item.number === list.length + 1 ? [...list, item] : list),
    [],
  );
  const items = inOrder.length > 1 ? inOrder : alike(itemsOf(text, BULLETED));
  return [0, ...items.slice(1).map(({ start }) => start)];
}

/** Where paragraphs start, up to the material. @returns offsets, the first of them 0 */
export function paragraphStarts(text: string): number[] {
  const work = workIn(text);
  const breaks = [...work.matchAll(PARAGRAPH_BREAK)].map((match) => match.index + match[0].length);
  return afterWords(text, breaks);
}

/**
 * Where a word of order (then, next, finally, after that, …) opens another step, up to the material.
 *
 * @returns offsets, the first of them 0
 */
export function turnStarts(text: string): number[] {
  const turns = [...workIn(text).matchAll(TURN)].map((match) => match.index + match[0].length);
  return afterWords(text, turns).filter((start) => start === 0 || !CONDITION.test(sentenceBefore(text, start)));
}

function itemsOf(text: string, form: RegExp): Item[] {
  return [...text.matchAll(form)].map(({ index, 1: indentation = '', 2: number }) => ({
    start: index,
    indentation,
    number: Number(number),
  }));
}

function alike(items: readonly Item[]): Item[] {
  return items.filter(({ indentation }) => indentation === items[0]?.indentation);
}

function workIn(text: string): string {
  const { index = text.length } = ANNOUNCEMENT.exec(text) ?? {};
  return text.slice(0, index).trimEnd();
}

/** A step before which there is nothing but space is the first one. */
function afterWords(text: string, starts: readonly number[]): number[] {
  return [0, ...starts.filter((start) => text.slice(0, start).trim() !== '')];
}

function sentenceBefore(text: string, end: number): string {
  return (
    text
      .slice(0, end)
      .split(/[.!?]["')\]]*\s|[\r\n]/)
      .at(-1) ?? ''
  );
}
