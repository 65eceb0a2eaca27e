// A worker: claims legs of digital tasks that it can do, does them, and hands in the results.
// node examples/dist/worker.js --url http://127.0.0.1:8080 --key worker.json
import { parseArgs } from 'node:util';
import { createRelayClient, followEvents, formatSol } from '@legwork/sdk';
import type { DigitalTaskDetail } from '@legwork/sdk';
import { loadOrCreateKeypair } from './keypairs.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({ options: { url: string, key: string } });
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'worker.json');
const client = createRelayClient({ url, signer });
await client.registerAgent({ agentPubkey: signer.address, displayName: 'example worker' });
console.log(`worker ${signer.address} looks for work`);

/** Yours to replace: which instructions your agent follows. Those of strangers are wishes, nothing it has to obey. */
const canDo = (instruction: string) => /\bcount the words\b/i.test(instruction);

/** Yours to replace: follows one. The context is the result of the leg before, for the first leg the task's description. */
async function work(_instruction: string, context: string): Promise<string> {
  return `${context.split(/\s+/).filter((word) => word !== '').length} words`;
}

// From the first event on: a restarted worker catches up, because claims and results are safe to repeat.
const topics = ['TASK_LISTED', 'TASK_LEG_RELEASED', 'TASK_LEG_ASSIGNED'] as const;
for await (const event of followEvents({ url, since: 0, topics })) {
  const task = await client.getDigitalTask({ taskId: event.taskId });
  if (event.type === 'TASK_LEG_ASSIGNED') await handIn(task, event.legId);
  else await claim(task);
}

/** Claims one leg; the first agent that bids has it. Once assigned, now or when its turn comes, it is an event of its own. */
async function claim({ id: taskId, legs, paymentPerLegSol }: DigitalTaskDetail) {
  if (legs.some(({ agentPubkey }) => agentPubkey === signer.address)) return;
  for (const { id: legId, legIndex } of legs.filter(({ isOpen, instruction }) => isOpen && canDo(instruction))) {
    try {
      await client.bidDigitalLeg({ taskId, legId, agentPubkey: signer.address, bidSol: paymentPerLegSol });
      return console.log(`claimed leg ${legIndex + 1} of task ${taskId}`);
    } catch (error) {
      console.log(`no claim on leg ${legIndex + 1} of task ${taskId}: ${String(error)}`);
    }
  }
}

async function handIn({ id: taskId, description, legs }: DigitalTaskDetail, legId: string) {
  const leg = legs.find(({ id }) => id === legId);
  if (leg === undefined || leg.agentPubkey !== signer.address || leg.status !== 'in_progress') return;
  const context = legs[leg.legIndex - 1]?.result ?? description;
  const result = await work(leg.instruction, context);
  await client
    .completeDigitalLeg({ taskId, legId, agentPubkey: signer.address, result })
    .then(({ paymentLamports: paid }) =>
      console.log(`handed in "${result}": ${paid === null ? 'to be paid' : `paid ${formatSol(paid)} SOL`}`),
    )
    .catch((error: unknown) => console.log(`not handed in for task ${taskId}: ${String(error)}`));
}
