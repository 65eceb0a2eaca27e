// How long digital tasks take, on an instance of its own: a claim until the ledger has assigned the leg, a result until it is
// paid, a task of one leg from its listing to its settlement; then a crowd of agents that want the same leg.
// Run it after `npm run build`: node bench/tasks.mjs [tasks, 100 unless given] [agents in the crowd, 50 unless given]
import { performance } from 'node:perf_hooks';
import { followEvents, listDigitalTask, LegworkApiError } from '@legwork/sdk';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { registered, summary, UNLIMITED } from './market.mjs';

const TASKS = Number(process.argv[2] ?? 100);
const CROWD = Number(process.argv[3] ?? 50);
/** Tasks that one poster's airdrop pays for. */
const TASKS_A_POSTER = 50;

function task(title) {
  const legs = [{ instruction: 'Say how many words this has.' }];
  return { title, description: 'Something small.', maxBudgetSol: 0.01, legs, terms: 'plain' };
}

function claim({ client, signer }, { id: taskId, legs, paymentPerLegSol }) {
  return client.bidDigitalLeg({ taskId, legId: legs[0].id, agentPubkey: signer.address, bidSol: paymentPerLegSol });
}

/** How long an action took, in milliseconds, and what it answered. */
async function timed(action) {
  const begun = performance.now();
  const answer = await action();
  return { answer, took: performance.now() - begun };
}

/** When each task was settled, and a promise for one that is not yet. */
function settlements(url, signal) {
  const settledAt = new Map();
  let heard = () => undefined;
  void (async () => {
    for await (const event of followEvents({ url, since: 0, topics: ['TASK_COMPLETED'], signal })) {
      settledAt.set(event.taskId, performance.now());
      heard();
    }
  })().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return (taskId) =>
    new Promise((resolve) => {
      heard = () => settledAt.has(taskId) && resolve(settledAt.get(taskId));
      heard();
    });
}

async function oneAfterTheOther(url, settlementOf) {
  const worker = await registered(url);
  const times = { claims: [], payments: [], tasks: [] };
  let poster;
  for (let index = 0; index < TASKS; index += 1) {
    if (index % TASKS_A_POSTER === 0) poster = await registered(url);
    const begun = performance.now();
    const item = await listDigitalTask(poster.client, poster.signer, task(`bench ${index}`));
    const claimed = await timed(() => claim(worker, item));
    if (claimed.answer.assignSignature === null) throw new Error(`${item.id} was not assigned in time`);
    const result = { taskId: item.id, legId: item.legs[0].id, agentPubkey: worker.signer.address, result: '6' };
    const paid = await timed(() => worker.client.completeDigitalLeg(result));
    if (paid.answer.paymentLamports === null) throw new Error(`${item.id} was not paid in time`);
    times.claims.push(claimed.took);
    times.payments.push(paid.took);
    times.tasks.push((await settlementOf(item.id)) - begun);
  }
  console.log(`${TASKS} tasks of one leg, one after the other`);
  console.log(`  claim -> assigned on the ledger: ${summary(times.claims)}`);
  console.log(`  result -> paid:                  ${summary(times.payments)}`);
  console.log(`  listing -> settled:              ${summary(times.tasks)}`);
}

async function crowd(url) {
  const agents = await Promise.all(Array.from({ length: CROWD }, () => registered(url)));
  const poster = await registered(url);
  const item = await listDigitalTask(poster.client, poster.signer, task('what everybody wants to do'));
  const attempt = (agent) =>
    timed(() =>
      claim(agent, item).then(
        () => 'has it',
        (error) => (error instanceof LegworkApiError ? error.code : Promise.reject(error)),
      ),
    );
  const { answer: attempts, took } = await timed(() => Promise.all(agents.map(attempt)));
  const having = (outcome) => attempts.filter(({ answer }) => answer === outcome);
  const [winner, ...others] = having('has it');
  if (!winner || others.length > 0 || having('leg_taken').length !== CROWD - 1) {
    throw new Error(`one of ${CROWD} should have the leg: ${attempts.map(({ answer }) => answer).join(', ')}`);
  }
  console.log(
    `${CROWD} agents want one leg at once: one has it after ${winner.took.toFixed(0)} ms, all are answered after ${took.toFixed(0)} ms ` +
      `(too late: ${summary(having('leg_taken').map((one) => one.took))})`,
  );
}

const instance = await startOwnInstance(UNLIMITED);
const ended = new AbortController();
try {
  await oneAfterTheOther(instance.url, settlements(instance.url, ended.signal));
  await crowd(instance.url);
} finally {
  ended.abort();
  await instance.stop();
}
