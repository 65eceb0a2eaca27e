import { afterEach, expect, test } from 'vitest';
import { withTaskScene } from '../coordinator/taskScene.js';
import { claim, untilTask } from '../operations/digitalTasks/scene.js';
import { OPENING_SEC } from '@legwork/protocol/rules';
import {
  at,
  bidForOpening,
  carryTo,
  formedWithTerms,
  listedWithTerms,
  courier,
  move,
  moveWithText,
} from '../operations/turns/scene.js';
import { begunBy, boundTask, claimResult, moveInTask, reasonOf } from '../operations/turns/taskScene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { onFork, untilAllLanded, wrongs } from './lyingScene.js';

/** So far the ledger's clock is ahead of the fork's: no instant is the same by chance. */
const LATER_SEC = 10;
const SLOW = 120_000;

const scenes = withTaskScene({ lying: true, finality: 'delayed' });
afterEach(() => scenes.current.service.node.mend());

/** Every instant that follows from when a transaction landed. */
async function instants() {
  const { db } = scenes.current.service;
  const [moves, legs, parts, events] = await Promise.all([
    db.selectFrom('leg_moves').select(['id', 'at']).orderBy('id').execute(),
    db.selectFrom('legs').select(['id', 'since', 'until']).orderBy('id').execute(),
    db.selectFrom('digital_legs').select(['id', 'since', 'until', 'due_at']).orderBy('id').execute(),
    db.selectFrom('events').select(['id', 'payload']).orderBy('id').execute(),
  ]);
  return { moves, legs, parts, events: events.filter(({ payload }) => 'until' in payload || 'dueAt' in payload) };
}

test('what a fork confirmed and another slot made final has the instants of that slot (S-115)', {
  timeout: SLOW,
}, async () => {
  const { service } = scenes.current;
  const [replaced, newcomer] = [await formedWithTerms(service), await courier(service)];
  await move(service, replaced, 1, at(replaced.couriers, 1), 'vacate');
  await service.advanceTime(OPENING_SEC + 1);
  const [carried, listed, vacant] = [
    await formedWithTerms(service, undefined, { handoffSec: 600 }),
    await listedWithTerms(service),
    await formedWithTerms(service, undefined, { handoffSec: 600 }),
  ];
  const [first, second] = [await boundTask(service), await boundTask(service)];
  const [worker, agent, late] = [await begunBy(service, first, 0), await courier(service), await courier(service)];
  await carryTo(service, carried, 0);
  await move(service, vacant, 1, at(vacant.couriers, 1), 'accept');

  await onFork(scenes.current, async () => {
    await late.client.submitBid(bidInput(late, listed.parcel.id, 'zoo', 'ostkreuz', 0.1));
    await claim(agent, second.task, 0);
    await claimResult(first, 0, worker, 'Summed up.');
    await moveInTask(first, 0, first.poster, 'dispute', { hash: await reasonOf(first.poster, first.task, 0) });
    await move(service, carried, 0, at(carried.couriers, 1), 'confirm');
    await moveWithText(service, carried, 1, at(carried.couriers, 1), 'claim', 'It is at the door.');
    await move(service, vacant, 1, at(vacant.couriers, 1), 'vacate');
    await bidForOpening(replaced, newcomer, 0.04);
    await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
    await untilPackage(service, replaced.parcel.id, ({ swarm }) => swarm?.legs[1]?.agentPubkey === newcomer.pubkey);
    await untilTask(service, second.task.id, ({ legs }) => legs[0]?.stage === 'pending');
    await service.advanceTime(LATER_SEC);
  });
  const before = await instants();
  await untilAllLanded(scenes.current);
  expect(await wrongs(scenes.current, [])).toEqual([]);
  const after = await instants();
  // Two of the task that was begun, four of the two packages in transit: a confirmation is a handover too.
  expect(before.moves.filter((one, index) => one.at.getTime() !== after.moves[index]?.at.getTime()).length).toBe(6);
  for (const table of ['legs', 'parts', 'events'] as const) expect(after[table]).not.toEqual(before[table]);
});
