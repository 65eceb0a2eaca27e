import { fits, isFreeText, type JsonSchema, kindsOf } from './description.js';

/** A value that breaks exactly one rule of a schema. */
export interface WrongValue {
  /** JSON text; what stands in a query or a path is the text of its own. */
  raw: string;
  /** Where in the value the fault lies, as the rest of a dotted path: empty, or `.0` for the first item. */
  at: string;
}

const DIGITS_400 = '9'.repeat(400);

/** Text that PostgreSQL, JSON, a terminal or a reader would stumble over: no field takes it whose schema does not let it pass. */
const UNPRINTABLE = [
  'a\u0000b',
  '\u0000',
  '\u0007',
  'a\u001b[31m',
  '\u007f',
  '\u0085',
  '\ud800',
  'a\udc00b',
  'a\u202egnp.exe',
];

/** Base58 of the right length in characters and the wrong one in bytes. */
const WRONG_BASE58 = ['z'.repeat(44), 'z'.repeat(32), 'z'.repeat(88), 'z'.repeat(64)];

/** Text that tries to be more than text. Where words are free it is taken, and comes back as it was. */
export const HOSTILE_WORDS = [
  "'; DROP TABLE packages; --",
  "' OR '1'='1",
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '${7*7}{{7*7}}<%=7%>',
  '$(reboot) `reboot` | reboot',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  '\u200f\u05d0\u05d1\u200e',
  'a\u200bb\u2060',
  'Z\u0351\u036b\u0343\u0334\u0322a\u0321lgo',
  '👩\u200d👩\u200d👧 🇩🇪 日本語',
  'tab\tand\r\nline',
  ' \u00a0.\u00a0 ',
  '\\u0000 \\x00 %00',
  "E'\\\\000'",
];

const WRONG_UUIDS = [
  '42',
  '00000000-0000-0000-0000-00000000000',
  '0189dcd5-5311-7d40-8db0-9496a2eef37',
  '0189dcd5-5311-7d40-8db0-9496a2eef37bb',
  '0189dcd5-5311-7d40-8db0-9496a2eef37g',
  '0189dcd553117d408db09496a2eef37b',
  '{0189dcd5-5311-7d40-8db0-9496a2eef37b}',
  ' 0189dcd5-5311-7d40-8db0-9496a2eef37b',
  '0189dcd5-5311-7d40-8db0-9496a2eef37b\n',
];

const WRONG_INSTANTS = [
  'tomorrow',
  '0',
  '1893456000000',
  '2030-01-01',
  '2030-01-01T00:00:00',
  '2030-13-01T00:00:00Z',
  '2030-02-30T00:00:00Z',
  '2030-01-01T24:00:00Z',
  '2030-01-01T00:00:61Z',
  '2030-01-01T00:00:00+25:00',
  '2030-01-01 00:00:00Z',
  ' 2030-01-01T00:00:00Z',
  '2030-01-01T00:00:00Z\n',
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  // Instants, and no deadline that anything may have.
  '0000-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
];

const WRONG_BASE64 = ['!!!!', 'AAA', 'AAAA=', 'AA==AA==', 'AAA\n', '-_-_', 'AAAA AAAA', '====', 'A==='];

const FORMATS: Record<string, readonly string[]> = {
  uuid: WRONG_UUIDS,
  'date-time': WRONG_INSTANTS,
  base64: WRONG_BASE64,
};

