import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError, type operations } from '@agent-relay/protocol';
import type { AppContext } from '../../context.js';
import { findLastError } from '../../db/outbox.js';
import { findByRequestKey, findPackage, isListed, type ListedPackageRow } from '../../db/packages.js';
import type { Caller, Run } from '../implement.js';
import { requireConsent } from '../requireConsent.js';
import { viewPackageDetail } from '../views.js';
import { draftPackage } from './draft.js';
import { sponsor, sponsoringPaused } from './sponsor.js';
import { SELF_FUNDED } from './sponsorCaps.js';

const CONFIRM_WITHIN_MS = 30_000;
const POLL_MS = 50;

/** Why the listing came to nothing: the caller's deadline came too near, or something at the coordinator's. */
async function refusal({ db }: AppContext, packageId: string): Promise<RelayError> {
  const reason = (await findLastError(db, `list_package:${packageId}`)) ?? 'the ledger refused the listing';
  if (!reason.startsWith('InvalidDeadline')) return sponsoringPaused(reason);
  return RelayError.field(
    'transaction_failed',
    'deadline',
    `was refused by the ledger (${reason}); give a later one, or ${SELF_FUNDED}`,
  );
}

function unconfirmed(packageId: string, { requestKey }: Caller): RelayError {
  const repeat =
    requestKey === undefined
      ? 'Repeating this request would post another one; an Idempotency-Key prevents that.'
      : 'Repeating this request with the same Idempotency-Key posts nothing twice.';
  return new RelayError(
    'ledger_unavailable',
    `Package ${packageId} is posted and the ledger has not confirmed it yet; GET /packages/${packageId} shows it once it has. ` +
      repeat,
  );
}

/** Waits until the ledger has confirmed the listing. @throws RelayError when it refused, or takes too long */
async function untilListed(context: AppContext, packageId: string, caller: Caller): Promise<ListedPackageRow> {
  const until = Date.now() + CONFIRM_WITHIN_MS;
  for (;;) {
    const row = await findPackage(context.db, packageId);
    if (!row) throw await refusal(context, packageId);
    if (isListed(row)) return row;
    if (Date.now() > until) throw unconfirmed(packageId, caller);
    await sleep(POLL_MS);
  }
}

export const postSponsored: Run<typeof operations.postSponsored> = async (context, input, caller) => {
  await requireConsent(context, caller, 'shipperPubkey', input.shipperPubkey);
  // Before the input is judged by the clock: a deadline that was far enough then may be too near now.
  const { requestKey } = caller;
  const earlier = requestKey === undefined ? undefined : await findByRequestKey(context.db, requestKey);
  const { address: coordinator } = context.chain.coordinator;
  const packageId = earlier?.id ?? (await sponsor(context, await draftPackage(context, input, coordinator), caller));
  const listed = await untilListed(context, packageId, caller);
  return { answer: await viewPackageDetail(context, listed) };
};
