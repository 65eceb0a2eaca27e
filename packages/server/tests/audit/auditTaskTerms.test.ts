import { type TurnFacts, type AssignmentFacts, heldLegs, type TaskFacts } from '@legwork/program-client/facts';
import { describe, expect, test } from 'vitest';
import { changesBetween, snapshot } from '../support/snapshot.js';
import { type FactsChange, testAccounts, testTamperings, withAudited } from './audited.js';
import { accountsSay } from './readings.js';
import { auditOf, linesOf } from './scene.js';
import { playTaskTermsScene, type TaskTermsScene } from './taskTermsScene.js';
import { taskTermsTamperings } from './taskTermsTamperings.js';

const audited = withAudited(playTaskTermsScene);

describe('an audit of digital tasks with terms that nobody touched', () => {
  test('finds no difference after silence, exits, rejections, disputes, rulings and a reclaim (S-45)', async () => {
    const { differences, notes, compared } = await auditOf(audited.service);
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toEqual([]);
    expect(compared).toMatchObject({ digitalTasks: 9, legs: 3 * 2 + 6 });
  });

  test('changes nothing (S-45)', async () => {
    const before = await snapshot(audited.service);
    await auditOf(audited.service);
    expect(changesBetween(before, await snapshot(audited.service))).toEqual([]);
  });
});

describe('an audit of digital tasks with terms that were tampered with', () => {
  testTamperings(audited, taskTermsTamperings);
});

describe('an audit of the accounts of digital tasks with terms', () => {
  /** The facts of one of the scene's tasks, changed. */
  function ofTask(name: keyof TaskTermsScene, change: (task: TaskFacts) => unknown): FactsChange {
    return ({ tasks }) => {
      const task = [...tasks.values()].find(({ id }) => id === audited.scene[name]);
      if (!task) throw new Error(`the ledger lists the task that is ${name}`);
      change(task);
    };
  }

  /** The last leg that somebody has, changed. */
  function ofLeg(
    name: keyof TaskTermsScene,
    change: (leg: AssignmentFacts & { turn: TurnFacts }) => unknown,
  ): FactsChange {
    return ofTask(name, (task) => {
      const leg = heldLegs(task).at(-1);
      if (!leg?.turn) throw new Error('somebody has a leg with terms');
      change(Object.assign(leg, { turn: leg.turn }));
    });
  }

  testAccounts(audited, [
    ['no terms', ofTask('claimed', (task) => (task.terms = null)), /version is 2 in the .*, 1 by/],
    [
      'another stake',
      ofTask('claimed', ({ terms }) => terms && (terms.stake += 1n)),
      /its terms' stake in lamports is 20000000 in .*, 20000001 by/,
    ],
    [
      'another arbiter',
      ofTask('claimed', ({ terms, poster }) => terms && Object.assign(terms, { arbiter: poster })),
      /its terms' arbiter is \S+ in .*, \S+ by/,
    ],
    [
      'other clocks',
      ofTask('claimed', ({ terms }) => terms && (terms.review = 9)),
      /its terms' seconds to review is 300 in .*, 9 by/,
    ],
    [
      'one assignment less',
      ofTask('replaced', ({ assignments }) => assignments.shift()),
      /formation is 5 in the .*, 4 by/,
    ],
    [
      'a stake in the vault that is not there',
      ofTask('accepted', (task) => (task.gainedLamports += 1n)),
      /its vault holds \d+ lamports, at least \d+ by/,
    ],
    [
      'another stage',
      ofLeg('claimed', ({ turn }) => (turn.stage = 'accepted')),
      /leg 0's status is Claimed in .*, Accepted by/,
    ],
    [
      'a stake in the account of a leg that is not there',
      ofLeg('claimed', ({ turn }) => (turn.stage = 'disputed')),
      /leg 0's lamports above its rent is 20000000 in .*, 40000000 by/,
    ],
    ['another second', ofLeg('accepted', ({ turn }) => (turn.since = 1n)), /leg 1's unix second is \d+ in .*, 1 by/],
    ['another disputer', ofLeg('disputed', ({ turn }) => (turn.disputer = 'nobody')), /leg 0's note is 1 in .*, 2 by/],
    ['a ruling', ofLeg('disputed', ({ turn }) => (turn.percent = 40)), /leg 0's percent is 0 in .*, 40 by/],
    ['another number', ofLeg('accepted', (leg) => (leg.formation = 7)), /leg 1's number is 2 in .*, 7 by/],
    [
      'another result that was claimed',
      ofLeg('claimed', ({ turn }) => (turn.evidenceHash = 'f00')),
      /leg 0's result hash is \S+ in .*, f00 by/,
    ],
    [
      'a result that nobody claimed',
      ofLeg('pending', ({ turn }) => (turn.evidenceHash = 'f00')),
      /leg 0's result hash is 0{64} in .*, f00 by/,
    ],
  ]);

  test('compares no second that the node does not say', async () => {
    const facts = await audited.facts();
    ofLeg('claimed', ({ turn }) => (turn.since = null))(facts);
    expect(await accountsSay(audited.service, facts)).toBe('');
  });
});
