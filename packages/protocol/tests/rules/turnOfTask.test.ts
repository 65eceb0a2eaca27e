import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toLamports } from '../../src/contract/money.js';
import {
  DIGITAL_LEG_STATUSES,
  FINALITIES,
  LEG_STAGES,
  type LegStage,
  TASK_STATUSES,
} from '../../src/contract/statuses.js';
import type { Terms } from '../../src/contract/terms.js';
import { turnOfTask } from '../../src/rules/turns.js';

const NOW = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;
const [POSTER, FUNDER] = ['poster', 'coordinator'];
const deadline = new Date(NOW + HOUR_MS);
const MIN_MS = 60_000;
const terms: Terms = {
  receiverPubkey: 'rita',
  arbiterPubkey: 'judge',
  stake: toLamports(1n),
  stakeLamports: toLamports(1n),
  carrySec: 40 * 60,
  handoffSec: 10 * 60,
  reviewSec: 20 * 60,
  arbitrationSec: 30 * 60,
  cosignedPickup: false,
};

type Task = Parameters<typeof turnOfTask>[0];
type TaskLeg = Task['legs'][number];
const open: TaskLeg = {
  legIndex: 0,
  status: 'pending',
  agentPubkey: null,
  isOpen: true,
  dueAt: null,
  hasResult: false,
  stage: null,
  since: null,
};
const claimed: TaskLeg = { ...open, agentPubkey: 'ada', isOpen: false };
const dueAt = new Date(NOW + 60_000);
const atWork: TaskLeg = { ...claimed, status: 'in_progress', dueAt };
const done: TaskLeg = { ...atWork, status: 'completed', hasResult: true };
const task = (changes: Partial<Task>): Task => ({
  status: 'in_progress',
  finality: 'final',
  deadline,
  claimTimeoutSec: 60,
  legs: [open],
  terms: null,
  shipperPubkey: POSTER,
  funderPubkey: POSTER,
  ...changes,
});

