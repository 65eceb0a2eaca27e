import type { AppContext } from '../context.js';
import { addIntent, type NewIntent } from '../db/outbox.js';
import { type DueExit, dueExits, forgetSponsorships, hasOpenSponsorships } from '../money/sponsorshipRows.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import { type Loop, startLoop } from '../loop.js';
import { readLedgerTime } from '../ledger/ledger.js';

const POLL_MS = 2_000;
const BATCH = 50;

function intentFor(exit: DueExit): NewIntent {
  const { id, key } = exit;
  return exit.of === 'package'
    ? { kind: exit.kind, subject: packageSubject(id), key, packageId: id }
    : { kind: exit.kind, subject: taskSubject(id), key, taskId: id };
}

/**
 * Decides, as intents, the ways out for what the coordinator advanced: at the deadline what is listed is cancelled and what is
 * under way reclaimed; the account of what is over is closed. Returns whether there may be more.
 */
async function decideExits(context: AppContext): Promise<boolean> {
  if (!(await hasOpenSponsorships(context.db))) return false;
  const ledgerTime = await readLedgerTime(context.ledger);
  const exits = await dueExits(context.db, { ledgerTime, limit: BATCH });
  if (exits.length === 0) return false;
  await inTransaction(context.db, async (trx) => {
    for (const exit of exits) await addIntent(trx, intentFor(exit));
  });
  await forgetSponsorships(context.db);
  context.wakers.outbox.wake();
  return exits.length === BATCH;
}

/** Starts getting the coordinator's money back. What is due follows from the database and the ledger's clock alone. */
export function startSponsoredExits(context: AppContext): Loop {
  return startLoop({
    name: 'sponsored exits',
    log: context.log,
    pollMs: POLL_MS,
    round: () => decideExits(context),
  });
}
