import type { AppContext } from '../../context.js';
import { failIntent, finishIntent, type LeasedIntent, swarmIdOf } from '../../db/outbox.js';
import { findPackage } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { findSwarm, type SwarmWithLegs } from '../../db/swarms.js';
import { inTransaction } from '../../db/transaction.js';
import { readSwarmAccount } from '../accounts.js';
import { settleInstruction } from '../coordinatorInstructions.js';
import { findTransactionOf } from '../findTransaction.js';
import { recordSettled } from '../projections/swarmSettled.js';
import type { IntentHandler } from './intentHandler.js';

async function subjectOf(
  context: AppContext,
  intent: LeasedIntent,
): Promise<{ swarm: SwarmWithLegs; item: PackageRow }> {
  const swarm = await findSwarm(context.db, swarmIdOf(intent));
  const item = swarm && (await findPackage(context.db, swarm.package_id));
  if (!item) throw new Error(`intent ${intent.id} names a swarm or a package that does not exist`);
  return { swarm, item };
}

/** The funder may settle too: finds the settlement that the ledger shows for the package, whoever sent it. */
function findSettlement({ chain }: AppContext, item: PackageRow): Promise<string | undefined> {
  return findTransactionOf(
    chain,
    item.on_chain_package,
    (instruction) => instruction.name === 'settle' && instruction.accounts.package.address === item.on_chain_package,
  );
}

async function deliver(
  context: AppContext,
  intent: LeasedIntent,
  subject: { swarm: SwarmWithLegs; item: PackageRow },
  settleSignature: string,
): Promise<void> {
  const { swarm, item } = subject;
  await inTransaction(context.db, async (trx) => {
    await recordSettled(trx, item, swarm, settleSignature);
    await finishIntent(trx, intent);
  });
}

/** Settles a swarm whose legs are all completed: the rest of the vault returns to the funder. */
export const settleIntent: IntentHandler = {
  async instructions(context, intent) {
    const { swarm, item } = await subjectOf(context, intent);
    const account = await readSwarmAccount(context.chain, swarm.on_chain_swarm);
    if (account === undefined) {
      const settlement = await findSettlement(context, item);
      if (settlement === undefined)
        throw new Error(`the ledger shows neither the swarm ${swarm.id} nor its settlement`);
      await deliver(context, intent, { swarm, item }, settlement);
      return undefined;
    }
    return [settleInstruction(context.chain, item, swarm, account.rentPayer)];
  },

  async landed(context, intent, signature) {
    await deliver(context, intent, await subjectOf(context, intent), signature);
  },

  async refused(context, intent, failure) {
    const subject = await subjectOf(context, intent);
    const settlement = await findSettlement(context, subject.item);
    if (settlement !== undefined) return deliver(context, intent, subject, settlement);
    context.log.error(
      { packageId: subject.item.id, reason: failure.reason },
      'settlement given up: an operator has to look',
    );
    return failIntent(context.db, intent, failure.reason);
  },
};
