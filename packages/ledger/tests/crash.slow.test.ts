import { generateKeyPairSigner, type Address, type KeyPairSigner, type Signature } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { childLedger, type ChildLedger } from './support/childLedger.js';
import {
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  latestLifetime,
  newAddress,
  rawCall,
  send,
  signTransfer,
  SOL,
  temporaryFolder,
  type Client,
  type SignedTransaction,
} from './support/ledger.js';

type Sent = SignedTransaction & { readonly amount: bigint };

/** Sends transfers one after the other from each of some payers until the ledger is gone; gives what was confirmed. */
async function stream(
  client: Client,
  payers: readonly KeyPairSigner[],
  recipient: Address,
  all: Sent[],
): Promise<Set<Signature>> {
  const confirmed = new Set<Signature>();
  const lane = async (payer: KeyPairSigner): Promise<void> => {
    const lifetime = await latestLifetime(client);
    for (let amount = SOL / 1000n; ; amount += 1n) {
      const transaction = { ...(await signTransfer(client, payer, recipient, amount, { lifetime })), amount };
      all.push(transaction);
      await send(client, transaction);
      confirmed.add(transaction.signature);
    }
  };
  await Promise.allSettled(payers.map(lane));
  return confirmed;
}

async function statusesOf(client: Client, sent: readonly Sent[]) {
  const landed: Sent[] = [];
  for (let start = 0; start < sent.length; start += 256) {
    const part = sent.slice(start, start + 256);
    const { value } = await client.rpc
      .getSignatureStatuses(
        part.map((one) => one.signature),
        { searchTransactionHistory: true },
      )
      .send();
    landed.push(...part.filter((_, index) => value[index] !== null));
  }
  return landed;
}

async function allSignaturesOf(ledger: ChildLedger, address: Address): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const config = { commitment: 'confirmed', before: found.at(-1) };
    const { result } = await rawCall(ledger, 'getSignaturesForAddress', [address, config]);
    const page = (result as { signature: string }[]).map((one) => one.signature);
    found.push(...page);
    if (page.length < 1000) return found;
  }
}

describe('a ledger that is killed', () => {
  test('[L-11] [L-12] three times amid transfers: everything confirmed is there, nothing ran twice, the sums agree', async () => {
    const dataDir = temporaryFolder();
    const recipient = await newAddress();
    const all: Sent[] = [];
    const confirmed = new Set<Signature>();
    let ledger = await childLedger({ dataDir });
    const { genesisHash } = ledger;
    const payers = await Promise.all(Array.from({ length: 6 }, async () => fundedSigner(clientOf(ledger), 100n * SOL)));
    for (const delay of [300, 500, 400]) {
      const streaming = stream(clientOf(ledger), payers, recipient, all);
      await new Promise((resolve) => {
        setTimeout(resolve, delay);
      });
      await ledger.kill();
      for (const signature of await streaming) confirmed.add(signature);
      ledger = await childLedger({ dataDir });
      // A sender that does not know sends the same bytes again: what landed must not run again.
      for (const one of all.slice(-6)) await send(clientOf(ledger), one, { skipPreflight: true });
    }
    const client = clientOf(ledger);
    expect(ledger.genesisHash).toBe(genesisHash);
    expect(confirmed.size).toBeGreaterThan(10);
    const landed = await statusesOf(client, all);
    const names = new Set(landed.map((one) => one.signature));
    expect([...confirmed].filter((signature) => !names.has(signature))).toEqual([]);
    const moved = landed.reduce((sum, one) => sum + one.amount, 0n);
    expect(await balanceOf(client, recipient)).toBe(moved);
    const left = (await Promise.all(payers.map((one) => balanceOf(client, one.address)))).reduce((a, b) => a + b, 0n);
    expect(left).toBe(600n * SOL - moved - FEE * BigInt(landed.length));
    const listed = await allSignaturesOf(ledger, recipient);
    expect(listed.toSorted()).toEqual([...names].toSorted());
    await ledger.kill();
  });

  test('[L-1] does not lock its folder, while a running one does', async () => {
    const dataDir = temporaryFolder();
    const first = await childLedger({ dataDir });
    await expect(freshLedger({ dataDir })).rejects.toThrow(
      `The ledger's data folder ${dataDir} is in use by process ${first.process.pid}.`,
    );
    await first.kill();
    const again = await freshLedger({ dataDir });
    expect(again.genesisHash).toBe(first.genesisHash);
  });
});

test('[L-1] a ledger that stops under load ends in order, and fails nothing but the calls that are under way', async () => {
  const account = await newAddress();
  // What would end the process fails the run.
  for (let round = 0; round < 40; round += 1) {
    const ledger = await freshLedger({ slotMs: 5 + round });
    let isOver = false;
    const lane = async () => {
      while (!isOver) {
        const calls = [
          rawCall(ledger, 'requestAirdrop', [account, 1_000]),
          rawCall(ledger, 'getSignaturesForAddress', [account]),
          rawCall(ledger, 'getBlock', [3, { maxSupportedTransactionVersion: 0 }]),
        ];
        await Promise.allSettled(calls);
      }
    };
    const lanes = Array.from({ length: 6 }, lane);
    await new Promise((resolve) => {
      setTimeout(resolve, 20 + 4 * round);
    });
    await ledger.close();
    isOver = true;
    await Promise.all(lanes);
    await expect(rawCall(ledger, 'getHealth', [])).rejects.toThrow('fetch failed');
  }
});

describe('a ledger that starts again', () => {
  test('[L-7] refuses what an earlier run executed, within the whole life of its blockhash', async () => {
    const dataDir = temporaryFolder();
    const recipient = await generateKeyPairSigner();
    const before = await freshLedger({ dataDir });
    const payer = await fundedSigner(clientOf(before));
    const transaction = await signTransfer(clientOf(before), payer, recipient.address, SOL);
    await send(clientOf(before), transaction);
    await before.close();
    const client = clientOf(await freshLedger({ dataDir }));
    await expect(send(client, transaction)).rejects.toThrow(/simulation failed|preflight/i);
    await send(client, transaction, { skipPreflight: true });
    expect(await balanceOf(client, recipient.address)).toBe(SOL);
    expect((await client.rpc.getSignatureStatuses([transaction.signature]).send()).value[0]?.err).toBeNull();
  });

  test('[L-5] goes on with its slots, its clock and its count of transactions', async () => {
    const dataDir = temporaryFolder();
    const before = await freshLedger({ dataDir });
    const old = clientOf(before);
    await fundedSigner(old);
    await rawCall(before, 'relay_advanceTime', [{ seconds: 86_400 }]);
    const slot = await old.rpc.getSlot({ commitment: 'confirmed' }).send();
    const time = await old.rpc.getBlockTime(slot).send();
    const count = await old.rpc.getTransactionCount().send();
    const { blockhash } = await latestLifetime(old);
    await before.close();
    const { rpc } = clientOf(await freshLedger({ dataDir, slotMs: 200 }));
    const now = await rpc.getSlot({ commitment: 'confirmed' }).send();
    expect(now).toBeGreaterThanOrEqual(slot);
    expect(now).toBeLessThan(slot + 100n);
    expect(await rpc.getBlockTime(slot).send()).toBe(time);
    expect(await rpc.getBlockTime(now).send()).toBeGreaterThanOrEqual(time);
    expect(await rpc.getTransactionCount().send()).toBe(count);
    expect((await rpc.isBlockhashValid(blockhash, { commitment: 'confirmed' }).send()).value).toBe(true);
  });
});
