import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLegworkClient } from '@legwork/sdk';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningCommand, startCommand } from '../../../cli/tests/support/command.js';
import { bidInput, draft } from '../support/market.js';
import { listPackage } from '../support/listed.js';

interface Instance {
  url: string;
  rpcUrl: string;
  programId: string;
  coordinatorPubkey: string;
}

/** A bound for a machine that is busy with other tests. */
const SLOW = 300_000;

async function start(dataDir: string): Promise<{ command: RunningCommand; instance: Instance }> {
  const command = startCommand(['start', '--data', dataDir, '--port', '0', '--ledger-port', '0']);
  onTestFinished(async () => {
    command.child.kill('SIGTERM');
    await command.ended;
  });
  await command.shows('Legwork is ready');
  return { command, instance: JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as Instance };
}

test('a copy of the stopped data folder, restored elsewhere, goes on where the original was', {
  timeout: SLOW,
}, async () => {
  const home = await mkdtemp(join(tmpdir(), 'relay-restore-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [original, backup, restored] = [join(home, 'original'), join(home, 'backup'), join(home, 'restored')];
  const before = await start(original);
  const signer = await generateKeyPairSigner();
  await createSolanaRpc(before.instance.rpcUrl).requestAirdrop(signer.address, lamports(2_000_000_000n)).send();
  const listed = await listPackage(
    createLegworkClient({ url: before.instance.url, signer }),
    signer,
    draft({ terms: 'plain' }),
  );
  before.command.child.kill('SIGTERM');
  expect(await before.command.ended).toEqual({ code: 0, signal: null });

  await cp(original, backup, { recursive: true, preserveTimestamps: true });
  await rm(original, { recursive: true });
  await cp(backup, restored, { recursive: true, preserveTimestamps: true });
  const after = await start(restored);

  const { programId, coordinatorPubkey } = before.instance;
  expect(after.instance).toMatchObject({ programId, coordinatorPubkey });
  const courier = await generateKeyPairSigner();
  const client = createLegworkClient({ url: after.instance.url, signer: courier });
  // The links name the ledger's address, which is another one here; the listing becomes final meanwhile.
  const { explorer: _, finality: __, signature: ___, open: ____, ...same } = listed;
  expect(await client.getPackage({ packageId: listed.id })).toMatchObject(same);
  const party = { signer: courier, pubkey: courier.address, client };
  await client.submitBid(bidInput(party, listed.id, 'zoo', 'ostkreuz', 0.1));
  await expect
    .poll(async () => (await client.getPackage({ packageId: listed.id })).status, { timeout: 120_000, interval: 200 })
    .toBe('in_transit');
});
