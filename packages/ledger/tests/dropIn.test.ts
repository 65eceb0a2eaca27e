import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  address,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase58Encoder,
  getProgramDerivedAddress,
  type Address,
  type Base64EncodedWireTransaction,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { GivenFileError } from '@legwork/ledger';
import { readOptions, UsageError } from '../src/commandOptions.js';
import {
  advanceTime,
  balanceOf,
  clientOf,
  freshLedger,
  fundedSigner,
  latestLifetime,
  newAddress,
  rawCall,
  send,
  signTransaction,
  SOL,
  SYSTEM_PROGRAM,
  temporaryFolder,
} from './support/ledger.js';

const LOADER = address('BPFLoaderUpgradeab1e11111111111111111111111');
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

type On = Parameters<typeof rawCall>[0];

async function resultOf<T = Record<string, unknown>>(on: On, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await rawCall(on, method, params);
  if (error !== undefined) throw new Error(error.message);
  return result as T;
}

async function accountOf(on: On, of: Address, encoding = 'base64') {
  const config = { commitment: 'confirmed', encoding };
  return (await resultOf<{ value: Record<string, unknown> | null }>(on, 'getAccountInfo', of, config)).value;
}

/** The code of a program that every ledger brings, in a file. */
async function programFile(folder: string): Promise<string> {
  const ledger = await freshLedger();
  const { data } = (await accountOf(ledger, MEMO)) as { data: [string, string] };
  const file = join(folder, 'memo.so');
  writeFileSync(file, Buffer.from(data[0], 'base64'));
  await ledger.close();
  return file;
}

function dumpOf(pubkey: Address, fields: object = {}): string {
  const account = { lamports: 5_000_000, data: ['AP8Q', 'base64'], owner: MEMO, executable: false, rentEpoch: 7 };
  return JSON.stringify({ pubkey, account: { ...account, space: 3, ...fields } });
}

