import { type Movement, SOL, toLamports } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { claimsOfMovements } from '../../src/checks/movements.js';

const [TASK, VAULT, POSTER, AGENT, LEG] = ['task', 'vault', 'poster', 'agent', 'leg'];
const task = {
  kind: 'task',
  account: TASK,
  shipperPubkey: POSTER,
  deadline: new Date(5_000),
  legs: [{ legIndex: 0, onChainLeg: LEG }],
  paidIn: SOL,
} as const;

const moved = (what: string, from: string, to: string, lamports: bigint): Movement => ({
  what,
  from,
  to,
  amount: toLamports(lamports),
  lamports: toLamports(lamports),
  signature: what === 'lock' ? 'listed' : 's',
  legIndex: 0,
  slot: null,
  appliedAt: null,
  finality: 'final',
});

const claimed = (...movements: Movement[]) => claimsOfMovements(task, movements);

describe('what the page of a digital task says of its transactions', () => {
  test('who locked what, until when (D-10)', () => {
    expect(claimed(moved('lock', POSTER, VAULT, 90n))).toEqual([
      {
        signature: 'listed',
        instruction: 'listTask',
        accounts: { task: TASK, vault: VAULT, funder: POSTER, poster: POSTER },
        data: { maxBudget: 90n, deadline: 5n },
      },
    ]);
  });

  test('a payment comes with the stake, whoever signed for it (D-10)', () => {
    expect(claimed(moved('payment', VAULT, AGENT, 40n), moved('stake_returned', LEG, AGENT, 5n))).toEqual([
      {
        signature: 's',
        instruction: 'confirmTaskLeg',
        accounts: { task: TASK, vault: VAULT, agent: AGENT, taskLeg: LEG },
        moved: [{ account: AGENT, amount: 45n }],
      },
      {
        signature: 's',
        instruction: ['vacate', 'rule', 'confirmTaskLeg'],
        moved: [{ account: LEG, amount: -5n }],
      },
    ]);
  });

  test('what a ruling divides leaves the leg together (D-10)', () => {
    const parts = [
      moved('stake_returned', LEG, AGENT, 6n),
      moved('stake_returned', LEG, POSTER, 2n),
      moved('arbiter_fee', LEG, 'arbiter', 2n),
    ];
    for (const claim of claimed(...parts)) expect(claim.moved).toEqual([{ account: LEG, amount: -10n }]);
  });

  test('a reclaim closes the legs, so that their rent moves too (D-10)', () => {
    const [lost, refund] = claimed(moved('stake_forfeited', LEG, POSTER, 5n), moved('refund', VAULT, POSTER, 9n));
    expect(lost).toEqual({ signature: 's', instruction: 'reclaimTask' });
    expect(refund).toMatchObject({ accounts: { task: TASK, vault: VAULT, funder: POSTER } });
  });

  test('a kind of movement that is not known here is claimed as nothing', () => {
    expect(claimed(moved('donation', POSTER, VAULT, 1n))).toEqual([]);
  });
});
