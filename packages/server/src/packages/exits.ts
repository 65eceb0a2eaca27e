import { type Package, PackageStatus } from '@legwork/program-client';
import { isTerminal } from '@legwork/protocol/contract';
import type { Db } from '../db/connect.js';
import { type FormedSwarm, readFormedSwarm, readPackageAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { reclaimPackageInstruction } from '../ledger/packageInstructions.js';
import {
  buildCancellation,
  buildClosing,
  exitSigner,
  forWallet,
  paidOut,
  requireDeadlinePassed,
  requireExiting,
  requireNoneOwed,
  wrongStatus,
} from '../listings/exits.js';
import { PACKAGE } from '../listings/kinds.js';
import type { AppContext } from '../context.js';
import type { In, Out } from '../operations/run.js';
import type { ListedPackageRow } from './packageRows.js';
import { formedSwarm } from './swarmRows.js';

export async function buildCancelTx(
  context: AppContext,
  { packageId, ...by }: In<'buildCancelTx'>,
): Out<'buildCancelTx'> {
  return { answer: { packageId, ...(await buildCancellation(context, PACKAGE, packageId, by)) } };
}

export async function buildReclaimTx(
  context: AppContext,
  { packageId, ...by }: In<'buildReclaimTx'>,
): Out<'buildReclaimTx'> {
  const { db, ledger } = context;
  const { row: parcel, since } = await requireExiting(context, PACKAGE, packageId);
  if (isTerminal('package', parcel.status)) throw paidOut(PACKAGE, parcel, 'reclaim');
  const { account, swarm } = await requireUnderWay(ledger, parcel, since);
  const isEarly = account.status === PackageStatus.Forming || (await isUntouched(db, parcel));
  if (!isEarly) await requireDeadlinePassed(ledger, PACKAGE, parcel);
  requireNoneOwed(PACKAGE, (parcel.terms && (await formedSwarm(db, packageId))?.legs) ?? []);
  const signerPubkey = await exitSigner(ledger, parcel, by);
  const built = await forWallet(ledger, signerPubkey, parcel, (signer) =>
    reclaimPackageInstruction(ledger, parcel, swarm, signer),
  );
  return { answer: { packageId, ...built } };
}

/** The swarm on the ledger, which may not be the one that the service chose. @throws LegworkError `invalid_status` */
async function requireUnderWay(
  ledger: Ledger,
  parcel: ListedPackageRow,
  since: bigint | undefined,
): Promise<{ account: Package; swarm: FormedSwarm }> {
  const account = await readPackageAccount(ledger, parcel.on_chain_package, since);
  if (account?.status === PackageStatus.Listed) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows the package as listed: nobody carries it yet, so it is cancelled instead, at any time (build-cancel-tx)',
    );
  }
  const swarm = account && (await readFormedSwarm(ledger, parcel.on_chain_package, since));
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

export async function buildCloseTx(context: AppContext, { packageId, ...by }: In<'buildCloseTx'>): Out<'buildCloseTx'> {
  return { answer: { packageId, ...(await buildClosing(context, PACKAGE, packageId, by)) } };
}