describe('accounts of a new ledger', () => {
  test('[L-89] come from files as the command `solana` writes them, each where it was or where it is wanted', async () => {
    const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
    const [one, two, three, empty] = await Promise.all([newAddress(), newAddress(), newAddress(), newAddress()]);
    const file = join(folder, 'one.json');
    writeFileSync(file, dumpOf(one));
    mkdirSync(join(folder, 'all'));
    writeFileSync(join(folder, 'all', 'three.json'), dumpOf(three, { data: '3Mc6vR', rentEpoch: 0 }));
    writeFileSync(join(folder, 'all', 'empty.json'), dumpOf(empty, { lamports: 0 }));
    writeFileSync(join(folder, 'all', 'notes.txt'), 'no account');
    const options = { dataDir, account: [{ file }, { file, address: two }], accountDir: [join(folder, 'all')] };
    const ledger = await freshLedger(options);
    const shown = {
      lamports: 5_000_000,
      owner: MEMO,
      executable: false,
      data: ['AP8Q', 'base64'],
      rentEpoch: 7,
      space: 3,
    };
    expect(await accountOf(ledger, one)).toEqual(shown);
    expect(await accountOf(ledger, two)).toEqual(shown);
    const data = ['3Mc6vR', 'base58'];
    expect(await accountOf(ledger, three, 'base58')).toEqual({ ...shown, data, rentEpoch: 0, space: 4 });
    expect(await accountOf(ledger, empty)).toBeNull();
    await ledger.close();
    expect(await accountOf(await freshLedger({ dataDir }), one)).toEqual(shown);
  });

  test('[L-89] a given StakeConfig gives way to that of the genesis, as on a validator', async () => {
    const file = join(temporaryFolder(), 'config.json');
    const config = address('StakeConfig11111111111111111111111111111111');
    writeFileSync(file, dumpOf(config, { owner: address('Config1111111111111111111111111111111111111') }));
    expect(await accountOf(await freshLedger({ account: [{ file }] }), config)).toMatchObject({ lamports: 960_480 });
  });

  test('[L-89] of a ledger that exists already they are ignored, and that is told', async () => {
    const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
    await (await freshLedger({ dataDir })).close();
    const [of, lines] = [await newAddress(), [] as string[]];
    writeFileSync(join(folder, 'one.json'), dumpOf(of));
    const account = [{ file: join(folder, 'one.json') }];
    const ledger = await freshLedger({ dataDir, account, mint: of, log: (line) => lines.push(line) });
    expect(await accountOf(ledger, of)).toBeNull();
    expect(lines).toEqual(['The ledger exists already: account, mint ignored.']);
  });

  test.each([
    ['no JSON', '{', /it is not JSON/],
    ['no account', '{"pubkey":"x"}', /it is no account as `solana account/],
    ['a negative balance', dumpOf(MEMO, { lamports: -1 }), /it is no account/],
    ['a sysvar', dumpOf(address('SysvarC1ock11111111111111111111111111111111')), /is a sysvar/],
    ['an address that is none', dumpOf('x' as Address), /has the address "x"/],
  ])('[L-89] %s stops the start, and the folder is as it was', async (_, text, message) => {
    const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
    const file = join(folder, 'one.json');
    writeFileSync(file, text);
    await expect(freshLedger({ dataDir, account: [{ file }] })).rejects.toThrow(message);
    const missing = freshLedger({ dataDir, account: [{ file: join(folder, 'none.json') }] });
    await expect(missing).rejects.toBeInstanceOf(GivenFileError);
    expect(await resultOf(await freshLedger({ dataDir }), 'getTransactionCount')).toBe(0);
  });

  test('[L-89] the mint has 500,000,000 SOL', async () => {
    const mint = await newAddress();
    const ledger = await freshLedger({ mint });
    expect(await balanceOf(clientOf(ledger), mint)).toBe(500_000_000n * SOL);
  });
});

describe('programs of a new ledger', () => {
  test('[L-89] run from the first slot on, as a genesis of Agave makes them', async () => {
    const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
    const file = await programFile(folder);
    const [fixed, authority] = [await newAddress(), await newAddress()];
    const keypair = join(folder, 'program.json');
    const program = await keypairFile(keypair);
    const unowned = await newAddress();
    const ledger = await freshLedger({
      dataDir,
      bpfProgram: [{ address: fixed, file }],
      upgradeableProgram: [
        { address: keypair, file, authority },
        { address: unowned, file, authority: 'none' },
      ],
    });
    for (const [of, upgrader] of [
      [fixed, SYSTEM_PROGRAM],
      [program, authority],
      [unowned, SYSTEM_PROGRAM],
    ] as const) {
      const [code] = await getProgramDerivedAddress({
        programAddress: LOADER,
        seeds: [getBase58Encoder().encode(of)],
      });
      expect(await accountOf(ledger, of, 'jsonParsed')).toMatchObject({
        data: { parsed: { info: { programData: code }, type: 'program' } },
        executable: true,
        lamports: 1_141_440,
        owner: LOADER,
        rentEpoch: 0,
      });
      const size = readFileSync(file).length + 45;
      expect(await accountOf(ledger, code, 'jsonParsed')).toMatchObject({
        data: { parsed: { info: { authority: upgrader, slot: 0 } } },
        executable: false,
        lamports: 6_960 * (size + 128),
        rentEpoch: 0,
        space: size,
      });
      expect(await runs(ledger, of)).toBeNull();
    }
    await ledger.close();
    const again = await freshLedger({ dataDir });
    expect(await runs(again, program)).toBeNull();
    expect(await accountOf(again, program)).toMatchObject({ rentEpoch: 0 });
  });

  test('[L-75] the authority of a program is set past all rules; a wallet has none', async () => {
    const file = await programFile(temporaryFolder());
    const [program, other] = [await newAddress(), await newAddress()];
    const ledger = await freshLedger({ bpfProgram: [{ address: program, file }] });
    const seeds = [getBase58Encoder().encode(program)];
    const [code] = await getProgramDerivedAddress({ programAddress: LOADER, seeds });
    const before = await accountOf(ledger, code);
    for (const [given, shown] of [
      [[other], other],
      [[], null],
      [[null], null],
    ] as const) {
      await resultOf(ledger, 'surfnet_setProgramAuthority', program, ...given);
      const now = await accountOf(ledger, code, 'jsonParsed');
      expect(now).toMatchObject({ data: { parsed: { info: { authority: shown, slot: 0 } } } });
      expect(await runs(ledger, program)).toBeNull();
    }
    await resultOf(ledger, 'surfnet_setProgramAuthority', program, SYSTEM_PROGRAM);
    expect(await accountOf(ledger, code)).toEqual(before);
    const refused = await rawCall(ledger, 'surfnet_setProgramAuthority', [other]);
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringMatching(/is no upgradeable program/) });
  });

  test('[L-89] code that does not load stops the start', async () => {
    const file = join(temporaryFolder(), 'bad.so');
    writeFileSync(file, 'no ELF');
    const bpfProgram = [{ address: await newAddress(), file }];
    await expect(freshLedger({ bpfProgram })).rejects.toThrow(/cannot be set as it is/);
  });
});

async function keypairFile(path: string): Promise<Address> {
  const { loadOrCreateKeypair } = await import('@legwork/ledger');
  return (await loadOrCreateKeypair(path)).address;
}

async function runs(on: On, programAddress: Address): Promise<unknown> {
  const client = clientOf(on as Parameters<typeof clientOf>[0]);
  const payer = await fundedSigner(client);
  const { wire } = await signTransaction(client, payer, [{ programAddress, data: Buffer.from('hello') }]);
  const config = { encoding: 'base64', commitment: 'confirmed' };
  return (await resultOf<{ value: { err: unknown } }>(on, 'simulateTransaction', wire, config)).value.err;
}

describe('time of a ledger', () => {
  test('[L-89] an epoch has as many slots as a new ledger was given, for ever', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir, slotMs: 60_000, slotsPerEpoch: 40 });
    await first.close();
    const ledger = await freshLedger({ dataDir, slotMs: 60_000, slotsPerEpoch: 64 });
    await advanceTime(ledger, { slots: 100 });
    const info = await resultOf<{ absoluteSlot: number }>(ledger, 'getEpochInfo', { commitment: 'processed' });
    const slot = info.absoluteSlot;
    expect(info).toMatchObject({ epoch: Math.floor(slot / 40), slotIndex: slot % 40, slotsInEpoch: 40 });
    expect(await resultOf(ledger, 'getEpochSchedule')).toMatchObject({
      slotsPerEpoch: 40,
      leaderScheduleSlotOffset: 40,
    });
    const [schedule] = Object.values(await resultOf<Record<string, number[]>>(ledger, 'getLeaderSchedule'));
    expect(schedule).toHaveLength(40);
    const clock = await accountOf(ledger, address('SysvarC1ock11111111111111111111111111111111'), 'jsonParsed');
    expect(clock).toMatchObject({ data: { parsed: { info: { epoch: Math.floor(slot / 40) } } } });
    const sysvar = await accountOf(ledger, address('SysvarEpochSchedu1e111111111111111111111111'), 'jsonParsed');
    expect(sysvar).toMatchObject({ data: { parsed: { info: { slotsPerEpoch: 40, warmup: false } } } });
    expect(await resultOf(ledger, 'surfnet_timeTravel', { absoluteEpoch: 5 })).toMatchObject({ absoluteSlot: 200 });
  });

  test('[L-89] a new ledger begins to serve in the wanted slot, at the time of day', async () => {
    const ledger = await freshLedger({ warpSlot: 1_000_000, slotMs: 60_000 });
    const slot = await resultOf<number>(ledger, 'getSlot', { commitment: 'processed' });
    expect(slot).toBe(1_000_000);
    const time = await resultOf<number>(ledger, 'getBlockTime', slot);
    expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(61);
  });

  test('[L-89] one that exists moves on to it, and never back', async () => {
    const dataDir = temporaryFolder();
    await (await freshLedger({ dataDir, slotMs: 60_000 })).close();
    const ledger = await freshLedger({ dataDir, slotMs: 60_000, warpSlot: 5_000 });
    expect(await resultOf(ledger, 'getSlot', { commitment: 'processed' })).toBe(5_000);
    await ledger.close();
    const back = freshLedger({ dataDir, slotMs: 60_000, warpSlot: 4_000 });
    await expect(back).rejects.toThrow('warpSlot is 4000, and the ledger is at slot 5000 already');
  });

  test.each([{ slotsPerEpoch: 31 }, { warpSlot: -1 }, { warpSlot: 2 ** 53 }])('[L-89] refuses %o', async (options) => {
    await expect(freshLedger(options)).rejects.toBeInstanceOf(RangeError);
  });
});

describe('reset', () => {
  test('[L-89] begins again from the genesis; the keypairs stay', async () => {
    const [dataDir, mint] = [temporaryFolder(), await newAddress()];
    const first = await freshLedger({ dataDir });
    const { address: wallet } = await fundedSigner(clientOf(first));
    await first.close();
    const ledger = await freshLedger({ dataDir, reset: true, mint, slotsPerEpoch: 50 });
    expect(ledger.genesisHash).not.toBe(first.genesisHash);
    expect(ledger.keypairs.faucet.signer.address).toBe(first.keypairs.faucet.signer.address);
    expect(await balanceOf(clientOf(ledger), wallet)).toBe(0n);
    expect(await balanceOf(clientOf(ledger), mint)).toBe(500_000_000n * SOL);
    expect(await resultOf(ledger, 'getTransactionCount', { commitment: 'processed' })).toBe(0);
    expect(await resultOf(ledger, 'getSignaturesForAddress', wallet)).toEqual([]);
    await ledger.close();
    const again = await freshLedger({ dataDir });
    expect(again.genesisHash).toBe(ledger.genesisHash);
  });
});

describe('a faucet over TCP', () => {
  /** Sends bytes and answers what comes back, so many bytes of it. */
  async function ask(port: number, bytes: Uint8Array, expected: number): Promise<Buffer> {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    let read = Buffer.alloc(0);
    for await (const part of socket) {
      read = Buffer.concat([read, part as Buffer]);
      if (read.length >= expected) break;
    }
    return read;
  }

  test('[L-90] answers a signed transaction, which the client sends', async () => {
    const ledger = await freshLedger({ faucetPort: 0 });
    const [client, recipient] = [clientOf(ledger), await newAddress()];
    const { blockhash } = await latestLifetime(client);
    const head = Buffer.alloc(12);
    head.writeBigUInt64LE(3n * SOL, 4);
    const key = (text: string) => getBase58Encoder().encode(text);
    const request = Buffer.concat([head, Buffer.from(key(recipient)), Buffer.from(key(blockhash))]);
    const answer = await ask(ledger.faucetPort ?? 0, request, 2 + 215);
    expect(answer.readUInt16LE(0)).toBe(answer.length - 2);
    expect(await balanceOf(client, recipient)).toBe(0n);
    const wire = answer.subarray(2).toString('base64') as Base64EncodedWireTransaction;
    const signature = getBase58Decoder().decode(answer.subarray(3, 67));
    expect(await send(client, { wire })).toBe(signature);
    expect(await balanceOf(client, recipient)).toBe(3n * SOL);
  });

  test('[L-90] anything else gets two zero bytes, and the port is free when the ledger is closed', async () => {
    const ledger = await freshLedger({ faucetPort: 0 });
    const port = ledger.faucetPort ?? 0;
    expect(await ask(port, Buffer.alloc(152, 'POST / HTTP/1.1'), 4)).toEqual(Buffer.alloc(4));
    await ledger.close();
    const next = await freshLedger({ faucetPort: port });
    await expect(freshLedger({ faucetPort: port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await next.close();
  });
});

describe('the command line', () => {
  test('[L-89] reads the options of solana-test-validator by their names', async () => {
    const line =
      '-r -q --rpc-port 33210 --faucet-port 33212 --slots-per-epoch 64 --ticks-per-slot 8 -w 500 --mint M -l /l ' +
      '--bpf-program A a.so --bpf-program B b.so --upgradeable-program C c.so none --account - d.json E e.json ' +
      '--rpc-pubsub-enable-vote-subscription --rpc-pubsub-enable-block-subscription --account-dir f g -u d -c H I --clone J --clone-upgradeable-program K';
    expect(await readOptions(line.split(' '))).toEqual({
      output: 'quiet',
      ledger: expect.objectContaining({
        dataDir: '/l',
        reset: true,
        port: 33_210,
        faucetPort: 33_212,
        rpcPubsubEnableVoteSubscription: true,
        slotsPerEpoch: 64,
        slotMs: 50,
        warpSlot: 500,
        mint: 'M',
        bpfProgram: [
          { address: 'A', file: 'a.so' },
          { address: 'B', file: 'b.so' },
        ],
        upgradeableProgram: [{ address: 'C', file: 'c.so', authority: 'none' }],
        account: [{ file: 'd.json' }, { address: 'E', file: 'e.json' }],
        accountDir: ['f', 'g'],
        clone: { from: 'https://api.devnet.solana.com', addresses: ['H', 'I', 'J'], upgradeablePrograms: ['K'] },
      }),
    });
  });

  test('[L-89] without a slot, --warp-slot asks the other cluster for its own', async () => {
    const cluster = await freshLedger({ slotMs: 60_000, warpSlot: 700 });
    const options = await readOptions(['--warp-slot', '--url', cluster.rpcUrl]);
    expect(options?.ledger.warpSlot).toBe(700);
  });

  test.each([
    '--quiet --log',
    '--bpf-program A',
    '--clone',
    '--clone A',
    '--warp-slot',
    '--slots-per-epoch 31',
    '--ticks-per-slot 1',
    '--no-such-option',
    '--account=A',
  ])('[L-89] refuses %s', async (line) => {
    await expect(readOptions(line.split(' '))).rejects.toBeInstanceOf(UsageError);
  });

  test('[L-89] a clone that has to be an upgradeable program and is none stops the start', async () => {
    const cluster = await freshLedger();
    const { address: wallet } = await fundedSigner(clientOf(cluster));
    const clone = { from: cluster.rpcUrl, addresses: [], upgradeablePrograms: [wallet] };
    await expect(freshLedger({ clone })).rejects.toThrow(/is no upgradeable program/);
  });
});

test('[L-75] a program keeps the rent epoch that was set', async () => {
  const ledger = await freshLedger();
  const { data } = (await accountOf(ledger, MEMO)) as { data: [string, string] };
  const program = await generateKeyPairSigner();
  const hex = Buffer.from(data[0], 'base64').toString('hex');
  const owner = 'BPFLoader2111111111111111111111111111111111';
  await resultOf(ledger, 'surfnet_setAccount', program.address, { data: hex, owner, executable: true, rentEpoch: 0 });
  expect(await accountOf(ledger, program.address)).toMatchObject({ rentEpoch: 0 });
});
