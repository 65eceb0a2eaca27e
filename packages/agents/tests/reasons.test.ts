import { describe, expect, test } from 'vitest';
import { Reasons } from '../src/engine/reasons.js';
import type { NewEntry } from '../src/index.js';

function opened() {
  const lines: string[] = [];
  const entries: NewEntry[] = [];
  const tell = (_: object, words: string) => void lines.push(words);
  const append = (...written: readonly NewEntry[]) => Promise.resolve(void entries.push(...written));
  return { lines, entries, reasons: new Reasons({ append }, { info: tell, warn: tell, error: tell }) };
}

describe('why a listing is left alone', () => {
  test('is told once for each listing and reason, in the log and the journal (A-100)', async () => {
    const { lines, entries, reasons } = opened();
    for (let looks = 0; looks < 3; looks += 1) {
      reasons.about('package 1')('stake', 'its stake is 2 SOL, but limits.stakePerLeg is 1 SOL');
      reasons.about('package 1')('price', 'courier.price asks 3 SOL');
      reasons.about('package 2')('stake', 'its stake is 2 SOL, but limits.stakePerLeg is 1 SOL');
      await reasons.tell(looks * 120_000);
    }
    expect(lines).toEqual([
      'package 1 is left alone: its stake is 2 SOL, but limits.stakePerLeg is 1 SOL',
      'package 1 is left alone: courier.price asks 3 SOL',
      'package 2 is left alone: its stake is 2 SOL, but limits.stakePerLeg is 1 SOL',
    ]);
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({ kind: 'passed', subject: 'package 1', reason: 'stake' });
    expect(Object.fromEntries(reasons.counts)).toEqual({ stake: 2, price: 1 });
  });

  test('floods nobody: so many lines a minute, what is out of the way last, and all of it in time (A-100)', async () => {
    const { lines, reasons } = opened();
    const look = () => {
      for (let id = 0; id < 100; id += 1) reasons.about(`package far ${id}`)('way', 'far');
      for (let id = 0; id < 10; id += 1) reasons.about(`package near ${id}`)('stake', 'high');
    };
    look();
    await reasons.tell(0);
    await reasons.tell(1_000);
    expect(lines).toHaveLength(30);
    expect(lines.slice(0, 10).every((line) => line.includes('near'))).toBe(true);
    for (let minute = 1; minute < 5; minute += 1) {
      look();
      await reasons.tell(minute * 60_000);
    }
    expect(new Set(lines).size).toBe(110);
    expect(lines).toHaveLength(110);
  });

  test('is remembered of the last ten thousand only (A-100)', async () => {
    const { reasons } = opened();
    let counted = 0;
    for (let id = 0; id < 200_000; id += 1) {
      reasons.about(`package ${id}`)('way', 'far');
      if (id % 500 === 0) await reasons.tell((counted += 60_000));
    }
    // A reason that nobody could read in time waits, and takes no more room.
    expect(reasons.counts.get('way')).toBeLessThanOrEqual(1_000 + 400 * 30);
  });
});
