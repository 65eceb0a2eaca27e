import { canTransition, type operations, type RelayError } from '@agent-relay/protocol';
import { address, type Address } from '@solana/kit';
import { readSwarmAccount } from '../../chain/accounts.js';
import type { Chain } from '../../chain/chain.js';
import { reclaimInstruction } from '../../chain/exitTransactions.js';
import type { ListedPackageRow } from '../../db/packages.js';
import { newestSwarm, type SwarmWithLegs } from '../../db/swarms.js';
import { ended, forWallet, requireDeadlinePassed, wrongStatus } from '../exits.js';
import type { Run } from '../implement.js';
import { PACKAGE, requirePackage } from './requirePackage.js';

const CANCEL_INSTEAD = 'nobody carries it yet, so it is cancelled instead, at any time (build-cancel-tx)';

function cannotReclaim(item: ListedPackageRow): RelayError {
  if (item.status === 'listed') return wrongStatus(PACKAGE, `the package is listed: ${CANCEL_INSTEAD}`);
  return wrongStatus(PACKAGE, `the package is ${ended(item)} and its escrow is paid out; there is nothing to reclaim`);
}

/** The swarm on the ledger with who paid its rent. While it forms, the ledger may not show it yet. */
async function requireFormed(
  chain: Chain,
  item: ListedPackageRow,
  swarm: SwarmWithLegs,
): Promise<{ swarm: SwarmWithLegs; rentPayer: Address }> {
  const account = await readSwarmAccount(chain, swarm.on_chain_swarm);
  if (account === undefined) {
    throw item.status === 'swarm_forming'
      ? wrongStatus(PACKAGE, `the ledger shows the package as listed: ${CANCEL_INSTEAD}`)
      : wrongStatus(PACKAGE, 'the ledger shows that the package is over; read it again in a moment');
  }
  if (account.completedLegs === account.totalLegs) {
    throw wrongStatus(
      PACKAGE,
      'every leg is completed, so the package is settled instead; the coordinator does that by itself',
    );
  }
  return { swarm, rentPayer: address(account.rentPayer) };
}

export const buildReclaimTx: Run<typeof operations.buildReclaimTx> = async ({ db, chain }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!canTransition('package', item.status, 'reclaimed')) throw cannotReclaim(item);
  const swarm = await newestSwarm(db, item.id);
  if (!swarm) throw new Error(`package ${item.id} is ${item.status} without a swarm`);
  const formed = await requireFormed(chain, item, swarm);
  await requireDeadlinePassed(chain, PACKAGE, item);
  const built = await forWallet(chain, item.shipper_pubkey, (signer) =>
    reclaimInstruction(chain, item, formed, signer),
  );
  return { answer: { packageId, ...built } };
};
