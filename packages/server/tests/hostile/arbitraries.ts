import { generateKeyPairSync } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { type Described, type Field, fits, isFreeText, type JsonSchema, kindsOf } from './description.js';
import type { Draft } from './request.js';
import { wrongParameters, wrongValues } from './wrongValues.js';

/** A request as data, so that a failure prints what was sent. */
export interface Plan extends Pick<Draft, 'path' | 'query' | 'body' | 'headers'> {
  operation: string;
  /** The one schema rule that is broken, and the field that has to be named for it; undefined: none is. */
  fault?: { what: string; field?: string };
}

/** Values that lead somewhere, by the names of fields. */
export type Pool = Readonly<Record<string, unknown>>;

/** Parameters that mean something only beside another one, which a description of single parameters cannot say. */
const COMPANIONS: Readonly<Record<string, string>> = { radiusKm: 'near' };

/** Parameters that cannot be given beside another one. */
const RIVALS: Readonly<Record<string, string>> = { task: 'package', near: 'task', radiusKm: 'task' };

const MAX_WORDS = 60;
const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);

// Made once: the alphabet of graphemes is large.
const NAME = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(isWellFormed);
const JSON_VALUE = fc.jsonValue({ maxDepth: 3 });

/** By schema, made once: a new arbitrary of texts tries on its alphabet or pattern what is known to break programs. */
const TEXTS = new Map<string, fc.Arbitrary<string>>();

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const key = JSON.stringify(schema);
  const texts = TEXTS.get(key) ?? newTextOf(schema);
  TEXTS.set(key, texts);
  return texts;
}

function newTextOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = MAX_WORDS } = schema;
  const lengths = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, MAX_WORDS)) };
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
      .map((date) => date.toISOString());
  if (schema.format === 'base64') return fc.base64String(lengths).filter((text) => fits(schema, text));
  // A text in the form of a key that is none is wrong.
  if (schema.pattern?.includes('{32,44}')) return fc.constant(undefined).map(newKey);
  if (schema.pattern !== undefined && !isFreeText(schema)) return fc.stringMatching(new RegExp(schema.pattern));
  return fc
    .oneof(fc.string({ ...lengths, unit: 'grapheme' }), fc.string({ ...lengths, unit: 'binary' }))
    .filter((text) => isWellFormed(text) && fits(schema, text));
}

function newKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return getBase58Decoder().decode(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
}

function numberOf({ minimum, exclusiveMinimum, maximum = 1e15, type }: JsonSchema): fc.Arbitrary<number> {
  const low = minimum ?? exclusiveMinimum ?? -1e15;
  const whole = fc.integer({
    min: Math.ceil(low) + (exclusiveMinimum === undefined ? 0 : 1),
    max: Math.min(Math.floor(maximum), 2 ** 31 - 1),
  });
  if (type === 'integer') return whole;
  const any = fc.double({ min: low, max: maximum, noNaN: true, minExcluded: exclusiveMinimum !== undefined });
  const small = fc.integer({ min: 1, max: 1000 }).map((thousandths) => thousandths / 1000);
  return fc.oneof(
    any,
    whole,
    small.filter((value) => value >= low && value <= maximum),
  );
}

/** Values of the form that a schema describes. */
export function valueOf({ nullable, ...schema }: JsonSchema): fc.Arbitrary<unknown> {
  if (nullable === true) return fc.option(valueOf(schema));
  const { minItems = 0, maxItems = 10 } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valueOf));
  switch (schema.type ?? 'none') {
    case 'string':
      return textOf(schema);
    case 'number':
    case 'integer':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { minLength: minItems, maxLength: maxItems });
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const values = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valueOf(inner)]));
      return fc.record(values, { requiredKeys: required });
    }
    default:
      throw new Error(`the description has a schema of type ${schema.type}`);
  }
}

/**
 * Requests of the form that the description gives an operation. Of fields in the pool, `known` of ten have the value
 * there; the others only look like it.
 */
export function rightPlan(operation: Described, pool: Pool, known = 8): fc.Arbitrary<Plan> {
  const valueFor = ({ name, schema }: Field): fc.Arbitrary<unknown> =>
    name in pool
      ? fc.oneof(
          { weight: known, arbitrary: fc.constant(pool[name]) },
          { weight: 10 - known, arbitrary: valueOf(schema) },
        )
      : valueOf(schema);
  const fields = (place: Field['place']) => {
    const own = operation.fields.filter((field) => field.place === place);
    const values = Object.fromEntries(own.map((field) => [field.name, valueFor(field)]));
    const requiredKeys = own.filter(({ required }) => required).map(({ name }) => name);
    const all = fc.record<Record<string, unknown>, string>(values, { requiredKeys, noNullPrototype: true });
    // Leaves out the fields that the pool leaves out.
    return all.map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
  };
  const parts = { path: fields('path'), query: fields('query'), body: fields('body') };
  return fc.record(parts).map(({ path, query, body }) => ({
    operation: operation.name,
    path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, String(value)])),
    query: Object.entries(query)
      .filter(([name]) => (COMPANIONS[name] ?? name) in query && !((RIVALS[name] ?? '') in query))
      .map(([name, value]): [string, string] => [name, String(value)]),
    body: operation.takesBody
      ? Object.entries(body).map(([name, value]): [string, string] => [name, JSON.stringify(value)])
      : undefined,
  }));
}

const without = (pairs: Plan['query'], name: string) => pairs.filter(([own]) => own !== name);
const pairsOf = ({ body }: Plan): [string, string][] => (Array.isArray(body) ? body : []);

