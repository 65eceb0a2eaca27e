import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { t } from '../src/language.js';
import {
  catalogueOf,
  inOrder,
  isTold,
  messagesIn,
  namesOf,
  type Node,
  parsed,
  SHELL,
  textOf,
  patternOf,
} from '../messages.js';

const PACKAGES = join(import.meta.dirname, '../..');
const sourcesOf = (folder: string) =>
  readdirSync(join(PACKAGES, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .map((path) => ({ path: join(folder, path), code: readFileSync(join(PACKAGES, folder, path), 'utf8') }));

const pages = sourcesOf('dashboard/src');
const said = pages.flatMap(({ path, code }) => messagesIn(code, path).map(({ text }) => text));
const german: Record<string, string> = JSON.parse(readFileSync(catalogueOf('de'), 'utf8'));

test('(D-99) every message of the pages has its German, with the same values and tags', () => {
  expect(said.filter((text) => !(text in german))).toEqual([]);
  const other = Object.entries(german).filter(([text, own]) => namesOf(text).join() !== namesOf(own).join());
  expect(other).toEqual([]);
});

test('(D-99) a catalogue has nothing but what pages say, or what they show of our other packages and of the shell of the exit', () => {
  const known = new Set(said);
  const elsewhere = ['protocol', 'sdk', 'program-client']
    .flatMap((name) => sourcesOf(`${name}/src`))
    .map(({ code }) => code)
    .concat(readFileSync(SHELL, 'utf8'))
    .join('\n');
  expect(Object.keys(german).filter((text) => !known.has(text) && !isTold(text, elsewhere))).toEqual([]);
});

test('(D-99) each sentence that another package puts together is found as itself, and no other as it', () => {
  const known = new Set(said);
  const told = inOrder(Object.keys(german).filter((text) => !known.has(text) && namesOf(text).length > 0));
  expect(told.length).toBeGreaterThan(50);
  // As the build writes it.
  const patterns = told.map((text) => [text, new RegExp(patternOf(text).slice(1, -3), 'su')] as const);
  const found = (text: string) => patterns.find(([, pattern]) => pattern.test(text))?.[0];
  const filled = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name.startsWith('said') ? 'so it is' : '0.25 SOL'));
  expect(told.filter((text) => found(filled(text)) !== text)).toEqual([]);
});

test('(D-99) no message is said while its module loads, when the language is not known yet', () => {
  expect(pages.flatMap(({ path, code }) => saidEarly(parsed(code, path)).map((text) => `${path}: ${text}`))).toEqual(
    [],
  );
});

test('(D-99) nothing that pages show stands in their sources but as a message', () => {
  const shown = pages.flatMap(({ path, code }) => unsaid(parsed(code, path)).map((text) => `${path}: ${text}`));
  expect(shown.filter((one) => !ALIKE.test(one))).toEqual([]);
});

/** In every language the same. */
const ALIKE =
  /: (?:Legwork|Neukölln, Berlin|Natural Earth|GeoNames|CC BY 4\.0|Solana Explorer ↗|SOL|USDC|DID|JSON|API|[^A-Za-z]*)$/;

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((one): one is Node => typeof one === 'object' && one !== null && 'type' in one);

const nameOf = (node: unknown): unknown => (node as Node | undefined)?.['name'];

/** Texts of `t` and `rich` outside of every function. */
function saidEarly(node: Node): string[] {
  if (/Function|MethodDefinition|PropertyDefinition/.test(node.type)) return [];
  const isSaid = node.type === 'CallExpression' && ['t', 'rich'].some((name) => name === nameOf(node['callee']));
  const own = isSaid ? [textOf((node['arguments'] as Node[])[0]) ?? '…'] : [];
  return [...own, ...childrenOf(node).flatMap(saidEarly)];
}

/** Elements whose text is for machines. */
const AS_WRITTEN: ReadonlySet<unknown> = new Set(['code', 'pre', 'kbd']);
const READ_OUT: ReadonlySet<unknown> = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'title',
  'alt',
  'label',
  'placeholder',
  'says',
]);

/** Texts of elements, and of attributes that people see or hear. */
function unsaid(node: Node): string[] {
  if (node.type === 'JSXElement' && AS_WRITTEN.has(nameOf((node['openingElement'] as Node)['name']))) return [];
  if (node.type === 'JSXText') return /\p{L}{2}/u.test(String(node['value'])) ? [String(node['value']).trim()] : [];
  if (node.type === 'JSXAttribute') {
    const text = textOf(node['value'] as Node | undefined);
    return READ_OUT.has(nameOf(node['name'])) && text !== undefined ? [text] : childrenOf(node).flatMap(unsaid);
  }
  return childrenOf(node).flatMap(unsaid);
}

test('(D-99) a message takes its values, and the form that its number has', () => {
  const legs = (count: number) =>
    t('{count, plural, =0 {no legs} one {# leg} other {# legs}} of {title}', { count, title: 'a {vase}' });
  expect([0, 1, 1_200].map(legs)).toEqual(['no legs of a {vase}', '1 leg of a {vase}', '1,200 legs of a {vase}']);
  expect(t("{who, select, receiver {the receiver's} other {a}} {thing}", { who: 'receiver', thing: 'door' })).toBe(
    "the receiver's door",
  );
});
