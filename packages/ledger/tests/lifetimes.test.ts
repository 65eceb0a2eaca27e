import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getProgramDerivedAddress,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
  compressTransactionMessageUsingAddressLookupTables,
  type Address,
  type Instruction,
  type KeyPairSigner,
  type Nonce,
} from '@solana/kit';
import {
  fetchNonce,
  getAdvanceNonceAccountInstruction,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import {
  advanceTime,
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  latestLifetime,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  temporaryFolder,
  transfer,
  type Client,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const CONFIRMED = { commitment: 'confirmed' } as const;
const RECENT_BLOCKHASHES = address('SysvarRecentB1ockHashes11111111111111111111');
const TABLES = address('AddressLookupTab1e1111111111111111111111111');

describe('blockhashes', () => {
  test.each(['confirmed', 'finalized'] as const)(
    '[L-6] the same transfer twice in a row is two transactions, on %s blockhashes',
    async (commitment) => {
      const slow = clientOf(await freshLedger({ slotMs: 60_000 }));
      const payer = await fundedSigner(slow);
      const recipient = await newAddress();
      for (let nth = 0n; nth < 5n; nth += 1n) {
        const { value: lifetime } = await slow.rpc.getLatestBlockhash({ commitment }).send();
        await send(slow, await signTransfer(slow, payer, recipient, SOL, { lifetime }));
        expect(await balanceOf(slow, recipient)).toBe((nth + 1n) * SOL);
      }
    },
  );

  test('[L-6] one that is not known at the commitment of the preflight is refused', async () => {
    const payer = await fundedSigner(client);
    const lifetime = await latestLifetime(client);
    const { wire } = await signTransfer(client, payer, await newAddress(), SOL, { lifetime });
    const { error } = await rawCall(ledger, 'sendTransaction', [wire, { encoding: 'base64' }]);
    expect(error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
    expect(await client.rpc.isBlockhashValid(lifetime.blockhash, CONFIRMED).send()).toMatchObject({ value: true });
    const final = await client.rpc.isBlockhashValid(lifetime.blockhash, { commitment: 'finalized' }).send();
    expect(final.value).toBe(false);
  });

  test('[L-2] [L-6] one that another ledger gave, or that was made up, is unknown', async () => {
    const other = clientOf(await freshLedger());
    const foreign = await latestLifetime(other);
    for (const blockhash of [foreign.blockhash, (await newAddress()) as string as typeof foreign.blockhash]) {
      expect((await client.rpc.isBlockhashValid(blockhash, CONFIRMED).send()).value).toBe(false);
    }
  });

  test('[L-6] one serves over a restart', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir, slotMs: 60_000 });
    const payer = await fundedSigner(clientOf(first));
    const transaction = await signTransfer(clientOf(first), payer, await newAddress(), SOL);
    await first.close();
    const second = clientOf(await freshLedger({ dataDir, slotMs: 60_000 }));
    expect(await send(second, transaction)).toBe(transaction.signature);
  });
});

async function nonceAccount(by: Client, payer: KeyPairSigner): Promise<KeyPairSigner> {
  const account = await generateKeyPairSigner();
  const instructions = [
    getCreateAccountInstruction({
      payer,
      newAccount: account,
      lamports: SOL,
      space: getNonceSize(),
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: account.address, nonceAuthority: payer.address }),
  ];
  await send(by, await signTransaction(by, payer, instructions));
  return account;
}

const nonceOf = async (by: Client, account: Address): Promise<string> =>
  (await fetchNonce(by.rpc, account, CONFIRMED)).data.blockhash;

async function signWithNonce(
  payer: KeyPairSigner,
  nonceAccountAddress: Address,
  nonce: string,
  instructions: readonly Instruction[],
) {
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) =>
        setTransactionMessageLifetimeUsingDurableNonce(
          { nonce: nonce as Nonce, nonceAccountAddress, nonceAuthorityAddress: payer.address },
          message,
        ),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
  return { signature: getSignatureFromTransaction(signed), wire: getBase64EncodedWireTransaction(signed), signed };
}

