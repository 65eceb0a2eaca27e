import { type AssignmentFacts, heldLegs, type TaskFacts } from '@legwork/program-client/facts';
import { describe, expect, test } from 'vitest';
import { changesBetween, snapshot } from '../support/snapshot.js';
import { type FactsChange, testAccounts, testSilence, testTamperings, withAudited } from './audited.js';
import { auditOf, linesOf } from './scene.js';
import { taskEventTamperings } from './taskEventTamperings.js';
import { playTaskScene, type TaskScene } from './taskScene.js';
import { taskTamperings, unknownToLedger } from './taskTamperings.js';

const audited = withAudited(playTaskScene);

function giveToSomebody(task: TaskFacts): void {
  const assignment: AssignmentFacts = {
    index: 0,
    address: 'somewhere',
    courier: 'somebody',
    rentPayer: 'somebody',
    paymentLamports: 1n,
    formation: 0,
    assignSignature: 'x',
    isReplacement: false,
    releaseSignature: null,
    confirmSignature: null,
    paidLamports: null,
    resultHash: null,
    turn: null,
  };
  task.assignments.push(assignment);
}

describe('an audit of digital tasks that nobody touched', () => {
  test('finds no difference after claims, releases, results, settlements, a cancellation, a reclaim and a closing', async () => {
    const { differences, notes, compared } = await auditOf(audited.service);
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toEqual([]);
    expect(compared).toMatchObject({
      packages: 1,
      digitalTasks: 7,
      // One of the package, then those of the tasks.
      legs: 1 + (2 + 1 + 3 + 2 + 1 + 1 + 2),
      // Of every agent that was assigned a leg: the courier is one of those who completed a leg of a task.
      reputations: 1 + (1 + 3 + 1 + 1 + 2),
      // Of the package: listed, formed with a leg, confirmed, delivered. Of the tasks: listings; assignments;
      // releases, one of them a withdrawal; completed legs; settlements, a cancellation and a reclaim.
      events: 5 + 7 + (1 + 3 + 2 + 1 + 2) + 3 + (1 + 2 + 1 + 1) + 2 + 2,
    });
  });

  test('changes nothing', async () => {
    const before = await snapshot(audited.service);
    await auditOf(audited.service);
    expect(changesBetween(before, await snapshot(audited.service))).toEqual([]);
  });
});

describe('an audit of digital tasks that were tampered with', () => {
  testTamperings(audited, [...taskTamperings, ...taskEventTamperings]);

  testSilence(audited, unknownToLedger);
});

describe('an audit of the accounts of digital tasks', () => {
  /** The facts of one of the scene's tasks, changed. */
  function ofTask(name: keyof TaskScene, change: (task: TaskFacts) => unknown): FactsChange {
    return ({ tasks }) => {
      const task = [...tasks.values()].find(({ id }) => id === audited.scene[name]);
      if (!task) throw new Error(`the ledger lists the task that is ${name}`);
      change(task);
    };
  }

  function ofLeg(index: number, change: (leg: AssignmentFacts) => unknown): FactsChange {
    return ofTask('inProgress', (task) => {
      const leg = heldLegs(task)[index];
      if (!leg) throw new Error(`somebody has leg ${index}`);
      change(leg);
    });
  }

  /** As if nobody had got the leg the last time. */
  function unassigned(index: number): FactsChange {
    return ofTask('inProgress', ({ assignments }) => {
      const at = assignments.findLastIndex((one) => one.index === index);
      assignments.splice(at, 1);
    });
  }

  testAccounts(audited, [
    [
      'another status',
      ofTask('listedAgain', (task) => (task.status = 'in_progress')),
      /status is Listed .*, InProgress by/,
    ],
    ['another poster', ofTask('listed', (task) => (task.poster = 'nobody')), /shipper is \S+ in .*, nobody by/],
    ['another funder', ofTask('listed', (task) => (task.funder = 'nobody')), /funder is \S+ in .*, nobody by/],
    ['another budget', ofTask('completed', (task) => (task.budgetLamports += 1n)), /budget in lamports is \d+ in/],
    ['another deadline', ofTask('listed', (task) => (task.deadline += 1n)), /deadline in unix seconds is \d+ in/],
    ['other terms', ofTask('listed', (task) => (task.termsHash = 'f00')), /terms hash is \S+ in .*, f00 by/],
    [
      'another sum',
      ofTask('completed', (task) => (task.paidLamports += 1n)),
      /paid lamports is 50000000 in .*, 50000001 by/,
    ],
    ['another number of legs', ofTask('completed', (task) => (task.numLegs = 3)), /number of legs is 2 in .*, 3 by/],
    [
      'a vault that holds too little',
      ofTask('inProgress', (task) => (task.paidLamports -= 1n)),
      /its vault holds \d+ lamports, at least \d+ by/,
    ],
    ['a leg without its agent', unassigned(1), /legs with an agent is 0, 1 in .*, 0 by/],
    ['a leg that nobody explains', unassigned(1), /^account \S+: is on the ledger, and no transaction/m],
    ['a leg that somebody has', ofTask('cancelled', giveToSomebody), /legs with an agent is nothing in .*, 0 by/],
    ['another agent', ofLeg(1, (leg) => (leg.courier = 'nobody')), /leg 1's agent is \S+ in .*, nobody by/],
    [
      'another agent in the account',
      ofLeg(1, (leg) => (leg.courier = 'nobody')),
      /agent in its account is \S+ in .*, nobody/,
    ],
    [
      'another payment',
      ofLeg(1, (leg) => (leg.paymentLamports += 1n)),
      /leg 1's payment is 16666666 in .*, 16666667 by/,
    ],
    [
      'another payer of rent',
      ofLeg(1, (leg) => (leg.rentPayer = 'nobody')),
      /leg 1's rent payer is \S+ in .*, nobody by/,
    ],
    [
      'a leg not confirmed',
      ofLeg(0, (leg) => (leg.confirmSignature = null)),
      /leg 0's status is Completed in .*, Pending by/,
    ],
    [
      'one leg less completed',
      ofLeg(0, (leg) => (leg.confirmSignature = null)),
      /number of completed legs is 1 in .*, 0 by/,
    ],
    ['no result', ofLeg(0, (leg) => (leg.resultHash = null)), /leg 0's result hash is [1-9a-f].* in .*, 0{64} by/],
    ['a task that has ended', ofTask('inProgress', (task) => (task.status = 'reclaimed')), /^account \S+: is on the/m],
    ['no closing', ofTask('closed', (task) => (task.closeSignature = null)), /task account \S+ is not on the ledger/],
    ['a closing', ofTask('cancelled', (task) => (task.closeSignature = 'x')), /size is 312 in the .*, 0 by/],
    ['no listing', ({ tasks }) => tasks.clear(), /^account \S+: is on the ledger, and no transaction explains it$/m],
    [
      'a reputation over packages alone',
      ({ reputations }) => reputations.forEach((one, agent) => agent === audited.scene.worker && (one.completed = 1n)),
      /legs completed is 2 .*, 1 by/,
    ],
  ]);
});
