import { type Package, PackageStatus } from '@agent-relay/program-client';
import type { Instruction } from '@solana/kit';
import type { AppContext } from '../../context.js';
import type { Trx } from '../../db/connect.js';
import { finishIntent, packageIdOf, postponeIntent } from '../../db/outbox.js';
import { findPackage, markClosed } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { newestSwarm } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import { readPackageAccount, readSwarmAccount } from '../accounts.js';
import { cancelInstruction, closeInstruction, reclaimInstruction } from '../exitTransactions.js';
import { recordEnded } from '../projections/packageEnded.js';
import type { IntentHandler } from './intentHandler.js';

/** A way out for the money of a package that the coordinator funded. */
interface Exit {
  /** Undefined: it is certain that this way was taken or will never be open. */
  instruction: (context: AppContext, item: PackageRow) => Promise<Instruction | undefined>;
  record: (trx: Trx, packageId: string, signature: string) => Promise<boolean>;
}

const LONGEST_PAUSE_SEC = 60;

/** Money is owed, so a refusal is no end: the ledger is asked again whether the way is open. What others did is mirrored by the watcher. */
function exitIntent({ instruction, record }: Exit): IntentHandler {
  return {
    async instructions(context, intent) {
      const packageId = packageIdOf(intent);
      const item = await findPackage(context.db, packageId);
      if (!item) throw new Error(`intent ${intent.id} names a package that does not exist`);
      const next = await instruction(context, item);
      if (next !== undefined) return [next];
      await inTransaction(context.db, (trx) => finishIntent(trx, intent, 'the ledger shows that it is not needed'));
      return undefined;
    },

    async landed(context, intent, signature) {
      await inTransaction(context.db, async (trx) => {
        await record(trx, packageIdOf(intent), signature);
        await finishIntent(trx, intent);
      });
    },

    async refused({ db, log }, intent, { reason }) {
      const attempts = intent.attempts + 1;
      log.warn({ intent: intent.id, kind: intent.kind, reason, attempts }, 'the ledger refused a way out for now');
      const pauseSec = Math.min(LONGEST_PAUSE_SEC, 2 ** attempts);
      return postponeIntent(db, intent, { pauseSec, attempts, reason });
    },
  };
}

/**
 * What the ledger shows of a package that is not closed; undefined once the mirror has its end.
 *
 * @throws Error when the ledger shows no such package: whoever asks comes back, for the node may only lag
 */
async function readOpen(context: AppContext, item: PackageRow): Promise<Package | undefined> {
  const account = await readPackageAccount(context.chain, item.on_chain_package);
  if (account !== undefined || item.status === 'delivered' || item.status === 'failed') return account;
  throw new Error(`the ledger shows no account of package ${item.id}`);
}

export const cancelPackageIntent = exitIntent({
  async instruction(context, item) {
    const account = await readOpen(context, item);
    if (account?.status !== PackageStatus.Listed) return undefined;
    return cancelInstruction(context.chain, item, context.chain.coordinator);
  },
  record: (trx, packageId, signature) => recordEnded(trx, packageId, 'cancelled', signature),
});

export const reclaimPackageIntent = exitIntent({
  async instruction(context, item) {
    const account = await readOpen(context, item);
    if (account?.status !== PackageStatus.InTransit) return undefined;
    const swarm = await newestSwarm(context.db, item.id);
    const formed = swarm && (await readSwarmAccount(context.chain, swarm.on_chain_swarm));
    if (!formed) throw new Error(`the ledger shows no swarm of package ${item.id}`);
    // Completed: it is settled instead.
    if (formed.completedLegs === formed.totalLegs) return undefined;
    return reclaimInstruction(context.chain, item, { swarm, rentPayer: formed.rentPayer }, context.chain.coordinator);
  },
  record: (trx, packageId, signature) => recordEnded(trx, packageId, 'reclaimed', signature),
});

export const closePackageIntent = exitIntent({
  async instruction({ chain }, item) {
    if (item.close_signature !== null) return undefined;
    return closeInstruction(chain, item, chain.coordinator);
  },
  record: markClosed,
});
