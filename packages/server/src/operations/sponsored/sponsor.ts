import { type Lamports, RelayError, toLamports } from '@legwork/protocol/contract';
import { checkSponsoredDeadline } from '@legwork/protocol/rules';
import { canAdvance, FEE_LAMPORTS, holdFunds } from '../../coordinator/funds.js';
import { rentOf } from '../../ledger/rent.js';
import type { AppContext } from '../../context.js';
import type { Trx } from '../../db/connect.js';
import { addIntent, type NewIntent } from '../../db/outbox.js';
import { insertSponsorship, readAdvanced } from '../../db/sponsorships.js';
import { inTransaction } from '../../db/transaction.js';
import { clientKey } from '../../api/limits.js';
import type { Caller } from '../run.js';
import { type Advance, checkSponsorCaps, type FundedKind, selfFunded, totalOf } from './sponsorCaps.js';

/** A draft that the coordinator is to list at its own expense. */
export interface ToBeFunded {
  kind: FundedKind;
  id: string;
  posterPubkey: string;
  budget: Lamports;
  deadline: Date;
  /** Bytes of its account on the ledger. */
  accountBytes: number;
  /** The one that an earlier try of the same request made. */
  findEarlier: (trx: Trx, requestKey: string) => Promise<{ id: string } | undefined>;
  insert: (trx: Trx, requestKey: string | null) => Promise<void>;
  /** Its listing on the ledger. */
  intent: NewIntent;
}

/** @throws RelayError `sponsoring_paused` */
export function sponsoringPaused(kind: FundedKind, reason: string): RelayError {
  return new RelayError(
    'sponsoring_paused',
    `The coordinator advances nothing for now: ${reason}. Try later, or ${selfFunded(kind)}.`,
  );
}

function advanceFor({ ledger }: AppContext, { budget, accountBytes }: ToBeFunded): Advance {
  const rent = rentOf(ledger, accountBytes) + ledger.rentExemptMinimum;
  return { budget, overhead: toLamports(rent + FEE_LAMPORTS) };
}

/** @throws RelayError `sponsoring_paused` when the coordinator would be left with less than its reserve */
async function requireMeans(context: AppContext, trx: Trx, kind: FundedKind, advance: Advance): Promise<void> {
  if (await canAdvance(context, trx, totalOf(advance))) return;
  throw sponsoringPaused(kind, 'its funds are low');
}

/** @throws RelayError `invalid_input` when the coordinator's money would be locked for too long */
function requireNearDeadline({ clock }: AppContext, { kind, deadline }: ToBeFunded): void {
  const fault = checkSponsoredDeadline(deadline.getTime(), clock().getTime());
  if (fault)
    throw RelayError.field(fault.code, fault.field, `${fault.message}: give an earlier one, or ${selfFunded(kind)}`);
}

/**
 * Decides, in one transaction, that the coordinator lists the draft: caps, draft and intent belong together. A request that
 * was decided before gets what it made then. Rules M-46, M-48.
 *
 * @returns the id of what is to be listed, which is a draft until the ledger shows it
 * @throws RelayError `invalid_input`, `sponsorship_cap`, `sponsoring_paused`
 */
export async function sponsor(context: AppContext, draft: ToBeFunded, caller: Caller): Promise<string> {
  requireNearDeadline(context, draft);
  const { requestKey } = caller;
  const advance = advanceFor(context, draft);
  const poster = draft.posterPubkey;
  const asking = { poster, signed: caller.pubkey === poster, ip: clientKey(caller.ip) };
  const id = await inTransaction(context.db, async (trx) => {
    await holdFunds(context, trx);
    const earlier = requestKey === undefined ? undefined : await draft.findEarlier(trx, requestKey);
    if (earlier) return earlier.id;
    const advanced = await readAdvanced(trx, asking);
    const fault = checkSponsorCaps(
      { kind: draft.kind, advance, signed: asking.signed },
      advanced,
      context.config.sponsorCaps,
    );
    if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
    await requireMeans(context, trx, draft.kind, advance);
    await draft.insert(trx, requestKey ?? null);
    await insertSponsorship(trx, {
      subject_id: draft.id,
      poster_pubkey: poster,
      signed: asking.signed,
      ip: asking.ip,
      lamports: totalOf(advance),
    });
    await addIntent(trx, { ...draft.intent, costLamports: totalOf(advance) });
    return draft.id;
  });
  context.wakers.outbox.wake();
  return id;
}
