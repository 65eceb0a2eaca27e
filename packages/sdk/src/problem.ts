import { problemExtension } from '@legwork/protocol/contract';
import type { FieldError, ProblemExtension } from '@legwork/protocol/contract';
import { decodeKnown } from './decodeKnown.js';
import type { ApiErrorDetails } from './errors.js';

type Members = Readonly<Record<string, unknown>>;

/** A problem document, read. */
interface ReadProblem {
  readonly code: string;
  readonly detail: string;
  readonly told: ApiErrorDetails;
}

/**
 * Reads a problem document. What a newer service does differently is no reason to lose the rest: an unknown code is kept as it
 * is, and a member of an unknown form is in `problem` alone.
 *
 * @returns undefined for a text that is not a problem document
 */
export function readProblem(text: string): ReadProblem | undefined {
  const problem = parse(text);
  if (!isObject(problem)) return undefined;
  const { code, detail } = problem;
  if (typeof code !== 'string' || typeof detail !== 'string') return undefined;
  return { code, detail, told: { errors: readErrors(problem), extension: readExtension(problem), problem } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readErrors({ errors }: Members): readonly FieldError[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(
    (error): error is FieldError =>
      isObject(error) && typeof error['field'] === 'string' && typeof error['message'] === 'string',
  );
}

/** The members that the contract knows, each by itself: one that cannot be read takes no other with it. */
function readExtension(problem: Members): ProblemExtension {
  const known: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(problemExtension.shape)) {
    // Decoding removes what it does not know, and `problem` is to have it.
    const decoded = decodeKnown(schema, structuredClone(problem[name]));
    if (decoded.success && decoded.data !== undefined) known[name] = decoded.data;
  }
  return known;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
