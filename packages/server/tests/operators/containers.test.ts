import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { environment } from '../../src/environment.js';

const ROOT = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');
const isSetting = (name: string) => Object.hasOwn(environment.shape, name);

interface Compose {
  services: { legwork: { environment: Record<string, string> } };
}
interface Values {
  settings: Record<string, string>;
}
interface Schema {
  properties: { settings: { required: string[]; propertyNames: { not: { enum: string[] } } } };
}

test('the image, compose.yaml and the chart set what are settings of the service', async () => {
  const image = [...(await read('Dockerfile')).matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name);
  const compose = parse(await read('compose.yaml')) as Compose;
  const values = parse(await read('charts/legwork/values.yaml')) as Values;
  const { settings } = (JSON.parse(await read('charts/legwork/values.schema.json')) as Schema).properties;
  const deployment = await read('charts/legwork/templates/deployment.yaml');
  const set = [
    ...image.filter((name) => !['NODE', 'NODE_ENV'].includes(name)),
    ...Object.keys(compose.services.legwork.environment),
    ...Object.keys(values.settings),
    ...settings.required,
    ...settings.propertyNames.not.enum,
    ...[...deployment.matchAll(/name: ([A-Z][A-Z_]+)$/gm)].map(([, name = '']) => name),
  ];
  expect(set.length).toBeGreaterThan(30);
  expect(set.filter((name) => !isSetting(name))).toEqual([]);
});

test('what the service cannot start without is there in compose.yaml', async () => {
  const { environment: given } = (parse(await read('compose.yaml')) as Compose).services.legwork;
  const needed = Object.keys(environment.shape).filter(
    (name) => !environment.shape[name as keyof typeof environment.shape].safeParse(undefined).success,
  );
  expect(needed.filter((name) => given[name] === undefined)).toEqual([]);
});
