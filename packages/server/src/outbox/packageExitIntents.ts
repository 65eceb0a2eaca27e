import { type Package, PackageStatus } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { type LeasedIntent, packageIdOf } from '../db/outbox.js';
import { findPackage, markClosed } from '../db/packages.js';
import type { PackageRow } from '../db/schema.js';
import { readFormedSwarm, readPackageAccount } from '../ledger/accounts.js';
import { cancelInstruction, closeInstruction, reclaimInstruction } from '../ledger/exitTransactions.js';
import { recordEnded } from '../mirror/packageEnded.js';
import { exitIntent } from './exitIntent.js';

async function packageOf(context: AppContext, intent: LeasedIntent): Promise<PackageRow> {
  const item = await findPackage(context.db, packageIdOf(intent));
  if (!item) throw new Error(`intent ${intent.id} names a package that does not exist`);
  return item;
}

/**
 * What the ledger shows of a package that is not closed; undefined once the mirror has its end.
 *
 * @throws Error when the ledger shows no such package: whoever asks comes back, for the node may only lag
 */
async function readOpen(context: AppContext, item: PackageRow): Promise<Package | undefined> {
  const account = await readPackageAccount(context.ledger, item.on_chain_package);
  if (account !== undefined || item.status === 'delivered' || item.status === 'failed') return account;
  throw new Error(`the ledger shows no account of package ${item.id}`);
}

export const cancelPackageIntent = exitIntent({
  subject: packageOf,
  async instruction(context, item) {
    const account = await readOpen(context, item);
    if (account?.status !== PackageStatus.Listed) return undefined;
    return cancelInstruction(context.ledger, item, context.ledger.coordinator);
  },
  record: (trx, { id }, signature) => recordEnded(trx, id, 'cancelled', signature),
});

export const reclaimPackageIntent = exitIntent({
  subject: packageOf,
  async instruction(context, item) {
    const account = await readOpen(context, item);
    if (account?.status !== PackageStatus.InTransit) return undefined;
    const swarm = await readFormedSwarm(context.ledger, item.on_chain_package);
    if (!swarm) throw new Error(`the ledger shows no swarm of package ${item.id}`);
    // Completed: it is settled instead.
    if (swarm.completedLegs === swarm.totalLegs) return undefined;
    return reclaimInstruction(context.ledger, item, swarm, context.ledger.coordinator);
  },
  record: (trx, { id }, signature) => recordEnded(trx, id, 'reclaimed', signature),
});

export const closePackageIntent = exitIntent({
  subject: packageOf,
  async instruction({ ledger }, item) {
    if (item.close_signature !== null) return undefined;
    return closeInstruction(ledger, item, ledger.coordinator);
  },
  record: (trx, { id }, signature) => markClosed(trx, id, signature),
});
