import type { PackageDetail } from '@legwork/sdk';
import { escrowOfPackage, escrowOfTask } from '../audit.js';
import { register } from '../company.js';
import { sol } from '../stage.js';
import type { Stage } from '../stage.js';
import type { Plot } from '../story.js';
import {
  AGENTS,
  ARBITER,
  CLOCKS,
  COURIERS,
  GRACE_SEC,
  PAINTING,
  POSTER,
  REPLACEMENTS,
  SHIPPERS,
  VASE,
} from './cast.js';
import type { Shipment } from './cast.js';
import { gatheredAt, legOf, list, move, offer, openAccount, untilPackage } from './market.js';
import { judge } from './task.js';

/**
 * Two packages with terms, one whose courier never comes and whose shipper never signs, and one that is disputed; and a digital task with
 * garbage, and a poster who denies good work and sleeps.
 */
export const termsPlot: Plot = {
  name: 'terms',
  movesTime: true,
  people: [
    // A worker pays for its reputation account and posts a stake; a lister pays the budget, the rent, and the stake of a dispute.
    ...COURIERS.map((name) => ({ name, role: 'courier', neededLamports: 50_000_000n })),
    ...AGENTS.map((name) => ({ name, role: 'agent', neededLamports: 50_000_000n })),
    ...SHIPPERS.map((name) => ({ name, role: 'shipper', neededLamports: 300_000_000n })),
    { name: POSTER, role: 'poster', neededLamports: 300_000_000n },
    { name: ARBITER, role: 'arbiter', neededLamports: 1_000_000n },
  ],
  play: async (stage) => {
    stage.say('\nWallets');
    await Promise.all(stage.company.members.map((member) => register(member, stage.ledger)));
    for (const name of [...COURIERS, ...AGENTS]) await openAccount(stage, name);
    stage.say(
      `    6 couriers, 2 shippers, 4 agents, a poster, and ${ARBITER}, who rules disputes (keys in ${stage.folder.path})`,
    );
    const packages = [await heal(stage), await contest(stage)].map(escrowOfPackage);
    const { task, faults } = await judge(stage);
    return { escrows: [...packages, escrowOfTask(task)], faults };
  },
};

/** Lists it, and has it assigned. */
async function begin(stage: Stage, shipment: Shipment): Promise<PackageDetail> {
  const { say } = stage;
  const { shipper, what, origin, destination, stakeSol } = shipment;
  const { id, maxBudget } = await list(stage, shipment);
  say(`\n${shipper}'s package: ${what}, ${origin.name} -> ${destination.name}, at most ${sol(maxBudget)} SOL`);
  say(`    Terms: each courier posts ${stakeSol} SOL, silence has an end, ${ARBITER} rules disputes`);
  for (const one of shipment.offers) await offer(stage, id, one);
  const parcel = await untilPackage(stage, id, 'assigned', ({ status }) => status === 'in_transit');
  say(`    => in transit, for ${sol(parcel.swarm?.total ?? 0n)} SOL`);
  return parcel;
}

/** A courier goes silent, another one takes its place, the shipper does not sign: everybody is paid all the same. */
async function heal(stage: Stage): Promise<PackageDetail> {
  const { id: packageId } = await begin(stage, PAINTING);
  const at = (index: number) => ({ packageId, index });
  const { ledger, say } = stage;
  for (const [index, { courier }] of PAINTING.offers.entries())
    await move(stage, courier, at(index), { action: 'accept' });
  say('    Ada, Bo and Chiara accept, each with a stake');
  await move(stage, 'Ada', at(0), { action: 'take' });
  await move(stage, 'Ada', at(0), { action: 'claim', text: 'At the Hauptbahnhof with the painting. Nobody is here.' });
  say('    Ada carries it to the Hauptbahnhof. Bo does not come; Ada claims that the parcel is there');

  await ledger.pass(CLOCKS.handoffSec + GRACE_SEC + 1);
  await untilPackage(stage, packageId, 'without Bo', ({ swarm }) => swarm?.legs[1]?.stage === 'vacant');
  const { id: legId, forfeited } = await legOf(stage, packageId, 1);
  say(`    Five minutes for Bo to come are over, and two of grace: its stake, ${sol(forfeited ?? 0n)} SOL, is lost`);
  const closesAt = await gatheredAt(stage, packageId);
  for (const one of REPLACEMENTS) await offer(stage, packageId, one, legId);
  await ledger.passUntil(closesAt);
  await untilPackage(stage, packageId, 'healed', ({ swarm }) => swarm?.legs[1]?.stage === 'pending');
  say('    => Dag takes the place of Bo, in the same escrow');
  await move(stage, 'Dag', at(1), { action: 'accept' });
  await move(stage, 'Dag', at(0), { action: 'confirm' });
  await move(stage, 'Chiara', at(1), { action: 'confirm' });
  say('    Dag takes over from Ada, Chiara from Dag: Ada and Dag are paid');

  await move(stage, 'Chiara', at(2), { action: 'claim', text: 'Handed over at Ostkreuz, 14:05.' });
  await ledger.pass(CLOCKS.reviewSec);
  const parcel = await untilPackage(stage, packageId, 'settled', ({ status }) => status === 'delivered');
  const { paid } = await legOf(stage, packageId, 2);
  say(
    `    Chiara delivers and claims. Nora neither signs nor contradicts: ${sol(paid ?? 0n)} SOL are paid by the clock`,
  );
  return settled(stage, parcel, 'Nora');
}

/** The shipper disputes a claim, and the arbiter divides. */
async function contest(stage: Stage): Promise<PackageDetail> {
  const { id: packageId } = await begin(stage, VASE);
  const leg = { packageId, index: 0 };
  const { say } = stage;
  await move(stage, 'Emre', leg, { action: 'take' });
  await move(stage, 'Emre', leg, { action: 'claim', text: 'Delivered at the Zoo.' });
  say('    Emre carries the vase to the Zoo and claims');
  await move(stage, 'Pavel', leg, { action: 'dispute', text: 'It came in pieces: photograph of them.' });
  say('    Pavel disputes, with a stake of his own');
  await move(stage, ARBITER, leg, { action: 'rule', percent: 30 });
  const parcel = await untilPackage(stage, packageId, 'settled', ({ status }) => status === 'delivered');
  const { paid, agreedPayment } = await legOf(stage, packageId, 0);
  say(
    `    ${ARBITER} rules 30 %: ${sol(paid ?? 0n)} of ${sol(agreedPayment)} SOL are paid, the stakes are divided, half of one is her fee`,
  );
  return settled(stage, parcel, 'Pavel');
}

function settled({ say }: Stage, parcel: PackageDetail, shipper: string): PackageDetail {
  say(`    Settled: ${sol(parcel.refund ?? 0n)} SOL return to ${shipper}`);
  return parcel;
}
