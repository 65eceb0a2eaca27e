import { AccountRole, address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import {
  getAdvanceNonceAccountInstruction,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getWithdrawNonceAccountInstruction,
} from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import type { Genesis } from '@legwork/ledger';
import { SlotBound } from '../src/bank/slotBound.js';
import { parseTransaction } from '../src/bank/wire.js';
import {
  advanceTime,
  clientOf,
  freshLedger,
  fundedSigner,
  latestLifetime,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  transfer,
} from './support/ledger.js';
import { buffer, programOf } from './support/programs.js';

/** Its slots are so long that none ends by itself within a test. */
const ledger = await freshLedger({ slotMs: 60_000 }, 'file');
const client = clientOf(ledger);
const payer = await fundedSigner(client, 1_000n * SOL);

const SLOT_HASHES = address('SysvarS1otHashes111111111111111111111111111');
const RECENT_BLOCKHASHES = address('SysvarRecentB1ockHashes11111111111111111111');

const slotNow = async (): Promise<bigint> => client.rpc.getSlot({ commitment: 'processed' }).send();

/** Sends instructions, without preflight, and tells in which slot they ran and why they failed. */
async function run(...instructions: readonly Instruction[]): Promise<{ readonly slot: bigint; readonly err: unknown }> {
  const signature = await send(client, await signTransaction(client, payer, instructions), { skipPreflight: true });
  const { value } = await client.rpc.getSignatureStatuses([signature]).send();
  if (!value[0]) throw new Error('the transaction was dropped');
  return { slot: value[0].slot, err: value[0].err };
}

/** The same, while the next slot begins: it runs before or after, as it has to. */
async function runAcross(...instructions: readonly Instruction[]): ReturnType<typeof run> {
  const [ran] = await Promise.all([run(...instructions), advanceTime(ledger, { slots: 1 })]);
  return ran;
}

/** The same, while slots begin until it has run. */
async function runLater(...instructions: readonly Instruction[]): ReturnType<typeof run> {
  let ran = false;
  const running = run(...instructions).finally(() => {
    ran = true;
  });
  while (!ran) await advanceTime(ledger, { slots: 1 });
  return running;
}

const creation = (account: KeyPairSigner, by: KeyPairSigner): Instruction[] => [
  getCreateAccountInstruction({
    payer: by,
    newAccount: account,
    lamports: SOL,
    space: 80n,
    programAddress: SYSTEM_PROGRAM,
  }),
  getInitializeNonceAccountInstruction({ nonceAccount: account.address, nonceAuthority: by.address }),
];

async function makeNonce(lifetime?: Awaited<ReturnType<typeof latestLifetime>>): Promise<KeyPairSigner> {
  const account = await generateKeyPairSigner();
  await send(client, await signTransaction(client, payer, creation(account, payer), lifetime && { lifetime }));
  return account;
}

const advance = ({ address: nonceAccount }: KeyPairSigner, nonceAuthority = payer): Instruction =>
  getAdvanceNonceAccountInstruction({ nonceAccount, nonceAuthority, recentBlockhashesSysvar: RECENT_BLOCKHASHES });

const withdraw = ({ address: nonceAccount }: KeyPairSigner, withdrawAmount: bigint): Instruction =>
  getWithdrawNonceAccountInstruction({
    nonceAccount,
    recipientAccount: payer.address,
    nonceAuthority: payer,
    withdrawAmount,
  });

describe('a nonce', () => {
  test('[L-27] [L-29] is advanced, or ended, in a later slot than the one that made it or advanced it last', async () => {
    const account = await makeNonce();
    const made = await slotNow();
    expect(await runAcross(advance(account))).toEqual({ slot: made + 1n, err: null });
    expect(await runAcross(advance(account))).toEqual({ slot: made + 2n, err: null });
    expect(await runAcross(withdraw(account, SOL))).toEqual({ slot: made + 3n, err: null });
  });

  test('[L-27] is advanced once a slot, as many as wait for it', async () => {
    const account = await makeNonce();
    const made = await slotNow();
    // Different transactions, so that all can land.
    const waiting = [1n, 2n, 3n].map((amount) => run(advance(account), transfer(payer, payer.address, amount)));
    let left = waiting.length;
    for (const one of waiting) void one.finally(() => (left -= 1));
    while (left > 0) await advanceTime(ledger, { slots: 1 });
    const ran = await Promise.all(waiting);
    expect(ran.map(({ err }) => err)).toEqual([null, null, null]);
    expect(new Set([made, ...ran.map(({ slot }) => slot)]).size).toBe(4);
  });

  test('[L-27] cannot be advanced twice, nor made and advanced, by one transaction', async () => {
    const account = await makeNonce();
    const failed = await runAcross(advance(account), advance(account));
    expect(failed.err).toEqual({ InstructionError: [1n, { Custom: 7n }] });
  });

  test('[L-27] is advanced by transactions that name the same blockhash', async () => {
    const lifetime = await latestLifetime(client);
    const account = await makeNonce(lifetime);
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
    for (const amount of [1n, 2n]) {
      await advanceTime(ledger, { slots: 1 });
      const instructions = [advance(account), transfer(payer, payer.address, amount)];
      const { wire, signature } = await signTransaction(client, payer, instructions, { lifetime });
      expect((await rawCall(ledger, 'sendTransaction', [wire, config])).result).toBe(signature);
    }
  });

  test('[L-29] that a stranger pays to makes nobody wait', async () => {
    const account = await makeNonce();
    const { slot } = await advanceTime(ledger, { slots: 1 });
    const stranger = await fundedSigner(client);
    await send(client, await signTransfer(client, stranger, account.address, 1n));
    expect(await run(advance(account))).toEqual({ slot: BigInt(slot), err: null });
  });

  test('[L-29] transactions that name nothing new, or cannot land, do not wait', async () => {
    const account = await makeNonce();
    const slot = await slotNow();
    expect(await run(transfer(payer, await newAddress(), SOL))).toEqual({ slot, err: null });
    const lifetime = { blockhash: (await newAddress()) as string as never, lastValidBlockHeight: 0n };
    const { wire } = await signTransaction(client, payer, [advance(account)], { lifetime });
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
    const { error } = await rawCall(ledger, 'sendTransaction', [wire, config]);
    expect(error).toMatchObject({ data: { err: 'BlockhashNotFound' } });
  });
});

/** How the program refuses instructions that it does not know: it ran. */
const RAN = { InstructionError: [0n, { Custom: 6030n }] };
const NOT_DEPLOYED = { InstructionError: [0n, 'UnsupportedProgramId'] };

describe('a program', () => {
  test('[L-29] runs, and is made larger, replaced and closed, in later slots than the one that changed it last', async () => {
    const program = await programOf(client, payer, await generateKeyPairSigner());
    const buffers = [await buffer(ledger, payer.address), await buffer(ledger, payer.address)] as const;
    expect((await run(program.create, program.deploy(buffers[0]))).err).toBeNull();
    const deployed = await slotNow();
    expect(await runAcross(program.call)).toEqual({ slot: deployed + 1n, err: RAN });
    expect(await run(program.extend)).toEqual({ slot: deployed + 1n, err: null });
    expect(await runAcross(program.upgrade(buffers[1]))).toEqual({ slot: deployed + 2n, err: null });
    expect(await runAcross(program.call)).toEqual({ slot: deployed + 3n, err: RAN });
    expect(await run(program.close)).toEqual({ slot: deployed + 3n, err: null });
    expect(await runAcross(program.call)).toEqual({ slot: deployed + 4n, err: NOT_DEPLOYED });
  });

  test('[L-29] that was closed does not run, wherever its addresses stand in the transaction', async () => {
    for (let nth = 0; nth < 8; nth += 1) {
      const program = await programOf(client, payer, await generateKeyPairSigner());
      await run(program.create, program.deploy(await buffer(ledger, payer.address)));
      await runAcross(program.close);
      expect((await runAcross(program.call)).err).toEqual(NOT_DEPLOYED);
    }
  });
});

describe('slot hashes', () => {
  const hashes = async (): Promise<Buffer> => {
    const { value } = await client.rpc
      .getAccountInfo(SLOT_HASHES, { commitment: 'confirmed', encoding: 'base64' })
      .send();
    return Buffer.from(value?.data[0] ?? '', 'base64');
  };

  test('[L-28] [L-29] do not have the running slot, and what names them runs in a later one', async () => {
    const slot = await slotNow();
    expect((await hashes()).readBigUInt64LE(8)).toBe(slot - 1n);
    const { accounts, ...rest } = transfer(payer, await newAddress(), SOL);
    const named = { ...rest, accounts: [...(accounts ?? []), { address: SLOT_HASHES, role: AccountRole.READONLY }] };
    const { wire } = await signTransaction(client, payer, [named]);
    const { message } = parseTransaction(Buffer.from(wire, 'base64'));
    const bound = new SlotBound(
      () => undefined,
      () => 7,
    );
    expect([7, 6].map((arrived) => bound.isTooEarly(message, arrived))).toEqual([true, false]);
    expect((await runLater(named)).slot).toBeGreaterThan(slot);
  });
});

test('[L-29] a simulation waits in the same way', async () => {
  const account = await makeNonce();
  const made = await slotNow();
  const { wire } = await signTransaction(client, payer, [advance(account)]);
  const config = { encoding: 'base64', commitment: 'confirmed' } as const;
  const [{ context, value }] = await Promise.all([
    client.rpc.simulateTransaction(wire, config).send(),
    advanceTime(ledger, { slots: 1 }),
  ]);
  expect({ slot: context.slot, err: value.err }).toEqual({ slot: made + 1n, err: null });
});

test('[L-8] a status counts its own slot as a confirmation, and each one after it, up to 31', async () => {
  const signature = await send(client, await signTransfer(client, payer, await newAddress(), SOL));
  const confirmations = async (): Promise<unknown> => {
    const { value } = await client.rpc.getSignatureStatuses([signature]).send();
    return value[0]?.confirmations;
  };
  expect(await confirmations()).toBe(1n);
  await advanceTime(ledger, { slots: 2 });
  expect(await confirmations()).toBe(3n);
  await advanceTime(ledger, { slots: 29 });
  expect(await confirmations()).toBe(31n);
  await advanceTime(ledger, { slots: 1 });
  expect(await confirmations()).toBeNull();
});

test('[L-3] [L-29] what waits before the ledger serves gets its next slot, too', async () => {
  const slots: bigint[] = [];
  const genesis: Genesis<'rich'> = {
    funds: { rich: 10n * SOL },
    async prepare({ rpc, keypairs }) {
      const by = { ...client, rpc };
      const [account, { signer }] = [await generateKeyPairSigner(), keypairs.rich];
      for (const instructions of [creation(account, signer), [advance(account, signer)]]) {
        const signature = await send(by, await signTransaction(by, signer, instructions));
        const { value } = await rpc.getSignatureStatuses([signature]).send();
        if (value[0]) slots.push(value[0].slot);
      }
    },
  };
  await freshLedger({ slotMs: 20, genesis });
  expect(slots).toHaveLength(2);
  expect(slots[1]).toBeGreaterThan(slots[0] ?? 0n);
});
