import pino from 'pino';
import { expect, test } from 'vitest';
import { startLoop, Waker } from '../src/loop.js';

const LONGER_THAN_ANY_TEST_MS = 600_000;
const log = pino({ level: 'silent' });

/** A loop that begins a round only when it is woken, and says when each begins. */
function counting(waker: Waker, work: (round: number) => Promise<boolean>) {
  let rounds = 0;
  const loop = startLoop({
    name: 'test',
    log,
    pollMs: LONGER_THAN_ANY_TEST_MS,
    waker,
    round: () => {
      rounds += 1;
      return work(rounds);
    },
  });
  return {
    loop,
    rounds: () => rounds,
    reaches: async (count: number): Promise<void> => {
      await expect.poll(() => rounds).toBeGreaterThanOrEqual(count);
    },
  };
}

test('a loop goes on at once while there is more to do, and rests after that', async () => {
  const { loop, rounds, reaches } = counting(new Waker(), async (round) => round < 5);
  await reaches(5);
  await loop.stop();
  expect(rounds()).toBe(5);
});

test('a wake ends the rest, and one during a round is not lost', async () => {
  const waker = new Waker();
  const { loop, rounds, reaches } = counting(waker, async (round) => {
    if (round === 1) waker.wake();
    return false;
  });
  await reaches(2);
  waker.wake();
  await reaches(3);
  await loop.stop();
  expect(rounds()).toBe(3);
});

test('a wake before the loop was started costs nothing and is no error', async () => {
  const waker = new Waker();
  waker.wake();
  const { loop, rounds, reaches } = counting(waker, async () => false);
  // The wake may have been for what was there before the first round, or after it: one round more does no harm.
  await reaches(1);
  await loop.stop();
  expect(rounds()).toBeLessThanOrEqual(2);
});

test('a round that fails does not end the loop', async () => {
  const waker = new Waker();
  const { loop, rounds, reaches } = counting(waker, async (round) => {
    if (round === 1) throw new Error('the database is away');
    return false;
  });
  await reaches(1);
  waker.wake();
  await reaches(2);
  await loop.stop();
  expect(rounds()).toBe(2);
});

test('stopping waits for the round under way and begins no other', async () => {
  const waker = new Waker();
  let finish: () => void = () => undefined;
  const { loop, rounds } = counting(waker, () => new Promise((resolve) => (finish = () => resolve(true))));
  const stopped = loop.stop();
  waker.wake();
  finish();
  await stopped;
  expect(rounds()).toBe(1);
});

test('a round hears what it is for, unless anything may be due', async () => {
  const waker = new Waker();
  const heard: (string[] | undefined)[] = [];
  const loop = startLoop({
    name: 'test',
    log,
    pollMs: LONGER_THAN_ANY_TEST_MS,
    waker,
    round: async (names) => {
      heard.push(names && [...names]);
      return false;
    },
  });
  const after = async (rounds: number): Promise<void> => {
    await expect.poll(() => heard.length).toBe(rounds);
  };
  await after(1);
  for (const name of ['a', 'b', 'a']) waker.wake(name);
  await after(2);
  waker.wake('c');
  waker.wake();
  await after(3);
  await loop.stop();
  expect(heard.slice(0, 3)).toEqual([undefined, ['a', 'b'], undefined]);
});
