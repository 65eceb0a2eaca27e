import { ERROR_HINTS } from '@legwork/protocol/contract';
import {
  LedgerRefusedError,
  RelayApiError,
  RelayNetworkError,
  RelayProtocolError,
  TransactionRefusedError,
} from '@legwork/sdk';
import { JournalError } from '../journal.js';
import { LimitError } from '../wallet/spending.js';
import type { ToolResult } from './serviceMcp.js';

/** A call that the bridge refuses: what was wrong, and what would be right. Nothing was signed. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint: string = hintOf(code)) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** The result of a call that succeeded, in the form of the service's tools. */
export function succeeded(answer: Record<string, unknown>): ToolResult {
  return { isError: false, content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/**
 * The result of a call that failed, in the form of the service's tools: code, message and hint.
 *
 * @throws what nobody who calls tools could do anything about
 */
export function failed(error: unknown): ToolResult {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] };
}

/** What to do next about errors that are not the service's. */
const OWN_HINTS: readonly [new (...args: never[]) => Error, code: string, hint: string][] = [
  [
    LimitError,
    'over_limit',
    'Spend less, or have a person raise the limits in the policy; the tool wallet shows them.',
  ],
  [
    TransactionRefusedError,
    'transaction_refused',
    'Nothing was signed. Do not repeat it: tell a person that the service built another transaction.',
  ],
  [
    LedgerRefusedError,
    'ledger_refused',
    'Look with due_now, svc_get_package or svc_get_digital_task at what is so now.',
  ],
  [
    RelayNetworkError,
    'no_answer',
    'Whether it took effect is unknown: look with due_now or the svc_get_ tools before you repeat it.',
  ],
  [RelayProtocolError, 'unknown_answer', 'Tell a person that service and bridge are of different versions.'],
  [JournalError, 'journal_unusable', 'Nothing is signed without a journal: tell a person.'],
];

function failureOf(error: unknown) {
  if (error instanceof RefusedError) return { code: error.code, message: error.message, hint: error.hint };
  if (error instanceof RelayApiError) {
    const errors = error.errors.length > 0 && { errors: error.errors };
    return { code: error.code, message: error.detail, hint: hintOf(error.code), ...errors };
  }
  const own = OWN_HINTS.find(([type]) => error instanceof type);
  return own && error instanceof Error && { code: own[1], message: error.message, hint: own[2] };
}

function hintOf(code: string): string {
  const hints: Readonly<Record<string, string | undefined>> = ERROR_HINTS;
  return (Object.hasOwn(hints, code) && hints[code]) || 'Correct the call as the message says.';
}
