import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SlotClock } from '../src/bank/slotClock.js';

const genesis = { segments: [{ slot: 0, ms: 1_000_000, slotMs: 400 }], offsetMs: 0, latestMs: 0 };

describe('the slot clock', () => {
  test('[L-5] a slot begins every 400 ms of wall time', () => {
    let wall = 1_000_000;
    const clock = new SlotClock(genesis, () => wall);
    expect(clock.slot()).toBe(0);
    wall += 399;
    expect(clock.slot()).toBe(0);
    wall += 1;
    expect(clock.slot()).toBe(1);
    expect(clock.slotStartMs(1)).toBe(1_000_400);
  });

  test('[L-5] being down is like being idle', () => {
    const clock = new SlotClock(genesis, () => 1_000_000 + 4_000);
    expect(clock.slot()).toBe(10);
  });

  test('[L-5] a wall clock set back between two runs brings no slot twice', () => {
    const clock = new SlotClock({ ...genesis, latestMs: 1_008_000 }, () => 900_000);
    expect(clock.slot()).toBe(20);
    expect(clock.nowMs()).toBe(1_008_000);
  });

  test('[L-24] moving time forward moves slots with it', () => {
    const clock = new SlotClock(genesis, () => 1_000_000);
    clock.advance(86_400_000);
    expect(clock.slot()).toBe(216_000);
    expect(clock.nowMs()).toBe(1_000_000 + 86_400_000);
  });

  test('[L-5] whatever happens, slots and times never go back and slots keep their times', () => {
    const step = fc.oneof(
      fc.record({ wall: fc.integer({ min: -5_000, max: 20_000 }) }),
      fc.record({ advance: fc.nat(100_000) }),
      fc.record({ slotMs: fc.integer({ min: 1, max: 2_000 }) }),
      fc.constant({ restart: true }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let wall = 1_000_000;
        let clock = new SlotClock(genesis, () => wall);
        const starts = new Map<number, number>();
        let last = { slot: 0, ms: 0 };
        for (const one of steps) {
          if ('wall' in one) wall += one.wall;
          if ('advance' in one) clock.advance(one.advance);
          if ('slotMs' in one) clock.changeSlotMs(one.slotMs);
          if ('restart' in one) clock = new SlotClock(clock.state(), () => wall);
          const now = { slot: clock.slot(), ms: clock.nowMs() };
          expect(now.slot).toBeGreaterThanOrEqual(last.slot);
          expect(now.ms).toBeGreaterThanOrEqual(last.ms);
          expect(clock.slotStartMs(now.slot)).toBeLessThanOrEqual(now.ms);
          expect(clock.slotStartMs(now.slot + 1)).toBeGreaterThan(now.ms);
          starts.set(now.slot, clock.slotStartMs(now.slot));
          for (const [slot, ms] of starts) expect(clock.slotStartMs(slot)).toBe(ms);
          last = now;
        }
      }),
    );
  });
});
