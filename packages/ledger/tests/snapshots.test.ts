import { generateKeyPairSigner, type Address, type Signature } from '@solana/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { childLedger } from './support/childLedger.js';
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
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);

type On = Parameters<typeof rawCall>[0];

async function take(on: On = ledger): Promise<number> {
  return (await rawCall(on, 'relay_snapshot', [])).result as number;
}

async function restore(id: number, on: On = ledger): Promise<void> {
  const { result, error } = await rawCall(on, 'relay_restore', [id]);
  if (error !== undefined) throw new Error(error.message);
  expect(result).toMatchObject({ context: { slot: expect.any(Number) }, value: null });
}

async function set(of: Address, update: object, on: On = ledger): Promise<void> {
  const { error } = await rawCall(on, 'surfnet_setAccount', [of, update]);
  if (error !== undefined) throw new Error(error.message);
}

async function accountOf(of: Address, on: On = ledger): Promise<unknown> {
  const { result } = await rawCall(on, 'getAccountInfo', [of, { commitment: 'confirmed', encoding: 'base64' }]);
  return (result as { readonly value: unknown }).value;
}

describe('a snapshot', () => {
  test('[L-82] a restore puts back what changed, was made and was closed, by transactions or without', async () => {
    const [payer, closing] = [await fundedSigner(client), await fundedSigner(client, SOL)];
    const [made, changed, removed, untouched] = await Promise.all([
      newAddress(),
      newAddress(),
      newAddress(),
      newAddress(),
    ]);
    for (const of of [changed, removed, untouched]) await set(of, { lamports: 5_000_000, data: 'abcd' });
    const all = [payer.address, closing.address, made, changed, removed, untouched];
    const before = await Promise.all(all.map((of) => accountOf(of)));
    const id = await take();
    for (let time = 0; time < 2; time += 1) {
      await send(client, await signTransfer(client, payer, made, SOL));
      await send(client, await signTransfer(client, closing, payer.address, SOL - FEE));
      await set(changed, { data: 'ff' });
      await set(removed, { lamports: 0 });
      expect(await accountOf(closing.address)).toBeNull();
      await restore(id);
      expect(await Promise.all(all.map((of) => accountOf(of)))).toEqual(before);
    }
  });

  test('[L-5] [L-7] [L-16] [L-82] time and record go on over a restore', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const id = await take();
    const transaction = await signTransfer(client, payer, recipient, SOL);
    await send(client, transaction);
    const slot = await client.rpc.getSlot({ commitment: 'processed' }).send();
    await restore(id);
    expect(await balanceOf(client, recipient)).toBe(0n);
    expect(await client.rpc.getSlot({ commitment: 'processed' }).send()).toBeGreaterThanOrEqual(slot);
    const record = await client.rpc.getSignaturesForAddress(recipient, { commitment: 'confirmed' }).send();
    expect(record.map(({ signature }) => signature)).toEqual([transaction.signature]);
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
    const { error } = await rawCall(ledger, 'sendTransaction', [transaction.wire, options]);
    expect(error).toMatchObject({ code: -32002, data: { err: 'AlreadyProcessed' } });
    await send(client, await signTransfer(client, payer, recipient, SOL));
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });

  test('[L-82] of several, one may go back to any; those after it are gone', async () => {
    const of = await newAddress();
    const ids: number[] = [];
    for (const lamports of [1, 2, 3]) {
      await set(of, { lamports });
      ids.push(await take());
    }
    await set(of, { lamports: 4 });
    const [first = 0, second = 0, third = 0] = ids;
    await restore(third);
    expect(await accountOf(of)).toMatchObject({ lamports: 3 });
    await restore(first);
    expect(await accountOf(of)).toMatchObject({ lamports: 1 });
    for (const gone of [second, third, -1, 1.5, 'x', 99]) {
      expect((await rawCall(ledger, 'relay_restore', [gone])).error).toMatchObject({ code: -32602 });
    }
    expect(await accountOf(of)).toMatchObject({ lamports: 1 });
    await set(of, { lamports: 5 });
    const again = await take();
    await set(of, { lamports: 6 });
    await restore(again);
    expect(await accountOf(of)).toMatchObject({ lamports: 5 });
    await restore(first);
    expect(await accountOf(of)).toMatchObject({ lamports: 1 });
  });

  test('[L-82] tells subscribers of what it puts back', async () => {
    const of = await newAddress();
    await set(of, { lamports: 5 });
    const id = await take();
    await set(of, { lamports: 6 });
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const notifications = await client.rpcSubscriptions
      .accountNotifications(of, { commitment: 'confirmed' })
      .subscribe({ abortSignal: controller.signal });
    const first = notifications[Symbol.asyncIterator]().next();
    await restore(id);
    expect((await first).value?.value.lamports).toBe(5n);
  });

  test('[L-7] [L-27] [L-82] a nonce that was advanced since gets another hash', async () => {
    const of = await newAddress();
    const nonce = (hash: number) =>
      Buffer.concat([
        Buffer.from([1, 0, 0, 0, 1, 0, 0, 0]),
        Buffer.alloc(32, 1),
        Buffer.alloc(32, hash),
        Buffer.alloc(8),
      ]);
    await set(of, { data: nonce(7).toString('hex') });
    const id = await take();
    await set(of, { data: nonce(8).toString('hex') });
    await restore(id);
    const { data } = (await accountOf(of)) as { data: [string, string] };
    const now = Buffer.from(data[0], 'base64');
    expect(now.subarray(0, 40)).toEqual(nonce(7).subarray(0, 40));
    for (const hash of [7, 8]) expect(now.subarray(40, 72)).not.toEqual(Buffer.alloc(32, hash));
  });

  test('[L-82] survives restarts, also those without tests in between', async () => {
    const dataDir = temporaryFolder();
    const of = await newAddress();
    const first = await freshLedger({ dataDir });
    await set(of, { lamports: 5 }, first);
    const id = await take(first);
    await set(of, { lamports: 6 }, first);
    const other = await fundedSigner(clientOf(first));
    await first.close();
    const plain = await freshLedger({ dataDir, testing: false });
    const third = await newAddress();
    await send(clientOf(plain), await signTransfer(clientOf(plain), other, third, SOL));
    await plain.close();
    const last = await freshLedger({ dataDir });
    await restore(id, last);
    expect(await accountOf(of, last)).toMatchObject({ lamports: 5 });
    expect(await accountOf(other.address, last)).toBeNull();
    expect(await accountOf(third, last)).toBeNull();
    await last.close();
    expect(await accountOf(of, await freshLedger({ dataDir }))).toMatchObject({ lamports: 5 });
  });

  test('[L-82] a reset goes back to the first start for tests', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir });
    const faucet = await accountOf(first.keypairs.faucet.signer.address, first);
    const payer = await fundedSigner(clientOf(first));
    await take(first);
    await first.close();
    const second = await freshLedger({ dataDir });
    const of = await newAddress();
    await set(of, { lamports: 5 }, second);
    await rawCall(second, 'surfnet_resetNetwork', []);
    expect(await accountOf(of, second)).toBeNull();
    expect(await accountOf(payer.address, second)).toBeNull();
    expect(await accountOf(first.keypairs.faucet.signer.address, second)).toEqual(faucet);
    expect(await balanceOf(clientOf(second), (await fundedSigner(clientOf(second))).address)).toBe(10n * SOL);
  });

  test('[L-12] [L-82] what it needs is on disk with each change, at whatever instant the process is killed', async () => {
    const dataDir = temporaryFolder();
    const child = await childLedger({ dataDir, port: 0, testing: true });
    const loaded = clientOf(child);
    const payers = await Promise.all(Array.from({ length: 8 }, async () => fundedSigner(loaded)));
    const recipients = await Promise.all(Array.from({ length: 200 }, async () => newAddress()));
    const all = [...payers.map((one) => one.address), ...recipients];
    const before = await Promise.all(all.map((of) => accountOf(of, child)));
    const id = await take(child);
    const lifetime = await latestLifetime(loaded);
    const landed: Promise<Signature | undefined>[] = recipients.map(async (recipient, at) => {
      const payer = payers[at % payers.length] ?? (await generateKeyPairSigner());
      const transaction = await signTransfer(loaded, payer, recipient, 1_000_000n, { lifetime });
      return send(loaded, transaction).catch(() => undefined);
    });
    await Promise.race(landed);
    await child.kill();
    const kept = (await Promise.all(landed)).filter((one) => one !== undefined).length;
    expect(kept).toBeGreaterThan(0);
    const second = await freshLedger({ dataDir });
    const changed = await Promise.all(recipients.map((of) => accountOf(of, second)));
    expect(changed.filter((one) => one !== null).length).toBeGreaterThanOrEqual(kept);
    await restore(id, second);
    expect(await Promise.all(all.map((of) => accountOf(of, second)))).toEqual(before);
  });

  test('[L-82] is for ledgers that were started for tests', async () => {
    const plain = await freshLedger({ testing: false });
    for (const method of ['relay_snapshot', 'relay_restore', 'relay_reset']) {
      expect((await rawCall(plain, method, [1])).error).toMatchObject({ code: -32601 });
    }
  });
});
