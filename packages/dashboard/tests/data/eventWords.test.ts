import {
  EVENT_TYPES,
  eventFrame,
  FAILURE_REASONS,
  RELEASE_REASONS,
  type LegworkEvent,
} from '@legwork/protocol/contract';
import { formatSol, toLamports } from '@legwork/sdk';
import { describe, expect, it } from 'vitest';
import { type Part, signatureOf, subjectOf, wordsOf } from '../../src/data/eventWords.js';
import { t } from '../../src/language.js';
import { anEvent } from './anEvent.js';

const text = (event: LegworkEvent): string => {
  const { say, parts } = wordsOf(event);
  return t(say, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, textOf(part)])));
};

function textOf(part: Part): string | number {
  if (typeof part !== 'object') return part;
  if ('amount' in part)
    return part.asset === undefined ? `${formatSol(part.amount)} SOL` : `${part.amount} of ${part.asset}`;
  return 'agent' in part ? part.agent.slice(0, 4) : part.at.toISOString();
}

describe('the words of an event', () => {
  it.each(EVENT_TYPES)('says %s in a sentence, and which package or task it is about (D-8)', (type) => {
    const event = anEvent(type);
    expect(eventFrame.safeEncode(event).success).toBe(true);
    expect(text(event)).toMatch(/^[A-Z\d].{6,}/);
    expect(text(event)).not.toMatch(/undefined|\[object/);
    expect([event['packageId' as never], event['taskId' as never]]).toContain(subjectOf(event).id);
  });

  it('counts legs from one and gives amounts to the lamport (D-8)', () => {
    expect(text(anEvent('LEG_CONFIRMED', { legIndex: 2, paymentLamports: toLamports(33_500_001n) }))).toBe(
      '1111 was paid 0.033500001 SOL for leg 3',
    );
  });

  it('tells an amount of a token with its asset, and never as SOL (D-8)', () => {
    const paid = { asset: 'usdc', paymentLamports: null, payment: toLamports(1_500_000n) };
    expect(text(anEvent('LEG_CONFIRMED', paid))).toBe('1111 was paid 1500000 of usdc for leg 1');
  });

  it('names no amount for a bid that is sealed', () => {
    expect(text(anEvent('BID_STORED', { costLamports: undefined }))).toBe('1111 bid, sealed');
  });

  it('does not say that nothing went back where all was paid out', () => {
    expect(text(anEvent('PACKAGE_DELIVERED', { refundLamports: toLamports(0n) }))).toBe(
      'Every leg is over; nothing was left of the budget',
    );
  });

  it.each(RELEASE_REASONS)('has words of its own for a leg that was released: %s', (reason) => {
    const others = RELEASE_REASONS.filter((other) => other !== reason);
    const said = text(anEvent('TASK_LEG_RELEASED', { reason }));
    for (const other of others) expect(text(anEvent('TASK_LEG_RELEASED', { reason: other }))).not.toBe(said);
  });

  it.each(FAILURE_REASONS)('says why a listing failed: %s', (failureReason) => {
    expect(text(anEvent('PACKAGE_FAILED', { failureReason }))).toBe(text(anEvent('TASK_FAILED', { failureReason })));
  });

  it.each([
    ['arbiter', 60, 'The arbiter gives 1111 60 % of what leg 1 pays'],
    ['arbiter', 0, 'The arbiter gives 1111 nothing for leg 1, which is open again'],
    ['silence', 50, 'The arbiter did not rule in time: 1111 gets 50 % of what leg 1 pays'],
    ['agreement', 30, 'The shipper and 1111 agree on 30 % of what leg 1 pays'],
  ] as const)('says who ruled, and what is left of the payment: %s, %i percent (D-8)', (by, percent, sentence) => {
    expect(text(anEvent('LEG_RULED', { by, percent }))).toBe(sentence);
  });

  it('names who listed it: a shipper, or the poster of a task (D-8)', () => {
    const task = { kind: 'task', packageId: undefined, taskId: '018f0000-0000-7000-8000-000000000002' } as const;
    const ruled = anEvent('LEG_RULED', { ...task, by: 'agreement', percent: 30 });
    expect(text(ruled)).toBe('The poster and 1111 agree on 30 % of what leg 1 pays');
    expect(subjectOf(ruled)).toEqual({ page: 'task', id: task.taskId });
  });

  it('tells a leg that was left in time from one that was lost, with its stake (D-8)', () => {
    expect(text(anEvent('LEG_VACATED'))).toBe('1111 left leg 1 in time');
    expect(text(anEvent('LEG_VACATED', { forfeitedLamports: toLamports(30_000_000n) }))).toBe(
      '1111 lost leg 1 and its stake, 0.03 SOL',
    );
  });

  it('finds the transaction of every event that carries a signature', () => {
    for (const type of EVENT_TYPES) {
      const event = anEvent(type);
      const carried = Object.entries(event).find(([field]) => /signature$/i.test(field))?.[1];
      expect(signatureOf(event)).toBe(carried);
    }
  });
});
