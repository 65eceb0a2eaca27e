import {
  address,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Address,
  type Instruction,
} from '@solana/kit';
import {
  getAdvanceNonceAccountInstruction,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
} from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import {
  advanceTime,
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  type SignedTransaction,
} from './support/ledger.js';
import { buffer, programOf } from './support/programs.js';

/** Its slots are so long that none ends by itself within a test. */
const ledger = await freshLedger({ slotMs: 60_000 }, 'file');
const client = clientOf(ledger);
const settled = await fundedSigner(client, 1_000n * SOL);
await advanceTime(ledger, { slots: 33 });

const FINALITY = 32;
const FINALIZED = { commitment: 'finalized' } as const;
const TABLES = address('AddressLookupTab1e1111111111111111111111111');
const RECENT_BLOCKHASHES = address('SysvarRecentB1ockHashes11111111111111111111');

const finalLifetime = async () => (await client.rpc.getLatestBlockhash(FINALIZED).send()).value;

/** As clients send that name no commitment. */
async function sendByDefault({ wire }: Pick<SignedTransaction, 'wire'>) {
  return rawCall(ledger, 'sendTransaction', [wire, { encoding: 'base64' }]);
}

type Simulated = {
  readonly context: { readonly slot: number };
  readonly value: {
    readonly err: unknown;
    readonly passesAt?: string;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
  };
};

async function simulate({ wire }: Pick<SignedTransaction, 'wire'>, commitment?: string): Promise<Simulated> {
  const config = {
    encoding: 'base64',
    replaceRecentBlockhash: true,
    ...(commitment === undefined ? {} : { commitment }),
  };
  const { result, error } = await rawCall(ledger, 'simulateTransaction', [wire, config]);
  if (error !== undefined) throw new Error(error.message);
  return result as Simulated;
}

async function errOf(signature: SignedTransaction['signature']): Promise<unknown> {
  const { value } = await client.rpc.getSignatureStatuses([signature]).send();
  return value[0] ? value[0].err : 'dropped';
}

describe('preflight at finalized', () => {
  test('[L-9] [L-15] knows nothing of money that is only confirmed, and says that it would do there', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const lifetime = await finalLifetime();
    const transaction = await signTransfer(client, payer, recipient, SOL, { lifetime });
    const { error } = await sendByDefault(transaction);
    expect(error).toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
      data: { err: 'AccountNotFound', logs: [], fee: null, passesAt: 'confirmed' },
    });
    expect(await balanceOf(client, payer.address)).toBe(10n * SOL);
    await advanceTime(ledger, { slots: FINALITY });
    expect(await sendByDefault(transaction)).toMatchObject({ result: transaction.signature });
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });

  test('[L-9] [L-15] says nothing of another commitment where it would fail too', async () => {
    const payer = await generateKeyPairSigner();
    const lifetime = await finalLifetime();
    const { error } = await sendByDefault(await signTransfer(client, payer, await newAddress(), SOL, { lifetime }));
    expect(error).toMatchObject({ data: { err: 'AccountNotFound' } });
    expect(error?.data).not.toHaveProperty('passesAt');
  });

  test('[L-10] lets through what passes there and fails since: it pays its fee and is recorded', async () => {
    const payer = await fundedSigner(client);
    await advanceTime(ledger, { slots: FINALITY });
    const lifetime = await finalLifetime();
    const [first, second] = await Promise.all(
      [6n, 7n].map(async (amount) => signTransfer(client, payer, settled.address, amount * SOL, { lifetime })),
    );
    if (first === undefined || second === undefined) throw new Error('there are two');
    expect(await sendByDefault(first)).toMatchObject({ result: first.signature });
    expect(await sendByDefault(second)).toMatchObject({ result: second.signature });
    expect(await errOf(second.signature)).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    expect(await balanceOf(client, payer.address)).toBe(4n * SOL - 2n * FEE);
  });

  test('[L-7] answers the same bytes again with their signature, and does nothing', async () => {
    const recipient = await newAddress();
    const transaction = await signTransfer(client, settled, recipient, SOL, { lifetime: await finalLifetime() });
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await sendByDefault(transaction)).toMatchObject({ result: transaction.signature });
    }
    expect(await balanceOf(client, recipient)).toBe(SOL);
    const again = await rawCall(ledger, 'sendTransaction', [
      transaction.wire,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
    expect(again.error).toMatchObject({ data: { err: 'AlreadyProcessed' } });
  });

  test('[L-15] is the latest state on a ledger where all is final at once', async () => {
    const immediate = await freshLedger({ finality: 'immediate' });
    const by = clientOf(immediate);
    const { wire, signature } = await signTransfer(by, await fundedSigner(by), await newAddress(), SOL);
    const answer = await rawCall(immediate, 'sendTransaction', [wire, { encoding: 'base64' }]);
    expect(answer).toMatchObject({ result: signature });
  });
});

