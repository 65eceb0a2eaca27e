import type { RelayInstruction } from '@legwork/program-client';
import type { Logger } from 'pino';
import type { Trx } from '../db/connect.js';
import { markClosed } from '../db/packages.js';
import type { PackageRow } from '../db/schema.js';
import { formedSwarm, formingSwarm, type SwarmWithLegs } from '../db/swarms.js';
import { confirms, recordLegConfirmed } from './legConfirmed.js';
import { recordEnded } from './packageEnded.js';
import { listingDepartures, recordListed } from './packageListed.js';
import { recordFormed } from './swarmFormed.js';
import { recordSettled } from './swarmSettled.js';
import { changed, type Landed, type Named, type Projection } from './projection.js';

/** The instructions about a package. */
export type PackageInstruction = Extract<RelayInstruction, { accounts: { package: object } }>;

async function projectListing(
  trx: Trx,
  log: Logger,
  item: PackageRow,
  instruction: Named<'listPackage'>,
  { signature }: Landed,
): Promise<Projection> {
  const departures = listingDepartures(instruction, item) ?? [];
  if (departures.length === 0) return changed(await recordListed(trx, item, signature));
  log.debug({ packageId: item.id, departures }, 'a listing is not of its draft and counts for nothing');
  return 'foreign';
}

/** Whether the formation, with the legs assigned in its transaction, is the one that was decided. */
function isFormationOf(swarm: SwarmWithLegs, instruction: Named<'formSwarm'>, { instructions }: Landed): boolean {
  const assigned = instructions.flatMap((one) =>
    one.name === 'assignLeg' && one.accounts.swarm.address === swarm.on_chain_swarm ? [one] : [],
  );
  return (
    instruction.accounts.swarm.address === swarm.on_chain_swarm &&
    instruction.data.totalLegs === swarm.total_legs &&
    instruction.data.totalLamports === swarm.total_lamports &&
    assigned.length === swarm.legs.length &&
    swarm.legs.every((leg, index) => {
      const found = assigned[index];
      return (
        found?.accounts.courier.address === leg.agent_pubkey &&
        found.data.paymentLamports === leg.agreed_payment_lamports
      );
    })
  );
}

async function projectFormation(
  trx: Trx,
  log: Logger,
  item: PackageRow,
  instruction: Named<'formSwarm'>,
  landed: Landed,
): Promise<Projection> {
  if ((await formedSwarm(trx, item.id))?.form_signature === landed.signature) return 'known';
  const swarm = await formingSwarm(trx, item.id);
  if (swarm && isFormationOf(swarm, instruction, landed))
    return changed(await recordFormed(trx, swarm, landed.signature));
  log.warn({ packageId: item.id, transaction: landed.signature }, 'the ledger shows a swarm that was not decided here');
  return 'foreign';
}

async function projectConfirmation(
  trx: Trx,
  item: PackageRow,
  instruction: Named<'confirmLeg'>,
  { signature }: Landed,
): Promise<Projection> {
  const swarm = await formedSwarm(trx, item.id);
  const leg = swarm?.legs.find((one) => confirms(instruction, { leg: one, swarm, item }));
  return swarm && leg ? changed(await recordLegConfirmed(trx, { leg, swarm, item }, signature)) : 'foreign';
}

async function projectSettlement(trx: Trx, item: PackageRow, { signature }: Landed): Promise<Projection> {
  const swarm = await formedSwarm(trx, item.id);
  return swarm ? changed(await recordSettled(trx, item, swarm, signature)) : 'foreign';
}

/** Projects an instruction about the package, whose lock the caller holds, into the mirror. */
export async function projectPackageInstruction(
  trx: Trx,
  log: Logger,
  item: PackageRow,
  instruction: PackageInstruction,
  landed: Landed,
): Promise<Projection> {
  const { signature } = landed;
  switch (instruction.name) {
    case 'listPackage':
      return projectListing(trx, log, item, instruction, landed);
    case 'formSwarm':
      return projectFormation(trx, log, item, instruction, landed);
    case 'confirmLeg':
      return projectConfirmation(trx, item, instruction, landed);
    case 'settle':
      return projectSettlement(trx, item, landed);
    case 'cancelPackage':
      return changed(await recordEnded(trx, item.id, 'cancelled', signature));
    case 'reclaimPackage':
      return changed(await recordEnded(trx, item.id, 'reclaimed', signature));
    case 'closePackage':
      return changed(await markClosed(trx, item.id, signature));
    case 'assignLeg':
      break;
  }
  // Its formation says what an assignment is.
  return 'known';
}
