import { expect, test } from 'vitest';
import { Batches } from '../src/batches.js';

const AT_LINE = { line: 'line', name: 'name' };

/** Batches whose work waits until it is let go; what each batch held is in `begun`. */
function held() {
  const begun: string[][] = [];
  const ends: ((results?: (string | Error)[]) => void)[] = [];
  const batches = new Batches<string, string>((items) => {
    begun.push([...items]);
    return new Promise((resolve) => {
      ends.push((results) => resolve(results ?? items.map((item) => item.toUpperCase())));
    });
  });
  const end = (index: number, results?: (string | Error)[]) => ends[index]?.(results);
  return { batches, begun, end };
}

test('a lone item begins at once; what comes meanwhile goes together, in its order, when that has ended', async () => {
  const { batches, begun, end } = held();
  const results = ['a', 'b', 'c'].map((item) => batches.run(item, { line: 'line', name: item }));
  expect(begun).toEqual([['a']]);
  end(0);
  expect(await results[0]).toBe('A');
  await expect.poll(() => begun).toEqual([['a'], ['b', 'c']]);
  end(1);
  expect(batches.isBusy('line')).toBe(true);
  expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
  await expect.poll(() => batches.isBusy('line')).toBe(false);
  void batches.run('d', AT_LINE);
  expect(begun.at(-1)).toEqual(['d']);
});

test('lines do not wait for each other', () => {
  const { batches, begun } = held();
  void batches.run('a', { line: 'one', name: 'name' });
  void batches.run('b', { line: 'other', name: 'name' });
  expect(begun).toEqual([['a'], ['b']]);
});

test('a flood of one name takes one place in a batch, and 64 names share one', async () => {
  const { batches, begun, end } = held();
  void batches.run('first', AT_LINE);
  for (let item = 0; item < 50; item += 1) void batches.run(`flood ${item}`, { line: 'line', name: 'flood' });
  for (let item = 0; item < 70; item += 1) void batches.run(`other ${item}`, { line: 'line', name: `other ${item}` });
  end(0);
  await expect.poll(() => begun.length).toBe(2);
  expect(begun[1]).toEqual(['flood 0', ...Array.from({ length: 63 }, (_, item) => `other ${item}`)]);
  end(1);
  await expect.poll(() => begun.length).toBe(3);
  expect(begun[2]).toEqual([...Array.from({ length: 7 }, (_, item) => `other ${63 + item}`), 'flood 1']);
});

test('an error of one item is its own, an error of the work is everybody’s, and the next batch goes on', async () => {
  const { batches, begun, end } = held();
  const first = batches.run('first', AT_LINE);
  const [good, bad] = ['good', 'bad'].map((name) => batches.run(name, { line: 'line', name }));
  end(0);
  await first;
  await expect.poll(() => begun.length).toBe(2);
  end(1, ['done', new Error('refused')]);
  expect(await Promise.allSettled([good, bad])).toMatchObject([
    { status: 'fulfilled', value: 'done' },
    { status: 'rejected', reason: { message: 'refused' } },
  ]);
  let fails = true;
  const failing = new Batches<string, string>((items) =>
    fails ? Promise.reject(new Error('lost')) : Promise.resolve(items),
  );
  await expect(failing.run('a', AT_LINE)).rejects.toThrow('lost');
  fails = false;
  expect(await failing.run('b', AT_LINE)).toBe('b');
});

test('more than 100 of one name, or 1,024 in all, do not wait: they are told to try again (M-37)', async () => {
  const { batches } = held();
  void batches.run('begun', AT_LINE);
  for (let item = 0; item < 100; item += 1) void batches.run('waits', { line: 'line', name: 'flood' });
  await expect(batches.run('too many', { line: 'line', name: 'flood' })).rejects.toMatchObject({ code: 'not_ready' });
  for (let item = 100; item < 1024; item += 1) void batches.run('waits', { line: 'line', name: `other ${item}` });
  await expect(batches.run('too many', { line: 'line', name: 'new' })).rejects.toMatchObject({ code: 'not_ready' });
  void batches.run('elsewhere', { line: 'other', name: 'flood' });
});
