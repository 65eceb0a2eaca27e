import { ERROR_HINTS } from '@legwork/protocol/contract';
import {
  LedgerRefusedError,
  NoParcelError,
  LegworkApiError,
  LegworkNetworkError,
  LegworkProtocolError,
  TransactionRefusedError,
} from '@legwork/sdk';
import { z } from 'zod';
import { JournalError } from '../journal.js';
import { noLimitsFor } from '../wallet/assetRules.js';
import { EarlyPaymentError } from '../wallet/spending.js';
import { FundsError, LimitError } from '../wallet/spending.js';

/** How a call ended. Nothing else that a service may send gets through, least of all a question to a person. Rule A-72. */
export const toolResult = z.object({
  isError: z.boolean(),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});
export type ToolResult = z.output<typeof toolResult>;

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

/** The refusal of an asset that the policy does not name. Rule A-152. */
export const noLimits = (of: { readonly asset: string }): RefusedError =>
  new RefusedError('no_limits', noLimitsFor(of), 'Leave it alone. Only a person changes the policy.');

/** The result of a call that succeeded, in the form of the service's tools. */
export function succeeded(answer: Record<string, unknown>): ToolResult {
  return { isError: false, content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/**
 * The result of a call that failed, in the form of the service's tools: code, message and hint.
 *
 * @param byHand the command by which a person does the same
 */
export function failed(error: unknown, byHand?: string): ToolResult {
  const failure = failureOf(error);
  const isLimit = error instanceof LimitError || failure.code === 'approval_pending';
  const hint = isLimit && byHand ? `${failure.hint} Or a person runs: ${byHand}` : failure.hint;
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ ...failure, hint }) }] };
}

/** The next step after errors that are not the service's. */
const OWN_HINTS: readonly [new (...args: never[]) => Error, code: string, hint: string][] = [
  [
    EarlyPaymentError,
    'not_picked_up',
    'Wait until due_now shows that the courier has the parcel. A person may be paid early only if a person wants it.',
  ],
  [LimitError, 'over_limit', 'Spend less; wallet shows what is left. Or have a person raise the limits in the policy.'],
  [
    FundsError,
    'too_little_money',
    'Spend less, or have a person send SOL to the wallet; the tool wallet shows its address.',
  ],
  [NoParcelError, 'wrong_recipient', 'due_now tells which parcels wait for you.'],
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
    LegworkNetworkError,
    'no_answer',
    'Whether it took effect is unknown: look with due_now or the svc_get_ tools before you repeat it.',
  ],
  [LegworkProtocolError, 'unknown_answer', 'Tell a person that service and bridge are of different versions.'],
  [JournalError, 'journal_unusable', 'Nothing is signed without a journal: tell a person.'],
];

/** The most characters of a service's text. */
const MOST_CHARACTERS = 2_000;
const MOST_FIELDS = 20;
const OTHERWISE = [undefined, 'failed', 'Try again later; if it persists, tell a person.'] as const;

function failureOf(error: unknown) {
  const message = messageOf(error).slice(0, MOST_CHARACTERS);
  if (error instanceof RefusedError) return { code: error.code, message, hint: error.hint };
  if (error instanceof LegworkApiError) {
    const errors = error.errors.length > 0 && { errors: error.errors.slice(0, MOST_FIELDS) };
    return { code: error.code, message, hint: hintOf(error.code), ...errors };
  }
  const [, code, hint] = OWN_HINTS.find(([type]) => error instanceof type) ?? OTHERWISE;
  return { code, message, hint };
}

function messageOf(error: unknown): string {
  if (error instanceof LegworkApiError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

function hintOf(code: string): string {
  const hints: Readonly<Record<string, string | undefined>> = ERROR_HINTS;
  return (Object.hasOwn(hints, code) && hints[code]) || 'Correct the call as the message says.';
}
