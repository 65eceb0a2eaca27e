import {
  associatedTokenAddress,
  createAssociatedToken,
  mandateAddress,
  PERMITS,
  ANY_ARBITER,
  setMandate,
} from '@legwork/program-client';
import { cancelDigitalTask, listDigitalTask, type DigitalTaskDraft } from '@legwork/sdk';
import { AccountRole, type Address, address, getU64Encoder, type Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { refusalOf } from '../support/sdkRefusal.js';
import { type Party, withService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';

const service = withService({ settings: (usual) => ({ ...usual, LIMIT_AIRDROPS: '0' }) });
const ONE = 1_000_000n;
const DAY = 86_400;

const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

/** Tokens from one wallet's account to another's. */
async function transfer(from: Party, to: Address, mint: Address, amount: bigint): Promise<Instruction> {
  const accounts = [
    { address: await associatedTokenAddress(from.signer.address, mint), role: AccountRole.WRITABLE },
    { address: await associatedTokenAddress(to, mint), role: AccountRole.WRITABLE },
    { address: from.signer.address, role: AccountRole.READONLY_SIGNER, signer: from.signer },
  ];
  return { programAddress: TOKEN_PROGRAM, accounts, data: Uint8Array.of(3, ...getU64Encoder().encode(amount)) };
}

/** An owner who lets a delegate list tasks for 5 USDC a day, of 20 that it put there. */
async function mandated() {
  const { current } = service;
  const [owner, delegate] = [await current.party(1), await current.party(1)];
  await owner.client.registerAgent({ agentPubkey: owner.pubkey });
  const { assets, programId } = await owner.client.getConfig();
  const usdc = assets.find(({ asset }) => asset === 'usdc');
  if (usdc?.mint == null) throw new Error('the service lists nothing in usdc');
  const [program, mint] = [address(programId), address(usdc.mint)];
  const asset = { number: usdc.number, mint };
  const limits = {
    permits: PERMITS.tasks,
    cap: 5n * ONE,
    period: DAY,
    expiresAt: 0n,
    maxAhead: 7 * DAY,
    arbiter: ANY_ARBITER,
  };
  const at = await mandateAddress(program, {
    owner: owner.signer.address,
    delegate: delegate.signer.address,
    asset: usdc.number,
  });
  const payer = { address: owner.signer.address, role: AccountRole.WRITABLE_SIGNER, signer: owner.signer };
  await land(
    current,
    await signed(
      current,
      [owner.signer],
      [
        await setMandate(program, { owner: owner.signer, delegate: delegate.signer.address, asset }, limits),
        getTransferSolInstruction({ source: owner.signer, destination: at, amount: 100_000_000n }),
        await createAssociatedToken(payer, at, mint),
        await transfer(owner, at, mint, 20n * ONE),
      ],
    ),
  );
  const held = async () => {
    const purse = await associatedTokenAddress(at, mint);
    return BigInt((await current.rpc.getTokenAccountBalance(purse).send()).value.amount);
  };
  return { owner, delegate, at, held };
}

const goal = (owner: Party, maxBudget: bigint): DigitalTaskDraft => ({
  title: 'A summary',
  description: 'Summarise the feedback.',
  legs: [{ instruction: 'summarise it' }],
  maxBudget: String(maxBudget),
  asset: 'usdc',
  terms: 'plain',
  mandateOwnerPubkey: owner.pubkey,
});

test("a delegate lists with an owner's money up to the cap of the period, and what is left goes back there (P-116, M-96)", async () => {
  const { owner, delegate, at, held } = await mandated();
  const { client, signer } = delegate;
  const listed = await listDigitalTask(client, signer, goal(owner, 3n * ONE));
  if (listed.open !== null) throw new Error('the service did not answer');
  expect(listed).toMatchObject({
    shipperPubkey: delegate.pubkey,
    funderPubkey: at,
    asset: 'usdc',
    maxBudget: 3n * ONE,
  });
  expect(await held()).toBe(17n * ONE);

  const refusal = await refusalOf(listDigitalTask(client, signer, goal(owner, 2n * ONE + 1n)));
  expect(refusal).toMatchObject({ code: 'invalid_input' });
  expect(refusal.message).toMatch(
    /mandateOwnerPubkey: is of the mandate at \w+, which has not so much left of its period/,
  );
  const stranger = await service.current.party(1);
  expect(await refusalOf(listDigitalTask(stranger.client, stranger.signer, goal(owner, ONE)))).toMatchObject({
    message: expect.stringMatching(/which does not exist/) as string,
  });

  await cancelDigitalTask(client, service.current.rpc, signer, listed.id);
  expect(await held()).toBe(20n * ONE);
});
