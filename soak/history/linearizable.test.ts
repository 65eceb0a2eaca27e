import { describe, expect, test } from 'vitest';
import { check, type Model, type Operation } from './linearizable.js';
import { BID, type BidOp, FACTS, LEG, type LegOp } from './models.js';

const HOUR = 3_600_000;
const [ANNA, BORIS] = ['Anna', 'Boris'];

/** Each call with its first and its last millisecond. */
type Line<Op> = readonly [invoked: number, returned: number, op: Op];

function verdictOf<State, Op>(model: Model<State, Op>, lines: readonly Line<Op>[]): string {
  return check(
    model,
    lines.map(([invoked, returned, op]): Operation<Op> => ({ invoked, returned, op })),
  ).kind;
}

const claim = (agent: string, said: Extract<LegOp, { kind: 'claim' }>['said'] = 'done'): LegOp => {
  return { kind: 'claim', agent, said, timeoutMs: HOUR };
};
const result = (agent: string, hash: string, said: Extract<LegOp, { kind: 'result' }>['said'] = 'done'): LegOp => {
  return { kind: 'result', agent, hash, said };
};
const release = (agent: string, said: Extract<LegOp, { kind: 'release' }>['said']): LegOp => {
  return { kind: 'release', agent, said };
};
const leg = (agent: string | null, status = 'pending', hasResult = false): LegOp => {
  return { kind: 'read', agent, status, hasResult };
};
const bid = (status: string | null): BidOp => ({ kind: 'read', status });

describe('what a listing shows', () => {
  const settled = { exists: 'yes', settled: 'a signature' };
  const open = { exists: 'yes', settled: null };

  test('a read that goes back is found', () => {
    expect(
      verdictOf(FACTS, [
        [0, 1, settled],
        [2, 3, open],
      ]),
    ).toBe('impossible');
  });

  test('of reads at once each may be first, but not both', () => {
    expect(
      verdictOf(FACTS, [
        [0, 5, settled],
        [1, 6, open],
      ]),
    ).toBe('linearizable');
    expect(
      verdictOf(FACTS, [
        [0, 5, settled],
        [1, 9, open],
        [6, 8, open],
      ]),
    ).toBe('impossible');
  });

  test('a fact that changes, and a listing that is gone, are found', () => {
    expect(
      verdictOf(FACTS, [
        [0, 1, settled],
        [2, 3, { settled: 'another' }],
      ]),
    ).toBe('impossible');
    expect(
      verdictOf(FACTS, [
        [0, 1, open],
        [2, 3, { exists: null }],
      ]),
    ).toBe('impossible');
  });
});

describe('a bid', () => {
  const made: BidOp = { kind: 'bid' };

  test('that was acknowledged and then is not there is found', () => {
    expect(
      verdictOf(BID, [
        [0, 1, made],
        [2, 3, bid('live')],
        [4, 5, bid('chosen')],
      ]),
    ).toBe('linearizable');
    expect(
      verdictOf(BID, [
        [0, 1, made],
        [2, 3, bid(null)],
      ]),
    ).toBe('impossible');
    expect(
      verdictOf(BID, [
        [0, 5, made],
        [2, 3, bid(null)],
      ]),
    ).toBe('linearizable');
  });

  test('that comes back after it was withdrawn is found', () => {
    expect(
      verdictOf(BID, [
        [0, 1, made],
        [2, 3, bid('withdrawn')],
        [4, 5, bid('live')],
      ]),
    ).toBe('impossible');
  });
});

