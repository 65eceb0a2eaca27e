import { getPackageSize } from '@agent-relay/program-client';
import { RelayError, toLamports } from '@agent-relay/protocol';
import { READING_MS } from '../../chain/coordinator/funds.js';
import { rentOf } from '../../chain/rent.js';
import type { AppContext } from '../../context.js';
import type { Trx } from '../../db/connect.js';
import { addIntent } from '../../db/outbox.js';
import { findByRequestKey, insertDraft } from '../../db/packages.js';
import { insertSponsorship, lockSponsorships, readAdvanced, readUnderWay } from '../../db/sponsorships.js';
import { inTransaction } from '../../db/transaction.js';
import { clientKey } from '../../limits/clientKey.js';
import type { Caller } from '../implement.js';
import type { Draft } from './draft.js';
import { type Advance, checkSponsorCaps, SELF_FUNDED, totalOf } from './sponsorCaps.js';

/** One signature, and as much again for priority at most. */
const FEE_LAMPORTS = 10_000n;
/** A balance may have been read so long ago, and what was decided before that may not show in it. */
const READING_MARGIN_SEC = (2 * READING_MS) / 1000;

/** @throws RelayError `sponsoring_paused` */
export function sponsoringPaused(reason: string): RelayError {
  return new RelayError(
    'sponsoring_paused',
    `The coordinator advances nothing for now: ${reason}. Try later, or ${SELF_FUNDED}.`,
  );
}

function advanceFor({ chain }: AppContext, draft: Draft): Advance {
  const rent = rentOf(chain, getPackageSize()) + chain.rentExemptMinimum;
  return { budget: draft.max_budget_lamports, overhead: toLamports(rent + FEE_LAMPORTS) };
}

/** @throws RelayError `sponsoring_paused` when the coordinator would be left with less than its reserve */
async function requireMeans(context: AppContext, trx: Trx, advance: Advance): Promise<void> {
  if (!(await context.funds.isAboveReserve())) throw sponsoringPaused('its funds are low');
  const balance = await context.funds.balance();
  if (balance === undefined) return;
  const spent = (await readUnderWay(trx, READING_MARGIN_SEC)) + totalOf(advance);
  if (balance - spent < context.config.coordinatorReserve) throw sponsoringPaused('its funds are low');
}

/**
 * Decides, in one transaction, that the coordinator lists the draft: caps, draft and intent belong together. A request that
 * was decided before gets the package of then.
 *
 * @returns the id of the package, which is a draft until the ledger shows it
 * @throws RelayError `sponsorship_cap`, `sponsoring_paused`
 */
export async function sponsor(context: AppContext, draft: Draft, caller: Caller): Promise<string> {
  const advance = advanceFor(context, draft);
  const by = { poster: draft.shipper_pubkey, ip: clientKey(caller.ip) };
  // Read before the lock is taken: nobody waits for the ledger with it.
  await context.funds.balance();
  const packageId = await inTransaction(context.db, async (trx) => {
    await lockSponsorships(trx);
    const earlier = caller.requestKey === undefined ? undefined : await findByRequestKey(trx, caller.requestKey);
    if (earlier) return earlier.id;
    const fault = checkSponsorCaps(advance, await readAdvanced(trx, by), context.config.sponsorCaps);
    if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
    await requireMeans(context, trx, advance);
    await insertDraft(trx, { ...draft, request_key: caller.requestKey ?? null });
    await insertSponsorship(trx, {
      package_id: draft.id,
      poster_pubkey: by.poster,
      ip: by.ip,
      lamports: totalOf(advance),
    });
    await addIntent(trx, {
      kind: 'list_package',
      subject: `package:${draft.id}`,
      key: `list_package:${draft.id}`,
      packageId: draft.id,
    });
    return draft.id;
  });
  context.wake.outbox();
  return packageId;
}
