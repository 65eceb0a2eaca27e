import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LamportGame } from './lamports.js';
import { Machine } from './machine.js';

const KINDS = [
  { kind: 'package', legs: 1 },
  { kind: 'package', legs: 2 },
  { kind: 'package', legs: 3 },
  { kind: 'task', legs: 1 },
  { kind: 'task', legs: 2 },
];

test.each(KINDS)(
  'random games find every lamport, and the vault covers what is owed: $kind, $legs legs (T-47)',
  ({ kind, legs }) => {
    const numbers = fc.infiniteStream(fc.nat(9_999));
    const deadlines = fc.constantFrom(5, 7, 9);
    fc.assert(
      fc.property(numbers, deadlines, (choices, deadline) => {
        const machine = new Machine(legs, kind === 'task', { deadline });
        expect(() => new LamportGame(machine, choices[Symbol.iterator]()).play()).not.toThrow();
      }),
      { numRuns: 500 },
    );
  },
);
