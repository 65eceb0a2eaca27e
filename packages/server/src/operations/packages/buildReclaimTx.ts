import { canTransition, type operations, type RelayError } from '@agent-relay/protocol';
import { address, type Address } from '@solana/kit';
import { readSwarmAccount } from '../../chain/accounts.js';
import type { Chain } from '../../chain/chain.js';
import { reclaimInstruction } from '../../chain/exitTransactions.js';
import { readLedgerTime } from '../../chain/ledgerClock.js';
import { unixSeconds } from '../../chain/walletTransactions.js';
import type { ListedPackageRow } from '../../db/packages.js';
import { newestSwarm, type SwarmWithLegs } from '../../db/swarms.js';
import type { Run } from '../implement.js';
import { ended, forWallet, wrongStatus } from './exits.js';
import { requirePackage } from './requirePackage.js';

const CANCEL_INSTEAD = 'nobody carries it yet, so it is cancelled instead, at any time (build-cancel-tx)';

function cannotReclaim(item: ListedPackageRow): RelayError {
  if (item.status === 'listed') return wrongStatus(`the package is listed: ${CANCEL_INSTEAD}`);
  return wrongStatus(`the package is ${ended(item)} and its escrow is paid out; there is nothing to reclaim`);
}

/** By the ledger's clock, which decides. Rule P-54. */
async function requireDeadlinePassed(chain: Chain, { deadline }: ListedPackageRow): Promise<void> {
  const now = await readLedgerTime(chain);
  if (unixSeconds(now) >= unixSeconds(deadline)) return;
  throw wrongStatus(
    `the package can be reclaimed from its deadline on, ${deadline.toISOString()}; ` +
      `by the ledger's clock it is ${now.toISOString()}`,
  );
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
      ? wrongStatus(`the ledger shows the package as listed: ${CANCEL_INSTEAD}`)
      : wrongStatus('the ledger shows that the package is over; read it again in a moment');
  }
  if (account.completedLegs === account.totalLegs) {
    throw wrongStatus('every leg is completed, so the package is settled instead; the coordinator does that by itself');
  }
  return { swarm, rentPayer: address(account.rentPayer) };
}

export const buildReclaimTx: Run<typeof operations.buildReclaimTx> = async ({ db, chain }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!canTransition('package', item.status, 'reclaimed')) throw cannotReclaim(item);
  const swarm = await newestSwarm(db, item.id);
  if (!swarm) throw new Error(`package ${item.id} is ${item.status} without a swarm`);
  const formed = await requireFormed(chain, item, swarm);
  await requireDeadlinePassed(chain, item);
  const answer = await forWallet(chain, item, item.shipper_pubkey, (signer) =>
    reclaimInstruction(chain, item, formed, signer),
  );
  return { answer };
};
