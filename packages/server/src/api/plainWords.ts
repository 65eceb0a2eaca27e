import type { z } from 'zod';

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
 * What would be right instead of a wrong value, in the words of a person; the schema library has words for programmers.
 * Undefined: the library's words have to do. Words that a schema gives itself come before these.
 */
export function plainWords(issue: Issue): string | undefined {
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

/** Whether there was no value at all. */
export function isMissing({ code, input }: Pick<z.core.$ZodIssue, 'code' | 'input'>): boolean {
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
