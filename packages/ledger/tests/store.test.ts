import { createHash, randomBytes } from 'node:crypto';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DamagedStoreError } from '@legwork/ledger';
import { SYSTEM_PROGRAM, type Account } from '../src/bank/account.js';
import { keyOf } from '../src/bank/keys.js';
import { RecentStatuses } from '../src/bank/recentStatuses.js';
import { namesOf } from '../src/bank/statusCache.js';
import { parseTransaction, signatureOf } from '../src/bank/wire.js';
import { GroupCommit } from '../src/store/groupCommit.js';
import { Store, type Landing } from '../src/store/store.js';
import { temporaryFolder } from './support/ledger.js';

const DATABASE = 'ledger.lmdb';

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** A transaction without instructions; nobody signed it. */
function wireOf(name: string): Uint8Array {
  const signature = Buffer.concat([digest(name), digest(`${name} too`)]);
  const head = Uint8Array.of(1, 0, 0, 1);
  return Buffer.concat([
    Uint8Array.of(1),
    signature,
    head,
    digest(`payer of ${name}`),
    digest('blockhash'),
    Uint8Array.of(0),
  ]);
}

function accountOf(lamports: bigint, data = new Uint8Array()): Account {
  return { lamports, data, owner: SYSTEM_PROGRAM, executable: false, rentEpoch: 0n };
}

function landingOf(slot: number, index: number, addresses: readonly Uint8Array[]): Landing {
  const wire = wireOf(`${slot}.${index}`);
  return {
    signature: signatureOf(parseTransaction(wire)),
    record: {
      slot,
      index,
      blockTime: 1_700_000_000 + slot,
      wire,
      err: index % 2 === 0 ? null : { InstructionError: [0, { Custom: index }] },
      metaJson: `{"fee":${index}}`,
    },
    addresses: addresses.map(keyOf),
    accounts: [{ address: keyOf(digest('account')), account: accountOf(BigInt(index)) }],
  };
}

