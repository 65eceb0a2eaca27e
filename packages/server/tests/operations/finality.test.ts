import { FINALITIES, type Finality, type OperationName } from '@legwork/protocol/contract';
import { confirmLeg } from '@legwork/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { runs, type Runs } from '../../src/operations/index.js';
import { formedPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { claim, handIn, postedTask, untilTask } from './digitalTasks/scene.js';

const service = withService();
let context: AppContext;
let seen: Scene;

/** A package and a task of two legs each, the first of which is paid. */
interface Scene {
  packageId: string;
  swarmId: string;
  taskId: string;
  couriers: [Party, Party];
  worker: Party;
  /** Transactions that paid, and others about the same. */
  paid: string[];
  other: string[];
}

async function play(): Promise<Scene> {
  const { couriers, parcel } = await formedPackage(service.current, [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'ostkreuz', 0.05],
  ]);
  const [first, second] = couriers as [Party, Party];
  const carried = await confirmLeg(second.client, service.current.rpc, second.signer, parcel.swarm?.legs[0]?.id ?? '');
  const worker = await service.current.party(1);
  const { task } = await postedTask(service.current);
  await claim(worker, task, 0);
  await handIn(worker, task, 0);
  const worked = await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'completed');
  return {
    packageId: parcel.id,
    swarmId: parcel.swarm?.id ?? '',
    taskId: task.id,
    couriers: [first, second],
    worker,
    paid: [carried.signature, worked.legs[0]?.confirmSignature ?? ''],
    other: [parcel.swarm?.formSignature ?? '', task.listSignature],
  };
}

beforeAll(async () => {
  seen = await play();
  await untilQuiet(service.current);
  // The rows below are written by hand; nobody shall put them right.
  await service.current.stop();
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

async function mark(signatures: readonly string[], finality: Finality): Promise<void> {
  for (const signature of signatures) {
    const place = BigInt(1_000_000 + [...seen.paid, ...seen.other].indexOf(signature));
    await context.db
      .updateTable('ledger_transactions')
      .set({ position: finality === 'final' ? place : null, reverted_at: finality === 'reverted' ? new Date() : null })
      .where('signature', '=', signature)
      .execute();
  }
}

/** Calls the operation as the service would. */
async function answerOf<Name extends OperationName>(name: Name, input: Parameters<Runs[Name]>[1], pubkey?: string) {
  const outcome = await (runs[name] as Runs[OperationName])(context, input as never, { pubkey, ip: '127.0.0.1' });
  return outcome.answer as Awaited<ReturnType<Runs[Name]>>['answer'];
}

const PAGE = { limit: 50, cursor: undefined, status: undefined, shipper: undefined };

/** The finality in each answer about listings, the paid legs and the open ones. */
async function said() {
  const { packageId, swarmId, taskId, couriers, worker } = seen;
  const parcel = await answerOf('getPackage', { packageId });
  const swarm = await answerOf('getSwarm', { swarmId });
  const task = await answerOf('getDigitalTask', { taskId });
  const listed = (await answerOf('listPackages', { ...PAGE, near: undefined, radiusKm: undefined }))[0];
  const listedTask = (await answerOf('listDigitalTasks', { ...PAGE, open: undefined }))[0];
  const queues = await Promise.all(
    [...couriers, worker].map(
      async ({ pubkey }) => (await answerOf('listAgentLegs', { ...PAGE, agentPubkey: pubkey }))[0],
    ),
  );
  const byTurn = [parcel.swarm?.legs, swarm.legs, task.legs, listedTask?.legs];
  return {
    listing: [parcel, parcel.swarm, swarm, task, listed, listedTask].map((one) => one?.finality),
    paid: [...byTurn.map((legs) => legs?.[0]), queues[0], queues[2]].map((leg) => leg?.finality),
    open: [...byTurn.map((legs) => legs?.[1]), queues[1]].map((leg) => leg?.finality),
  };
}

/** From the surest to the least sure. */
const SURENESS: readonly Finality[] = ['final', 'confirmed', 'reverted'];
const combinations = FINALITIES.flatMap((paid) => FINALITIES.map((other) => ({ paid, other })));

test.each(combinations)(
  'a payment that is $paid and another transaction that is $other are shown so in every answer (S-110, S-111)',
  async ({ paid, other }) => {
    await mark(seen.paid, paid);
    await mark(seen.other, other);
    const listing = SURENESS[Math.max(SURENESS.indexOf(paid), SURENESS.indexOf(other))];
    expect(await said()).toEqual({
      listing: Array(6).fill(listing),
      paid: Array(6).fill(paid),
      open: Array(5).fill(listing),
    });
  },
);

test.each(['confirmed', 'final'] as const)(
  'a repeated call answers that its payment is %s (S-111)',
  async (finality) => {
    const { taskId, couriers, worker, paid } = seen;
    await mark([...paid, ...seen.other], 'final');
    await mark(paid, finality);
    const [carried, worked] = [
      (await answerOf('getSwarm', { swarmId: seen.swarmId })).legs[0]?.id ?? '',
      (await answerOf('getDigitalTask', { taskId })).legs[0]?.id ?? '',
    ];
    const recipient = couriers[1].pubkey;
    const proof = { legId: carried, signature: paid[0] };
    expect(await answerOf('confirmLeg', proof, recipient)).toMatchObject({ status: 'completed', finality });
    const asked = { legId: carried, agentPubkey: recipient };
    expect(await answerOf('mirrorLeg', asked)).toMatchObject({ status: 'completed', finality });
    const handedIn = { taskId, legId: worked, agentPubkey: worker.pubkey, result: 'result 0' };
    expect(await answerOf('completeDigitalLeg', handedIn, worker.pubkey)).toMatchObject({
      status: 'completed',
      finality,
    });
  },
);
