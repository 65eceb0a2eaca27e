import type { LegTurnView } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { msToNotice, NOTICE_MS, nextStep, nextTaskStep } from '../src/turns/nextStep.js';
import type { TaskAtHand, TurnAtHand } from '../src/turns/nextStep.js';

const { address: me } = await generateKeyPairSigner();
const { address: other } = await generateKeyPairSigner();
const NOW = new Date('2026-06-01T12:00:00.000Z');
const HOUR = 3_600_000;
const MINUTES = 30;
const at = (ms: number) => new Date(NOW.getTime() + ms);

/** A turn of a leg that takes half an hour; its deadline is a day ahead and its clock an hour, unless told. */
function turnOf(
  turn: Partial<LegTurnView>,
  { deadlineMs = 24 * HOUR, ownIndex = turn.legIndex ?? 0 }: { deadlineMs?: number; ownIndex?: number } = {},
): TurnAtHand {
  const said = { legId: 'leg 0', legIndex: 0, agentPubkey: me, actions: [], until: at(HOUR), ...turn };
  const own = { id: `leg ${ownIndex}`, legIndex: ownIndex, agentPubkey: me, estimatedDurationMin: MINUTES };
  return { turn: said, parcel: { deadline: at(deadlineMs) }, own, now: NOW } as unknown as TurnAtHand;
}

describe('what a key that follows its turns does', () => {
  test('[T-46] it accepts what it was given, and leaves what would end after the deadline', () => {
    const pending = { stage: 'pending', actions: ['accept', 'take', 'vacate'] } as const;
    expect(nextStep(turnOf({ ...pending, actions: [...pending.actions] }), me)).toEqual({ kind: 'accept' });
    const late = turnOf({ ...pending, actions: [...pending.actions] }, { deadlineMs: MINUTES * 60_000 - 1 });
    expect(nextStep(late, me)).toEqual({ kind: 'move', action: 'vacate' });
  });

  test('it picks up when its turn has come, and gives notice two minutes before its clock ends', () => {
    const accepted = { stage: 'accepted', actions: ['take', 'vacate'] } as const;
    const turn = (until: Date) => turnOf({ ...accepted, actions: [...accepted.actions], until });
    expect(nextStep(turn(at(NOTICE_MS + 1)), me)).toEqual({ kind: 'pickUp', action: 'take', elseVacate: false });
    expect(nextStep(turn(at(NOTICE_MS)), me)).toEqual({ kind: 'pickUp', action: 'take', elseVacate: true });
  });

  test('[T-10] late it can no longer leave, and still picks up', () => {
    const late = turnOf({ stage: 'accepted', actions: ['take', 'crank'], until: at(-1) });
    expect(nextStep(late, me)).toEqual({ kind: 'pickUp', action: 'take', elseVacate: false });
  });

  test('it waits for its turn, and leaves in time when nobody brings the parcel to it', () => {
    const waiting = (until: Date | null) => turnOf({ stage: 'accepted', actions: ['vacate'], until });
    expect(nextStep(waiting(null), me)).toBeUndefined();
    expect(nextStep(waiting(at(NOTICE_MS + 1)), me)).toBeUndefined();
    expect(nextStep(waiting(at(NOTICE_MS)), me)).toEqual({ kind: 'move', action: 'vacate' });
  });

  test('it takes over from the courier before it, but not what would end after the deadline', () => {
    const held = { stage: 'carried', agentPubkey: other, actions: ['confirm'] as LegTurnView['actions'] } as const;
    const step = nextStep(turnOf(held, { ownIndex: 1 }), me);
    expect(step).toEqual({ kind: 'pickUp', action: 'confirm', elseVacate: false });
    expect(nextStep(turnOf(held, { ownIndex: 1, deadlineMs: 60_000 }), me)).toBeUndefined();
  });

  test('[T-14] what it carries it claims with evidence, and says where it is before its clock or the deadline ends', () => {
    const carried = { stage: 'carried', actions: ['claim'] as LegTurnView['actions'] } as const;
    expect(nextStep(turnOf(carried), me)).toEqual({ kind: 'carry', isLast: false });
    expect(nextStep(turnOf({ ...carried, until: at(NOTICE_MS) }), me)).toEqual({ kind: 'carry', isLast: true });
    expect(nextStep(turnOf(carried, { deadlineMs: NOTICE_MS }), me)).toEqual({ kind: 'carry', isLast: true });
  });

  test('[T-33] it carries out what silence has decided, but takes no parcel from its custodian', () => {
    const crank = { kind: 'move', action: 'crank' };
    const over = (stage: LegTurnView['stage'], agentPubkey = me) =>
      nextStep(turnOf({ stage, agentPubkey, actions: ['crank'], until: at(-1) }, { ownIndex: 1 }), me);
    expect(over('claimed')).toEqual(crank);
    expect(over('disputed')).toEqual(crank);
    expect(over('ruled', other)).toEqual(crank);
    expect(over('accepted', other)).toEqual(crank);
    expect(over('carried', other)).toBeUndefined();
  });

  test('[T-32] it ends no review by a signature that would say that it took the parcel over', () => {
    const both = turnOf(
      { stage: 'claimed', agentPubkey: other, actions: ['confirm', 'crank'], until: at(-1) },
      { ownIndex: 1 },
    );
    expect(nextStep(both, me)).toEqual({ kind: 'pickUp', action: 'confirm', elseVacate: false });
  });

  test('it looks again when a clock is about to end, and when it does', () => {
    expect(msToNotice(turnOf({ until: at(HOUR) }))).toBe(HOUR - NOTICE_MS);
    expect(msToNotice(turnOf({ until: at(NOTICE_MS) }))).toBe(NOTICE_MS);
    expect(msToNotice(turnOf({ until: null }, { deadlineMs: HOUR }))).toBe(HOUR - NOTICE_MS);
    expect(msToNotice(turnOf({ until: at(-1) }, { deadlineMs: -1 }))).toBeUndefined();
  });
});

