import { listPackage } from '../support/listed.js';
import { expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { goal } from './digitalTasks/scene.js';
import { signedWith } from './turns/scene.js';

// As on a cluster, a block is final some seconds after it is confirmed.
const service = withService({ finality: 'delayed' });

/** Sends as clients do that are told nothing: preflight is then against what is final. @returns the signature, or the refusal */
async function sendAsUsual(transaction: string, { signer }: Party): Promise<unknown> {
  const params = [await signedWith(transaction, [signer]), { encoding: 'base64' }];
  const answer = await fetch(service.current.ledger.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
  });
  const { result, error } = (await answer.json()) as { result?: string; error?: { message: string } };
  return result ?? error?.message;
}

test('what the service builds for wallets passes the preflight that clients ask for by default (S-103)', async () => {
  const party = await service.current.party(3);
  const { client, signer, pubkey } = party;
  const listed = await listPackage(client, signer, draft());
  // What was funded and listed is final.
  await service.current.advanceTime(20);
  const built = await Promise.all([
    client.buildOpenReputationTx({ agentPubkey: pubkey }),
    client.buildListTx({ ...draft(), shipperPubkey: pubkey }),
    client.buildListDigitalTaskTx({ ...goal(), shipperPubkey: pubkey }),
    client.buildCancelTx({ packageId: listed.id }),
  ]);
  for (const { transaction, lastValidBlockHeight } of built) {
    expect(await sendAsUsual(transaction, party)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,}$/);
    // Most of its life is left for a person to sign it.
    const height = await service.current.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
    expect(lastValidBlockHeight - Number(height)).toBeGreaterThan(75);
  }
});
