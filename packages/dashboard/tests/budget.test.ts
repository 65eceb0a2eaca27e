import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

/** `npm test` builds the pages before it runs the tests. */
const DIST = join(import.meta.dirname, '../dist');
const ASSETS = join(DIST, 'assets');
const KB = 1024;

const scripts = readdirSync(ASSETS).filter((name) => /\.m?js$/.test(name));
const imports = new Map(scripts.map((name) => [name, importsOf(name)]));

/** What a script needs before it runs. */
function importsOf(name: string): string[] {
  const { body } = parseAst(readFileSync(join(ASSETS, name), 'utf8'));
  return body.flatMap((statement) =>
    'source' in statement && statement.source ? [statement.source.value.replace('./', '')] : [],
  );
}

/** Scripts and all that they need, each once. */
function withImports(names: readonly string[]): Set<string> {
  const all = new Set(names);
  for (const name of all) for (const needed of imports.get(name) ?? []) all.add(needed);
  return all;
}

/** The script that holds this module. */
function chunkOf(module: string): string {
  const found = scripts.filter((name) => name.startsWith(`${module}-`));
  expect(found, `scripts of ${module}`).toHaveLength(1);
  return found[0] ?? '';
}

function kilobytes(names: Iterable<string>, ending: 'br' | 'gz'): number {
  return [...names].reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.${ending}`)).size, 0) / KB;
}

const entryOf = (shell: string) =>
  /<script type="module"[^>]* src="\.\/assets\/([^"]+)"/.exec(readFileSync(join(DIST, shell), 'utf8'))?.[1] ?? '';
const first = withImports([entryOf('index.html'), chunkOf('Overview')]);
const track = withImports([entryOf('track.html')]);
const rooms = scripts.filter((name) => name.startsWith('console-'));
/** What the pages say in another language: the public ones, those of operators and arbiters, the consignee's. */
const catalogues = scripts.filter((name) => name.includes('_messages_'));
/** They have the wallet of this device as a script of their own. */
const roomWallet = ['console-acts', 'console-phrase'].map((name) => chunkOf(name));
/** MapLibre with all that draws on it; its worker is a script of its own. */
const map = chunkOf('Ground');
const worker = chunkOf('maplibre-gl-worker');
/** Handoffs as their receipts tell them, and what checks those: each comes when somebody asks for it. */
const receipts = [chunkOf('Handoffs'), chunkOf('receipts')];
/** What the wallet of this device does, and the list of words that its phrase is of. */
const wallet = chunkOf('acts');
const words = chunkOf('phrase');

test('(D-33) the overview is usable after 140 KB of script, and waits for no map', () => {
  expect([...first]).not.toContain(map);
  expect(kilobytes(first, 'gz')).toBeLessThanOrEqual(140);
});

test('(D-33) a phone at a door needs 140 KB of script before it can scan', () => {
  expect(kilobytes(withImports([entryOf('index.html'), chunkOf('Courier')]), 'gz')).toBeLessThanOrEqual(140);
});

test('(D-33) all pages together are 300 KB of script, without the map and the wallet of this device', () => {
  const others = new Set([map, worker, wallet, words, ...receipts, ...track, ...rooms, ...catalogues]);
  const pages = scripts.filter((name) => !others.has(name));
  expect(kilobytes(pages, 'gz')).toBeLessThanOrEqual(300);
});

test('(D-33) another language is 55 KB more at most, and no page waits for it before it is known who reads', () => {
  expect(catalogues).toHaveLength(3);
  for (const catalogue of catalogues) expect(kilobytes([catalogue], 'gz')).toBeLessThanOrEqual(55);
  expect(scripts.flatMap((name) => imports.get(name) ?? []).filter((name) => catalogues.includes(name))).toEqual([]);
});

test('(D-33) receipts are 5 KB more, and come when they are asked for', () => {
  expect(receipts.filter((name) => first.has(name) || withImports([chunkOf('listing')]).has(name))).toEqual([]);
  expect(kilobytes(receipts, 'gz')).toBeLessThanOrEqual(5);
});

test('(D-33) the page of a consignee is 60 KB of script, which no other page needs', () => {
  expect(kilobytes(track, 'gz')).toBeLessThanOrEqual(60);
  expect([...track].filter((name) => first.has(name))).toEqual([]);
});

test('(D-33) the pages of operators and arbiters are 220 KB of script, without that wallet, and no other page needs it', () => {
  expect(rooms).toContain(entryOf('console.html'));
  const pages = rooms.filter((name) => !roomWallet.includes(name) && !catalogues.includes(name));
  expect(kilobytes(pages, 'gz')).toBeLessThanOrEqual(220);
  const others = scripts.filter((name) => !rooms.includes(name));
  expect([...withImports(others)].filter((name) => rooms.includes(name))).toEqual([]);
});

test('(D-33) the wallet of this device is 11 KB of script, its words 9 KB more, and no page waits for either', () => {
  expect(kilobytes([wallet], 'gz')).toBeLessThanOrEqual(11);
  expect(kilobytes([words], 'gz')).toBeLessThanOrEqual(9);
  const pages = scripts.filter((name) => name !== wallet && name !== words);
  const needed = pages.flatMap((name) => imports.get(name) ?? []);
  expect(needed).not.toContain(wallet);
  expect(needed).not.toContain(words);
  expect(imports.get(wallet)).not.toContain(words);
});

test('(D-33) the map is 300 KB of script, and 160 KB more in its worker', () => {
  expect(kilobytes([map], 'gz')).toBeLessThanOrEqual(300);
  expect(kilobytes([worker], 'gz')).toBeLessThanOrEqual(160);
});

test('(D-33) the ground of a city is 275 KB', () => {
  const [version, ...others] = readdirSync(join(ASSETS, 'ground'));
  expect(others).toEqual([]);
  const berlin = ['land-50m.json', 'places.json', 'cells/2_10.json'];
  expect(
    kilobytes(
      berlin.map((name) => `ground/${version}/${name}`),
      'br',
    ),
  ).toBeLessThanOrEqual(275);
});
