import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  address,
  appendTransactionMessageInstruction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getBase58Decoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
} from '@solana/kit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { RemoteError } from '@legwork/ledger';
import { RemoteNode } from '../src/fork/remoteNode.js';
import {
  balanceOf,
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
  temporaryFolder,
  transfer,
} from './support/ledger.js';
import { TOKEN } from './support/tokens.js';

const cluster = await freshLedger({}, 'file');
const remote = clientOf(cluster);

const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const LOADER = address('BPFLoaderUpgradeab1e11111111111111111111111');
const TABLES = address('AddressLookupTab1e1111111111111111111111111');
const VOTE = address('Vote111111111111111111111111111111111111111');
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');

type On = Parameters<typeof rawCall>[0];

async function accountOf(of: Address, on: On, commitment = 'confirmed') {
  const { result, error } = await rawCall(on, 'getAccountInfo', [of, { commitment, encoding: 'base64' }]);
  if (error !== undefined) throw new Error(error.message);
  const { value } = result as { value: { lamports: number; owner: string; data: [string, string] } | null };
  return value;
}

async function dataOf(of: Address, on: On): Promise<Buffer> {
  return Buffer.from((await accountOf(of, on))?.data[0] ?? '', 'base64');
}

/** Sets an account of the cluster, a new one unless named. */
async function given(update: object, of?: Address): Promise<Address> {
  const at = of ?? (await newAddress());
  const { error } = await rawCall(cluster, 'surfnet_setAccount', [at, update]);
  if (error !== undefined) throw new Error(error.message);
  return at;
}

const bytes = (of: Address) => Buffer.from(getBase58Encoder().encode(of));
const slotAhead = () => {
  const slot = Buffer.alloc(8);
  slot.writeBigUInt64LE(400_000_000n);
  return slot;
};

/** An upgradeable program on the cluster, deployed in a slot that the ledger has not reached. */
async function givenProgram(elf?: Buffer): Promise<{ program: Address; code: Address }> {
  const pointer = await dataOf(MEMO, cluster);
  const image =
    elf ??
    (pointer.readUInt32LE(0) === 2
      ? (await dataOf(getBase58Decoder().decode(pointer.subarray(4)) as Address, cluster)).subarray(45)
      : pointer);
  const head = Buffer.concat([Buffer.from([3, 0, 0, 0]), slotAhead(), Buffer.alloc(33)]);
  const code = await given({ owner: LOADER, data: Buffer.concat([head, image]).toString('hex') });
  const data = Buffer.concat([Buffer.from([2, 0, 0, 0]), bytes(code)]).toString('hex');
  return { program: await given({ owner: LOADER, data, executable: true }), code };
}

