import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import compile from 'icu-minify/compile';
import { parseAst } from 'rolldown/parseAst';
import type { Plugin } from 'vite';

const SOURCES = join(import.meta.dirname, 'src');
/** They take a message first: one that is said, one with elements in it, one that a table holds. */
const SAYING = new Set(['t', 'rich', 'm']);

/** A message where it stands in a source. */
export interface Message {
  /** English, in ICU's MessageFormat. */
  readonly text: string;
  /** Of the literal. */
  readonly start: number;
  readonly end: number;
  /** Names of the values that the call gives; undefined where they do not stand in it. */
  readonly values: readonly string[] | undefined;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The nodes of a source, outer ones first. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesOf(child);
  }
}

export const parsed = (code: string, path: string): Node =>
  parseAst(code, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;

/** Text of a literal, of a template without values, or of several joined by `+`. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type === 'TemplateLiteral') {
    const [quasi, ...others] = node['quasis'] as { readonly value: { readonly cooked: string } }[];
    return others.length === 0 ? quasi?.value.cooked : undefined;
  }
  if (node?.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [textOf(node['left'] as Node), textOf(node['right'] as Node)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** What a source says to people, in the order in which it stands there. */
export function messagesIn(code: string, path: string): Message[] {
  const found: Message[] = [];
  for (const node of nodesOf(parsed(code, path))) {
    if (node.type !== 'CallExpression' || !SAYING.has(String((node['callee'] as Node)['name']))) continue;
    const [first, second] = node['arguments'] as Node[];
    const text = textOf(first);
    if (first !== undefined && text !== undefined)
      found.push({ text, start: first.start, end: first.end, values: namesIn(second) });
  }
  return found;
}

function namesIn(values: Node | undefined): string[] | undefined {
  if (values?.type !== 'ObjectExpression') return undefined;
  const names = (values['properties'] as Node[]).map((one) => (one['key'] as Node | undefined)?.['name']);
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

/** Names of what a message needs, each once, in order. */
export function namesOf(text: string): string[] {
  const names = new Set<string>();
  const walk = (node: unknown): void => {
    if (!Array.isArray(node)) return;
    const [name, kind, ...rest] = node as unknown[];
    names.add(String(name));
    if (typeof kind !== 'number' || kind === 0) return [kind, ...rest].forEach(walk);
    for (const branch of Object.values(rest[0] ?? {})) if (Array.isArray(branch)) branch.forEach(walk);
  };
  const message = compile(text);
  if (Array.isArray(message)) message.forEach(walk);
  return [...names].toSorted();
}

const compiled = (text: string): string => JSON.stringify(compile(text));
/** By what a catalogue is asked for a message: the English one as it runs. */
const keyOf = (text: string): string => (typeof compile(text) === 'string' ? text : compiled(text));

/** Sources that a page is made of, ours and those of our packages, from its entry on. */
async function reachable(entry: string): Promise<ReadonlyMap<string, string>> {
  const seen = new Map([[entry, await readFile(entry, 'utf8')]]);
  for (const [path, code] of seen) {
    for (const [, to = ''] of code.matchAll(/(?:from|import)\s*\(?\s*'([.@][^']+)'/g)) {
      const next = to.startsWith('.') ? inFolder(join(path, '..', to)) : inPackage(to);
      if (next !== undefined && !seen.has(next)) seen.set(next, await readFile(next, 'utf8'));
    }
  }
  return seen;
}

const inFolder = (path: string) =>
  ['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending)).find((one) => one !== path && existsSync(one));

function inPackage(specifier: string): string | undefined {
  const [, name, inside = ''] = /^@legwork\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const at = join(import.meta.dirname, '..', name, 'src', inside);
  return [`${at}.ts`, join(at, 'index.ts')].find(existsSync);
}

/** Where the pages of an environment begin. */
const ENTRIES: Readonly<Record<string, string>> = {
  track: 'track/main.tsx',
  console: 'console/main.tsx',
  card: 'card/main.tsx',
  exit: 'exit/main.ts',
};
/** Of the exit, which its script says again in another language. */
export const SHELL = join(import.meta.dirname, 'exit.html');
const CATALOGUE = 'messages:';

/**
 * Compiles the messages of the pages while they are built, so that no page reads MessageFormat, and gives each page
 * the part of a catalogue that it says.
 */
export function messages(): Plugin {
  return {
    name: 'messages',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(CATALOGUE) ? `\0${id}` : undefined),
    async load(id) {
      const [, other] = id.split(`\0${CATALOGUE}`);
      // A worker says nothing, it computes.
      if (other !== undefined && this.environment.config.isWorker)
        return 'export const catalogue={};export const told=[]';
      return other === undefined ? undefined : saidOn(ENTRIES[this.environment.name] ?? 'main.tsx', other);
    },
    transform: {
      filter: { id: /\/packages\/dashboard\/(?:src|tests)\/.*\.tsx?$/ },
      handler: (code, id) => ({ code: withCompiled(code, id), map: null }),
    },
  };
}

export const catalogueOf = (language: string): string => join(import.meta.dirname, `languages/${language}.json`);

/** What the pages that begin at an entry say, as a module. */
async function saidOn(entry: string, language: string): Promise<string> {
  const all: Record<string, string> = JSON.parse(await readFile(catalogueOf(language), 'utf8'));
  const sources = await reachable(join(SOURCES, entry));
  const said = messagesOf([...sources]);
  // What other pages say is not told here by chance, for sharing some words with a source.
  const elsewhere = messagesOf([...(await everySource())]);
  const shell = entry === ENTRIES['exit'] ? await readFile(SHELL, 'utf8') : '';
  // A phone at a door gets what is said there, and no more.
  const isAtDoor = entry === ENTRIES['track'];
  const others = [...sources].flatMap(([path, code]) => (isAtDoor || path.startsWith(SOURCES) ? [] : [code]));
  const isTelling = (english: string) => !elsewhere.has(english) && isTold(english, [...others, shell].join('\n'));
  const catalogue: string[] = [];
  const told: string[] = [];
  for (const [english, text] of Object.entries(all)) {
    if (said.has(english) || (namesOf(english).length === 0 && isTelling(english)))
      catalogue.push(`${JSON.stringify(keyOf(english))}:${compiled(text)}`);
    else if (isTelling(english)) told.push(english);
  }
  const rows = inOrder(told).map((english) => `[${patternOf(english)},${compiled(all[english] ?? '')}]`);
  return `export const catalogue={${catalogue.join()}};export const told=[${rows.join()}]`;
}

const messagesOf = (sources: readonly (readonly [path: string, code: string])[]): ReadonlySet<string> =>
  new Set(sources.flatMap(([path, code]) => messagesIn(code, path).map(({ text }) => text)));

async function everySource(): Promise<(readonly [path: string, code: string])[]> {
  const paths = (await readdir(SOURCES, { recursive: true })).filter((path) => /(?<!\.d)\.tsx?$/.test(path));
  return Promise.all(paths.map(async (path) => [path, await readFile(join(SOURCES, path), 'utf8')] as const));
}

/** So many characters in a row are of one place in a source, and so far apart is looked. */
const [OF_ONE_PLACE, STEP] = [14, 7];

/** Whether the sources tell this English: word for word, or put together there, with values between its words. */
export function isTold(english: string, sources: string): boolean {
  const message = compile(english);
  const literals = typeof message === 'string' ? [message] : message.filter((part) => typeof part === 'string');
  return literals.some((literal) => {
    const last = Math.max(0, literal.length - OF_ONE_PLACE);
    for (let at = 0; at <= last; at += STEP) if (sources.includes(literal.slice(at, at + OF_ONE_PLACE))) return true;
    return false;
  });
}

/** What has most words of its own first: a general sentence would find what a special one says. */
export const inOrder = (sentences: readonly string[]): string[] =>
  sentences.toSorted((one, other) => ownOf(other) - ownOf(one));

const ownOf = (english: string): number => {
  const message = compile(english);
  const parts = typeof message === 'string' ? [message] : message;
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
};

/** Finds a sentence that another package has put together, and its values: one that is a sentence is named `said…`. */
export function patternOf(english: string): string {
  const message = compile(english);
  const parts = typeof message === 'string' ? [message] : message;
  const sources = parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/[$()*+./?[\\\]^{|}-]/g, '\\$&')
      : valueOf(String((part as unknown[])[0])),
  );
  return `/^${sources.join('')}$/su`;
}

/** A value ends with its clause, but for one that is a sentence. */
const valueOf = (name: string) => `(?<${name}>${name.startsWith('said') ? '.+?' : '[^;]+?'})`;

/** The source with each message as it runs. @throws {Error} names of values that no message has, or lacks */
function withCompiled(code: string, id: string): string {
  let rest = code;
  for (const { text, start, end, values } of messagesIn(code, id).toReversed()) {
    const names = namesOf(text);
    if (values !== undefined && values.toSorted().join() !== names.join())
      throw new Error(`${id}: “${text}” needs the values ${names.join(', ')}, and is given ${values.join(', ')}`);
    rest = rest.slice(0, start) + compiled(text) + rest.slice(end);
  }
  return rest;
}
