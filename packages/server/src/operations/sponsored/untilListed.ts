import { RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { findLastError } from '../../db/outbox.js';
import type { Caller } from '../run.js';
import { poll } from '../poll.js';
import { sponsoringPaused } from './sponsor.js';
import { type FundedKind, selfFunded } from './sponsorCaps.js';

const CONFIRM_WITHIN_MS = 30_000;

/** A listing that the coordinator is about to make. */
interface Expected<Row> {
  kind: FundedKind;
  id: string;
  /** The unique key of the intent that lists it. */
  intentKey: string;
  /** Undefined once the ledger has refused the listing. */
  find: () => Promise<Row | undefined>;
  isListed: (row: Row) => boolean;
}

/** Why the listing came to nothing: the caller's deadline came too near, or something at the coordinator's. */
async function refusal({ db }: AppContext, kind: FundedKind, intentKey: string): Promise<RelayError> {
  const reason = (await findLastError(db, intentKey)) ?? 'the ledger refused the listing';
  if (!reason.startsWith('InvalidDeadline')) return sponsoringPaused(kind, reason);
  return RelayError.field(
    'transaction_failed',
    'deadline',
    `was refused by the ledger (${reason}); give a later one, or ${selfFunded(kind)}`,
  );
}

function unconfirmed({ noun, path }: FundedKind, id: string, { requestKey }: Caller): RelayError {
  const repeat =
    requestKey === undefined
      ? 'Repeating this request would post another one; an Idempotency-Key prevents that.'
      : 'Repeating this request with the same Idempotency-Key posts nothing twice.';
  return new RelayError(
    'ledger_unavailable',
    `The ${noun} ${id} is posted and the ledger has not confirmed it yet; GET ${path}/${id} shows it once it has. ${repeat}`,
  );
}

/**
 * Waits until the ledger has confirmed the listing. Rule M-47.
 *
 * @throws RelayError when the ledger refused it, or takes longer than 30 seconds
 */
export async function untilListed<Row>(
  context: AppContext,
  { kind, id, intentKey, find, isListed }: Expected<Row>,
  caller: Caller,
): Promise<void> {
  const row = await poll(find, (found) => found === undefined || isListed(found), CONFIRM_WITHIN_MS);
  if (row === undefined) throw await refusal(context, kind, intentKey);
  if (!isListed(row)) throw unconfirmed(kind, id, caller);
}
