import { expect, test } from 'vitest';
import { shareReads } from '../../../src/identity/credentials.js';

/** Reads that end when they are told to, each with its number. */
function heldReads() {
  const endings: ((end: 'well' | 'badly') => void)[] = [];
  const read = shareReads(async () => {
    const number = endings.length + 1;
    const end = await new Promise<'well' | 'badly'>((resolve) => endings.push(resolve));
    if (end === 'badly') throw new Error(`read ${number}`);
    return number;
  });
  const end = async (index: number, how: 'well' | 'badly' = 'well') => {
    await expect.poll(() => endings.length).toBe(index + 1);
    endings[index]?.(how);
  };
  return { read, end, count: () => endings.length };
}

test('(S-65) however many ask while a read is under way, one more answers them, begun after they asked', async () => {
  const { read, end, count } = heldReads();
  const first = read();
  await expect.poll(count).toBe(1);
  const later = Array.from({ length: 100 }, read);
  await end(0);
  expect(await first).toBe(1);
  await end(1);
  expect(await Promise.all(later)).toEqual(later.map(() => 2));
  expect(count()).toBe(2);
});

test('(S-65) a read that fails is told to those that asked for it, and the next one is tried', async () => {
  const { read, end } = heldReads();
  const failing = read();
  await end(0, 'badly');
  await expect(failing).rejects.toThrow('read 1');
  const next = read();
  await end(1);
  expect(await next).toBe(2);
});
