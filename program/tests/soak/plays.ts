import { expect } from 'vitest';
import { STAKE } from '../harness/terms.js';
import { until } from './clock.js';
import { PAYMENT, type Scene } from './scene.js';
import { CLOCK } from './stage.js';

/** The cost of a ruling to the disputer, or the amount burnt where the arbiter is silent. */
export const FEE = STAKE / 2n;
/** A claim this long before the deadline has its review end after it. */
export const BEFORE_THE_DEADLINE = 280n;

/** How one package or task ends. Everybody who is not named in it is silent. */
export interface Play<Staged> {
  readonly legs: number;
  /** How many legs the coordinator assigns before it is gone; default: all of a package, the first one of a task. */
  readonly assigned?: number;
  /** The arbiter's behaviour in a dispute; undefined: there is none. */
  readonly arbiter?: 'rules' | 'silent';
  run(scene: Staged): Promise<void>;
}

async function silentShipper(scene: Scene): Promise<void> {
  const { relay, delivery } = scene;
  await scene.accept(0, true);
  for (const index of [0, 1]) {
    await scene.accept(index + 1);
    await scene.send(await relay.moves.handoff(delivery, index));
  }
  await scene.claim(2);
  const opening = { at: (await scene.since(2)) + CLOCK, refusal: 'ReviewOpen' };
  await scene.opens('the last courier pays itself', await scene.crank(scene.courier(2), 2), opening);
  await scene.settle();
  await scene.expectGains(-3n * PAYMENT, PAYMENT, PAYMENT, PAYMENT);
}

async function silentArbiter(scene: Scene): Promise<void> {
  const { relay, delivery } = scene;
  await scene.accept(0, true);
  await scene.claim();
  await scene.send(await relay.moves.dispute(delivery));
  const byDefault = { courier: scene.courier(), signer: scene.courier(), form: 'default', percent: 50 } as const;
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'LegInTime' };
  await scene.refused(await scene.crank(scene.courier()), 'ClaimPending');
  await scene.opens('the default of a dispute', await relay.moves.rule(delivery, byDefault), opening);
  await scene.send(await scene.crank(scene.courier()));
  await scene.settle();
  const half = PAYMENT / 2n;
  await scene.expectGains(-half - FEE, half);
}

/** The first courier never answers. */
async function unanswered(scene: Scene): Promise<void> {
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'LegInTime' };
  const stranger = await scene.relay.person('stranger');
  await scene.opens('anybody vacates a pending leg', await scene.vacate(stranger), opening);
  await scene.send(await scene.reclaim());
  await scene.expectGains(0n, 0n, 0n);
}

/** The first courier accepts and never comes; the second one has accepted too. */
async function silentCourier(scene: Scene): Promise<void> {
  const { relay, delivery } = scene;
  await scene.accept(0);
  await scene.accept(1);
  const before = await relay.lamports(delivery.vault);
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'LegInTime' };
  const stranger = await relay.person('stranger');
  await scene.opens('anybody vacates an accepted leg', await scene.vacate(stranger), opening);
  expect(await relay.lamports(delivery.vault)).toBe(before + STAKE);
  await scene.send(await scene.reclaim());
  await scene.expectGains(STAKE, -STAKE, 0n);
}

/** The parcel is picked up and never arrives. */
async function overdueCustodian(scene: Scene): Promise<void> {
  const { relay, delivery } = scene;
  await scene.accept(0, true);
  const stranger = await relay.person('stranger');
  const due = (await scene.since()) + CLOCK;
  await scene.refused(await scene.vacate(scene.lister), 'LegInTime');
  await until(relay, due);
  for (const other of [stranger, scene.courier()]) await scene.refused(await scene.vacate(other), 'Unauthorized');
  const before = await relay.lamports(delivery.vault);
  await scene.send(await scene.vacate(scene.lister));
  expect(await relay.lamports(delivery.vault)).toBe(before + STAKE);
  await scene.send(await scene.reclaim());
  await scene.expectGains(STAKE, -STAKE);
}

async function ruled(scene: Scene): Promise<void> {
  const { relay, delivery } = scene;
  await scene.accept(0, true);
  await scene.claim();
  await scene.send(await relay.moves.dispute(delivery));
  await scene.send(await relay.moves.rule(delivery, { courier: scene.courier(), percent: 30 }));
  await scene.send(await scene.crank(await relay.person('stranger')));
  await scene.settle();
  const stakes = ((2n * STAKE - FEE) * 30n) / 100n;
  const payment = (PAYMENT * 30n) / 100n;
  await scene.expectGains(STAKE - FEE - stakes - payment, stakes - STAKE + payment);
}

