import { type DigitalTaskDetail } from '@legwork/sdk';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { expected, type ModelTask, POSTER, type Step } from './legModel.js';
import { balanceOf, claim, giveBack, goal, handIn, legs, legIdOf, runOut } from './scene.js';
import { listDigitalTask } from '../../support/listed.js';

const AGENTS = 5;
const MAX_LEGS = 4;
const BUDGET_SOL = 0.020000003;
const BUDGET = 20_000_003n;
/** Below the share of the most legs. */
const BID_SOL = 0.001;

const service = withService();
/** The first posts; the others work. */
let parties: Party[];

beforeAll(async () => {
  parties = await Promise.all(Array.from({ length: AGENTS }, () => service.current.party(3)));
});

function party(index: number): Party {
  const found = parties[index];
  if (!found) throw new Error(`there is no party ${index}`);
  return found;
}

const byNumber = (a: number, b: number) => a - b;

const workers = () => parties.slice(POSTER + 1);

const balancesOf = (of: readonly Party[]) => Promise.all(of.map((one) => balanceOf(service.current, one)));

/** The call of a step and what it was told: `ok`, or the code of its refusal. */
async function perform(task: DigitalTaskDetail, step: Step): Promise<string> {
  if (step.kind === 'timeout') {
    await runOut(service.current, legIdOf(task, step.leg));
    return 'ok';
  }
  const agent = party(step.agent);
  const calls = {
    claim: () => claim(agent, task, step.leg, BID_SOL),
    result: () => handIn(agent, task, step.leg),
    release: () => giveBack(agent, task, step.leg),
  };
  const call = calls[step.kind]();
  return call.then(
    () => 'ok',
    async () => (await refusalOf(call)).code,
  );
}

/** The task as the service shows it when nothing is under way. */
async function observed(taskId: string): Promise<{ model: ModelTask; shown: DigitalTaskDetail }> {
  const barred = await service.current.db
    .selectFrom('barred_agents')
    .select('agent_pubkey')
    .where('task_id', '=', taskId)
    .orderBy('barred_at')
    .execute();
  const shown = await party(POSTER).client.getDigitalTask({ taskId });
  const indexOf = (pubkey: string) => parties.findIndex((one) => one.pubkey === pubkey);
  const model = {
    barred: barred.map((row) => indexOf(row.agent_pubkey)).toSorted(byNumber),
    legs: shown.legs.map(({ status, agentPubkey }) => ({
      status:
        status === 'in_progress'
          ? ('assigned' as const)
          : status === 'completed'
            ? ('completed' as const)
            : agentPubkey === null
              ? ('open' as const)
              : ('reserved' as const),
      agent: agentPubkey === null ? undefined : indexOf(agentPubkey),
    })),
  };
  return { model, shown };
}

const sorted = ({ legs: of, barred }: ModelTask): ModelTask => ({ legs: of, barred: barred.toSorted(byNumber) });

/** Time-outs are noticed within a second. */
async function untilAtRest(taskId: string): Promise<void> {
  await expect
    .poll(async () => {
      const due = await service.current.db
        .selectFrom('digital_legs')
        .select('id')
        .where('task_id', '=', taskId)
        .where('status', '=', 'in_progress')
        .where('due_at', '<', new Date())
        .execute();
      return due.length;
    })
    .toBe(0);
  await untilQuiet(service.current);
}

/** A step that was alone comes to what the rules say; of several at once the order is not known. */
function requireExpected(before: ModelTask, steps: readonly Step[], after: { told: string[]; model: ModelTask }): void {
  const [step] = steps;
  if (step === undefined || steps.length > 1) return;
  const wanted = expected(before, step);
  expect({ step, ...after }).toEqual({ step, told: [wanted.told], model: sorted(wanted.task) });
}

/** The invariants at every rest, whatever happened before. */
function requireInvariants({ model, shown }: Awaited<ReturnType<typeof observed>>): void {
  const share = BUDGET / BigInt(shown.numLegs);
  const holders = model.legs.flatMap(({ agent }) => (agent === undefined ? [] : [agent]));
  expect(new Set(holders).size).toBe(holders.length);
  expect(holders.filter((agent) => model.barred.includes(agent))).toEqual([]);
  const completed = shown.legs.filter(({ status }) => status === 'completed');
  // In order, each with its result and its share, and nothing paid for less.
  expect(shown.legs.findIndex(({ status }) => status !== 'completed')).toBe(
    completed.length === shown.numLegs ? -1 : completed.length,
  );
  for (const leg of shown.legs) {
    expect([leg.paymentLamports, leg.result]).toEqual(
      leg.status === 'completed' ? [share, `result ${leg.legIndex}`] : [null, null],
    );
  }
  const isOver = completed.length === shown.numLegs;
  const isUnderWay = model.legs.some(({ status }) => status === 'assigned' || status === 'completed');
  expect(shown.status).toBe(isOver ? 'completed' : isUnderWay ? 'in_progress' : 'listed');
  expect(shown.refundLamports).toBe(isOver ? BUDGET - share * BigInt(shown.numLegs) : null);
}

/** The due pay of each worker: the share of every leg that it completed. */
function dueTo({ legs: of, paymentPerLeg: share }: DigitalTaskDetail): bigint[] {
  return workers().map(
    ({ pubkey }) => share * BigInt(of.filter((leg) => leg.status === 'completed' && leg.agentPubkey === pubkey).length),
  );
}

const stepOf = (numLegs: number): fc.Arbitrary<Step> => {
  const leg = fc.nat({ max: numLegs - 1 });
  const call = fc.record({
    kind: fc.constantFrom('claim', 'claim', 'claim', 'result', 'result', 'release'),
    agent: fc.nat({ max: AGENTS - 1 }),
    leg,
  });
  return fc.oneof(
    { weight: 8, arbitrary: call },
    { weight: 1, arbitrary: leg.map((of) => ({ kind: 'timeout', leg: of }) as const) },
  );
};

const plays = fc.integer({ min: 1, max: MAX_LEGS }).chain((numLegs) =>
  fc.record({
    numLegs: fc.constant(numLegs),
    turns: fc.array(fc.array(stepOf(numLegs), { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 9 }),
  }),
);

test('claims, results, releases and time-outs in any order, one by one or at once, keep the rules (M-54 to M-60, S-57 to S-59)', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(plays, async ({ numLegs, turns }) => {
      const { client, signer } = party(POSTER);
      const task = await listDigitalTask(client, signer, goal({ legs: legs(numLegs), maxBudgetSol: BUDGET_SOL }));
      const before = await balancesOf(workers());
      let now = (await observed(task.id)).model;
      for (const steps of turns) {
        const told = await Promise.all(steps.map((step) => perform(task, step)));
        await untilAtRest(task.id);
        const next = await observed(task.id);
        requireExpected(now, steps, { told, model: next.model });
        requireInvariants(next);
        const balances = await balancesOf(workers());
        expect(balances.map((balance, index) => balance - (before[index] ?? 0n))).toEqual(dueTo(next.shown));
        now = next.model;
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
