import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { closeWindow, gatheringPackage, winnerOf } from '../bids/scene.js';
import { claim, handIn, postedTask, untilTask } from '../digitalTasks/scene.js';
import { bidInput, confirmAll, formedPackage, untilPackage } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { expiredCredential, issuerOf, provenAgent, verify } from './scene.js';

const service = withService();

beforeEach(() => service.current.db.deleteFrom('trust_events').execute());

/** Has somebody present an expired credential about the agent. */
async function present({ pubkey }: Party): Promise<void> {
  const jwt = await expiredCredential(await issuerOf(service.current), pubkey);
  expect(await verify(service.current, jwt)).toMatchObject({ reason: 'expired' });
}

async function trustOf({ client, pubkey }: Party) {
  return (await client.getAgent({ agentPubkey: pubkey })).trust;
}

/** Has everything that was presented so far been presented so many seconds earlier. */
async function age(seconds: number): Promise<void> {
  await sql`update trust_events set occurred_at = occurred_at - ${seconds} * interval '1 second'`.execute(
    service.current.db,
  );
}

describe('an expired credential that was presented', () => {
  test('takes 10 percent points of its subject’s weight, and nothing of its score (M-14, M-65)', async () => {
    const agent = await provenAgent(service.current);
    expect(await trustOf(agent)).toEqual({ adjustmentPercent: 0, isNewcomer: false, weightPercent: 100 });
    await present(agent);
    expect(await trustOf(agent)).toEqual({ adjustmentPercent: -10, isNewcomer: false, weightPercent: 90 });
    const { reliabilityScore } = await agent.client.getReputation({ agentPubkey: agent.pubkey });
    expect(reliabilityScore).toBe(100);
  });

  test('takes no more than 10, however many are presented (M-65)', async () => {
    const agent = await provenAgent(service.current);
    for (let count = 0; count < 3; count += 1) await present(agent);
    expect(await service.current.db.selectFrom('trust_events').select('jti').execute()).toHaveLength(3);
    expect(await trustOf(agent)).toMatchObject({ adjustmentPercent: -10, weightPercent: 90 });
  });

  test('is of one agent alone, and of a newcomer too (M-14)', async () => {
    const [agent, newcomer, other] = await Promise.all([1, 1, 1].map((sol) => service.current.party(sol)));
    if (!agent || !newcomer || !other) throw new Error('three parties');
    for (const { client, pubkey } of [newcomer, other]) await client.registerAgent({ agentPubkey: pubkey });
    await present(newcomer);
    expect(await trustOf(newcomer)).toEqual({ adjustmentPercent: -10, isNewcomer: true, weightPercent: 40 });
    expect(await trustOf(other)).toEqual({ adjustmentPercent: 0, isNewcomer: true, weightPercent: 50 });
  });

  test('counts for 30 days, to the second (M-65)', async () => {
    const agent = await provenAgent(service.current);
    // Presented after the completed leg, so that only time ends it.
    await sql`update legs set completed_at = completed_at - interval '40 days'`.execute(service.current.db);
    await present(agent);
    await age(30 * 86_400 - 60);
    expect(await trustOf(agent)).toMatchObject({ adjustmentPercent: -10 });
    await age(61);
    expect(await trustOf(agent)).toMatchObject({ adjustmentPercent: 0, weightPercent: 100 });
  });

  test('counts again when another one is presented after it has ended (M-65)', async () => {
    const agent = await provenAgent(service.current);
    await present(agent);
    await age(31 * 86_400);
    await present(agent);
    expect(await trustOf(agent)).toMatchObject({ adjustmentPercent: -10 });
  });

  test('is cleared by the next completed leg of a package (M-65)', async () => {
    const delivery = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const [courier] = delivery.couriers;
    if (!courier) throw new Error('no courier');
    await present(courier);
    expect(await trustOf(courier)).toMatchObject({ adjustmentPercent: -10 });
    await confirmAll(service.current, delivery);
    expect(await trustOf(courier)).toMatchObject({ adjustmentPercent: 0, weightPercent: 100 });
  });

  test('is cleared by the next completed leg of a digital task, whose payment it does not touch (M-9, M-65)', async () => {
    const worker = await service.current.party(1);
    const { task } = await postedTask(service.current);
    await claim(worker, task, 0);
    await present(worker);
    expect(await trustOf(worker)).toMatchObject({ adjustmentPercent: -10 });
    await handIn(worker, task, 0);
    const done = await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'completed');
    expect(done.legs[0]?.paymentLamports).toBe(50_000_000n);
    expect(await trustOf(worker)).toMatchObject({ adjustmentPercent: 0, weightPercent: 100 });
  });
});