describe('in a digital task it is the move of', () => {
  const AFTER = NOW + HOUR_MS;
  /** A minute for the leg, and ten. */
  const LAST_CLAIM = AFTER - 11 * 60_000;
  test.each<[who: string, of: Task, at: number, turn: object]>([
    [
      'every agent, while there is time for a leg',
      task({ status: 'listed' }),
      LAST_CLAIM,
      { actor: { role: 'anyone' }, action: 'claim', legIndex: 0, until: new Date(LAST_CLAIM) },
    ],
    [
      'the poster, when it is too late to begin',
      task({ status: 'listed' }),
      LAST_CLAIM + 1,
      { actor: { role: 'poster', pubkey: POSTER }, action: 'cancel' },
    ],
    [
      'nobody until the deadline, when it is too late to go on',
      task({}),
      LAST_CLAIM + 1,
      { actor: { role: 'nobody' }, action: 'wait', until: deadline },
    ],
    [
      'the coordinator, for a leg that is claimed',
      task({ legs: [claimed] }),
      NOW,
      { actor: { role: 'coordinator' }, action: 'assign' },
    ],
    [
      'the agent at work',
      task({ legs: [done, { ...atWork, legIndex: 1 }] }),
      NOW,
      { actor: { role: 'agent', pubkey: 'ada' }, action: 'hand_in', legIndex: 1, until: dueAt },
    ],
    [
      'the coordinator, for a result',
      task({ legs: [{ ...atWork, hasResult: true }] }),
      AFTER,
      { actor: { role: 'coordinator' }, action: 'pay', legIndex: 0 },
    ],
    [
      'the coordinator, once all is done',
      task({ legs: [done] }),
      AFTER,
      { actor: { role: 'coordinator' }, action: 'settle' },
    ],
    [
      'the poster, from the deadline on',
      task({ legs: [done, atWork] }),
      AFTER,
      { actor: { role: 'poster' }, action: 'reclaim' },
    ],
    [
      'the coordinator, if it paid',
      task({ status: 'listed', funderPubkey: FUNDER }),
      AFTER,
      { actor: { role: 'coordinator', pubkey: FUNDER }, action: 'cancel' },
    ],
    [
      'nobody, once the ledger took something back',
      task({ finality: 'reverted' }),
      NOW,
      { actor: { role: 'nobody' }, until: null },
    ],
  ])('%s (S-136)', (_who, of, at, turn) => {
    expect(turnOfTask(of, at)).toMatchObject(turn);
  });

  test('nobody once it is over, and else always somebody’s (S-136)', () => {
    const anyLeg = fc.record({
      status: fc.constantFrom(...DIGITAL_LEG_STATUSES),
      agentPubkey: fc.constantFrom(null, 'ada'),
      isOpen: fc.boolean(),
      dueAt: fc.constantFrom(null, dueAt),
      hasResult: fc.boolean(),
      stage: fc.constantFrom(null, ...LEG_STAGES),
      since: fc.constantFrom(null, new Date(NOW)),
    });
    const any = fc.record({
      status: fc.constantFrom(...TASK_STATUSES.filter((status) => status !== 'draft')),
      finality: fc.constantFrom(...FINALITIES),
      terms: fc.constantFrom(null, terms),
      legs: fc
        .array(anyLeg, { minLength: 1, maxLength: 4 })
        .map((legs) => legs.map((one, legIndex) => ({ ...one, legIndex }))),
    });
    const property = fc.property(any, fc.integer({ min: 0, max: 2 * HOUR_MS }), (changes, later) => {
      const turn = turnOfTask(task(changes), NOW + later);
      expect(turn === null).toBe(changes.status === 'completed' || changes.status === 'failed');
      expect(turn?.silence).not.toBe('');
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe('in a digital task with terms it is the move of', () => {
  const at = (minutes: number) => NOW + minutes * MIN_MS;
  const until = (minutes: number) => new Date(at(minutes));
  const since = new Date(NOW);
  const stillOpen: TaskLeg = { ...open, legIndex: 2, isOpen: false };
  /** The first leg is done, the second one came to its stage now, and the third has no agent yet. */
  const bound = (stage: LegStage, changes: Partial<TaskLeg> = {}): Task =>
    task({
      terms,
      legs: [
        { ...done, stage: 'completed', since },
        { ...atWork, legIndex: 1, dueAt: null, stage, since, ...changes },
        stillOpen,
      ],
    });

  test.each<[who: string, stage: LegStage, minutes: number, turn: object]>([
    [
      'the agent, to accept',
      'pending',
      0,
      { actor: { role: 'agent', pubkey: 'ada' }, action: 'accept', until: until(10) },
    ],
    ['anyone, where it did not accept', 'pending', 10, { actor: { role: 'anyone' }, action: 'crank' }],
    ['the agent, to hand in', 'accepted', 39, { actor: { role: 'agent' }, action: 'hand_in', until: until(40) }],
    ['anyone, where it did not hand in', 'accepted', 40, { actor: { role: 'anyone' }, action: 'crank' }],
    ['the receiver, to contradict', 'claimed', 19, { actor: { role: 'receiver', pubkey: 'rita' }, action: 'review' }],
    ['anyone, after the review', 'claimed', 20, { actor: { role: 'anyone', pubkey: null }, action: 'crank' }],
    ['the arbiter', 'disputed', 29, { actor: { role: 'arbiter', pubkey: 'judge' }, action: 'rule', until: until(30) }],
    ['anyone, where the arbiter is silent', 'disputed', 30, { actor: { role: 'anyone' }, action: 'crank' }],
    ['anyone, after a ruling', 'ruled', 0, { actor: { role: 'anyone' }, action: 'crank', until: null }],
    ['the coordinator, who opens it to others', 'vacant', 0, { actor: { role: 'coordinator' }, action: 'replace' }],
  ])('%s [T-52]', (_who, stage, minutes, turn) => {
    const hasResult = stage !== 'pending' && stage !== 'accepted';
    expect(turnOfTask(bound(stage, { hasResult }), at(minutes))).toMatchObject({ legIndex: 1, ...turn });
  });

  test('the poster, who reviews where there is no receiver [T-52]', () => {
    const turn = turnOfTask({ ...bound('claimed'), terms: { ...terms, receiverPubkey: null } }, NOW);
    expect(turn).toMatchObject({ actor: { role: 'poster', pubkey: POSTER }, action: 'review' });
  });

  test('every agent, for a leg that has none, while there is time for it [M-54]', () => {
    const vacated = bound('completed', {
      status: 'pending',
      agentPubkey: null,
      isOpen: true,
      stage: null,
      since: null,
    });
    // Ten minutes to accept, forty to claim, and ten.
    expect(turnOfTask(vacated, at(0))).toMatchObject({ action: 'claim', legIndex: 1, until: until(0) });
    expect(turnOfTask(vacated, at(0) + 1)).toMatchObject({ actor: { role: 'nobody' }, action: 'wait' });
  });

  test.each(LEG_STAGES.filter((stage) => stage !== 'completed' && stage !== 'carried'))(
    'the poster from the deadline on, unless somebody is to decide about a claim: %s [T-37]',
    (stage) => {
      const turn = turnOfTask(bound(stage), deadline.getTime());
      const isDecided = stage === 'claimed' || stage === 'disputed' || stage === 'ruled';
      expect(turn?.action === 'reclaim').toBe(!isDecided);
    },
  );
});
