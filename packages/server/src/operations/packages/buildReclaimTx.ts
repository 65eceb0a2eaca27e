import { type Package, PackageStatus } from '@legwork/program-client';
import { isTerminal, type operations } from '@legwork/protocol/contract';
import { type FormedSwarm, readFormedSwarm, readPackageAccount } from '../../ledger/accounts.js';
import type { Ledger } from '../../ledger/ledger.js';
import { reclaimInstruction } from '../../ledger/exitTransactions.js';
import type { ListedPackageRow } from '../../db/packages.js';
import { ended, forWallet, requireDeadlinePassed, wrongStatus } from '../exits.js';
import type { Run } from '../run.js';
import { PACKAGE, requirePackage } from './requirePackage.js';

/** The swarm on the ledger, which may be another than the service chose. @throws RelayError `invalid_status` */
async function requireUnderWay(
  ledger: Ledger,
  item: ListedPackageRow,
): Promise<{ account: Package; swarm: FormedSwarm }> {
  const account = await readPackageAccount(ledger, item.on_chain_package);
  if (account?.status === PackageStatus.Listed) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows the package as listed: nobody carries it yet, so it is cancelled instead, at any time (build-cancel-tx)',
    );
  }
  const swarm = account && (await readFormedSwarm(ledger, item.on_chain_package));
  if (!swarm) throw wrongStatus(PACKAGE, 'the ledger shows that the package is over; read it again in a moment');
  if (swarm.completedLegs === swarm.totalLegs) {
    throw wrongStatus(
      PACKAGE,
      'every leg is completed, so the package is settled instead; the coordinator does that by itself',
    );
  }
  return { account, swarm };
}

export const buildReclaimTx: Run<typeof operations.buildReclaimTx> = async ({ db, ledger }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (isTerminal('package', item.status)) {
    throw wrongStatus(PACKAGE, `the package is ${ended(item)} and its escrow is paid out; there is nothing to reclaim`);
  }
  const { account, swarm } = await requireUnderWay(ledger, item);
  if (account.status !== PackageStatus.Forming) await requireDeadlinePassed(ledger, PACKAGE, item);
  const built = await forWallet(ledger, item.shipper_pubkey, (signer) =>
    reclaimInstruction(ledger, item, swarm, signer),
  );
  return { answer: { packageId, ...built } };
};
