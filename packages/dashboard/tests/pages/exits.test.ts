import { toLamports } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { exitOfPackage, exitOfTask } from '../../src/pages/mine/exits.js';

const [NOW, LATER] = [1_000, 2_000];
const STAKE = toLamports(60_000_000n);

type Parcel = Parameters<typeof exitOfPackage>[0];
type Task = Parameters<typeof exitOfTask>[0];
type Leg = NonNullable<Parcel['swarm']>['legs'][number];
type Stage = Leg['stage'];

const terms = { stake: STAKE } as Parcel['terms'];
const legOf = (stage: Stage): Pick<Leg, 'status' | 'stage'> => ({
  stage,
  status: stage === 'completed' ? 'completed' : 'pending',
});

const parcel = (stages: readonly Stage[], changes: Partial<Parcel> = {}): Parcel =>
  ({
    status: 'in_transit',
    finality: 'final',
    deadline: new Date(LATER),
    shipperPubkey: 'anna',
    funderPubkey: 'anna',
    terms,
    swarm: { legs: stages.map(legOf) },
    ...changes,
  }) as Parcel;

const task = (stages: readonly Stage[], changes: Partial<Task> = {}): Task =>
  ({ ...parcel([]), status: 'in_progress', legs: stages.map(legOf), ...changes }) as Task;

describe('the way out of a package (D-94)', () => {
  test.each<[string, Parcel, number, ReturnType<typeof exitOfPackage>]>([
    ['listed', parcel([], { status: 'listed', swarm: null }), NOW, { move: 'cancel', lostStake: 0n }],
    ['forming', parcel(['pending'], { status: 'swarm_forming' }), NOW, { move: 'cancel', lostStake: 0n }],
    ['nobody has accepted', parcel(['pending', 'pending']), NOW, { move: 'reclaim', lostStake: 0n }],
    ['accepted, not picked up', parcel(['accepted', 'pending']), NOW, { move: 'reclaim', lostStake: 0n }],
    [
      'carried',
      parcel(['carried']),
      NOW,
      { why: expect.stringMatching(/at work on it.*once the deadline has passed/) },
    ],
    ['carried, too late', parcel(['carried']), LATER, { move: 'reclaim', lostStake: STAKE }],
    [
      'a second leg vacant',
      parcel(['completed', 'vacant']),
      NOW,
      { why: expect.stringMatching(/once the deadline has passed/) },
    ],
    ['a second leg vacant, too late', parcel(['completed', 'vacant']), LATER, { move: 'reclaim', lostStake: 0n }],
    ['claimed, too late', parcel(['claimed']), LATER, { why: expect.stringMatching(/^A courier has claimed/) }],
    ['disputed, too late', parcel(['disputed']), LATER, { why: expect.stringMatching(/decided first/) }],
    ['all brought', parcel(['completed']), LATER, { why: expect.stringMatching(/comes back by itself/) }],
    ['without terms, under way', parcel([null], { terms: null }), NOW, { why: expect.stringMatching(/at work/) }],
    ['without terms, too late', parcel([null], { terms: null }), LATER, { move: 'reclaim', lostStake: 0n }],
    ['delivered', parcel(['completed'], { status: 'delivered' }), LATER, { why: expect.stringMatching(/^It is over/) }],
    ['sponsored', parcel([], { status: 'listed', funderPubkey: 'them' }), NOW, { why: expect.stringMatching(/paid/) }],
    [
      'taken back',
      parcel([], { status: 'listed', finality: 'reverted' }),
      NOW,
      { why: expect.stringMatching(/took back/) },
    ],
  ])('%s', (_, of, now, exit) => {
    expect(exitOfPackage(of, now)).toEqual(exit);
  });
});

describe('the way out of a digital task (D-94)', () => {
  test.each<[string, Task, number, ReturnType<typeof exitOfTask>]>([
    ['listed', task([null], { status: 'listed' }), NOW, { move: 'cancel', lostStake: 0n }],
    ['nobody has accepted', task(['pending']), NOW, { move: 'reclaim', lostStake: 0n }],
    ['accepted', task(['accepted']), NOW, { why: expect.stringMatching(/^An agent is at work on it/) }],
    ['accepted, too late', task(['accepted']), LATER, { move: 'reclaim', lostStake: 0n }],
    ['claimed, too late', task(['claimed']), LATER, { why: expect.stringMatching(/^An agent has claimed/) }],
    ['completed', task(['completed'], { status: 'completed' }), NOW, { why: expect.stringMatching(/^It is over/) }],
  ])('%s', (_, of, now, exit) => {
    expect(exitOfTask(of, now)).toEqual(exit);
  });
});
