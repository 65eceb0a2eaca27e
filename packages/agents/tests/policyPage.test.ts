import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { policySchema } from '../src/index.js';

const PAGE = new URL('../../../docs/agents/daemons.md', import.meta.url);

/** The part of JSON Schema that counts here. */
interface Schema {
  readonly default?: string | number | object;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema | false;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** Every field that holds a value, by its path, with its defaults; an item of a list has the path of the list. */
function fieldsOf(schema: Schema, path = ''): [string, string][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    fieldsOf(one, path === '' ? name : `${path}.${name}`),
  );
  const others = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((one) => fieldsOf(one, path));
  const items = schema.items && schema.items.properties ? fieldsOf(schema.items, path) : [];
  const found = [...inner, ...others, ...items];
  return found.length > 0 ? found : [[path, typeof schema.default === 'object' ? '' : String(schema.default ?? '')]];
}

test('the page about policies has every field and its default (A-2)', async () => {
  const page = await readFile(PAGE, 'utf8');
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| (.*?) \|/gm)].map(
    ([, name = '', told = '']) => [name, told] as const,
  );
  const defaults = new Map<string, string[]>();
  for (const [name, value] of fieldsOf(z.toJSONSchema(policySchema, { io: 'input' }) as Schema)) {
    defaults.set(name, [...(defaults.get(name) ?? []), ...(value === '' ? [] : [value])]);
  }
  expect(rows.map(([name]) => name).sort()).toEqual([...defaults.keys()].sort());
  const shown = new Map(rows);
  for (const [name, values] of defaults) {
    // Of the ways to know a handoff, `ask` is the one without more words.
    if (name === 'courier.handoff.how') continue;
    for (const value of values) expect(`${name}: ${shown.get(name)}`).toContain(`\`${value}\``);
  }
});
