import { listPackage, resultHash } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openApi.js';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { draft as packageDraft } from '../support/market.js';
import { type TestService, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { type Described, describedOperations, type Field, fits, isFreeText, type JsonSchema } from './description.js';
import { type Draft, send } from './request.js';
import { createWorld, rightRequests, rightRequestWith, type World, WORLD_SETTINGS } from './world.js';
import { allRefused, invalid, outcomeOf, type WrongRequest } from './wrongRequests.js';
import { HOSTILE_WORDS, wrongParameters, wrongValues } from './wrongValues.js';

const operations = describedOperations(openApiDocument({ publicUrl: 'http://relay.example', version: '0.0.0' }));
const fields = operations.flatMap((operation) => operation.fields.map((field) => ({ operation, field })));
const titled = fields.map(({ operation, field }) => ({
  title: `${operation.name}: ${field.name} (${field.place})`,
  operation,
  field,
}));

const service = withService(WORLD_SETTINGS);
let world: World;

beforeAll(async () => {
  world = await createWorld(service.current);
});

/** The request with one value replaced, or without it. */
function withValue(draft: Draft, field: Pick<Field, 'place' | 'name'>, value: string | undefined): Draft {
  const { place, name } = field;
  const replaced = (pairs: [string, string][]): [string, string][] => [
    ...pairs.filter(([own]) => own !== name),
    ...(value === undefined ? [] : [[name, value] as [string, string]]),
  ];
  if (place === 'path') return { ...draft, path: { ...draft.path, [name]: value ?? '' } };
  if (place === 'query') return { ...draft, query: replaced(draft.query) };
  return { ...draft, body: replaced(Array.isArray(draft.body) ? draft.body : []) };
}

const valueOf = (draft: Draft, name: string): unknown => {
  const raw = Array.isArray(draft.body) ? draft.body.find(([own]) => own === name)?.[1] : undefined;
  return raw === undefined ? undefined : JSON.parse(raw);
};

/** An id without its hyphens, which is right where an id, a key or a signature may stand. */
const ID_ALONE = /^[0-9a-f]{32}$/;

/** Every way in which this field is wrong. */
function wrongsOf(operation: Described, field: Field): WrongRequest[] {
  const right = rightRequestWith(world, operation, field);
  const wrong = (value: string | undefined, at: string): WrongRequest => ({
    draft: withValue(right, field, value),
    refused: invalid(`${field.name}${at}`),
    what: `${field.name} (${field.place}): ${value === undefined ? 'nothing' : value.slice(0, 80)}`,
  });
  const { place, schema } = field;
  if (place !== 'body') {
    const texts = wrongParameters(schema, place).filter((text) => operation.name !== 'lookup' || !ID_ALONE.test(text));
    return texts.map((text) => wrong(text, ''));
  }
  return [
    ...(field.required ? [wrong(undefined, '')] : []),
    ...wrongValues(field.schema, valueOf(right, field.name)).map(({ raw, at }) => wrong(raw, at)),
  ];
}

describe('a request with one wrong field is refused by the name of that field and changes nothing', () => {
  test.each(operations.filter((operation) => operation.fields.length > 0))('$name', async (operation) => {
    // To look at every table and account takes longer than the requests of a field: it is done once for all fields.
    const byField = operation.fields.map((field) => wrongsOf(operation, field));
    for (const wrongs of byField) expect(wrongs).not.toEqual([]);
    const wrongs = byField.flat();
    expect(await outcomeOf(service.current, world, wrongs)).toEqual(allRefused(wrongs));
  });
});

/** Names that an operation does not have in this place, its own in capitals among them. */
function surplusNames(operation: Described): string[] {
  const own = operation.fields.map(({ name }) => name.toUpperCase());
  return ['constructor', 'toString', 'hasOwnProperty', 'prototype', 'status', 'id', 'a.b', 'a[0]', '\u202e', ...own];
}

/** Its query where no right request has one: all of its parameters, each with a key. */
const paramsOf = ({ fields }: Described): [string, string][] =>
  fields.flatMap(({ name, place }) => (place === 'query' ? [[name, world.shipper.pubkey]] : []));

describe('a request with a field too many is refused by its name and changes nothing', () => {
  const surplus = (place: 'query' | 'body', operation: Described): WrongRequest[] =>
    rightRequests(world, operation).flatMap((right) =>
      surplusNames(operation).map((name) => ({
        draft: withValue(right, { place, name }, place === 'body' ? '"1"' : '1'),
        refused: invalid(name),
        what: name,
      })),
    );

  test.each(operations)('$name, in its query', async (operation) => {
    const wrongs = [
      ...surplus('query', operation),
      ...rightRequests(world, operation).map((right) => ({
        draft: withValue(right, { place: 'query', name: '__proto__' }, '1'),
        refused: invalid('__proto__'),
        what: '__proto__',
      })),
    ];
    expect(await outcomeOf(service.current, world, wrongs)).toEqual(allRefused(wrongs));
  });

  test.each(operations.filter(({ method }) => method !== 'GET'))('$name, in its body', async (operation) => {
    const wrongs = surplus('body', operation);
    expect(await outcomeOf(service.current, world, wrongs)).toEqual(allRefused(wrongs));
  });

  test.each(operations.filter((operation) => operation.fields.some(({ place }) => place === 'query')))(
    '$name, with a parameter given twice',
    async (operation) => {
      const [right] = rightRequests(world, operation);
      if (right === undefined) throw new Error(`nobody knows how to call ${operation.name}`);
      const query = right.query.length > 0 ? right.query : paramsOf(operation);
      const twice = query.map(
        (pair): WrongRequest => ({
          draft: { ...right, query: [...query, pair] },
          refused: invalid(pair[0]),
          what: pair.join('='),
        }),
      );
      expect(await outcomeOf(service.current, world, twice)).toEqual(allRefused(twice));
    },
  );
});

/** Reports whether a row of any table holds this very text. */
async function isKept(on: TestService, text: string): Promise<boolean> {
  const tables = ['agents', 'bids', 'packages', 'digital_tasks', 'digital_legs'] as const;
  const holds = (value: unknown): boolean =>
    value === text || (typeof value === 'object' && value !== null && Object.values(value).some(holds));
  for (const table of tables) {
    const rows = await on.db.selectFrom(table).selectAll().execute();
    if (rows.some(holds)) return true;
  }
  return false;
}

/** Words that this text takes: hostile ones, and as many of the widest characters as it has room for. */
function wordsFor({ minLength = 0, maxLength = 1000 }: JsonSchema): string[] {
  const long = ['\u{1f4e6}', '\u05d0', 'x'].map((character) => character.repeat(maxLength));
  return [...HOSTILE_WORDS, ...long].filter((text) => fits({ minLength, maxLength }, text));
}

/** A leg takes one result, and of each party few pieces of evidence; they have tests of their own. A credential is judged and not kept, nor is what a list or a price is asked for. */
const FREE = titled.flatMap(({ title, operation, field }) => {
  if (['result', 'jwt'].includes(field.name) || operation.name === 'putEvidence' || field.place === 'query') return [];
  if (operation.name === 'quote') return [];
  const text = field.schema.type === 'array' ? field.schema.items : field.schema;
  return text && isFreeText(text) ? [{ title, operation, field, text }] : [];
});

describe('words that mean something elsewhere are only words', () => {
  test.each(FREE)('$title takes them and keeps them as they are', async ({ operation, field, text }) => {
    const right = rightRequestWith(world, operation, field);
    for (const words of wordsFor(text)) {
      const value = JSON.stringify(field.schema.type === 'array' ? [words] : words);
      const answer = await send(service.current, withValue(right, field, value));
      expect({ words, status: answer.status, answer: answer.body }).toMatchObject({ words, status: operation.success });
      expect({ words, kept: await isKept(service.current, words) }).toEqual({ words, kept: true });
    }
    await untilQuiet(service.current);
  });

  test('a description of them is listed, and read back as it was given', async () => {
    const { shipper, courier } = world;
    const description = HOSTILE_WORDS.join('\n');
    const { id } = await listPackage(shipper.client, shipper.signer, packageDraft({ description }));
    const read = await courier.client.getPackage({ packageId: id });
    expect(read.description).toBe(description);
  });

  test('instructions and a result of them are read back as they were given (M-58)', async () => {
    const { poster, task } = await postedTask(service.current, {
      legs: HOSTILE_WORDS.slice(0, 4).map((instruction) => ({ instruction })),
    });
    const { courier: agent } = world;
    const result = [...HOSTILE_WORDS, '\u0001\u0007\u001b[31m\u007f\u0085', 'a\u202egnp.exe'].join('\n');
    await claim(agent, task, 0);
    await handIn(agent, task, 0, result);
    const read = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
    expect(read.legs.map(({ instruction }) => instruction)).toEqual(HOSTILE_WORDS.slice(0, 4));
    expect(read.legs[0]).toMatchObject({ result, resultHash: resultHash(result).hex });
    expect(read.shipperPubkey).toBe(poster.pubkey);
  });

  test('evidence of them is read back as it was given (T-63)', async () => {
    const { legId, carrier } = world.terms.disputed;
    const text = HOSTILE_WORDS.join('\n');
    const { hash } = await carrier.client.putEvidence({ legId, text });
    expect(hash).toBe(resultHash(text).hex);
    const { items } = await carrier.client.listEvidence({ legId });
    expect(items).toContainEqual(expect.objectContaining({ hash, text, authorPubkey: carrier.pubkey }));
  });

  test('there are such fields', () => {
    expect(FREE.length).toBeGreaterThan(3);
  });
});

describe('the requests that these start from', () => {
  test.each(operations)('of $name are taken', async (operation) => {
    for (const right of rightRequests(world, operation)) {
      const answer = await send(service.current, right);
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: operation.success });
    }
    await untilQuiet(service.current);
  });

  test('leave no number and no text without a bound', () => {
    const unbounded = ({ type, items, ...schema }: JsonSchema): boolean => {
      if (schema.anyOf !== undefined) return schema.anyOf.some(unbounded);
      if (type === 'boolean') return false;
      if (type === 'object') return Object.values(schema.properties ?? {}).some(unbounded);
      if (type === 'array') return schema.maxItems === undefined || unbounded(items ?? {});
      if (type === 'string') return [schema.format, schema.enum, schema.pattern, schema.maxLength].every((one) => !one);
      const low = schema.minimum ?? schema.exclusiveMinimum;
      return low === undefined || (schema.maximum ?? schema.exclusiveMaximum) === undefined;
    };
    expect(fields.filter(({ field }) => unbounded(field.schema)).map(({ field }) => field.name)).toEqual([]);
  });
});
