import { z } from 'zod';
import { rewardClaim } from './resources/rewardClaim.js';
import { lamports } from './schemas.js';

/** Every error code a caller may meet, with its HTTP status and a title that never changes. */
export const ERROR_CODES = {
  invalid_input: { status: 400, title: 'The request does not have the form this operation takes' },
  malformed_body: { status: 400, title: 'The body is not valid JSON' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  body_too_large: { status: 413, title: 'The body is larger than this operation takes' },
  not_found: { status: 404, title: 'There is no such resource' },
  method_not_allowed: { status: 405, title: 'The resource does not take this method' },
  missing_header: { status: 401, title: 'The request must be signed' },
  invalid_pubkey: { status: 401, title: 'X-Pubkey is not a usable Ed25519 key' },
  malformed_nonce: { status: 401, title: 'X-Nonce does not have the form of a nonce' },
  stale_nonce: { status: 401, title: 'X-Nonce is too far from the clock of the service' },
  replayed_nonce: { status: 401, title: 'X-Nonce was used before' },
  bad_signature: { status: 401, title: 'X-Signature does not match the request' },
  unknown_host: { status: 401, title: 'The request is addressed to a host this service does not answer for' },
  signature_required: { status: 401, title: 'This agent takes part by signed calls only' },
  api_key_required: { status: 401, title: 'The request needs an X-Api-Key that this service knows' },
  admin_key_required: { status: 401, title: 'The request needs the X-Admin-Key of this service' },
  operators_only: { status: 403, title: 'The key is no operator of this service' },
  claim_window_closed: { status: 403, title: 'Reward claims are not taken now' },
  pubkey_mismatch: { status: 403, title: 'The signer is not the agent named in the body' },
  wrong_recipient: { status: 403, title: 'Another wallet has to confirm this leg' },
  self_dealing: { status: 403, title: 'A shipper cannot bid on what it posted' },
  not_your_leg: { status: 403, title: 'The agent does not have this leg' },
  agent_barred: { status: 403, title: 'The agent gave up a leg of this task' },
  foreign_origin: { status: 403, title: 'Pages of this origin may not call the service' },
  signed_before: { status: 409, title: 'What a signed call made is changed by signed calls only' },
  not_your_turn: { status: 409, title: 'This move is not for that key to make now' },
  agent_waits: { status: 409, title: 'The agent gets nothing more for now' },
  requirements_not_met: { status: 409, title: 'The agent does not meet what the listing requires' },
  idempotency_in_progress: { status: 409, title: 'The first request with this Idempotency-Key is still under way' },
  invalid_status: { status: 409, title: 'The resource is not in a state that allows this' },
  deadline_passed: { status: 409, title: 'The deadline has passed' },
  deadline_too_near: { status: 409, title: 'The deadline is too near for another claim' },
  leg_taken: { status: 409, title: 'Another agent has this leg' },
  already_on_task: { status: 409, title: 'An agent has one leg of a task at most' },
  ledger_reverted: { status: 409, title: 'The ledger took back a transaction of this listing' },
  already_claimed: { status: 409, title: 'The key has a reward claim' },
  already_paid: { status: 409, title: 'The claim was paid with another transaction' },
  earnings_changed: { status: 409, title: 'The earnings are not those that were confirmed' },
  payment_under_way: { status: 409, title: 'A payment to the key is under way' },
  result_submitted: { status: 409, title: 'A result was handed in for this leg' },
  leg_out_of_order: { status: 409, title: 'An earlier leg has to be completed first' },
  artifact_not_stored: { status: 409, title: 'A file of the result was not uploaded' },
  part_out_of_order: { status: 409, title: 'The upload continues with another part' },
  not_confirmed_on_chain: { status: 409, title: 'The ledger does not show this as confirmed' },
  range_not_satisfiable: { status: 416, title: 'The file has no such range' },
  wrong_artifact: { status: 422, title: 'The bytes are not those of the sha256' },
  artifact_quota: { status: 422, title: 'No more bytes of files are taken' },
  wrong_transaction: { status: 422, title: 'The transaction is not the one this operation needs' },
  transaction_failed: { status: 422, title: 'The ledger refused the transaction' },
  bid_above_share: { status: 422, title: 'The bid is above what the leg pays' },
  bid_above_budget: { status: 422, title: 'The bid is above the budget' },
  unreceivable_payment: { status: 422, title: 'The payment is too small for the wallet to receive' },
  webhook_refused: { status: 422, title: 'The receiver did not say that it wants this' },
  too_many_webhooks: { status: 422, title: 'No more webhooks are taken' },
  too_many_bids: { status: 422, title: 'The agent has as many live bids on this package as it may have' },
  newcomer_budget: { status: 422, title: 'The coordinator pays for no more reputation accounts today' },
  sponsorship_cap: { status: 422, title: 'The coordinator does not advance that much' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  unknown_tool: { status: 404, title: 'There is no such tool' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'The service failed' },
  ledger_unavailable: { status: 503, title: 'The ledger cannot be reached now' },
  sponsoring_paused: { status: 503, title: 'The coordinator advances nothing for now' },
  assigning_paused: { status: 503, title: 'The coordinator assigns nothing for now' },
  uploads_busy: { status: 503, title: 'Too many files are under way' },
  storage_unavailable: { status: 503, title: 'Files cannot be stored or read now' },
  storage_full: { status: 507, title: 'There is no space for files' },
  not_ready: { status: 503, title: 'The service is not ready' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The fault of one field, and what would be right. `field` is a dotted path; empty for the whole body. */
export interface FieldError {
  field: string;
  message: string;
}

/** Members that some error codes add to their problem document, for programs. */
export const problemExtension = z.strictObject({
  claim: rewardClaim.meta({ description: 'with `already_claimed`: the reward claim that there is' }).optional(),
  devnetEarningsLamports: lamports
    .meta({ description: 'with `earnings_changed`: what the earnings are now' })
    .optional(),
});

/** The same in code form. */
export type ProblemExtension = z.output<typeof problemExtension>;

/**
 * A failure that the caller can understand and act on. REST renders it as RFC 9457 problem+json.
 * `detail` says what was wrong with this request and what would be right; it never holds a secret.
 */
export class LegworkError extends Error {
  override readonly name = 'LegworkError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly extension: ProblemExtension;

  constructor(code: ErrorCode, detail: string, errors: readonly FieldError[] = [], extension: ProblemExtension = {}) {
    super(detail);
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.errors = errors;
    this.extension = extension;
  }

  /** One wrong field: the common case of a rule that a schema alone cannot state. */
  static field(code: ErrorCode, field: string, message: string): LegworkError {
    return new LegworkError(code, field === '' ? message : `${field}: ${message}`, [{ field, message }]);
  }
}

/** The body of an error answer (application/problem+json). */
export interface Problem extends z.input<typeof problemExtension> {
  type: 'about:blank';
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors: readonly FieldError[];
}

/** Renders an error as the problem document that REST returns. */
export function toProblem(error: LegworkError): Problem {
  const { title } = ERROR_CODES[error.code];
  return {
    type: 'about:blank',
    title,
    status: error.status,
    detail: error.message,
    code: error.code,
    errors: error.errors,
    ...z.encode(problemExtension, error.extension),
  };
}
