import { z } from 'zod';
import { type FieldError, type Operation, LegworkError } from '@legwork/protocol/contract';

/** Shows a contract's schema as JSON Schema: `input` is the wire's side of every codec, in requests and in answers alike. */
export const WIRE = {
  io: 'input',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    // A named format says enough; the expression behind it only fills the page.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  },
} as const;

/** The parts of a request, not yet checked. */
interface GivenInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

const NOTHING = z.strictObject({});
const MAX_ERRORS = 20;
const MAX_FIELD_TEXT = 100;

/**
 * The decoded input of an operation: path, query and body fields in one object. Rules S-3, S-4.
 *
 * @param found errors found before; they come first
 * @throws LegworkError `invalid_input` that names every wrong field (the first 20)
 */
export function parseInput(
  contract: Pick<Operation, 'params' | 'query' | 'body'>,
  given: GivenInput,
  found: readonly FieldError[] = [],
): Record<string, unknown> {
  const errors: FieldError[] = [...found];
  const input: Record<string, unknown> = {};
  const take = (schema: z.ZodObject, value: unknown, known: FieldError[] = []): void => {
    errors.push(...known);
    const result = schema.safeParse(value, { error: plainWords, reportInput: true });
    if (result.success) {
      Object.assign(input, result.data);
      return;
    }
    const told = new Set(known.map((error) => error.field));
    errors.push(...distinct(fieldErrors(result.error.issues, schema)).filter((error) => !told.has(error.field)));
  };

  take(contract.params ?? NOTHING, given.params ?? {});
  take(contract.query ?? NOTHING, given.query ?? {}, queryErrors(given.query));
  if (contract.body === undefined) take(NOTHING, given.body === undefined ? {} : given.body);
  else if (given.body === undefined)
    errors.push({ field: '', message: `a JSON body is required, with ${fields(contract.body)}` });
  else take(contract.body, given.body);

  if (errors.length > 0) throw invalidInput(errors);
  return input;
}

/** `invalid_input` for these fields; the detail shows the first three. */
export function invalidInput(errors: readonly FieldError[]): LegworkError {
  const told = errors.slice(0, 3).map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  if (errors.length > told.length) told.push(`and ${errors.length - told.length} more`);
  return new LegworkError('invalid_input', told.join('; '), errors.slice(0, MAX_ERRORS));
}

/** A parameter given twice is ambiguous; control characters belong in no value (PostgreSQL refuses NUL). */
function queryErrors(query: unknown): FieldError[] {
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (Array.isArray(value)) errors.push({ field: clip(field), message: 'was given more than once; give it once' });
    else if (typeof value === 'string' && /\p{Cc}/u.test(value)) {
      errors.push({ field: clip(field), message: 'must not contain control characters' });
    }
  }
  return errors;
}

function fieldErrors(issues: readonly z.core.$ZodIssue[], schema: z.ZodObject): FieldError[] {
  return issues.flatMap(meant).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ field: dotted(issue.path), message: messageOf(issue) }];
    const known = issue.path.length === 0 ? `; there is ${fields(schema)}` : '';
    return issue.keys.map((key) => ({ field: dotted([...issue.path, key]), message: `is not a field here${known}` }));
  });
}

/** Of a union, what is wrong with the form that was meant: the one of the value's own kind. */
function meant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const form = issue.errors.find((errors) => !errors.some(isOfOtherKind));
  return form === undefined
    ? [issue]
    : form.flatMap((inner) => meant({ ...inner, path: [...issue.path, ...inner.path] }));
}

function isOfOtherKind({ path, code }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function messageOf(issue: z.core.$ZodIssue): string {
  return isMissing(issue) ? `is required, and ${issue.message}` : issue.message;
}

/** Two checks of a schema may say the same. */
function distinct(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [`${error.field}\n${error.message}`, error])).values()];
}

function fields(schema: z.ZodObject): string {
  const names = Object.keys(schema.shape);
  return names.length === 0 ? 'none' : names.join(', ');
}

function dotted(path: readonly PropertyKey[]): string {
  return clip(path.map(String).join('.'));
}

/** A name as errors show it: cut when it is long. */
export function clip(text: string): string {
  return text.length <= MAX_FIELD_TEXT ? text : `${text.slice(0, MAX_FIELD_TEXT)}…`;
}

type Issue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/**
 * Says what would be right instead of a wrong value, in words for people; those of the schema library are for programmers.
 * Undefined: the library's words have to do. The schema's own words come before these.
 */
function plainWords(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') {
    return `must be ${kindNamed(issue.expected)}${issue.input === undefined ? '' : `, not ${kindOf(issue.input)}`}`;
  }
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'too_small') return tooSmall(issue);
  if (issue.code === 'too_big') return tooBig(issue);
  const isInstant = issue.code === 'invalid_format' && issue.format === 'datetime';
  return isInstant ? 'must be an ISO 8601 datetime, such as 2030-01-31T12:00:00Z' : undefined;
}

/** Returns whether there was no value at all. */
function isMissing({ code, input }: Pick<z.core.$ZodIssue, 'code' | 'input'>): boolean {
  return input === undefined && (code === 'invalid_type' || code === 'invalid_value');
}

function tooSmall({
  origin,
  minimum,
  inclusive,
}: Pick<z.core.$ZodIssueTooSmall, 'origin' | 'minimum' | 'inclusive'>): string {
  const of = unitOf(origin);
  if (of !== '') return minimum === 1 ? 'must not be empty' : `must have at least ${minimum}${of}`;
  return `must be ${inclusive ? 'at least' : 'above'} ${minimum}`;
}

function tooBig({
  origin,
  maximum,
  inclusive,
}: Pick<z.core.$ZodIssueTooBig, 'origin' | 'maximum' | 'inclusive'>): string {
  const of = unitOf(origin);
  if (of !== '') return `must have at most ${maximum}${of}`;
  return `must be ${inclusive ? 'at most' : 'below'} ${maximum}`;
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' items' : '';
}

function kindNamed(expected: string): string {
  return KINDS[expected] ?? expected;
}

/** A value's kind as JSON knows it; short values show themselves. */
function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return kindNamed(Array.isArray(value) ? 'array' : typeof value);
}
