import type { ErrorCode, FieldError, ProblemExtension } from '@legwork/protocol/contract';

/** What a refusal may tell beyond code, status and sentence. */
export interface ApiErrorDetails {
  readonly errors?: readonly FieldError[];
  readonly extension?: ProblemExtension;
  readonly problem?: Readonly<Record<string, unknown>>;
  readonly retryAfterSec?: number | undefined;
}

/**
 * The service refused the request. `code` is stable and meant for programs, `detail` says what was wrong and what would
 * be right.
 */
export class RelayApiError extends Error {
  override readonly name = 'RelayApiError';
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
  /** What some codes also tell programs: `claim` of `already_claimed`, `devnetEarningsLamports` of `earnings_changed`. */
  readonly extension: ProblemExtension;
  /** The problem document as it came, with whatever a newer service tells; empty for `unreadable_problem`. */
  readonly problem: Readonly<Record<string, unknown>>;
  /** After how many seconds the service wants to be asked again; undefined: it did not say. */
  readonly retryAfterSec: number | undefined;

  constructor(code: RelayApiError['code'], status: number, detail: string, told: ApiErrorDetails = {}) {
    super(`${detail} (${status} ${code})`);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = told.errors ?? [];
    this.extension = told.extension ?? {};
    this.problem = told.problem ?? {};
    this.retryAfterSec = told.retryAfterSec;
  }
}

/**
 * No answer came: refused connection, timeout, broken stream. Whether the service acted is unknown, so repeat the same
 * call; the calls that matter are safe to repeat.
 */
export class RelayNetworkError extends Error {
  override readonly name = 'RelayNetworkError';
}

/** The service answered in a form that this version of the SDK does not know. */
export class RelayProtocolError extends Error {
  override readonly name = 'RelayProtocolError';
}

/** A transaction that the SDK will not sign, because it is not the one that was asked for. Nothing was signed. */
export class TransactionRefusedError extends Error {
  override readonly name = 'TransactionRefusedError';
}

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
