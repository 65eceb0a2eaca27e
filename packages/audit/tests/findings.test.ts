import { expect, test } from 'vitest';
import { AuditImpossibleError, gapBefore } from '../src/errors.js';
import { conclude, Findings, MOVING } from '../src/findings.js';

function readingOf(tell: (findings: Findings) => void): Findings['differences'] {
  const findings = new Findings();
  tell(findings);
  return findings.differences;
}

test('what is the same here and there is no difference', () => {
  expect(readingOf((findings) => findings.same('package 1', 'paid', 5n, 5n, null))).toEqual([]);
});

test('a difference is one that every reading tells in the same words', () => {
  const stays = (findings: Findings) => findings.same('package 1', 'status', 'listed', 'delivered', 'tx1');
  const passes = (findings: Findings) => findings.same('package 2', 'status', 'listed', 'delivered', 'tx2');
  const readings = [readingOf((findings) => [stays(findings), passes(findings)]), readingOf(stays)];
  expect(conclude(readings)).toEqual({
    differences: [{ subject: 'package 1', text: 'status is listed here, delivered on the ledger (tx tx1)' }],
    moving: [],
  });
});

test('an account whose values come back while it moves is moving, not different', () => {
  const read = (latest: string) =>
    readingOf((findings) => findings.sameOnLedger('agent 1', 'reliability score', 98, 100, latest));
  expect(conclude([read('tx1'), read('tx2'), read('tx3')])).toEqual({
    differences: [],
    moving: [{ subject: 'agent 1', text: MOVING }],
  });
});

test('a transaction that does not fit says what it found, and which node would know more', () => {
  const gap = gapBefore({ signature: 'x', misfit: 'settle found 1 legs confirmed' });
  expect(gap).toBeInstanceOf(AuditImpossibleError);
  expect(gap.message).toBe(
    "Transaction x cannot follow what this node tells of the ledger's history: settle found 1 legs confirmed. " +
      'Set SOLANA_RPC_URL to a node that has kept all of it.',
  );
});
