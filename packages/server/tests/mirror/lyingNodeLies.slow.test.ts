import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import type { Lie, Told } from '../support/lyingNode.js';
import { carryPackage, finishTask, listedPackage, listedTask, wrongs } from './lyingScene.js';

const SLOW = 180_000;
/** Requests that meet a lie before it ends: some seconds of a service with something to do. */
const HITS = 60;

const scenes = withTaskScene({ lying: true, finality: 'delayed' });

afterEach(() => scenes.current.service.node.mend());

/** As `Math.random`, always the same. */
function drawn(): () => number {
  let state = 21;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

async function newestSlot({ service }: TaskScene): Promise<number> {
  return Number(await service.rpc.getSlot({ commitment: 'confirmed' }).send());
}

const STATE = ['getAccountInfo', 'getMultipleAccounts'];

const LIES: [what: string, lie: (scene: TaskScene) => Lie | Promise<Lie>, methods?: readonly string[]][] = [
  ['loses the answers about what is sent', () => ({ kind: 'unanswered' })],
  ['takes its time', () => ({ kind: 'slow', ms: 200 })],
  ['sends and lists everything twice', () => ({ kind: 'repeated' })],
  ['lists the transactions of a slot in any order', () => ({ kind: 'reordered', random: drawn() })],
  ['is 32 slots behind', () => ({ kind: 'behind' })],
  ['shows the accounts of 32 slots ago', () => ({ kind: 'behind' }), STATE],
  ['has no history', async (scene) => ({ kind: 'pruned', below: await newestSlot(scene) })],
  ['gives no hint', () => ({ kind: 'unhinted' })],
];

/** Until enough requests have met the lie, or nobody waits for anything any more. */
async function untilMet(told: Told, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  const ended = () => {
    isDone = true;
  };
  done.then(ended, ended);
  while (!isDone && told.hits < HITS) await sleep(20);
}

describe('with a node that', () => {
  test.each(LIES)(
    '%s, everything is done once and shown as it is (S-50, S-51, S-52)',
    { timeout: SLOW },
    async (_, lie, methods) => {
      const scene = scenes.current;
      const told = await scene.service.node.begin(await lie(scene), methods);
      const done = Promise.all([carryPackage(scene), finishTask(scene)]);
      await untilMet(told, done);
      await told.end();
      expect(await wrongs(scene, await done)).toEqual([]);
    },
  );

  test('answers what is sent and passes nothing on, it is sent again (S-50)', { timeout: SLOW }, async () => {
    const scene = scenes.current;
    const [parcel, task] = await Promise.all([listedPackage(scene), listedTask(scene)]);
    const told = await scene.service.node.begin({ kind: 'swallowed' });
    const done = Promise.all([carryPackage(scene, Promise.resolve(parcel)), finishTask(scene, Promise.resolve(task))]);
    // The formation and the assignment, each sent twice.
    while (told.hits < 4) await sleep(20);
    await told.end();
    expect(await wrongs(scene, await done)).toEqual([]);
  });
});