/** The plan with this field's value replaced by one that breaks one rule of its schema. */
function wrongValueIn(plan: Plan, { place, name, schema }: Field): fc.Arbitrary<Plan> {
  if (place !== 'body') {
    return fc.constantFrom(...wrongParameters(schema, place)).map(
      (text): Plan => ({
        ...plan,
        ...(place === 'path'
          ? { path: { ...plan.path, [name]: text } }
          : { query: [...without(plan.query, name), [name, text]] }),
        fault: { what: 'value', field: name },
      }),
    );
  }
  const own = pairsOf(plan).find(([given]) => given === name)?.[1];
  const known = fc.constantFrom(...wrongValues(schema, own === undefined ? undefined : JSON.parse(own)));
  const types = kindsOf(schema);
  const isRight = (value: unknown) =>
    typesOf(value).some((type) => types.includes(type)) || (value === null && schema.nullable);
  const other = JSON_VALUE.filter((value) => !isRight(value)).map((value) => ({
    raw: JSON.stringify(value),
    at: '',
  }));
  return fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: other }).map(
    ({ raw, at }): Plan => ({
      ...plan,
      body: [...without(pairsOf(plan), name), [name, raw]],
      fault: { what: 'value', field: `${name}${at}` },
    }),
  );
}

/** The types of JSON Schema that a JSON value has. */
function typesOf(value: unknown): string[] {
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [value === null ? 'null' : typeof value];
}

/** A name that the operation does not have; at most as long as errors show. */
function surplusField(plan: Plan, operation: Described, place: 'query' | 'body'): fc.Arbitrary<Plan> {
  const names = new Set(operation.fields.filter((field) => field.place === place).map(({ name }) => name));
  const name = NAME.filter((text) => !names.has(text));
  return fc.tuple(name, JSON_VALUE).map(
    ([surplus, value]): Plan => ({
      ...plan,
      ...(place === 'query'
        ? { query: [...plan.query, [surplus, '1']] }
        : { body: [...pairsOf(plan), [surplus, JSON.stringify(value)]] }),
      fault: { what: 'surplus', field: surplus },
    }),
  );
}

const OTHER_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'];

/** Requests that break exactly one rule of the description. */
export function wrongPlan(operation: Described, pool: Pool): fc.Arbitrary<Plan> {
  // Everything not broken on purpose is really right: a key that only looks like one would hide faults found later.
  return rightPlan(operation, pool, 10).chain((plan) => {
    const pairs = pairsOf(plan);
    const text = `{${pairs.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')}}`;
    const missing = operation.fields.filter(({ place, required }) => place === 'body' && required);
    const faults: fc.Arbitrary<Plan>[] = [
      ...operation.fields.map((field) => fc.constant(field).chain((chosen) => wrongValueIn(plan, chosen))),
      surplusField(plan, operation, 'query'),
      ...(operation.method === 'GET' ? [] : [surplusField(plan, operation, 'body')]),
      ...missing.map(({ name }) =>
        fc.constant<Plan>({ ...plan, body: without(pairs, name), fault: { what: 'missing', field: name } }),
      ),
      ...plan.query.map((pair) =>
        fc.constant<Plan>({ ...plan, query: [...plan.query, pair], fault: { what: 'twice', field: pair[0] } }),
      ),
    ];
    if (operation.takesBody) {
      faults.push(
        fc
          .nat(text.length - 1)
          .map((length): Plan => ({ ...plan, body: text.slice(0, length), fault: { what: 'cut off' } })),
        fc
          .constantFrom(...OTHER_TYPES)
          .map((type): Plan => ({ ...plan, headers: { 'content-type': type }, fault: { what: 'content type' } })),
      );
    }
    return fc.oneof(...faults);
  });
}

/** Requests with bytes of their body, or a whole parameter, replaced at random: right or wrong, whatever comes out. */
export function noisyPlan(operation: Described, pool: Pool): fc.Arbitrary<Plan> {
  const noise = fc.array(fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(255)), {
    minLength: 1,
    maxLength: 5,
  });
  const words = fc.string({ unit: 'binary', maxLength: 80 }).filter(isWellFormed);
  return fc.tuple(rightPlan(operation, pool), noise, words).map(([plan, changes, replaced]): Plan => {
    const bytes = Buffer.from(
      `{${pairsOf(plan)
        .map(([name, raw]) => `${JSON.stringify(name)}:${raw}`)
        .join(',')}}`,
    );
    for (const [at, byte] of changes) bytes[Math.floor(at * bytes.length)] = byte;
    return {
      ...plan,
      path: Object.fromEntries(Object.keys(plan.path).map((name) => [name, replaced || '-'])),
      query: plan.query.map(([name]): [string, string] => [name, replaced]),
      body: operation.method === 'GET' ? undefined : Uint8Array.from(bytes),
    };
  });
}

const header = (value: fc.Arbitrary<string>, name: string) => value.map((text) => ({ [name]: text }));

/** Headers in place of those of a right signature: each set breaks it. An empty one counts as missing. */
export const brokenSignature: fc.Arbitrary<Record<string, string>> = (() => {
  const visible = fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCodePoint(code)),
    maxLength: 100,
  });
  const base58 = (length: number) => fc.stringMatching(new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${length}}$`));
  const nonce = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.stringMatching(/^[0-9A-Za-z]{8,64}$/));
  return fc.oneof(
    ...['X-Pubkey', 'X-Nonce', 'X-Signature'].flatMap((name) => [
      header(visible, name),
      header(fc.constant(''), name),
      header(fc.constant('1'.repeat(8000)), name),
    ]),
    header(fc.oneof(base58(43), base58(44)), 'X-Pubkey'),
    header(fc.oneof(base58(87), base58(88), fc.base64String({ minLength: 88, maxLength: 88 })), 'X-Signature'),
    header(
      nonce.map(([ms, random]) => `${Date.now() + ms}-${random}`),
      'X-Nonce',
    ),
    header(fc.webAuthority(), 'Host'),
  );
})();