/** A turn of a leg of a task; its deadline is a day ahead and its clock an hour, unless told. */
function taskTurn(turn: Partial<LegTurnView>, { deadlineMs = 24 * HOUR } = {}): TaskAtHand {
  const said = { kind: 'task', agentPubkey: me, actions: [], until: at(HOUR), ...turn };
  return { turn: said, task: { deadline: at(deadlineMs) }, leg: {}, now: NOW } as unknown as TaskAtHand;
}

describe('what an agent that follows its turns does about a leg of a task', () => {
  const vacate = { kind: 'move', action: 'vacate' };

  test('[T-46] it accepts what it was given, unless the deadline is near', () => {
    const pending = { stage: 'pending', actions: ['accept', 'vacate'] as LegTurnView['actions'] } as const;
    expect(nextTaskStep(taskTurn(pending), me)).toEqual({ kind: 'accept' });
    expect(nextTaskStep(taskTurn({ ...pending, until: at(1) }), me)).toEqual({ kind: 'accept' });
    expect(nextTaskStep(taskTurn(pending, { deadlineMs: NOTICE_MS }), me)).toEqual(vacate);
  });

  test('[T-10] it works, leaves without a result two minutes before its clock ends, and late it still works', () => {
    const working = (until: Date, actions: LegTurnView['actions'], deadlineMs = 24 * HOUR) =>
      nextTaskStep(taskTurn({ stage: 'accepted', until, actions }, { deadlineMs }), me);
    expect(working(at(NOTICE_MS + 1), ['claim', 'vacate'])).toEqual({ kind: 'work', elseVacate: false });
    expect(working(at(NOTICE_MS), ['claim', 'vacate'])).toEqual({ kind: 'work', elseVacate: true });
    expect(working(at(HOUR), ['claim', 'vacate'], NOTICE_MS)).toEqual({ kind: 'work', elseVacate: true });
    expect(working(at(-1), ['claim'])).toEqual({ kind: 'work', elseVacate: false });
    expect(working(at(HOUR), ['vacate'], -1)).toEqual(vacate);
  });

  test('[T-33] it carries out what silence has decided about its own leg, and nothing about those of others', () => {
    const over = (stage: LegTurnView['stage'], agentPubkey = me) =>
      nextTaskStep(taskTurn({ stage, agentPubkey, actions: ['crank'], until: at(-1) }), me);
    for (const stage of ['claimed', 'disputed', 'ruled'] as const) {
      expect(over(stage)).toEqual({ kind: 'move', action: 'crank' });
      expect(over(stage, other)).toBeUndefined();
    }
    expect(nextTaskStep(taskTurn({ stage: 'claimed', actions: ['agree'] }), me)).toBeUndefined();
  });

  test('it looks again when a clock is about to end, and when it does', () => {
    expect(msToNotice(taskTurn({ until: at(HOUR) }))).toBe(HOUR - NOTICE_MS);
    expect(msToNotice(taskTurn({ until: at(-1) }, { deadlineMs: -1 }))).toBeUndefined();
  });
});
