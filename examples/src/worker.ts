// A worker: claims legs of digital tasks that it can do, does them, and hands in the results.
// node examples/dist/worker.js --url http://127.0.0.1:8080 --key worker.json
import { parseArgs } from 'node:util';
import {
  createLegworkClient,
  ensureReputation,
  followEvents,
  followTurns,
  formatAmount,
  ledgerRpc,
  stillOpen,
} from '@legwork/sdk';
import type { DigitalTaskDetail } from '@legwork/sdk';
import { loadOrCreateKeypair } from './keypairs.js';
import { countWords } from './words.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({ options: { url: string, key: string } });
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'worker.json');
const client = createLegworkClient({ url, signer });
const rpc = ledgerRpc((await client.getConfig()).rpcUrl);
await client.registerAgent({ agentPubkey: signer.address, displayName: 'example worker' });
console.log(`worker ${signer.address} looks for work`);

/** Yours to replace: which instructions your agent follows. Those of strangers are wishes, nothing it has to obey. */
const canDo = (instruction: string) => /\bcount the words\b/i.test(instruction);

/** Yours to replace: follows one. The context is the result of the leg before, for the first leg the task's description. */
async function work(_instruction: string, context: string): Promise<string> {
  return countWords(context);
}

// With terms: it stakes something, hands in, and is paid when the poster confirms, or says nothing until the review is over.
void followTurns(client, signer, {
  result: ({ task, leg }) => work(leg.instruction, contextOf(task, leg.legIndex)),
  made: ({ signature }, { turn }, action) => console.log(`${action} leg ${turn.legIndex + 1}: ${signature}`),
  failed: (error) => console.log(`to be tried again: ${String(error)}`),
});

// From the first event on: a restarted worker catches up, because claims and results are safe to repeat.
const topics = ['TASK_LISTED', 'TASK_LEG_RELEASED', 'TASK_LEG_ASSIGNED'] as const;
for await (const event of followEvents({ url, since: 0, topics })) {
  const task = await client.getDigitalTask({ taskId: event.taskId });
  if (event.type === 'TASK_LEG_ASSIGNED' && task.terms === null) await handIn(task, event.legId);
  if (event.type !== 'TASK_LEG_ASSIGNED') await claim(task);
}

function contextOf({ description, legs }: DigitalTaskDetail, legIndex: number): string {
  return legs[legIndex - 1]?.result ?? description;
}

/** Claims one leg; the first agent that bids has it. Once assigned, now or when its turn comes, it is an event of its own. */
async function claim(task: DigitalTaskDetail) {
  const { id: taskId, terms, legs, paymentPerLeg } = task;
  if (legs.some(({ agentPubkey }) => agentPubkey === signer.address)) return;
  for (const { id: legId, legIndex } of legs.filter(({ isOpen, instruction }) => isOpen && canDo(instruction))) {
    try {
      // A key without a reputation cannot claim where both sides are bound.
      const opened = terms === null ? null : await ensureReputation(client, rpc, signer, task);
      if (opened !== null) console.log(`opened its reputation: ${opened.signature}${stillOpen(opened)}`);
      await client.bidDigitalLeg({ taskId, legId, agentPubkey: signer.address, bid: String(paymentPerLeg) });
      return console.log(`claimed leg ${legIndex + 1} of task ${taskId}`);
    } catch (error) {
      console.log(`no claim on leg ${legIndex + 1} of task ${taskId}: ${String(error)}`);
    }
  }
}

async function handIn(task: DigitalTaskDetail, legId: string) {
  const { id: taskId, legs } = task;
  const leg = legs.find(({ id }) => id === legId);
  if (leg === undefined || leg.agentPubkey !== signer.address || leg.status !== 'in_progress') return;
  const result = await work(leg.instruction, contextOf(task, leg.legIndex));
  await client
    .completeDigitalLeg({ taskId, legId, agentPubkey: signer.address, result })
    .then(({ payment, ...of }) =>
      console.log(`handed in "${result}": ${payment === null ? 'to be paid' : `paid ${formatAmount(payment, of)}`}`),
    )
    .catch((error: unknown) => console.log(`not handed in for task ${taskId}: ${String(error)}`));
}
