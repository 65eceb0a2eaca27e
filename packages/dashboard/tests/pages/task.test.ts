import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { legState } from '../../src/pages/task/legState.js';
import { startOf } from '../../src/ui/foldedText.js';

const AGENT = '4gS3Wrs19hyWpxX56uEDaVQDJZdKPRJjjHLbJaeCexLo';
const open = {
  status: 'pending',
  isOpen: true,
  isWorkable: true,
  agentPubkey: null,
  stage: null,
  percent: null,
} as const;
const had = { ...open, isOpen: false, agentPubkey: AGENT } as const;

describe('the state of a leg', () => {
  test.each([
    ['Open', open, false],
    ['Open to reserve', { ...open, isWorkable: false }, false],
    ['Reserved', { ...had, isWorkable: false }, false],
    ['Being assigned', had, false],
    ['In progress', { ...had, status: 'in_progress' }, false],
    ['Completed', { ...had, status: 'completed' }, true],
    ['Closed to claims', { ...open, isOpen: false }, false],
    ['Not done', { ...open, isOpen: false }, true],
    ['Not done', { ...had, status: 'failed' }, true],
    ['Awaiting acceptance', { ...had, status: 'in_progress', stage: 'pending' }, false],
    ['Claimed', { ...had, status: 'in_progress', stage: 'claimed' }, false],
    ['Ruled, 40 %', { ...had, status: 'in_progress', stage: 'ruled', percent: 40 }, false],
    ['Paid, 40 %', { ...had, status: 'completed', stage: 'completed', percent: 40 }, true],
    ['Not done', { ...had, status: 'failed', stage: 'accepted' }, true],
    ['Open', { ...open, stage: 'vacant' }, false],
  ] as const)('(D-14) is told apart: %s', (word, leg, isOver) => {
    expect(legState(leg, isOver).word).toBe(word);
  });
});

describe('a long text', () => {
  test('(D-14) is folded after 20 lines, or as much as fills them', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    expect(startOf(lines.join('\n'))).toBe(lines.slice(0, 20).join('\n'));
    expect(startOf('w'.repeat(262_144))).toHaveLength(1_600);
    expect(startOf(`${'x'.repeat(1_599)}🔎 and more`)).toBe('x'.repeat(1_599));
  });

  test('(D-14) is otherwise shown whole, and what is shown is always its beginning', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (text) => {
        const start = startOf(text);
        const isShort = text.length <= 1_600 && text.split('\n').length <= 20;
        expect([text.startsWith(start), isShort && start !== text]).toEqual([true, false]);
      }),
      { numRuns: 50 },
    );
  });
});
