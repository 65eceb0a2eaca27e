import type { AppContext } from '../context.js';
import { failIntent, type LeasedIntent, swarmIdOf } from '../db/outbox.js';
import { findPackage } from '../db/packages.js';
import type { PackageRow } from '../db/schema.js';
import { findSwarm, type SwarmWithLegs } from '../db/swarms.js';
import { readSwarmAccount } from '../ledger/accounts.js';
import { settleInstruction } from '../ledger/coordinatorInstructions.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { recordSettled } from '../mirror/swarmSettled.js';
import { settlementIntent } from './settlementIntent.js';

async function carriedBy(
  context: AppContext,
  intent: LeasedIntent,
): Promise<{ swarm: SwarmWithLegs; item: PackageRow }> {
  const swarm = await findSwarm(context.db, swarmIdOf(intent));
  const item = swarm && (await findPackage(context.db, swarm.package_id));
  if (!item) throw new Error(`intent ${intent.id} names a swarm or a package that does not exist`);
  return { swarm, item };
}

/** Settles a swarm whose legs are all completed: the rest of the vault returns to the funder. */
export const settleIntent = settlementIntent({
  subject: carriedBy,
  async instruction({ ledger }, { swarm, item }) {
    const account = await readSwarmAccount(ledger, swarm.on_chain_swarm);
    return account && settleInstruction(ledger, item, swarm, account.rentPayer);
  },
  find: (ledger, { item }) =>
    findTransactionOf(
      ledger,
      item.on_chain_package,
      (instruction) => instruction.name === 'settle' && instruction.accounts.package.address === item.on_chain_package,
    ),
  record: (trx, { item, swarm }, signature) => recordSettled(trx, item, swarm, signature),
  async refused({ db, log }, intent, { reason }) {
    log.error({ swarmId: swarmIdOf(intent), reason }, 'settlement given up: an operator has to look');
    return failIntent(db, intent, reason);
  },
});
