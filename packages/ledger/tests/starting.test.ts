import { chmodSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LedgerInUseError, PortInUseError } from '@legwork/ledger';
import { freshLedger, rawCall, temporaryFolder } from './support/ledger.js';

async function occupy(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return server;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

describe('starting', () => {
  test('[L-25] serves WebSocket on the port after the one of HTTP', async () => {
    const ledger = await freshLedger();
    expect(portOf(ledger.wsUrl)).toBe(portOf(ledger.rpcUrl) + 1);
  });

  test('[L-25] a busy port is an error that names it, and the folder is free again', async () => {
    const dataDir = temporaryFolder();
    const busy = portOf((await freshLedger()).rpcUrl);
    const failure = await freshLedger({ dataDir, port: busy }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PortInUseError);
    expect(failure).toMatchObject({ port: busy, message: expect.stringContaining(String(busy)) });
    await freshLedger({ dataDir });
  });

  test('[L-25] with portFallback the next free pair is taken and told', async () => {
    const taken = await freshLedger();
    const port = portOf(taken.rpcUrl);
    const ledger = await freshLedger({ port, portFallback: true });
    expect(portOf(ledger.rpcUrl)).toBeGreaterThan(port);
    expect(portOf(ledger.wsUrl)).toBe(portOf(ledger.rpcUrl) + 1);
    expect((await rawCall(ledger, 'getHealth', [])).result).toBe('ok');
  });

  test('[L-25] a pair of which only the second port is busy is not taken', async () => {
    const free = await freshLedger();
    const port = portOf(free.rpcUrl);
    await free.close();
    await occupy(port + 1);
    await expect(freshLedger({ port })).rejects.toBeInstanceOf(PortInUseError);
    const ledger = await freshLedger({ port, portFallback: true });
    expect(portOf(ledger.rpcUrl)).not.toBe(port);
  });

  test('[L-1] a folder is used once within a process too', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir });
    await expect(freshLedger({ dataDir })).rejects.toBeInstanceOf(LedgerInUseError);
    await first.close();
    await first.close();
    await freshLedger({ dataDir });
  });

  test('[L-1] its store is for its owner alone, that of an earlier version too', async () => {
    const dataDir = temporaryFolder();
    await (await freshLedger({ dataDir })).close();
    const files = ['ledger.lmdb', 'ledger.lmdb-lock'].map((file) => join(dataDir, file));
    for (const file of files) chmodSync(file, 0o644);
    for (let start = 0; start < 2; start += 1) {
      const ledger = await freshLedger({ dataDir });
      expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600));
      await ledger.close();
    }
  });

  test('[L-2] every folder has a genesis hash of its own', async () => {
    const one = await freshLedger();
    const other = await freshLedger();
    expect(one.genesisHash).not.toBe(other.genesisHash);
  });

  test('[L-8] with immediate finality everything is final at once', async () => {
    const ledger = await freshLedger({ finality: 'immediate' });
    const address = '11111111111111111111111111111112';
    await rawCall(ledger, 'requestAirdrop', [address, 1_000_000_000]);
    expect((await rawCall(ledger, 'getBalance', [address])).result).toMatchObject({ value: 1_000_000_000 });
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses slots of %s ms', async (slotMs) => {
    await expect(freshLedger({ slotMs })).rejects.toThrow('slotMs');
  });

  test.each([{}, { seconds: 1, slots: 1 }, { seconds: -1 }, { slots: 1.5 }, { seconds: 1e15 }])(
    '[L-24] refuses to move time by %j',
    async (by) => {
      const ledger = await freshLedger();
      expect((await rawCall(ledger, 'relay_advanceTime', [by])).error?.code).toBe(-32602);
    },
  );
});
