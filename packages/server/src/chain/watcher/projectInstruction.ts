import type { RelayInstruction } from '@agent-relay/program-client';
import type { Logger } from 'pino';
import type { Trx } from '../../db/connect.js';
import { lockPackage, markClosed, packageAt } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { formedSwarm, formingSwarm, type SwarmWithLegs } from '../../db/swarms.js';
import { confirms, recordLegConfirmed } from '../projections/legConfirmed.js';
import { recordEnded } from '../projections/packageEnded.js';
import { listingDepartures, recordListed } from '../projections/packageListed.js';
import { recordFormed } from '../projections/swarmFormed.js';
import { recordSettled } from '../projections/swarmSettled.js';

/**
 * What an instruction was to the mirror: `projected` changed it, `known` is what it has already or does not keep, `foreign`
 * is of a package, terms or a formation that this service did not make.
 */
export type Projection = 'projected' | 'known' | 'foreign';

type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

/** An instruction in the transaction that it came with. */
export interface Landed {
  signature: string;
  /** All of the program's instructions in it, in the order they ran. */
  instructions: readonly RelayInstruction[];
}

const changed = (done: boolean): Projection => (done ? 'projected' : 'known');

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

/** Projects one instruction of the program into the mirror, in the caller's database transaction. */
export async function projectInstruction(
  trx: Trx,
  log: Logger,
  instruction: RelayInstruction,
  landed: Landed,
): Promise<Projection> {
  if (!('package' in instruction.accounts)) return 'known';
  const found = await packageAt(trx, instruction.accounts.package.address);
  const item = found && (await lockPackage(trx, found.id));
  return item ? projectOf(trx, log, item, instruction, landed) : 'foreign';
}

async function projectOf(
  trx: Trx,
  log: Logger,
  item: PackageRow,
  instruction: RelayInstruction,
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
    case 'initialize':
    case 'setCoordinator':
    case 'setPaused':
    case 'proposeAuthority':
    case 'acceptAuthority':
      break;
  }
  // Its formation says what an assignment is; the others are about the program itself.
  return 'known';
}
