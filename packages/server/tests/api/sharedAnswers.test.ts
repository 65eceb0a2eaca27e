import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shareAnswers } from '../../src/api/sharedAnswers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A question whose answer is the number of times that it was made, and the newest event then. */
function scene() {
  const state = { seq: 1n, made: 0 };
  const share = shareAnswers(
    async () => state.seq,
    () => Date.now(),
  );
  const make = async () => {
    state.made += 1;
    return `${state.made}: ${state.seq}`;
  };
  return { state, ask: (question = '/relays') => share(question, make), share };
}

test('(S-124) what many ask for at once is made once', async () => {
  const { state, ask } = scene();
  expect(new Set(await Promise.all(Array.from({ length: 100 }, () => ask())))).toEqual(new Set(['1: 1']));
  await vi.advanceTimersByTimeAsync(999);
  expect(await ask()).toBe('1: 1');
  await vi.advanceTimersByTimeAsync(1);
  expect(await ask()).toBe('2: 1');
  expect(await ask('/relays?limit=1')).toBe('3: 1');
  expect(state.made).toBe(3);
});

test('(S-124) nobody gets an answer that lacks an event from before the question', async () => {
  const { state, ask } = scene();
  await ask();
  await vi.advanceTimersByTimeAsync(300);
  state.seq = 2n;
  expect(await ask()).toBe('2: 2');
});

test('(S-124) however often events come, it is made four times a second at most, and everybody gets one that knows theirs', async () => {
  const { state, ask } = scene();
  const answers: Promise<void>[] = [];
  for (let asked = 0; asked < 200; asked += 1) {
    state.seq += 1n;
    const known = state.seq;
    answers.push(ask().then((answer) => expect(Number(answer.split(': ')[1])).toBeGreaterThanOrEqual(Number(known))));
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all(answers);
  expect(state.made).toBeLessThanOrEqual(2_000 / 250 + 2);
});

test('(S-124) a refusal is shared with those who wait for it, and kept for nobody', async () => {
  const { share, ask } = scene();
  const refused = () => Promise.reject(new Error('no'));
  const both = await Promise.allSettled([share('/relays', refused), share('/relays', refused)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toBe('1: 1');
});

test('(S-124) a few answers are kept at a time, whatever is asked', async () => {
  const { state, ask } = scene();
  for (let question = 0; question < 100; question += 1) await ask(`/relays?limit=${question}`);
  await ask('/relays?limit=99');
  expect(state.made).toBe(100);
  await ask('/relays?limit=0');
  expect(state.made).toBe(101);
});
