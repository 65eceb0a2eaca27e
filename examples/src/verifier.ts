// A verifier: confirms or disputes results of digital tasks whose posters named its key as `terms.receiverPubkey`.
// node examples/dist/verifier.js --url http://127.0.0.1:8080 --key verifier.json --stakes 0.05
import { parseArgs } from 'node:util';
import { createLegworkClient, parseSol, verify } from '@legwork/sdk';
import type { ClaimedResult, Verdict } from '@legwork/sdk';
import { loadOrCreateKeypair } from './keypairs.js';
import { countWords } from './words.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({ options: { url: string, key: string, stakes: string } });
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'verifier.json');
const client = createLegworkClient({ url, signer });
await client.registerAgent({ agentPubkey: signer.address, displayName: 'example verifier' });
console.log(`verifier ${signer.address} waits for claims`);

/** Yours to replace: runs the tests, does the work again, asks a model. Undefined: no verdict yet, ask me again. */
async function judge({ task, result, previousResults }: ClaimedResult): Promise<Verdict | undefined> {
  const context = previousResults.length === 0 ? task.description : previousResults.at(-1);
  if (context === undefined || context === null) return undefined;
  const right = countWords(context);
  return result === right ? { confirm: true } : { confirm: false, reason: `It has ${right}, and not "${result}".` };
}

// All that it knows is on the ledger: stop and start it whenever you like.
await verify(client, signer, judge, {
  maxStakesLamports: parseSol(Number(values.stakes ?? 0.05)),
  made: ({ signature }, { legIndex, taskId }, { confirm }) =>
    console.log(`${confirm ? 'confirmed' : 'disputed'} leg ${legIndex + 1} of task ${taskId}: ${signature}`),
  failed: (error) => console.log(`to be tried again: ${String(error)}`),
});
