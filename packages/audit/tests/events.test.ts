import { describe, expect, test } from 'vitest';
import { Findings } from '../src/findings.js';
import { compareEvents, type DueEvent, type MirroredEvent } from '../src/mirror/events.js';

/** The audit's findings about events that happened on the ledger in this order, and have these numbers. */
function saidOf(
  happened: readonly (readonly [type: MirroredEvent['type'], leg: number, seq: bigint])[],
  healedAt: bigint | null = null,
): string[] {
  const due = happened.map(
    ([type, legIndex]): DueEvent => ({ type, facts: { legIndex, agentPubkey: `${legIndex}` }, signature: 'x' }),
  );
  const here = happened.map(([, , seq], index) => {
    const { type, facts } = due[index] ?? { type: 'LEG_ACCEPTED', facts: {} };
    return { seq, type, subject: 'package:1', payload: facts, healedAt };
  });
  const findings = new Findings();
  compareEvents('package 1', here, due, findings);
  return findings.differences.map(({ text }) => text);
}

describe('the order of the events of legs with terms (T-66)', () => {
  test('is free between legs for moves that are applied as soon as they land', () => {
    expect(
      saidOf([
        ['LEG_ACCEPTED', 0, 3n],
        ['LEG_ACCEPTED', 2, 1n],
        ['LEG_CARRIED', 0, 4n],
        ['LEG_CONFIRMED', 0, 6n],
        ['LEG_ACCEPTED', 1, 5n],
        ['PACKAGE_DELIVERED', 0, 7n],
      ]),
    ).toEqual([]);
  });

  test('is free between the assignments of a task, which may land again in another order after a fork', () => {
    expect(
      saidOf([
        ['TASK_LEG_ASSIGNED', 1, 3n],
        ['TASK_LEG_ASSIGNED', 0, 2n],
        ['LEG_CONFIRMED', 0, 4n],
      ]),
    ).toEqual([]);
    expect(
      saidOf([
        ['TASK_LEG_ASSIGNED', 0, 5n],
        ['LEG_CONFIRMED', 0, 4n],
      ]),
    ).toEqual(["event LEG_CONFIRMED of leg 0 has a number below TASK_LEG_ASSIGNED of leg 0 and 0's"]);
  });

  test("is the ledger's for one leg", () => {
    expect(
      saidOf([
        ['LEG_ACCEPTED', 0, 2n],
        ['LEG_CLAIMED', 0, 1n],
      ]),
    ).toEqual(["event LEG_CLAIMED of leg 0 and 0 has a number below LEG_ACCEPTED of leg 0 and 0's"]);
  });

  test('is excused by the event that tells that the listing was healed afterwards, and by none before (S-257)', () => {
    const late = [
      ['LEG_ACCEPTED', 0, 3n],
      ['PACKAGE_FAILED', 0, 2n],
    ] as const;
    expect(saidOf(late, 4n)).toEqual([]);
    expect(saidOf(late, 1n)).toEqual([
      "event PACKAGE_FAILED of leg 0 has a number below LEG_ACCEPTED of leg 0 and 0's",
    ]);
  });

  test("is the ledger's for what is applied in its order", () => {
    expect(
      saidOf([
        ['LEG_ACCEPTED', 1, 9n],
        ['LEG_CONFIRMED', 0, 8n],
      ]),
    ).toEqual(["event LEG_CONFIRMED of leg 0 has a number below LEG_ACCEPTED of leg 1 and 1's"]);
  });
});