/** Texts that a string's schema refuses, each by one of its rules. Tokens without a form of their own refuse words too. */
export function wrongTexts(schema: JsonSchema): string[] {
  const { minLength = 0, maxLength, format, enum: choices } = schema;
  const free = isFreeText(schema);
  const texts = [
    ...(minLength > 0 ? ['a'.repeat(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['A'.repeat(maxLength + 1), 'A'.repeat(maxLength + 4), 'A'.repeat(60_000)]),
    ...(format === undefined ? [] : (FORMATS[format] ?? [])),
    ...(choices ?? []).flatMap((choice) => [
      `${String(choice)} `,
      String(choice).toUpperCase(),
      `${String(choice)}\u0000`,
    ]),
    ...(free ? [] : [...HOSTILE_WORDS, '', ' ', 'x', '0', '1'.repeat(60_000), 'z'.repeat(60_000)]),
  ];
  const unprintable = UNPRINTABLE.filter((text) => !free || !fits(schema, text));
  const always = [...unprintable, ...(free || format !== undefined ? [] : WRONG_BASE58)];
  return [...new Set([...texts.filter((text) => !mayBeRight(schema, text)), ...always])];
}

/** True if a text passes every rule that can be tried here. A token without any form of its own refuses words. */
function mayBeRight(schema: JsonSchema, text: string): boolean {
  if (schema.format === 'base64') return fits(schema, text) && /^(?:[A-Za-z0-9+/]{4})+$/.test(text);
  if (schema.format !== undefined) return false;
  return (schema.pattern !== undefined || schema.enum !== undefined) && fits(schema, text);
}

/** Numbers just outside and far outside, as JSON texts. */
function wrongNumbers(schema: JsonSchema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const whole = schema.type === 'integer';
  const step = (bound: number, sign: 1 | -1) =>
    String(whole ? bound + sign : bound === 0 ? sign * 5e-324 : bound + sign * Math.abs(bound) * 2 ** -52);
  return [
    ...(minimum === undefined ? [] : [step(minimum, -1), String(minimum - 1)]),
    ...(maximum === undefined ? [] : [step(maximum, 1), String(maximum + 1)]),
    ...(exclusiveMinimum === undefined
      ? []
      : [String(exclusiveMinimum), `-${exclusiveMinimum}`, String(exclusiveMinimum - 1)]),
    ...(exclusiveMaximum === undefined ? [] : [String(exclusiveMaximum)]),
    ...(whole ? [`${minimum ?? 0}.5`, '1e-7'] : []),
    '-1e308',
    '1e308',
    '1e309',
    '-1e309',
    String(2 ** 53),
    String(2n ** 63n),
    DIGITS_400,
    `-${DIGITS_400}`,
  ];
}

const OTHER_TYPES: Record<string, readonly string[]> = {
  string: ['null', 'true', '0', '1.5', '[]', '["a"]', '{}', '{"toString":"a"}'],
  number: ['null', 'true', '""', '"1"', '"NaN"', '[]', '[1]', '{}', '{"valueOf":1}'],
  integer: ['null', 'true', '""', '"1"', '"NaN"', '[]', '[1]', '{}', '{"valueOf":1}'],
  // A tool that shares its fields with a query takes "true" as queries say it.
  boolean: ['null', '0', '1', '"yes"', '""', '[]', '{}'],
  array: ['null', 'true', '0', '"a"', '{}', '{"0":"a","length":1}'],
  object: ['null', 'true', '0', '"a"', '[]', '[{}]'],
};

/**
 * Values of the body that the schema refuses. `sample` is a value it takes; from it nested values are made, so that one
 * thing in them is wrong.
 */
export function wrongValues(schema: JsonSchema, sample: unknown): WrongValue[] {
  if (schema.anyOf !== undefined) return wrongForAll(schema.anyOf, sample);
  const type = schema.type ?? 'none';
  const plain = (raws: readonly string[]): WrongValue[] => raws.map((raw) => ({ raw, at: '' }));
  const others = OTHER_TYPES[type]?.filter((raw) => raw !== 'null' || schema.nullable !== true);
  if (others === undefined) throw new Error(`no wrong values are known for a schema of type ${type}`);
  if (type === 'string') return plain([...others, ...wrongTexts(schema).map((text) => JSON.stringify(text))]);
  if (type === 'number' || type === 'integer') return plain([...others, ...wrongNumbers(schema)]);
  if (type === 'array') return [...plain([...others, ...wrongLengths(schema, sample)]), ...wrongItems(schema, sample)];
  if (type === 'object') return [...plain(others), ...wrongProperties(schema, sample)];
  return plain(others);
}

/** Values that none of these forms takes: of no form's type, or of one form's type and wrong in it. */
function wrongForAll(forms: readonly JsonSchema[], sample: unknown): WrongValue[] {
  const kinds = forms.flatMap(kindsOf);
  const isOfOther = (raw: string) => !kinds.some((kind) => kind === kindOfJson(raw));
  return forms.flatMap((form) =>
    wrongValues(form, typeof sample === form.type ? sample : undefined).filter(
      ({ raw, at }) => at !== '' || isOfOther(raw) || kindOfJson(raw) === form.type,
    ),
  );
}

function kindOfJson(raw: string): string {
  if (raw.startsWith('[')) return 'array';
  return raw.startsWith('{') ? 'object' : raw.startsWith('"') ? 'string' : raw;
}

/** Characters of a list that is far too long, and still fits into a body; and how many values a body may hold, with room for the others. */
const LIST_LENGTH = 30_000;
const MOST_ITEMS = 9_000;

function wrongLengths({ minItems = 0, maxItems }: JsonSchema, sample: unknown): string[] {
  const [item] = Array.isArray(sample) ? (sample as unknown[]) : [];
  const listOf = (length: number) => JSON.stringify(Array.from({ length }, () => item));
  return [
    ...(minItems > 0 ? [listOf(minItems - 1)] : []),
    ...(maxItems === undefined
      ? []
      : [
          listOf(maxItems + 1),
          listOf(Math.min(MOST_ITEMS, Math.floor(LIST_LENGTH / (JSON.stringify(item ?? 0).length + 1)))),
        ]),
  ];
}

function wrongItems({ items }: JsonSchema, sample: unknown): WrongValue[] {
  const [item] = Array.isArray(sample) ? (sample as unknown[]) : [];
  if (items === undefined || item === undefined) return [];
  return wrongValues(items, item).map(({ raw, at }) => ({ raw: `[${JSON.stringify(item)},${raw}]`, at: `.1${at}` }));
}

function wrongProperties({ properties = {}, required = [] }: JsonSchema, sample: unknown): WrongValue[] {
  const whole = Object(sample) as Record<string, unknown>;
  return [
    { raw: JSON.stringify({ ...whole, surplus: 1 }), at: '.surplus' },
    ...Object.entries(properties).flatMap(([name, schema]) => {
      const { [name]: own, ...rest } = whole;
      const open = `${JSON.stringify(rest).slice(0, -1)}${Object.keys(rest).length > 0 ? ',' : ''}`;
      return [
        ...(required.includes(name) ? [{ raw: JSON.stringify(rest), at: `.${name}` }] : []),
        ...wrongValues(schema, own).map(({ raw, at }) => ({
          raw: `${open}${JSON.stringify(name)}:${raw}}`,
          at: `.${name}${at}`,
        })),
      ];
    }),
  ];
}

const NO_INTEGERS = [
  '',
  ' ',
  'x',
  'null',
  'true',
  '[]',
  '{}',
  'NaN',
  'Infinity',
  '-Infinity',
  '1.5',
  '1.0',
  '0x10',
  '0b1',
  '1e1',
  ' 5',
  '5 ',
  '+5',
  '1_0',
  '1,0',
  '٣',
  '５',
  '-0',
];

const DECIMAL = /^\d+\.\d+$/;

function isRight({ type }: JsonSchema, text: string): boolean {
  return type === 'boolean' ? text === 'true' : type === 'number' && DECIMAL.test(text);
}

/**
 * Texts of a path or a query that the schema refuses; those that no address can hold are left out. A path without the text is
 * another one.
 */
export function wrongParameters(schema: JsonSchema, place: 'path' | 'query'): string[] {
  const texts =
    schema.type === 'string'
      ? [
          ...wrongTexts(schema).map((text) => text.slice(0, 12_000)),
          ...['null', 'undefined', '[object Object]', '..', '%00'].filter((text) => !mayBeRight(schema, text)),
        ]
      : [...NO_INTEGERS.filter((text) => !isRight(schema, text)), ...wrongNumbers(schema)];
  return [...new Set(texts)].filter((text) => !/\p{Surrogate}/u.test(text) && (text !== '' || place === 'query'));
}