async function agreed(scene: Scene): Promise<void> {
  const { relay, delivery } = scene;
  await scene.accept(0, true);
  const agreement = { courier: scene.courier(), signer: scene.lister, form: 'agreed', percent: 40 } as const;
  await scene.send(await relay.moves.rule(delivery, agreement));
  await scene.send(await scene.crank(scene.lister));
  await scene.settle();
  const payment = (PAYMENT * 40n) / 100n;
  await scene.expectGains(-payment, payment);
}

/** A claim before the deadline is waited for beyond it, by the funder too. */
async function claimedAtTheDeadline(scene: Scene): Promise<void> {
  const { relay, deadline } = scene;
  await scene.accept(0, true);
  await scene.accept(1);
  await scene.refused(await scene.reclaim(), 'DeadlineNotReached');
  await until(relay, deadline - BEFORE_THE_DEADLINE);
  await scene.claim();
  const at = (await scene.since()) + CLOCK;
  await until(relay, deadline);
  await scene.refused(await scene.reclaim(), 'ClaimPending');
  await scene.opens('the lister ends a claim itself', await scene.crank(scene.lister), { at, refusal: 'ReviewOpen' });
  await scene.send(await scene.reclaim());
  await scene.expectGains(-PAYMENT, PAYMENT, 0n);
}

async function carriedAtTheDeadline(scene: Scene): Promise<void> {
  await scene.accept(0, true);
  const opening = { at: scene.deadline, refusal: 'DeadlineNotReached' };
  await scene.opens('the funder reclaims', await scene.reclaim(), opening);
  await scene.expectGains(STAKE, -STAKE);
}

/** The next courier is silent beside a claim: the claim is paid, and the next one loses its stake. */
async function silentNext(scene: Scene): Promise<void> {
  const { relay } = scene;
  await scene.accept(0, true);
  await scene.claim();
  await scene.accept(1);
  const [claimed, accepted] = [await scene.since(0), await scene.since(1)];
  const stranger = await relay.person('stranger');
  await until(relay, accepted + CLOCK);
  await scene.refused(await scene.vacate(scene.courier(1), 1), 'LegOverdue');
  await scene.send(await scene.vacate(stranger, 1));
  expect(accepted).toBeGreaterThanOrEqual(claimed);
  await scene.send(await scene.crank(scene.courier()));
  const opening = { at: scene.deadline, refusal: 'DeadlineNotReached' };
  await scene.opens('the funder reclaims the rest', await scene.reclaim(), opening);
  await scene.expectGains(STAKE - PAYMENT, PAYMENT, -STAKE);
}

/** Before a pickup everybody leaves at once. */
async function leave(scene: Scene): Promise<void> {
  await scene.accept(0);
  for (const index of [0, 1]) await scene.send(await scene.vacate(scene.courier(index), index));
  await scene.send(await scene.reclaim());
  await scene.expectGains(0n, 0n, 0n);
}

async function leftForming(scene: Scene): Promise<void> {
  await scene.send(await scene.relay.reclaim(scene.delivery, 1, scene.lister));
  await scene.expectGains(0n, 0n, 0n);
}

async function onlyListed(scene: Scene): Promise<void> {
  await scene.send(scene.relay.cancel(scene.delivery));
  await scene.expectGains(0n);
}

export const PLAYS: Readonly<Record<string, Play<Scene>>> = {
  'silent shipper': { legs: 3, run: silentShipper },
  'silent arbiter': { legs: 1, arbiter: 'silent', run: silentArbiter },
  'courier never answers': { legs: 2, run: unanswered },
  'silent courier': { legs: 2, run: silentCourier },
  'overdue custodian': { legs: 1, run: overdueCustodian },
  ruled: { legs: 1, arbiter: 'rules', run: ruled },
  agreed: { legs: 1, run: agreed },
  'claimed at the deadline': { legs: 2, run: claimedAtTheDeadline },
  'carried at the deadline': { legs: 1, run: carriedAtTheDeadline },
  'silent next courier': { legs: 2, run: silentNext },
  'everybody leaves': { legs: 2, run: leave },
  'left forming': { legs: 2, assigned: 1, run: leftForming },
  'only listed': { legs: 0, run: onlyListed },
};