describe('durable nonces', () => {
  test('[L-27] keep a transaction alive beyond every blockhash, and let it land once', async () => {
    const payer = await fundedSigner(client);
    const account = await nonceAccount(client, payer);
    const recipient = await newAddress();
    const nonce = await nonceOf(client, account.address);
    const transaction = await signWithNonce(payer, account.address, nonce, [transfer(payer, recipient, SOL)]);
    await advanceTime(ledger, { slots: 1_000 });
    const message = Buffer.from(transaction.signed.messageBytes).toString('base64');
    const fee = await rawCall(ledger, 'getFeeForMessage', [message, CONFIRMED]);
    expect(fee.result).toMatchObject({ value: Number(FEE) });
    await send(client, transaction);
    expect(await balanceOf(client, recipient)).toBe(SOL);
    expect(await nonceOf(client, account.address)).not.toBe(nonce);
    await advanceTime(ledger, { slots: 1_000 });
    await expect(send(client, transaction)).rejects.toThrow(/simulation failed/);
    await send(client, transaction, { skipPreflight: true });
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });

  test('[L-27] are advanced, for the fee, by a transaction that fails', async () => {
    const payer = await fundedSigner(client);
    const account = await nonceAccount(client, payer);
    const nonce = await nonceOf(client, account.address);
    const before = await balanceOf(client, payer.address);
    const instructions = [transfer(payer, await newAddress(), 100n * SOL)];
    const transaction = await signWithNonce(payer, account.address, nonce, instructions);
    await expect(send(client, transaction)).rejects.toThrow(/simulation failed/);
    expect(await nonceOf(client, account.address)).toBe(nonce);
    await send(client, transaction, { skipPreflight: true });
    const next = await nonceOf(client, account.address);
    expect(next).not.toBe(nonce);
    expect(await balanceOf(client, payer.address)).toBe(before - FEE);
    expect(await balanceOf(client, account.address)).toBe(SOL);
  });

  test('[L-27] get another hash with each advance, and never one from before a restart', async () => {
    const dataDir = temporaryFolder();
    const options = { dataDir, slotMs: 60_000 };
    const seen: string[] = [];
    let payer: KeyPairSigner | undefined;
    let account: KeyPairSigner | undefined;
    for (let run = 0; run < 3; run += 1) {
      const running = await freshLedger(options);
      const by = clientOf(running);
      payer ??= await fundedSigner(by);
      account ??= await nonceAccount(by, payer);
      for (let nth = 0; nth < 4; nth += 1) {
        const nonce = await nonceOf(by, account.address);
        seen.push(nonce);
        const transaction = await signWithNonce(payer, account.address, nonce, []);
        await Promise.all([send(by, transaction), advanceTime(running, { slots: 1 })]);
      }
      await running.close();
    }
    expect(new Set(seen).size).toBe(12);
  });

  test('[L-27] serve nobody else, nor when another instruction comes first', async () => {
    const [payer, stranger] = [await fundedSigner(client), await fundedSigner(client)];
    const account = await nonceAccount(client, payer);
    const nonce = await nonceOf(client, account.address);
    const stolen = await signWithNonce(stranger, account.address, nonce, [transfer(stranger, payer.address, SOL)]);
    const lifetime = { blockhash: nonce as never, lastValidBlockHeight: 0n };
    const advance = getAdvanceNonceAccountInstruction({
      nonceAccount: account.address,
      nonceAuthority: payer,
      recentBlockhashesSysvar: RECENT_BLOCKHASHES,
    });
    const late = await signTransaction(client, payer, [transfer(payer, stranger.address, SOL), advance], { lifetime });
    for (const { wire } of [stolen, late]) {
      const { error } = await rawCall(ledger, 'sendTransaction', [wire, { encoding: 'base64' }]);
      expect(error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
    }
    expect(await nonceOf(client, account.address)).toBe(nonce);
  });
});

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

describe('lookup tables', () => {
  test('[L-28] [L-29] are made, extended and used one right after the other, for the running slot', async () => {
    const payer = await fundedSigner(client);
    const slot = await client.rpc.getSlot(CONFIRMED).send();
    const seeds = [getAddressEncoder().encode(payer.address), u64(slot)];
    const [table, bump] = await getProgramDerivedAddress({ programAddress: TABLES, seeds });
    const accounts = [
      { address: table, role: AccountRole.WRITABLE },
      { address: payer.address, role: AccountRole.READONLY_SIGNER },
      { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
      { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
    ];
    const recipient = await newAddress();
    const create = {
      programAddress: TABLES,
      accounts,
      data: Buffer.concat([Buffer.alloc(4), u64(slot), Buffer.of(bump)]),
    };
    const extend = {
      programAddress: TABLES,
      accounts,
      data: Buffer.concat([Buffer.of(2, 0, 0, 0), u64(1n), Buffer.from(getAddressEncoder().encode(recipient))]),
    };
    await send(client, await signTransaction(client, payer, [create, extend]));
    const lifetime = await latestLifetime(client);
    const signed = await signTransactionMessageWithSigners(
      compressTransactionMessageUsingAddressLookupTables(
        pipe(
          createTransactionMessage({ version: 0 }),
          (message) => setTransactionMessageFeePayerSigner(payer, message),
          (message) => appendTransactionMessageInstructions([transfer(payer, recipient, SOL)], message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        ),
        { [table]: [recipient] },
      ),
    );
    await send(client, { wire: getBase64EncodedWireTransaction(signed) });
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });
});