describe('a leg of a digital task', () => {
  test('that was given to two is found (M-54)', () => {
    expect(
      verdictOf(LEG, [
        [0, 1, claim(ANNA)],
        [2, 3, claim(BORIS, 'leg_taken')],
      ]),
    ).toBe('linearizable');
    expect(
      verdictOf(LEG, [
        [0, 1, claim(ANNA)],
        [2, 3, claim(BORIS)],
      ]),
    ).toBe('impossible');
    expect(
      verdictOf(LEG, [
        [0, 9, claim(ANNA)],
        [0, 9, claim(BORIS)],
      ]),
    ).toBe('impossible');
  });

  test('may have gone to a claim without an answer, at any later moment, or not', () => {
    const unknown: Line<LegOp> = [0, Infinity, claim(ANNA, undefined)];
    expect(verdictOf(LEG, [unknown, [1, 2, leg(null)], [3, 4, leg(ANNA)]])).toBe('linearizable');
    expect(verdictOf(LEG, [unknown, [1, 2, claim(BORIS)], [3, 4, leg(BORIS)]])).toBe('linearizable');
    expect(verdictOf(LEG, [unknown, [1, 2, leg(ANNA)], [3, 4, leg(null)]])).toBe('impossible');
    expect(
      verdictOf(LEG, [
        [1, 2, leg(ANNA)],
        [3, Infinity, claim(ANNA, undefined)],
      ]),
    ).toBe('impossible');
  });

  test('goes to another one after its time, and not before (M-57)', () => {
    const first: Line<LegOp> = [0, 1, claim(ANNA)];
    expect(verdictOf(LEG, [first, [HOUR, HOUR + 1, claim(BORIS)]])).toBe('linearizable');
    expect(verdictOf(LEG, [first, [HOUR, HOUR + 1, claim(BORIS)], [HOUR + 2, HOUR + 3, claim(ANNA)]])).toBe(
      'impossible',
    );
    expect(verdictOf(LEG, [first, [5, 6, leg(null)]])).toBe('impossible');
  });
});

describe('a leg of a digital task that somebody has had', () => {
  test('never goes to the one again who gave it back, unless it was a reservation (M-55, M-57)', () => {
    const barred: Line<LegOp>[] = [
      [0, 1, claim(ANNA)],
      [2, 3, release(ANNA, 'barred')],
    ];
    expect(verdictOf(LEG, [...barred, [4, 5, claim(BORIS)]])).toBe('linearizable');
    expect(verdictOf(LEG, [...barred, [4, 5, claim(ANNA)]])).toBe('impossible');
    expect(
      verdictOf(LEG, [
        [0, 1, claim(ANNA)],
        [2, 3, release(ANNA, 'withdrawn')],
        [4, 5, claim(ANNA)],
      ]),
    ).toBe('linearizable');
  });

  test('takes one result, and shows it from then on (M-58)', () => {
    const first: Line<LegOp> = [0, 1, claim(ANNA)];
    const torn: Line<LegOp>[] = [first, [2, 9, result(ANNA, 'one')], [2, 9, result(ANNA, 'two', 'result_submitted')]];
    expect(verdictOf(LEG, torn)).toBe('linearizable');
    expect(verdictOf(LEG, [first, [2, 9, result(ANNA, 'one')], [2, 9, result(ANNA, 'two')]])).toBe('impossible');
    expect(verdictOf(LEG, [first, [2, 3, result(ANNA, 'one')], [4, 5, leg(ANNA, 'in_progress')]])).toBe('impossible');
    expect(verdictOf(LEG, [first, [2, 3, result(ANNA, 'one')], [4, 5, release(ANNA, 'barred')]])).toBe('impossible');
    expect(
      verdictOf(LEG, [
        first,
        [2, Infinity, result(ANNA, 'one', undefined)],
        [4, 5, leg(ANNA, 'in_progress')],
        [6, 7, leg(ANNA, 'completed', true)],
      ]),
    ).toBe('linearizable');
  });
});

test('a long history of many calls without an answer is decided', () => {
  const lines = Array.from({ length: 150 }, (_, at): Line<LegOp>[] => [
    [3 * at, Infinity, claim(at % 2 === 0 ? ANNA : BORIS, undefined)],
    [3 * at + 1, 3 * at + 2, leg(at < 50 ? null : ANNA)],
  ]).flat();
  expect(verdictOf(LEG, lines)).toBe('linearizable');
  expect(verdictOf(LEG, [...lines, [500, 501, leg(BORIS)]])).toBe('impossible');
});