describe('simulation at finalized', () => {
  test('[L-15] [L-17] shows the accounts as they were, and leaves them as they are', async () => {
    const payer = await fundedSigner(client);
    await advanceTime(ledger, { slots: FINALITY });
    const recipient = await newAddress();
    await send(client, await signTransfer(client, payer, recipient, 6n * SOL));
    const transaction = await signTransfer(client, payer, recipient, 5n * SOL);
    const then = await simulate(transaction);
    expect(then.value).toMatchObject({
      err: null,
      preBalances: [10n * SOL, 0n, 1n].map(Number),
      postBalances: [5n * SOL - FEE, 5n * SOL, 1n].map(Number),
    });
    const now = await simulate(transaction, 'confirmed');
    expect(now.value.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(now.context.slot - then.context.slot).toBe(FINALITY);
    expect(await balanceOf(client, payer.address)).toBe(4n * SOL - FEE);
    expect(await balanceOf(client, recipient)).toBe(6n * SOL);
  });

  test('[L-15] [L-17] knows a program from the slot on in which it is final, and one that was closed until then', async () => {
    const program = await programOf(client, settled, await generateKeyPairSigner());
    const sendAll = async (...instructions: readonly Instruction[]): Promise<void> => {
      const sent = send(client, await signTransaction(client, settled, instructions));
      await Promise.all([sent, advanceTime(ledger, { slots: 1 })]);
    };
    const call = await signTransaction(client, settled, [program.call]);
    const ran = { InstructionError: [0, { Custom: 6030 }] };
    const errs = async (): Promise<unknown[]> =>
      Promise.all(['finalized', 'confirmed'].map(async (at) => (await simulate(call, at)).value.err));
    await sendAll(program.create, program.deploy(await buffer(ledger, settled.address)));
    await advanceTime(ledger, { slots: 1 });
    expect(await errs()).toEqual(['ProgramAccountNotFound', ran]);
    await advanceTime(ledger, { slots: FINALITY });
    expect(await errs()).toEqual([ran, ran]);
    await sendAll(program.close);
    await advanceTime(ledger, { slots: 1 });
    expect(await errs()).toEqual([ran, { InstructionError: [0, 'UnsupportedProgramId'] }]);
    expect(await errs()).toEqual([ran, { InstructionError: [0, 'UnsupportedProgramId'] }]);
  });

  test('[L-15] [L-28] has the sysvars of its slot', async () => {
    const young = await client.rpc.getSlot({ commitment: 'confirmed' }).send();
    const old = await client.rpc.getSlot(FINALIZED).send();
    await advanceTime(ledger, { slots: 1 });
    const errs = await Promise.all(
      [young, old].map(async (slot) => {
        const { value } = await simulate(await signTransaction(client, settled, [await createTable(slot)]));
        return [value.err, value.passesAt];
      }),
    );
    expect(errs).toEqual([
      [{ InstructionError: [0, 'InvalidInstructionData'] }, 'confirmed'],
      [null, undefined],
    ]);
  });

  test('[L-15] [L-27] knows a nonce as it was then', async () => {
    const account = await generateKeyPairSigner();
    const [nonceAccount, nonceAuthority] = [account.address, settled.address];
    const made = await signTransaction(client, settled, [
      getCreateAccountInstruction({
        payer: settled,
        newAccount: account,
        lamports: SOL,
        space: 80n,
        programAddress: SYSTEM_PROGRAM,
      }),
      getInitializeNonceAccountInstruction({ nonceAccount, nonceAuthority }),
    ]);
    await send(client, made);
    await advanceTime(ledger, { slots: 1 });
    const blockhash = (await nonceOf(nonceAccount)) as never;
    const advance = getAdvanceNonceAccountInstruction({
      nonceAccount,
      nonceAuthority: settled,
      recentBlockhashesSysvar: RECENT_BLOCKHASHES,
    });
    const named = await signTransaction(client, settled, [advance], {
      lifetime: { blockhash, lastValidBlockHeight: 0n },
    });
    const { error } = await sendByDefault(named);
    expect(error).toMatchObject({ data: { err: 'BlockhashNotFound', passesAt: 'confirmed' } });
    await advanceTime(ledger, { slots: FINALITY });
    expect(await sendByDefault(named)).toMatchObject({ result: named.signature });
    expect(await nonceOf(nonceAccount)).not.toBe(blockhash);
  });
});

async function nonceOf(account: Address): Promise<string> {
  const { result } = await rawCall(ledger, 'getAccountInfo', [
    account,
    { commitment: 'confirmed', encoding: 'jsonParsed' },
  ]);
  const { value } = result as { value: { data: { parsed: { info: { blockhash: string } } } } };
  return value.data.parsed.info.blockhash;
}

async function createTable(slot: bigint): Promise<Instruction> {
  const recent = Buffer.alloc(8);
  recent.writeBigUInt64LE(slot);
  const seeds = [getAddressEncoder().encode(settled.address), recent];
  const [table, bump] = await getProgramDerivedAddress({ programAddress: TABLES, seeds });
  return {
    programAddress: TABLES,
    accounts: [
      { address: table, role: 1 },
      { address: settled.address, role: 2 },
      { address: settled.address, role: 3 },
      { address: SYSTEM_PROGRAM, role: 0 },
    ],
    data: Buffer.concat([Buffer.alloc(4), recent, Buffer.of(bump)]),
  };
}
