import {
  getCancelPackageInstruction,
  getCancelTaskInstruction,
  getClosePackageInstruction,
  getCloseTaskInstruction,
  getReclaimPackageInstruction,
  getReclaimTaskInstruction,
  packageAddress,
  taskAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { createNoopSigner, createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  cancelDigitalTask,
  cancelPackage,
  closeDigitalTask,
  closePackage,
  createLegworkClient,
  reclaimDigitalTask,
  reclaimPackage,
  TransactionRefusedError,
} from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { PROGRAM, SOME_ADDRESS, wire } from './support/transactions.js';

const ID = '01900000-0000-7000-8000-000000000001';
const OTHER_ID = '01900000-0000-7000-8000-000000000002';
const poster = await generateKeyPairSigner();
const nowhere = createSolanaRpc('http://127.0.0.1:2');
const by = { programAddress: PROGRAM };

const accountsOf = (listing: Address, signer: Address) => ({
  signer: createNoopSigner(signer),
  package: listing,
  task: listing,
  swarm: SOME_ADDRESS,
  config: SOME_ADDRESS,
  vault: SOME_ADDRESS,
  funder: SOME_ADDRESS,
  rentPayer: SOME_ADDRESS,
});
type Accounts = ReturnType<typeof accountsOf>;

/** Every way to end something: its instruction, and what signs it. */
const WAYS = {
  cancelPackage: { kind: 'package', form: (at: Accounts) => getCancelPackageInstruction(at, by), end: cancelPackage },
  reclaimPackage: {
    kind: 'package',
    form: (at: Accounts) => getReclaimPackageInstruction(at, by),
    end: reclaimPackage,
  },
  closePackage: { kind: 'package', form: (at: Accounts) => getClosePackageInstruction(at, by), end: closePackage },
  cancelTask: { kind: 'task', form: (at: Accounts) => getCancelTaskInstruction(at, by), end: cancelDigitalTask },
  reclaimTask: { kind: 'task', form: (at: Accounts) => getReclaimTaskInstruction(at, by), end: reclaimDigitalTask },
  closeTask: { kind: 'task', form: (at: Accounts) => getCloseTaskInstruction(at, by), end: closeDigitalTask },
} as const;
type Way = keyof typeof WAYS;
const NAMES = ['cancelPackage', 'reclaimPackage', 'closePackage', 'cancelTask', 'reclaimTask', 'closeTask'] as const;

/** The transaction that a service builds to end what is at this address. */
function ending(way: Way, listing: Address, signer: Address = poster.address): string {
  const form: Instruction = WAYS[way].form(accountsOf(listing, signer));
  return wire(signer, [form]);
}

/** A service that answers every request to build something with this transaction. */
async function clientOf(transaction: string) {
  const ids = { packageId: ID, taskId: ID };
  const built = { ...ids, signerPubkey: poster.address, blockhash: 'x', lastValidBlockHeight: 1 };
  const service = await startOutsideService(({ path }) => ({
    json: path === '/config' ? config : { ...built, transaction },
  }));
  return createLegworkClient({ url: service.url });
}

describe.each(NAMES)('%s', (way) => {
  const { kind, end } = WAYS[way];
  const at = (of: 'package' | 'task', owner: Address = poster.address, id = ID) =>
    of === 'package' ? packageAddress(PROGRAM, owner, uuidToBytes(id)) : taskAddress(PROGRAM, owner, uuidToBytes(id));
  const signing = async (transaction: string) => end(await clientOf(transaction), nowhere, poster, ID);

  test("(S-55) signs what ends this very listing of this wallet: only the ledger's absence stops it", async () => {
    const ended = signing(ending(way, await at(kind)));
    await expect(ended).rejects.not.toThrow(TransactionRefusedError);
    await expect(ended).rejects.toThrow(/fetch failed/);
  });

  test('(S-55) refuses a transaction for another listing, another poster, another signer, or the other kind', async () => {
    for (const wrong of [
      ending(way, await at(kind, poster.address, OTHER_ID)),
      ending(way, await at(kind, SOME_ADDRESS)),
      ending(way, await at(kind === 'task' ? 'package' : 'task')),
      ending(way, await at(kind), SOME_ADDRESS),
    ]) {
      await expect(signing(wrong)).rejects.toThrow(TransactionRefusedError);
    }
  });

  test('(S-55) refuses another way of ending in its place', async () => {
    for (const other of NAMES.filter((name) => name !== way)) {
      await expect(signing(ending(other, await at(kind)))).rejects.toThrow(new RegExp(`expected ${way}`));
    }
  });
});
