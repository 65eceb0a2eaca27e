import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startLedger } from '@legwork/ledger';
import { rawCall, temporaryFolder } from './support/ledger.js';

test('[L-78] without options a ledger lives in a folder and on ports of its own, until its scope ends', async () => {
  let folder: string;
  {
    await using ledger = await startLedger();
    await using other = await startLedger();
    folder = ledger.dataDir;
    expect(existsSync(folder)).toBe(true);
    expect(other.dataDir).not.toBe(folder);
    expect(other.rpcUrl).not.toBe(ledger.rpcUrl);
    expect((await rawCall(ledger, 'getHealth', [])).result).toBe('ok');
    expect((await rawCall(ledger, 'relay_advanceTime', [{ slots: 1 }])).error).toBeUndefined();
  }
  expect(existsSync(folder)).toBe(false);
});

test('[L-78] closing it twice is the same', async () => {
  const ledger = await startLedger();
  await Promise.all([ledger.close(), ledger.close(), ledger[Symbol.asyncDispose]()]);
  expect(existsSync(ledger.dataDir)).toBe(false);
});

test('[L-78] one that does not start leaves no folder', async () => {
  await using first = await startLedger();
  const taken = Number(new URL(first.rpcUrl).port);
  const folders: string[] = [];
  const failure = await startLedger({
    port: taken,
    genesis: { funds: { some: 0n }, prepare: async ({ keypairs }) => void folders.push(keypairs.some.path) },
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'PORT_IN_USE' });
  expect(folders.map((path) => existsSync(path))).toEqual([false]);
});

test('[L-78] a data folder stays', async () => {
  const dataDir = temporaryFolder();
  {
    await using ledger = await startLedger({ dataDir, port: 0 });
    expect((await rawCall(ledger, 'getHealth', [])).result).toBe('ok');
  }
  expect(existsSync(dataDir)).toBe(true);
});