/** A node that answers as told. */
async function node(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`;
}

describe('a fork', () => {
  test('[L-80] has the accounts of the other cluster, at every commitment, and keeps them', async () => {
    const dataDir = temporaryFolder();
    const of = await given({ lamports: 5_000_000, data: 'abcdef', owner: MEMO });
    const first = await freshLedger({ dataDir, fork: cluster.rpcUrl });
    expect(await accountOf(of, first, 'finalized')).toEqual(await accountOf(of, cluster));
    expect((await rawCall(first, 'getBalance', [of])).result).toMatchObject({ value: 5_000_000 });
    const [other] = [await given({ lamports: 7 })];
    const { result } = await rawCall(first, 'getMultipleAccounts', [[of, other, await newAddress()]]);
    expect(result).toMatchObject({ value: [{ lamports: 5_000_000 }, { lamports: 7 }, null] });
    await given({ lamports: 1 }, of);
    await first.close();
    const second = await freshLedger({ dataDir });
    expect(await accountOf(of, second, 'finalized')).toMatchObject({ lamports: 5_000_000, data: ['q83v', 'base64'] });
  });

  test('[L-80] lets those who have money there spend it here, and there nothing changes', async () => {
    const payer = await fundedSigner(remote);
    const before = await balanceOf(remote, payer.address);
    const fork = clientOf(await freshLedger({ fork: cluster.rpcUrl }));
    const recipient = await given({ lamports: 2_000_000 });
    await send(fork, await signTransfer(fork, payer, recipient, SOL));
    expect(await balanceOf(fork, recipient)).toBe(SOL + 2_000_000n);
    expect(await balanceOf(remote, payer.address)).toBe(before);
  });

  test('[L-80] runs programs of the other cluster, however young the ledger is', async () => {
    const { program } = await givenProgram();
    const fork = clientOf(await freshLedger({ fork: cluster.rpcUrl }));
    const payer = await fundedSigner(fork);
    const memo = { programAddress: program, accounts: [], data: Buffer.from('hello') };
    const signature = await send(fork, await signTransaction(fork, payer, [memo]));
    const { value } = await fork.rpc.getSignatureStatuses([signature]).send();
    expect(value[0]?.err).toBeNull();
  });

  test('[L-80] reads lookup tables of the other cluster, and what they name', async () => {
    const recipient = await given({ lamports: 2_000_000 });
    const head = Buffer.concat([Buffer.from([1, 0, 0, 0]), Buffer.alloc(8, 0xff), slotAhead(), Buffer.alloc(36)]);
    const table = await given({ owner: TABLES, data: Buffer.concat([head, bytes(recipient)]).toString('hex') });
    const fork = clientOf(await freshLedger({ fork: cluster.rpcUrl }));
    const payer = await fundedSigner(fork);
    const lifetime = await latestLifetime(fork);
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (one) => setTransactionMessageFeePayerSigner(payer, one),
      (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
      (one) => appendTransactionMessageInstruction(transfer(payer, recipient, SOL), one),
      (one) => compressTransactionMessageUsingAddressLookupTables(one, { [table]: [recipient] }),
    );
    const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
    await send(fork, { wire });
    expect(await balanceOf(fork, recipient)).toBe(SOL + 2_000_000n);
  });

  test('[L-80] what was closed here stays closed, also over a restart', async () => {
    const dataDir = temporaryFolder();
    const payer = await fundedSigner(remote, SOL);
    const first = await freshLedger({ dataDir, fork: cluster.rpcUrl });
    const fork = clientOf(first);
    await send(fork, await signTransfer(fork, payer, await given({ lamports: 2_000_000 }), SOL - 5_000n));
    expect(await accountOf(payer.address, first)).toBeNull();
    await first.close();
    const second = await freshLedger({ dataDir, fork: cluster.rpcUrl });
    expect(await accountOf(payer.address, second)).toBeNull();
    expect(await accountOf(payer.address, cluster)).not.toBeNull();
  });

  test('[L-80] keeps sysvars, native programs, votes and features of its own', async () => {
    await rawCall(cluster, 'relay_advanceTime', [{ slots: 5_000_000 }]);
    const ledger = await freshLedger({ fork: cluster.rpcUrl });
    const vote = await given({ owner: VOTE, lamports: 5 });
    const feature = await given({ owner: 'Feature111111111111111111111111111111111111', lamports: 5 });
    for (const of of [vote, feature]) expect(await accountOf(of, ledger)).toBeNull();
    expect((await accountOf(SYSTEM_PROGRAM, ledger))?.lamports).toBe(1);
    expect((await dataOf(CLOCK, ledger)).readBigUInt64LE(0)).toBeLessThan(1_000_000n);
  });

  test('[L-2] [L-80] gives nonces another hash: what is signed here means nothing there', async () => {
    const nonce = Buffer.concat([Buffer.from([1, 0, 0, 0, 1, 0, 0, 0]), Buffer.alloc(72, 7)]);
    const of = await given({ data: nonce.toString('hex') });
    const taken = await dataOf(of, await freshLedger({ fork: cluster.rpcUrl }));
    expect(taken.subarray(0, 40)).toEqual(nonce.subarray(0, 40));
    expect(taken.subarray(40, 72)).not.toEqual(nonce.subarray(40, 72));
  });

  test('[L-80] brings a mint with its tokens', async () => {
    const mint = await given({ owner: TOKEN, data: mintData().toString('hex') });
    const owner = await newAddress();
    await rawCall(cluster, 'surfnet_setTokenAccount', [owner, mint, { amount: 1_500_000 }]);
    const { result } = await rawCall(cluster, 'getTokenAccountsByOwner', [
      owner,
      { mint },
      { commitment: 'confirmed', encoding: 'base64' },
    ]);
    const pubkey = (result as { value: { pubkey: string }[] }).value[0]?.pubkey;
    const ledger = await freshLedger({ fork: cluster.rpcUrl });
    const balance = await rawCall(ledger, 'getTokenAccountBalance', [pubkey, { commitment: 'confirmed' }]);
    expect(balance.result).toMatchObject({ value: { amount: '1500000', decimals: 6 } });
  });

  test('[L-75] [L-80] what tests set goes on from there, and reset goes back to there', async () => {
    const of = await given({ lamports: 5_000_000, data: 'abcdef', owner: MEMO });
    const ledger = await freshLedger({ fork: cluster.rpcUrl });
    await rawCall(ledger, 'surfnet_setAccount', [of, { lamports: 6_000_000 }]);
    expect(await accountOf(of, ledger)).toMatchObject({ lamports: 6_000_000, owner: MEMO, data: ['q83v', 'base64'] });
    await rawCall(ledger, 'surfnet_resetAccount', [of]);
    expect(await accountOf(of, ledger)).toEqual(await accountOf(of, cluster));
    await rawCall(ledger, 'surfnet_setAccount', [of, { lamports: 0 }]);
    expect(await accountOf(of, ledger)).toBeNull();
  });

  test('[L-80] asks once for what many want at once, and not again for what is not there', async () => {
    const asked: string[] = [];
    const url = await node((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        const [wanted] = (JSON.parse(body) as { params: [string[]] }).params;
        asked.push(...wanted);
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { value: wanted.map(() => null) } }));
      });
    });
    const ledger = await freshLedger({ fork: url });
    const of = await newAddress();
    await Promise.all(Array.from({ length: 20 }, () => accountOf(of, ledger)));
    await accountOf(of, ledger);
    expect(asked).toEqual([of]);
  });

  test('[L-80] a program that does not load here is an error, and leaves nothing', async () => {
    const { program, code } = await givenProgram();
    const broken = Buffer.concat([(await dataOf(code, cluster)).subarray(0, 45), Buffer.alloc(500, 1)]);
    const ledger = await freshLedger({ fork: await relaying(new Map([[code, broken]])) });
    for (let time = 0; time < 2; time += 1) {
      await expect(accountOf(program, ledger)).rejects.toThrow('does not load here');
    }
    expect(
      (
        await rawCall(ledger, 'getProgramAccounts', [
          LOADER,
          { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } },
        ])
      ).result,
    ).not.toContainEqual(expect.objectContaining({ pubkey: code }));
  });
});

/** A node that shows the cluster, with other data in some accounts. */
async function relaying(changed: ReadonlyMap<Address, Buffer>): Promise<string> {
  return node((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      void (async () => {
        const { params } = JSON.parse(body) as { params: [Address[], object] };
        const { result } = await rawCall(cluster, 'getMultipleAccounts', params);
        const { value } = result as { value: { data: [string, string]; rentEpoch?: number }[] };
        params[0].forEach((of, at) => {
          const other = changed.get(of);
          const shown = value[at];
          if (shown !== undefined && shown !== null) delete shown.rentEpoch;
          if (other !== undefined && shown !== undefined) shown.data = [other.toString('base64'), 'base64'];
        });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { value } }));
      })();
    });
  });
}

function mintData(): Buffer {
  const mint = Buffer.alloc(82);
  mint.writeBigUInt64LE(9_000_000n, 36);
  mint.writeUInt8(6, 44);
  mint.writeUInt8(1, 45);
  return mint;
}

describe('a node that answers badly', () => {
  const account = { lamports: 5, owner: MEMO, executable: false, data: ['', 'base64'], rentEpoch: 0 };
  const answering = (value: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { value } });

  test.each([
    ['no JSON', '<html>', /no list of accounts/],
    ['an error', JSON.stringify({ error: { code: -32005, message: 'too many requests' } }), /too many requests/],
    ['nothing', '', /no list of accounts/],
    ['too few accounts', answering([]), /no list of accounts/],
    ['negative lamports', answering([{ ...account, lamports: -5 }]), /no account/],
    ['lamports beyond 64 bits', answering([account]).replace('5,', '99999999999999999999999,'), /no account/],
    ['half a lamport', answering([{ ...account, lamports: 0.5 }]), /no account/],
    ['an owner that is no address', answering([{ ...account, owner: 'me' }]), /no account/],
    ['data that is no base64', answering([{ ...account, data: ['%%%', 'base64'] }]), /no account/],
    ['data in another encoding', answering([{ ...account, data: 'abc' }]), /no account/],
    [
      'an account larger than any',
      answering([{ ...account, data: [Buffer.alloc(10 * 1024 * 1024 + 3).toString('base64'), 'base64'] }]),
      /no account/,
    ],
  ])('[L-80] with %s is an error that names its host alone, and nothing is stored', async (_, answer, message) => {
    const url = await node((_request, response) => response.end(answer));
    const ledger = await freshLedger({ fork: url });
    const of = await newAddress();
    const { error } = await rawCall(ledger, 'getAccountInfo', [of]);
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(message) });
    expect(error?.message).toContain(new URL(url).host);
    expect(error?.message).not.toContain('secret-key');
  });

  test('[L-80] with a failure, or gone, is one too; the next use asks again', async () => {
    let works = false;
    const url = await node((_request, response) => {
      if (works) response.end(answering([account]));
      else response.writeHead(429).end();
    });
    const ledger = await freshLedger({ fork: url });
    const of = await newAddress();
    await expect(accountOf(of, ledger)).rejects.toThrow('429 Too Many Requests');
    works = true;
    expect(await accountOf(of, ledger)).toMatchObject({ lamports: 5 });
    const gone = await freshLedger({ fork: 'http://127.0.0.1:9' });
    await expect(accountOf(of, gone)).rejects.toThrow('127.0.0.1:9');
    expect((await rawCall(gone, 'getSlot', [])).error).toBeUndefined();
  });

  /** Its patience ends only when the test says so. */
  function stopPatience(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  }

  test('[L-80] with more than any account is an error, too', async () => {
    const url = await node((_request, response) => response.end(' '.repeat(33 * 1024 * 1024)));
    stopPatience();
    const asked = new RemoteNode(url).accounts([new Uint8Array(32)]);
    await expect(asked).rejects.toThrow(`${new URL(url).host}: its answer is larger than any account`);
  });

  test('[L-80] is not waited for longer than a quarter of a minute', async () => {
    const url = await node(() => undefined);
    stopPatience();
    const asking = new RemoteNode(url).accounts([new Uint8Array(32)]).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await asking).toMatchObject({ message: expect.stringContaining('no answer within 15 s') });
  });

  test.each(['nonsense', 'ftp://127.0.0.1', 'http://me:secret@127.0.0.1'])(
    '[L-80] %s is no address of one',
    async (url) => {
      await expect(freshLedger({ fork: url })).rejects.toThrow('no http or https URL');
    },
  );
});

describe('cloning', () => {
  test('[L-81] begins with the named accounts, programs with their code, and needs the node once', async () => {
    const dataDir = temporaryFolder();
    const { program, code } = await givenProgram();
    const of = await given({ lamports: 5_000_000, owner: MEMO });
    const clone = { from: cluster.rpcUrl, addresses: [of, program] };
    const first = await freshLedger({ dataDir, clone });
    expect(await accountOf(of, first, 'finalized')).toMatchObject({ lamports: 5_000_000 });
    expect(await accountOf(code, first)).not.toBeNull();
    expect(await accountOf(await given({ lamports: 5 }), first)).toBeNull();
    await given({ lamports: 1 }, of);
    await first.close();
    const second = await freshLedger({ dataDir, clone: { ...clone, from: 'http://127.0.0.1:9' } });
    expect(await accountOf(of, second)).toMatchObject({ lamports: 5_000_000 });
  });

  test('[L-81] an account that cannot be cloned stops the start, which says why', async () => {
    const dataDir = temporaryFolder();
    const nobody = await newAddress();
    const vote = await given({ owner: VOTE, lamports: 5 });
    const cloning = (of: string) => freshLedger({ dataDir, clone: { from: cluster.rpcUrl, addresses: [of] } });
    await expect(cloning(nobody)).rejects.toThrow(`${nobody} does not exist there`);
    await expect(cloning(nobody)).rejects.toBeInstanceOf(RemoteError);
    await expect(cloning(vote)).rejects.toThrow(`${vote} is a vote account there`);
    await expect(cloning(CLOCK)).rejects.toThrow('is a sysvar');
    await expect(cloning('nonsense')).rejects.toThrow('"nonsense"');
    await freshLedger({ dataDir });
  });
});
