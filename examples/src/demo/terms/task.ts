import { completeDigitalLeg, makeMove } from '@legwork/sdk';
import type { DigitalLegDetail, DigitalTaskDetail, MadeMove } from '@legwork/sdk';
import { DemoError, sol } from '../stage.js';
import type { Stage } from '../stage.js';
import { listTaskOnce } from '../listOnce.js';
import { ARBITER, CLOCKS, GARBAGE, POSTER, WORDS } from './cast.js';
import type { AgentName } from './cast.js';
import { until } from './market.js';

/**
 * A digital task with terms: garbage is disputed and its leg done by another agent, good work is disputed and paid all the same, and the
 * poster sleeps through a review.
 */
export async function judge(stage: Stage): Promise<{ task: DigitalTaskDetail; faults: readonly string[] }> {
  const { id, maxBudget, legs } = await post(stage);
  const { say } = stage;
  say(`\n${POSTER}'s digital task: ${WORDS.title}, ${legs.length} legs for ${sol(maxBudget)} SOL`);
  say(`    Terms: each agent posts ${WORDS.stakeSol} SOL, ${POSTER} looks at each result, ${ARBITER} rules disputes`);
  await garbage(stage, id);
  await denial(stage, id);
  await sleep(stage, id);
  const task = await untilTask(stage, id, 'settled', ({ status }) => status === 'completed');
  say(`    Settled: ${sol(task.refund ?? 0n)} SOL return to ${POSTER}`);
  const faults = task.legs.flatMap((leg) => faultsOf(leg, task));
  for (const fault of faults) say(`    WRONG: ${fault}`);
  return { task, faults };
}

async function garbage(stage: Stage, taskId: string): Promise<void> {
  const { say } = stage;
  await begin(stage, 'Goran', taskId, 0);
  await handIn(stage, 'Goran', taskId, 0, GARBAGE);
  say(`    Goran accepts leg 1, and claims it with ${JSON.stringify(GARBAGE)}`);
  await move(stage, POSTER, taskId, 0, { action: 'dispute', text: 'It counts nothing.' });
  await move(stage, ARBITER, taskId, 0, { action: 'rule', percent: 0 });
  await untilTask(stage, taskId, 'open again', ({ legs }) => legs[0]?.isOpen === true);
  say(
    `    ${POSTER} disputes, ${ARBITER} rules 0 %: nothing is paid, Goran's stake is lost, the leg is open to others`,
  );
  await begin(stage, 'Hanna', taskId, 0);
  await handIn(stage, 'Hanna', taskId, 0, WORDS.legs[0].result);
  await move(stage, POSTER, taskId, 0, { action: 'confirm' });
  say(`    => Hanna does it: ${JSON.stringify(WORDS.legs[0].result)}, and ${POSTER} confirms`);
}

async function denial(stage: Stage, taskId: string): Promise<void> {
  const { say } = stage;
  await begin(stage, 'Ilja', taskId, 1);
  await handIn(stage, 'Ilja', taskId, 1, WORDS.legs[1].result);
  await move(stage, POSTER, taskId, 1, { action: 'dispute', text: 'I do not like it.' });
  say(`    Ilja does leg 2 well, and ${POSTER} disputes it all the same`);
  await move(stage, ARBITER, taskId, 1, { action: 'rule', percent: 100 });
  const { payment } = await completed(stage, taskId, 1);
  say(`    ${ARBITER} rules 100 %: ${sol(payment ?? 0n)} SOL are paid, and the stake of ${POSTER} is lost`);
}

async function sleep(stage: Stage, taskId: string): Promise<void> {
  const { say, ledger } = stage;
  await begin(stage, 'Jana', taskId, 2);
  await handIn(stage, 'Jana', taskId, 2, WORDS.legs[2].result);
  await ledger.pass(CLOCKS.reviewSec);
  const { payment } = await completed(stage, taskId, 2);
  say(`    Jana does leg 3, and ${POSTER} sleeps: ${sol(payment ?? 0n)} SOL are paid by the clock`);
}

/** Lists the task, or finds it listed by an earlier part of this run. */
function post({ company, folder }: Stage): Promise<DigitalTaskDetail> {
  const { key, title, description, legs, maxBudgetSol, stakeSol } = WORDS;
  const arbiterPubkey = company.named(ARBITER).signer.address;
  return listTaskOnce(folder, key, company.named(POSTER), {
    title,
    description,
    legs: legs.map(({ instruction }) => ({ instruction })),
    maxBudgetSol,
    terms: { arbiterPubkey, stakeSol, ...CLOCKS },
  });
}

/** An agent gets the leg, and accepts it with its stake. */
async function begin(stage: Stage, name: AgentName, taskId: string, index: number): Promise<void> {
  const { signer, client } = stage.company.named(name);
  const { id: legId, paymentPerLeg } = await legOf(stage, taskId, index);
  await client.bidDigitalLeg({ taskId, legId, agentPubkey: signer.address, bid: String(paymentPerLeg) });
  await untilTask(stage, taskId, `assigned to ${name}`, ({ legs }) => legs[index]?.stage === 'pending');
  await move(stage, name, taskId, index, { action: 'accept' });
}

async function handIn(stage: Stage, name: AgentName, taskId: string, index: number, result: string): Promise<void> {
  const { signer, client } = stage.company.named(name);
  const { id: legId } = await legOf(stage, taskId, index);
  await completeDigitalLeg(client, signer, { taskId, legId, result }, { rpc: stage.ledger.rpc });
}

type What = Omit<Parameters<typeof makeMove>[2], 'legId' | 'taskId'>;

async function move(stage: Stage, name: string, taskId: string, index: number, what: What): Promise<MadeMove> {
  const { signer, client } = stage.company.named(name);
  const { id: legId } = await legOf(stage, taskId, index);
  return makeMove(client, signer, { legId, taskId, ...what }, { rpc: stage.ledger.rpc });
}

async function legOf({ client }: Stage, taskId: string, index: number) {
  const { legs, paymentPerLeg } = await client.getDigitalTask({ taskId });
  const leg = legs[index];
  if (leg === undefined) throw new DemoError(`task ${taskId} has no leg ${index}`);
  return { ...leg, paymentPerLeg };
}

async function completed(stage: Stage, taskId: string, index: number): Promise<DigitalLegDetail> {
  await untilTask(stage, taskId, `done up to leg ${index}`, ({ legs }) => legs[index]?.status === 'completed');
  return legOf(stage, taskId, index);
}

/** Waits until the task is as wanted. @throws {DemoError} when it does not get there in time */
function untilTask(
  { client }: Stage,
  taskId: string,
  what: string,
  isSo: (task: DigitalTaskDetail) => boolean,
): Promise<DigitalTaskDetail> {
  return until(`task ${taskId} is ${what}`, async () => {
    const task = await client.getDigitalTask({ taskId });
    return isSo(task) ? task : undefined;
  });
}

/** The faults of a finished leg: good work is shown and paid in full, whoever disputed it. */
function faultsOf({ legIndex, result, payment }: DigitalLegDetail, task: DigitalTaskDetail): string[] {
  const expected = WORDS.legs[legIndex]?.result;
  const share = task.paymentPerLeg;
  return [
    ...(result === expected ? [] : [`leg ${legIndex + 1} resulted in ${JSON.stringify(result)}`]),
    ...(payment === share ? [] : [`leg ${legIndex + 1} was paid ${payment ?? 0n} lamports, not ${share}`]),
  ];
}
