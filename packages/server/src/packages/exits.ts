import { PackageStatus, type Package } from '@legwork/program-client';
import { canTransition, type operations, type RelayError, isTerminal } from '@legwork/protocol/contract';
import type { ListedPackageRow } from './packageRows.js';
import { readPackageAccount, type FormedSwarm, readFormedSwarm } from '../ledger/accounts.js';
import {
  cancelPackageInstruction,
  reclaimPackageInstruction,
  closePackageInstruction,
} from '../ledger/packageInstructions.js';
import {
  ended,
  forWallet,
  wrongStatus,
  requireDeadlinePassed,
  requireNoneOwed,
  requireOpenAccount,
  requireOwnFunds,
} from '../operations/exits.js';
import { requireNotHalted } from '../operations/guards.js';
import type { Run } from '../operations/run.js';
import { PACKAGE, requirePackage } from './read.js';
import type { Db } from '../db/connect.js';
import { formedSwarm } from './swarmRows.js';
import type { Ledger } from '../ledger/ledger.js';

export const buildCancelTx: Run<typeof operations.buildCancelTx> = async ({ db, ledger }, { packageId }) => {
  const parcel = await requirePackage(db, packageId);
  await requireNotHalted(db, PACKAGE, packageId, 'packageId');
  if (!canTransition('package', parcel.status, 'cancelled')) throw cannotCancel(parcel);
  const account = await readPackageAccount(ledger, parcel.on_chain_package);
  if (account?.status === PackageStatus.Forming) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows a swarm that was begun and not completed, so the package is reclaimed instead, at once (build-reclaim-tx)',
    );
  }
  const built = await forWallet(ledger, parcel.shipper_pubkey, (signer) =>
    cancelPackageInstruction(ledger, parcel, signer),
  );
  return { answer: { packageId, ...built } };
};

function cannotCancel(parcel: ListedPackageRow): RelayError {
  if (parcel.status !== 'in_transit') {
    return wrongStatus(
      PACKAGE,
      `the package is ${ended(parcel)} and its escrow is paid out; there is nothing to cancel`,
    );
  }
  return wrongStatus(
    PACKAGE,
    'the package is in_transit: couriers are under way, and it can be cancelled only while it is listed; ' +
      `unless it is delivered, it can be reclaimed from ${parcel.deadline.toISOString()} (build-reclaim-tx)`,
  );
}

export const buildReclaimTx: Run<typeof operations.buildReclaimTx> = async ({ db, ledger }, { packageId }) => {
  const parcel = await requirePackage(db, packageId);
  await requireNotHalted(db, PACKAGE, packageId, 'packageId');
  if (isTerminal('package', parcel.status)) {
    throw wrongStatus(
      PACKAGE,
      `the package is ${ended(parcel)} and its escrow is paid out; there is nothing to reclaim`,
    );
  }
  const { account, swarm } = await requireUnderWay(ledger, parcel);
  const isEarly = account.status === PackageStatus.Forming || (await isUntouched(db, parcel));
  if (!isEarly) await requireDeadlinePassed(ledger, PACKAGE, parcel);
  requireNoneOwed(PACKAGE, (parcel.terms && (await formedSwarm(db, packageId))?.legs) ?? []);
  const built = await forWallet(ledger, parcel.shipper_pubkey, (signer) =>
    reclaimPackageInstruction(ledger, parcel, swarm, signer),
  );
  return { answer: { packageId, ...built } };
};

/** The swarm on the ledger, which may not be the one that the service chose. @throws RelayError `invalid_status` */
async function requireUnderWay(
  ledger: Ledger,
  parcel: ListedPackageRow,
): Promise<{ account: Package; swarm: FormedSwarm }> {
  const account = await readPackageAccount(ledger, parcel.on_chain_package);
  if (account?.status === PackageStatus.Listed) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows the package as listed: nobody carries it yet, so it is cancelled instead, at any time (build-cancel-tx)',
    );
  }
  const swarm = account && (await readFormedSwarm(ledger, parcel.on_chain_package));
  if (!swarm) throw wrongStatus(PACKAGE, 'the ledger shows that the package is over; read it again in a moment');
  if (swarm.completedLegs === swarm.totalLegs) {
    throw wrongStatus(
      PACKAGE,
      'every leg is completed, so the package is settled instead; the coordinator does that by itself',
    );
  }
  return { account, swarm };
}

/** With terms, what nobody has picked up yet can be reclaimed at once. Rule T-38. */
async function isUntouched(db: Db, parcel: ListedPackageRow): Promise<boolean> {
  const first = parcel.terms && (await formedSwarm(db, parcel.id))?.legs[0];
  return first?.stage === 'pending' || first?.stage === 'accepted' || first?.stage === 'vacant';
}

export const buildCloseTx: Run<typeof operations.buildCloseTx> = async ({ db, ledger }, { packageId }) => {
  const parcel = await requirePackage(db, packageId);
  await requireNotHalted(db, PACKAGE, packageId, 'packageId');
  if (!isTerminal('package', parcel.status)) {
    throw wrongStatus(
      PACKAGE,
      `the package is ${parcel.status}; its account can be closed once it is delivered or failed`,
    );
  }
  requireOwnFunds(PACKAGE, parcel);
  requireOpenAccount(PACKAGE, await readPackageAccount(ledger, parcel.on_chain_package));
  const built = await forWallet(ledger, parcel.funder_pubkey, (signer) =>
    closePackageInstruction(ledger, parcel, signer),
  );
  return { answer: { packageId, ...built } };
};