const DAY_SEC = 86_400;
/** How long ago something was, in seconds: by far, and around the end of 30 days. */
const hundreds = fc.oneof(fc.integer({ min: 1, max: 400 * 86 }), fc.integer({ min: 25_910, max: 25_930 }));

interface Past {
  /** Of its leg of a package, and of a digital task. */
  completed: [number, number];
  presented: { ago: number; percent: number }[];
}

/** Legs end at full hundreds of seconds ago and credentials are presented between them, so that nothing falls together. */
const past: fc.Arbitrary<Past> = fc.record({
  completed: fc.tuple(hundreds, hundreds).map(([one, other]) => [one * 100, other * 100]),
  presented: fc.array(
    fc.record({ ago: hundreds.map((count) => count * 100 + 50), percent: fc.constantFrom(-10, -10, -3) }),
    { maxLength: 4 },
  ),
});

/** The trust adjustment that should be left of such a past. */
function expected({ completed, presented }: Past): number {
  const standing = presented.filter(({ ago }) => ago < 30 * DAY_SEC && completed.every((leg) => leg > ago));
  return Math.min(0, ...standing.map(({ percent }) => percent));
}

async function setPast({ pubkey }: Party, { completed: [leg, taskLeg], presented }: Past): Promise<void> {
  const { db } = service.current;
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  await db
    .updateTable('legs')
    .set({ completed_at: ago(leg) })
    .where('agent_pubkey', '=', pubkey)
    .execute();
  await db
    .updateTable('digital_legs')
    .set({ completed_at: ago(taskLeg) })
    .where('agent_pubkey', '=', pubkey)
    .execute();
  await db.deleteFrom('trust_events').execute();
  const events = presented.map(({ ago: seconds, percent }, index) => ({
    jti: `event ${index}`,
    agent_pubkey: pubkey,
    type: 'VcExpired' as const,
    adjustment_percent: percent,
    occurred_at: ago(seconds),
  }));
  if (events.length > 0) await db.insertInto('trust_events').values(events).execute();
}

test('whatever an agent’s past, an event stands for 30 days or until a leg is completed, and the worst counts alone (M-14, M-65)', {
  timeout: 90_000,
}, async () => {
  const agent = await provenAgent(service.current);
  const { task } = await postedTask(service.current, { legs: [{ instruction: 'Do it.' }] });
  await claim(agent, task, 0);
  await handIn(agent, task, 0);
  await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  const seen = new Set<number>();
  const holds = fc.asyncProperty(past, async (history) => {
    await setPast(agent, history);
    const { adjustmentPercent, weightPercent } = await trustOf(agent);
    expect({ adjustmentPercent, weightPercent }).toEqual({
      adjustmentPercent: expected(history),
      weightPercent: 100 + expected(history),
    });
    seen.add(adjustmentPercent);
  });
  await expect(fc.assert(holds, { numRuns: 60, seed: 65 })).resolves.toBeUndefined();
  expect([...seen].sort((a, b) => a - b)).toEqual([-10, -3, 0]);
});

describe('what it costs', () => {
  test('the choice between bids goes by the weight that is left (M-14, M-22)', async () => {
    const [marked, clean] = [await provenAgent(service.current), await provenAgent(service.current)];
    await present(marked);
    // By weight, cost * (1300 - rho): 0.1 * 1210 is more than 0.1008 * 1200.
    expect((await winnerOf(service.current, [marked, 0.1], [clean, 0.1008]))?.map(([pubkey]) => pubkey)).toEqual([
      clean.pubkey,
    ]);
    await service.current.db.deleteFrom('trust_events').execute();
    // And without the event 0.1 * 1200 is less.
    expect((await winnerOf(service.current, [marked, 0.1], [clean, 0.1008]))?.map(([pubkey]) => pubkey)).toEqual([
      marked.pubkey,
    ]);
  });

  test('the payment has a smaller bonus, the one that was foretold (M-14, M-26, M-29)', async () => {
    const marked = await provenAgent(service.current);
    await present(marked);
    const { id } = await gatheringPackage(service.current);
    const bid = await marked.client.submitBid(bidInput(marked, id, 'zoo', 'ostkreuz', 0.07));
    // 0.07 * 90 % * 3/7
    expect(bid.expectedPaymentLamports).toBe(97_000_000n);
    await closeWindow(service.current, id);
    const { swarm } = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    expect(swarm?.legs.map((leg) => leg.agreedPaymentLamports)).toEqual([97_000_000n]);
  });
});
