import {
  getCancelTaskInstruction,
  getCloseTaskInstruction,
  getReclaimTaskInstruction,
  packageAddress,
  taskAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { createNoopSigner, createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  cancelDigitalTask,
  closeDigitalTask,
  createRelayClient,
  reclaimDigitalTask,
  TransactionRefusedError,
} from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { PROGRAM, SOME_ADDRESS, wire } from './support/transactions.js';

const TASK_ID = '01900000-0000-7000-8000-000000000001';
const OTHER_ID = '01900000-0000-7000-8000-000000000002';
const poster = await generateKeyPairSigner();
const nowhere = createSolanaRpc('http://127.0.0.1:1');

const accountsOf = (task: Address, signer: Address) => ({
  signer: createNoopSigner(signer),
  task,
  config: SOME_ADDRESS,
  vault: SOME_ADDRESS,
  funder: SOME_ADDRESS,
});
type Accounts = ReturnType<typeof accountsOf>;
const by = { programAddress: PROGRAM };
const WAYS = {
  cancel: { instruction: (accounts: Accounts) => getCancelTaskInstruction(accounts, by), end: cancelDigitalTask },
  reclaim: { instruction: (accounts: Accounts) => getReclaimTaskInstruction(accounts, by), end: reclaimDigitalTask },
  close: { instruction: (accounts: Accounts) => getCloseTaskInstruction(accounts, by), end: closeDigitalTask },
} as const;
const NAMES = ['cancel', 'reclaim', 'close'] as const;

/** The transaction that a service builds to end what is at this address. */
function ending(way: keyof typeof WAYS, task: Address, signer: Address = poster.address): string {
  return wire(signer, [WAYS[way].instruction(accountsOf(task, signer))]);
}

const own = () => taskAddress(PROGRAM, poster.address, uuidToBytes(TASK_ID));

/** A service that answers every request to build something with this transaction. */
async function clientOf(transaction: string) {
  const built = { taskId: TASK_ID, signerPubkey: poster.address, blockhash: 'x', lastValidBlockHeight: 1 };
  const service = await startOutsideService(({ path }) => ({
    json: path === '/config' ? config : { ...built, transaction },
  }));
  return createRelayClient({ url: service.url });
}

describe.each(NAMES)('to %s a digital task', (way) => {
  const end = async (transaction: string) => WAYS[way].end(await clientOf(transaction), nowhere, poster, TASK_ID);

  test("(S-55) signs what ends this very task of this wallet: only the ledger's absence stops it", async () => {
    const ended = end(ending(way, await own()));
    await expect(ended).rejects.not.toThrow(TransactionRefusedError);
    await expect(ended).rejects.toThrow(/fetch failed/);
  });

  test('(S-55) refuses a transaction for another task, another poster, another signer, or a package', async () => {
    for (const wrong of [
      ending(way, await taskAddress(PROGRAM, poster.address, uuidToBytes(OTHER_ID))),
      ending(way, await taskAddress(PROGRAM, SOME_ADDRESS, uuidToBytes(TASK_ID))),
      ending(way, await packageAddress(PROGRAM, poster.address, uuidToBytes(TASK_ID))),
      ending(way, await own(), SOME_ADDRESS),
    ]) {
      await expect(end(wrong)).rejects.toThrow(TransactionRefusedError);
    }
  });

  test('(S-55) refuses another way of ending in its place', async () => {
    for (const other of NAMES.filter((name) => name !== way)) {
      await expect(end(ending(other, await own()))).rejects.toThrow(new RegExp(`expected ${way}Task`));
    }
  });
});
