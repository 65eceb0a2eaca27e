import { ERROR_HINTS, type ErrorCode, type FieldError, type LegworkError } from '@legwork/protocol/contract';
import { secondsToRetry } from '../api/limits.js';
import { toLegworkError } from '../api/problems.js';

/** The errors that A2A names, with their codes over JSON-RPC and their status over HTTP (section 5.4 of its specification). */
const NAMED = {
  TASK_NOT_FOUND: [-32_001, 404],
  TASK_NOT_CANCELABLE: [-32_002, 400],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32_003, 400],
  UNSUPPORTED_OPERATION: [-32_004, 400],
  CONTENT_TYPE_NOT_SUPPORTED: [-32_005, 415],
  VERSION_NOT_SUPPORTED: [-32_009, 400],
} as const;

/** The words of google.rpc.Code for a status of HTTP; what A2A names at 400 is a precondition. */
const RPC_WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** What A2A has no code for: who calls may not, or has to wait. JSON-RPC leaves this code to servers. */
const REFUSED = -32_000;

/** A refusal that A2A names. */
export class A2aError extends Error {
  override readonly name = 'A2aError';
  readonly reason: keyof typeof NAMED;

  /** The reason as traces tell it. */
  get code(): string {
    return this.reason.toLowerCase();
  }

  constructor(reason: keyof typeof NAMED, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** An error as JSON-RPC answers it; `data` holds details in the ProtoJSON form of `google.protobuf.Any`. */
export interface RpcError {
  code: number;
  message: string;
  data?: object[];
}

const ANY = 'type.googleapis.com/google.rpc.';

const errorInfo = (domain: string, reason: string, metadata: Record<string, string>) => ({
  '@type': `${ANY}ErrorInfo`,
  reason,
  domain,
  metadata,
});

const badRequest = (errors: readonly FieldError[]) => ({
  '@type': `${ANY}BadRequest`,
  fieldViolations: errors.map(({ field, message }) => ({ field, description: message })),
});

/** The codes of what the caller can put right by sending something else. */
const REPAIRABLE = new Set([400, 404, 409, 413, 415, 422]);

function codeOf({ code, status }: LegworkError): number {
  if (code === 'malformed_body') return PARSE_ERROR;
  if (REPAIRABLE.has(status)) return INVALID_PARAMS;
  return status < 500 ? REFUSED : INTERNAL_ERROR;
}

/**
 * What the caller is told of anything thrown. A refusal of an operation keeps its words and its hint; its code is the `reason`, in
 * capitals. Rule S-284.
 */
export function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof A2aError)
    return { code: NAMED[error.reason][0], message: error.message, data: detailsOf(error) };
  const shown = toLegworkError(error);
  return { code: codeOf(shown), message: shown.message, data: detailsOf(shown) };
}

/** The same over HTTP: a google.rpc.Status. */
export function httpErrorOf(error: unknown) {
  const shown = error instanceof A2aError ? error : toLegworkError(error);
  const code = shown instanceof A2aError ? NAMED[shown.reason][1] : shown.status;
  const isPrecondition = shown instanceof A2aError && code === 400;
  const status = isPrecondition ? 'FAILED_PRECONDITION' : (RPC_WORDS[code] ?? RPC_WORDS[code < 500 ? 400 : 500] ?? '');
  return { error: { code, status, message: shown.message, details: detailsOf(shown) } };
}

function detailsOf(shown: A2aError | LegworkError): object[] {
  if (shown instanceof A2aError) return [errorInfo('a2a-protocol.org', shown.reason, {})];
  const wait = secondsToRetry(shown);
  return [
    errorInfo('legwork', reasonOf(shown.code), { hint: ERROR_HINTS[shown.code] }),
    ...(shown.errors.length > 0 ? [badRequest(shown.errors)] : []),
    ...(wait === undefined ? [] : [{ '@type': `${ANY}RetryInfo`, retryDelay: `${wait}s` }]),
  ];
}

const reasonOf = (code: ErrorCode) => code.toUpperCase();
