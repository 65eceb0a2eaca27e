/// <reference lib="dom" />
import { type Asset, formatAmount, formatUnits, SOL } from '@legwork/sdk';

/**
 * What pages say, in the language of who reads. English stands in the sources, in ICU's MessageFormat; the build
 * compiles it, and asks a catalogue of `languages/` by it. Rule D-99.
 */

/** A message in a table, made while the page loads: it becomes text when `t` or `rich` says it. */
export interface Message {
  readonly [marked]: never;
}
declare const marked: unique symbol;

/** As the build compiles it. */
type Compiled = string | readonly Part[];
type Part = string | typeof COUNT | readonly [name: string, ...rest: unknown[]];
type Branches = Readonly<Record<string, Part | readonly Part[]>>;
const [COUNT, SELECT, PLURAL] = [0, 1, 2] as const;

const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
const KEPT = 'language';

const isLanguage = (value: string | null | undefined): value is Language => Object.hasOwn(LANGUAGES, value ?? '');

/** What was chosen here, else the first of the browser's languages that these pages speak. */
function preferred(): Language {
  if (typeof document === 'undefined') return 'en';
  try {
    const kept = localStorage.getItem(KEPT);
    if (isLanguage(kept)) return kept;
  } catch {
    // Not every browser lets a page keep something.
  }
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** A page speaks one language from its first line to its last. */
export let language = preferred();

let catalogue: Readonly<Record<string, Compiled>> = {};
/** Sentences that come with their values in them, such as what a move does. */
let told: readonly (readonly [pattern: RegExp, compiled: Compiled])[] = [];

/**
 * Reads what the page will say; nothing is shown before. Without its catalogue a page speaks English.
 *
 * @param wanted a language tag of who shows the page to somebody; left out: what was chosen here, or the browser's
 */
export async function speak(wanted?: string): Promise<void> {
  const asked = wanted?.slice(0, 2);
  if (isLanguage(asked)) language = asked;
  if (language === 'de') {
    const read = await import('messages:de').catch(() => undefined);
    if (read === undefined) language = 'en';
    else ({ catalogue, told } = read);
  }
  locale = [wanted ?? '', ...navigator.languages].find((tag) => tag.startsWith(language)) ?? language;
  document.documentElement.lang = language;
}

/** For dates and numbers: with the reader's country where it is of the same language. */
export let locale: string = language;

/** Names the language that this page does not speak, in itself. */
export const otherLanguage = (): readonly [Language, string] => {
  const other = language === 'en' ? 'de' : 'en';
  return [other, LANGUAGES[other]];
};

/** Shows the page again in another language, and from now on every page. */
export function choose(other: Language): void {
  try {
    localStorage.setItem(KEPT, other);
  } catch {
    return;
  }
  location.reload();
}

/** Marks a message in a table. */
export const m = (english: string): Message => english as unknown as Message;

/**
 * A message in the reader's language. @param values by the names in it; numbers decide its plural
 * @example t('{count, plural, one {# leg} other {# legs}} of {title}', { count: 2, title: 'a vase' })
 */
export function t(message: string | Message, values: Readonly<Record<string, string | number>> = {}): string {
  return partsOf(inLanguage(message), values).join('');
}

/**
 * The same with elements: as values, and around what stands between tags.
 * @example rich('{courier} accepts <rules>the rules</rules>.', { courier: <AgentLink … />, rules: (text) => <a …>{text}</a> })
 */
export function rich<Element>(
  message: string | Message,
  values: Readonly<Record<string, RichValue<Element>>>,
): Element {
  return partsOf(inLanguage(message), values) as Element;
}
type RichValue<Element> = Element | string | number | ((inside: Element) => Element);

function inLanguage(message: string | Message): Compiled {
  const english = message as unknown as Compiled;
  if (typeof english !== 'string') return catalogue[JSON.stringify(english)] ?? english;
  return catalogue[english] ?? toldIn(english) ?? english;
}

/** A sentence that another package has put together. Where it holds a sentence, the value's name begins with `said`. */
function toldIn(english: string): string | undefined {
  for (const [pattern, compiled] of told) {
    const values = pattern.exec(english)?.groups;
    if (values === undefined) continue;
    const own = Object.entries(values).map(([name, value]) => [
      name,
      name.startsWith('said') ? t(value) : /^[\d.]+ \S+$/.test(value) ? withMark(value) : value,
    ]);
    return partsOf(compiled, Object.fromEntries(own)).join('');
  }
  return undefined;
}

function partsOf(message: Compiled | Part, values: Readonly<Record<string, unknown>>, count = 0): unknown[] {
  if (typeof message === 'string') return [message];
  if (message === COUNT) return [count.toLocaleString(locale)];
  return (message as readonly Part[]).flatMap((part) => {
    if (typeof part === 'string' || part === COUNT) return partsOf(part, values, count);
    const [name, kind, ...rest] = part;
    const value = values[name];
    if (kind === undefined) return [value];
    if (kind === SELECT) return partsOf(branchOf(rest[0] as Branches, String(value)), values, count);
    if (kind === PLURAL) {
      const many = Number(value);
      const branches = rest[0] as Branches;
      const form = `=${many}` in branches ? `=${many}` : new Intl.PluralRules(language).select(many);
      return partsOf(branchOf(branches, form), values, many);
    }
    const inside = partsOf([kind, ...rest] as Part[], values, count);
    return [(value as (inside: unknown) => unknown)(inside)];
  });
}

const branchOf = (branches: Branches, name: string): Part | readonly Part[] =>
  branches[name] ?? branches['other'] ?? '';

/** An amount with its unit, exact, with the reader's decimal mark: in German, 1.234 is a thousand and more. */
export const amountIn = (amount: bigint, of: Asset): string => withMark(formatAmount(amount, of));

/** The same without its unit. @param decimals of the asset */
export const figureIn = (amount: bigint, decimals: number = SOL.decimals): string =>
  withMark(formatUnits(amount, decimals));

const withMark = (told: string): string => (language === 'de' ? told.replace('.', ',') : told);
