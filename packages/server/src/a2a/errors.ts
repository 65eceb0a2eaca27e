import { ERROR_HINTS, type ErrorCode, type FieldError, type LegworkError } from '@legwork/protocol/contract';
import { secondsToRetry } from '../api/limits.js';
import { toLegworkError } from '../api/problems.js';

/** The errors that A2A names, with their codes over JSON-RPC (section 5.4 of its specification). */
const NAMED = {
  TASK_NOT_FOUND: -32_001,
  TASK_NOT_CANCELABLE: -32_002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32_003,
  UNSUPPORTED_OPERATION: -32_004,
  CONTENT_TYPE_NOT_SUPPORTED: -32_005,
  VERSION_NOT_SUPPORTED: -32_009,
} as const;

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
  if (error instanceof A2aError) {
    const { reason, message } = error;
    return { code: NAMED[reason], message, data: [errorInfo('a2a-protocol.org', reason, {})] };
  }
  const shown = toLegworkError(error);
  const wait = secondsToRetry(shown);
  return {
    code: codeOf(shown),
    message: shown.message,
    data: [
      errorInfo('legwork', reasonOf(shown.code), { hint: ERROR_HINTS[shown.code] }),
      ...(shown.errors.length > 0 ? [badRequest(shown.errors)] : []),
      ...(wait === undefined ? [] : [{ '@type': `${ANY}RetryInfo`, retryDelay: `${wait}s` }]),
    ],
  };
}

const reasonOf = (code: ErrorCode) => code.toUpperCase();
