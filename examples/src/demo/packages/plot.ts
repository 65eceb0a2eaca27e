import { greatCircleKm } from '@legwork/sdk';
import type { PackageDetail } from '@legwork/sdk';
import { escrowOfPackage } from '../audit.js';
import { register } from '../company.js';
import type { Company } from '../company.js';
import { sol } from '../stage.js';
import type { Stage } from '../stage.js';
import type { Plot } from '../story.js';
import { COURIERS, SHIPMENTS, SHIPPERS } from './cast.js';
import type { Shipment } from './cast.js';
import { assign, carry, list } from './market.js';

/** Three packages across Berlin, carried by eight couriers. */
export const packagesPlot: Plot = {
  name: 'packages',
  people: [
    // A courier pays its fees, a shipper the budget and the rent of its package.
    ...Object.keys(COURIERS).map((name) => ({ name, role: 'courier', neededLamports: 1_000_000n })),
    ...SHIPPERS.map((name) => ({ name, role: 'shipper', neededLamports: 400_000_000n })),
  ],
  play: async (stage) => {
    stage.say('\nWallets');
    await Promise.all(stage.company.members.map((member) => register(member, stage.ledger)));
    stage.say(`    8 couriers and 3 shippers are registered, each with a key of its own (in ${stage.folder.path})`);
    return { escrows: (await playActs(stage)).map(escrowOfPackage), faults: [] };
  },
};

async function playActs(stage: Stage): Promise<PackageDetail[]> {
  const { say, company } = stage;
  say('\nPackages, each with its budget locked in escrow by its shipper');
  const ids = new Map<Shipment, string>();
  for (const shipment of SHIPMENTS) {
    const { shipper, what, origin, destination } = shipment;
    const { id, maxBudget } = await list(stage, shipment);
    ids.set(shipment, id);
    const km = greatCircleKm(origin, destination).toFixed(1);
    say(`    ${shipper} sends ${what}: ${origin.name} -> ${destination.name}, ${km} km, at most ${sol(maxBudget)} SOL`);
  }
  const delivered: PackageDetail[] = [];
  for (const [shipment, id] of ids) {
    say(
      `\n${shipment.shipper}'s package: ${shipment.what}, ${shipment.origin.name} -> ${shipment.destination.name}\n  (${shipment.plot})`,
    );
    say(`    ${outcome(company, await assign(stage, shipment, id))}`);
    const parcel = await carry(stage, id);
    delivered.push(parcel);
    say(`    Settled: ${sol(parcel.refund ?? 0n)} SOL of the budget return to ${shipment.shipper}`);
  }
  return delivered;
}

function outcome(company: Company, { swarm }: PackageDetail): string {
  if (swarm === null) return 'Assigned.';
  const names = swarm.legs.map(({ agentPubkey }) => company.nameOf(agentPubkey)).join(', ');
  const who = swarm.totalLegs === 1 ? `${names} alone` : `a chain of ${swarm.totalLegs}: ${names}`;
  return `=> won by ${who}, for ${sol(swarm.total)} SOL`;
}
