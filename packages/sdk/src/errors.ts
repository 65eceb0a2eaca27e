import { LegworkError, problemExtension } from '@legwork/protocol/contract';
import type { ErrorCode, FieldError, ProblemExtension } from '@legwork/protocol/contract';
import { decodeKnown } from './decodeKnown.js';

/** The details of a refusal beyond code, status and sentence. */
export interface ApiErrorDetails {
  readonly errors?: readonly FieldError[];
  readonly extension?: ProblemExtension;
  readonly problem?: Readonly<Record<string, unknown>>;
  readonly retryAfterSec?: number | undefined;
  readonly answeredAtMs?: number | undefined;
}

/**
 * The service refused the request. `code` is stable and meant for programs, `detail` says what was wrong and what would
 * be right.
 */
export class LegworkApiError extends Error {
  override readonly name = 'LegworkApiError';
  /**
   * Of the service; a newer one may have codes that are not known here. `unreadable_problem`: an answer that is not a
   * problem document, for example a proxy's error page.
   */
  readonly code: ErrorCode | 'unreadable_problem' | (string & {});
  /** HTTP status. */
  readonly status: number;
  readonly detail: string;
  /** The fields at fault, where the service names them. */
  readonly errors: readonly FieldError[];
  /** The members that some codes add for programs: `claim` of `already_claimed`, `devnetEarningsLamports` of `earnings_changed`. */
  readonly extension: ProblemExtension;
  /** The problem document as it came, with whatever a newer service tells; empty for `unreadable_problem`. */
  readonly problem: Readonly<Record<string, unknown>>;
  /** After how many seconds the service wants to be asked again; undefined: it did not say. */
  readonly retryAfterSec: number | undefined;
  /** The service's clock, milliseconds since 1970, in whole seconds; undefined: it did not say. */
  readonly answeredAtMs: number | undefined;

  constructor(code: LegworkApiError['code'], status: number, detail: string, told: ApiErrorDetails = {}) {
    super(`${detail} (${status} ${code})`);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = told.errors ?? [];
    this.extension = told.extension ?? {};
    this.problem = told.problem ?? {};
    this.retryAfterSec = told.retryAfterSec;
    this.answeredAtMs = told.answeredAtMs;
  }
}

/**
 * No answer came: refused connection, timeout, broken stream. The service may or may
 * not have acted, so repeat the same call; the calls that matter are safe to repeat.
 */
export class LegworkNetworkError extends Error {
  override readonly name = 'LegworkNetworkError';
}

/** For `catch` where the ledger's history is read: the reader tells with the service's error that no answer came. @throws {LegworkNetworkError} in its place; any other error as it is */
export function throwOurs(error: unknown): never {
  const isSilence = error instanceof LegworkError && error.code === 'ledger_unavailable';
  throw isSilence ? new LegworkNetworkError(error.message, { cause: error }) : error;
}

/** The service answered in a form that this version of the SDK does not know. */
export class LegworkProtocolError extends Error {
  override readonly name = 'LegworkProtocolError';
}

/** A transaction that the SDK will not sign, because it is not the one that was asked for. Nothing was signed. */
export class TransactionRefusedError extends Error {
  override readonly name = 'TransactionRefusedError';
}

/** A transaction in which the signer would pay or stake another asset than was expected. Nothing was signed. */
export class OtherAssetError extends TransactionRefusedError {}

/** The ledger refused a transaction, or let it expire. It had no effect beyond, at most, its fee. */
export class LedgerRefusedError extends Error {
  override readonly name = 'LedgerRefusedError';
  /** Name of the program's error, for example `LegOutOfOrder`; undefined when the refusal is not the program's. */
  readonly programError: string | undefined;

  constructor(message: string, programError: string | undefined, options?: ErrorOptions) {
    super(message, options);
    this.programError = programError;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** A problem document, read. */
interface ReadProblem {
  readonly code: string;
  readonly detail: string;
  readonly told: ApiErrorDetails;
}

/**
 * Reads a problem document. A newer service's differences are no reason to lose the rest:
 * an unknown code is kept as it is, and a member of an unknown form is in `problem` alone.
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
