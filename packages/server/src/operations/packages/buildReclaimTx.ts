import { type Package, PackageStatus } from '@legwork/program-client';
import { isTerminal, type operations } from '@legwork/protocol';
import { type FormedSwarm, readFormedSwarm, readPackageAccount } from '../../chain/accounts.js';
import type { Chain } from '../../chain/chain.js';
import { reclaimInstruction } from '../../chain/exitTransactions.js';
import type { ListedPackageRow } from '../../db/packages.js';
import { ended, forWallet, requireDeadlinePassed, wrongStatus } from '../exits.js';
import type { Run } from '../implement.js';
import { PACKAGE, requirePackage } from './requirePackage.js';

/** The swarm on the ledger, which may be another than the service chose. @throws RelayError `invalid_status` */
async function requireUnderWay(
  chain: Chain,
  item: ListedPackageRow,
): Promise<{ account: Package; swarm: FormedSwarm }> {
  const account = await readPackageAccount(chain, item.on_chain_package);
  if (account?.status === PackageStatus.Listed) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows the package as listed: nobody carries it yet, so it is cancelled instead, at any time (build-cancel-tx)',
    );
  }
  const swarm = account && (await readFormedSwarm(chain, item.on_chain_package));
  if (!swarm) throw wrongStatus(PACKAGE, 'the ledger shows that the package is over; read it again in a moment');
  if (swarm.completedLegs === swarm.totalLegs) {
    throw wrongStatus(
      PACKAGE,
      'every leg is completed, so the package is settled instead; the coordinator does that by itself',
    );
  }
  return { account, swarm };
}

export const buildReclaimTx: Run<typeof operations.buildReclaimTx> = async ({ db, chain }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (isTerminal('package', item.status)) {
    throw wrongStatus(PACKAGE, `the package is ${ended(item)} and its escrow is paid out; there is nothing to reclaim`);
  }
  const { account, swarm } = await requireUnderWay(chain, item);
  if (account.status !== PackageStatus.Forming) await requireDeadlinePassed(chain, PACKAGE, item);
  const built = await forWallet(chain, item.shipper_pubkey, (signer) => reclaimInstruction(chain, item, swarm, signer));
  return { answer: { packageId, ...built } };
};