function openStore(dataDir = temporaryFolder()): Store {
  const store = new Store(dataDir);
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

describe('the history', () => {
  test('[L-16] pages by address neither miss nor repeat, wherever a page ends within what was written together', async () => {
    const store = openStore();
    const everybody = digest('everybody');
    const few = digest('few');
    const landed: Landing[] = [];
    for (const slot of [3, 4, 2 ** 33]) {
      for (let index = 0; index < 40; index += 1) {
        const landing = landingOf(slot, index, index % 7 === 0 ? [everybody, few] : [everybody]);
        landed.push(landing);
        void store.land(landing);
        // Groups of different sizes, one of them over two slots.
        if (index % 17 === 5) await store.durable();
      }
    }
    await store.durable();
    for (const [address, all] of [
      [everybody, landed],
      [few, landed.filter(({ addresses }) => addresses.length === 2)],
    ] as const) {
      const expected = all.map(({ signature, record: { slot, index } }) => ({ slot, index, signature })).reverse();
      expect([...store.signaturesOf(address, undefined)]).toEqual(expected.map(plain));
      for (const [at, before] of expected.entries()) {
        const page = [...store.signaturesOf(address, before)].slice(0, 3);
        expect(page).toEqual(expected.slice(at + 1, at + 4).map(plain));
      }
    }
    expect([...store.signaturesOf(digest('nobody'), undefined)]).toEqual([]);
  });

  test('[L-12] gives a transaction as it landed, and of an account the last state', async () => {
    const dataDir = temporaryFolder();
    const store = openStore(dataDir);
    const landings = Array.from({ length: 5 }, (_, index) => landingOf(9, index, [digest('everybody')]));
    await Promise.all(landings.map((landing) => store.land(landing)));
    await store.close();
    const again = openStore(dataDir);
    for (const { signature, record } of landings)
      expect(again.transaction(signature)).toEqual({ ...record, wire: Buffer.from(record.wire) });
    expect(again.transaction(randomBytes(64))).toBeUndefined();
    expect(again.transactionCount()).toBe(5);
    expect(again.latest()).toEqual({ slot: 9, index: 4 });
    expect([...again.accounts()].map(({ account }) => account.lamports)).toEqual([4n]);
  });
});

describe('writing in groups', () => {
  test('[L-11] what comes while a group is written goes with the next one, and each waits for its own', async () => {
    const written: number[][] = [];
    const release: (() => void)[] = [];
    const commits = new GroupCommit<number>(async (items) => {
      written.push([...items]);
      await new Promise<void>((resolve) => release.push(resolve));
    });
    const first = Promise.all([commits.add(1), commits.add(2)]);
    await expect.poll(() => written).toEqual([[1, 2]]);
    const second = Promise.all([commits.add(3), commits.add(4)]);
    let isSecondDone = false;
    void second.then(() => (isSecondDone = true));
    release[0]?.();
    await first;
    await expect
      .poll(() => written)
      .toEqual([
        [1, 2],
        [3, 4],
      ]);
    expect(isSecondDone).toBe(false);
    release[1]?.();
    await second;
    await commits.durable;
  });

  test('[L-73] after a failure nothing is written any more, and everybody learns of it', async () => {
    const written: number[] = [];
    const commits = new GroupCommit<number>(async ([item]) => {
      if (item === 2) throw new Error('the disk is full');
      written.push(item ?? 0);
    });
    await commits.add(1);
    await expect(commits.add(2)).rejects.toThrow('the disk is full');
    await expect(commits.add(3)).rejects.toThrow('the disk is full');
    await expect(commits.durable).rejects.toThrow('the disk is full');
    expect(written).toEqual([1]);
  });
});

describe('the statuses of earlier runs', () => {
  test('[L-7] [L-74] are all there after a while, and each can be asked for at once', async () => {
    const store = openStore();
    const landings = Array.from({ length: 4_500 }, (_, index) => landingOf(100 + (index >> 9), index & 511, []));
    const old = landingOf(5, 0, []);
    for (const landing of [old, ...landings]) void store.land(landing);
    await store.durable();
    const statuses = new RecentStatuses(store);
    statuses.moveTo(380);
    statuses.restore();
    const last = landings.at(-1) ?? old;
    expect(statuses.get(last.signature)).toMatchObject({ slot: last.record.slot, err: last.record.err });
    expect(statuses.get(old.signature)).toBeUndefined();
    const isKnown = ({ record }: Landing): boolean => statuses.has(namesOf(parseTransaction(record.wire)), Infinity);
    // A transaction with a blockhash of this run need not wait.
    await statuses.untilKnown(last.record.slot + 1);
    expect(isKnown(last)).toBe(false);
    await statuses.untilKnown(last.record.slot);
    expect(landings.filter((landing) => !isKnown(landing))).toEqual([]);
    expect(isKnown(old)).toBe(false);
  });
});

describe('a damaged store', () => {
  async function filled(): Promise<string> {
    const dataDir = temporaryFolder();
    const store = new Store(dataDir);
    for (let index = 0; index < 200; index += 1) void store.land(landingOf(1, index, [digest('everybody')]));
    await store.durable();
    await store.close();
    return join(dataDir, DATABASE);
  }

  test.each([
    ['half of it', (size: number) => size / 2],
    ['two pages', () => 8192],
    ['a part of a page', () => 100],
  ])('[L-73] of which only %s is left is refused with what is wrong, and not changed', async (_, left) => {
    const file = await filled();
    truncateSync(file, left(statSync(file).size));
    const { size } = statSync(file);
    const failure = await attempt(() => new Store(join(file, '..')));
    expect(failure).toBeInstanceOf(DamagedStoreError);
    expect(failure).toMatchObject({ path: file, message: expect.stringContaining(`${size} bytes`) });
    expect(statSync(file).size).toBe(size);
  });

  test('[L-73] that is something else is refused', async () => {
    const file = join(temporaryFolder(), DATABASE);
    writeFileSync(file, 'Dear diary, '.repeat(2_000));
    expect(await attempt(() => new Store(join(file, '..')))).toBeInstanceOf(DamagedStoreError);
  });

  test('[L-73] is none whose last pages were never written', async () => {
    const dataDir = temporaryFolder();
    const file = join(dataDir, DATABASE);
    const root = open({ path: file, noSubdir: true, maxDbs: 8, encoding: 'json' });
    const accounts = root.openDB<Uint8Array, Uint8Array>('accounts', { encoding: 'binary', keyEncoding: 'binary' });
    for (let index = 0; index < 100; index += 1) accounts.putSync(randomBytes(32), randomBytes(47 + index));
    root.transactionSync(() => {
      for (let index = 0; index < 10; index += 1) accounts.putSync(Uint8Array.of(index), randomBytes(100_000));
      for (let index = 0; index < 10; index += 1) accounts.removeSync(Uint8Array.of(index));
    });
    expect(statSync(file).size).toBeLessThan(reachOf(root));
    const count = accounts.getCount();
    await root.close();
    expect([...openStore(dataDir).accounts()]).toHaveLength(count);
  });
});

function plain<T extends { readonly signature: Uint8Array }>(one: T): T {
  return { ...one, signature: Buffer.from(one.signature) };
}

async function attempt(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}

/** How far the pages of an LMDB file reach. */
function reachOf(root: RootDatabase): number {
  const { lastPageNumber, pageSize } = root.getStats() as { lastPageNumber: number; pageSize: number };
  return (lastPageNumber + 1) * pageSize;
}

test('[L-1] what reads while the store closes is told that it is closed', async () => {
  const store = new Store(temporaryFolder());
  const closing = store.close();
  // What was queued is on disk, and the file begins to close.
  await new Promise((resolve) => {
    process.nextTick(resolve);
  });
  expect(() => store.clock()).toThrow('the ledger is closed');
  expect(() => [...store.accounts()]).toThrow('the ledger is closed');
  await closing;
});
