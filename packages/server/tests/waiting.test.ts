import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unless } from '../src/waiting.js';

const never = new Promise<never>(() => undefined);
const reason = new Error('given up');

test('what waits fails when it is given up, and what has its answer keeps it', async () => {
  const giving = new AbortController();
  const answered = unless(giving.signal, Promise.resolve('there'));
  const failed = unless(giving.signal, Promise.reject(new Error('no such table')));
  await expect(failed).rejects.toThrow('no such table');
  const waiting = Array.from({ length: 30 }, () => unless(giving.signal, never));
  expect(getEventListeners(giving.signal, 'abort')).toHaveLength(1);
  giving.abort(reason);
  expect(await Promise.allSettled(waiting)).toEqual(waiting.map(() => ({ status: 'rejected', reason })));
  expect(await answered).toBe('there');
  await expect(unless(giving.signal, never)).rejects.toBe(reason);
});

test('what is never given up is the answer itself', () => {
  expect(unless(undefined, never)).toBe(never);
});
