import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cluster } from '@legwork/deploy';
import { transferLamports } from '@legwork/program-client';
import { getAddressEncoder, getU64Encoder } from '@solana/kit';
import { expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { draft } from '../support/market.js';
import { listPackage } from '../support/listed.js';
import { withService } from '../support/service.js';
import { at } from '../operations/turns/scene.js';
import { lyingRpc, type Lies, withBytes } from './lyingRpc.js';
import { balanceOf, type Keyed, keyed, out, outOf, pickedUp, relay } from './scene.js';

const service = withService();
const STAKE_AT = 183 + 64;
const FUNDER_AT = 55;
const COURIER_AT = 37;
const programOf = () => service.current.ledger.keypairs.program.signer.address;
const bytesOf = (pubkey: Keyed['signer']['address']) => Uint8Array.from(getAddressEncoder().encode(pubkey));

/** Runs `legwork exit` at an RPC that lies. */
async function lied(lies: Lies, { file }: Keyed, ...words: string[]) {
  const node = await lyingRpc(service.current.ledger.rpcUrl, lies);
  try {
    return await runHere(['exit', ...words, '--rpc', node.url, '--program', programOf(), '--key', file]);
  } finally {
    node.close();
  }
}

test('an RPC that makes the stake smaller than it is gets none posted (A-162)', async () => {
  const { current } = service;
  const { couriers, arbiter, listing } = await relay(current, [['zoo', 'ostkreuz', 0.1]], {
    terms: { stakeSol: 0.05 },
  });
  const courier = at(couriers, 0);
  const before = await balanceOf(current, courier);
  const stake = Uint8Array.from(getU64Encoder().encode(2_000_000n));
  const lies: Lies = { account: (address, one) => (address === listing ? withBytes(one, STAKE_AT, stake) : one) };
  const said = await lied(lies, courier, 'accept', listing, '--yes');
  expect(said.stdout).toContain('your stake of 0.002 SOL');
  expect(said.code).toBe(1);
  expect(said.stderr).toContain('the ledger refused the transaction');
  expect(await balanceOf(current, courier)).toBe(before);
  // Without the lie it is posted, and nothing else leaves the wallet.
  await outOf(current, courier, 'accept', listing, '--yes');
  expect(before - (await balanceOf(current, courier))).toBe(50_000_000n + 5_000n);
  // To pick up posts nothing more, so that a wallet which has spent the rest can.
  const rest = (await balanceOf(current, courier)) - 100_000_000n / 3n;
  await new Cluster(current.rpc).run(courier.signer, [
    transferLamports(courier.signer.address, arbiter.signer.address, rest),
  ]);
  await outOf(current, courier, 'take', listing, '--yes');
});

test("an RPC that shows another's leg as one's own, or another funder, gets nothing moved (A-162)", async () => {
  const { current } = service;
  const cast = await relay(current, [['zoo', 'ostkreuz', 0.1]], { terms: { stakeSol: 0.05 } });
  await pickedUp(current, cast);
  const [thief, courier] = [await keyed(current), at(cast.couriers, 0)];
  await writeFile(join(thief.file, '../text.txt'), 'mine');
  const lies: Lies = {
    account: (_, one) => {
      const data = Buffer.from(one.data[0], 'base64');
      const isLeg = data[0] === 4 && data.subarray(COURIER_AT, COURIER_AT + 32).equals(bytesOf(courier.signer.address));
      return isLeg ? withBytes(one, COURIER_AT, bytesOf(thief.signer.address)) : one;
    },
  };
  const claim = ['claim', cast.listing, '--file', join(thief.file, '../text.txt'), '--yes'];
  expect(await lied(lies, thief, ...claim)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the ledger refused'),
  });

  const shipper = await keyed(current);
  const { onChainPackage } = await listPackage(shipper.client, shipper.signer, { ...draft(), terms: 'plain' });
  const before = await balanceOf(current, thief);
  const toThief: Lies = {
    account: (address, one) =>
      address === onChainPackage ? withBytes(one, FUNDER_AT, bytesOf(thief.signer.address)) : one,
  };
  const cancel = await lied(toThief, shipper, 'cancel', onChainPackage, '--yes');
  expect(cancel.stdout).toContain(`returns to ${thief.pubkey}`);
  expect(cancel).toMatchObject({ code: 1, stderr: expect.stringContaining('the ledger refused') });
  expect(await balanceOf(current, thief)).toBe(before);
});

test('an RPC that shows what cannot be at an address, or as of another owner, is not believed (A-161)', async () => {
  const { current } = service;
  const [shipper, other] = [await keyed(current), await keyed(current)];
  const { onChainPackage } = await listPackage(shipper.client, shipper.signer, { ...draft(), terms: 'plain' });
  const shipperAt = 23;
  const renamed: Lies = {
    account: (address, one) =>
      address === onChainPackage ? withBytes(one, shipperAt, bytesOf(other.signer.address)) : one,
  };
  expect((await lied(renamed, other, '--listing', onChainPackage)).stdout).toContain('it is not believed');
  const owned: Lies = {
    account: (address, one) => (address === onChainPackage ? { ...one, owner: other.pubkey } : one),
  };
  expect((await lied(owned, shipper, '--listing', onChainPackage)).stdout).toContain(
    `is an account of ${other.pubkey}`,
  );
});

test('an RPC that answers without an end, with a page, or not at all is told so in a sentence (A-161)', async () => {
  const { current } = service;
  const ada = await keyed(current, 0);
  const answers = async (instead: NonNullable<Lies['instead']>) => (await lied({ instead }, ada)).stderr;
  const part = Buffer.alloc(1 << 20, 0x20);
  const endless = await answers((method, answer) => {
    if (method !== 'getProgramAccounts') return false;
    answer.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => void answer.write(part, (error) => !error && more());
    more();
    return true;
  });
  expect(endless).toMatch(/^http:\S+ answers without an end: more than 33554432 bytes are not read\n$/);
  const page = await answers((_, answer) => Boolean(answer.end('<!doctype html>')));
  expect(page).toMatch(/does not answer as the RPC of a ledger does: is it the address of a page\?\n$/);
  const tired = await answers((_, answer) => Boolean(answer.writeHead(429).end('{}')));
  expect(tired).toContain('takes no more questions for now (429)');
  const { code, stderr } = await runHere([
    'exit',
    '--rpc',
    'http://127.0.0.1:1',
    '--program',
    programOf(),
    '--key',
    ada.file,
  ]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'http://127.0.0.1:1 does not answer: give the RPC address of a ledger\n',
  });
});

test('where a node does not search, a listing is found by its address (A-160)', async () => {
  const { current } = service;
  const shipper = await keyed(current);
  const { onChainPackage } = await listPackage(shipper.client, shipper.signer, { ...draft(), terms: 'plain' });
  const instead: Lies['instead'] = (method, answer) => {
    if (method !== 'getProgramAccounts') return false;
    const error = { code: -32_010, message: 'excluded from account secondary indexes' };
    answer
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: '1', error }));
    return true;
  };
  const refused = await lied({ instead }, shipper);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('name each package and task by its address'),
  });
  const named = await lied({ instead }, shipper, '--listing', onChainPackage);
  expect(named.stdout).toContain(`legwork exit cancel ${onChainPackage}`);
  const before = await balanceOf(current, shipper);
  expect((await lied({ instead }, shipper, 'cancel', onChainPackage, '--yes')).code).toBe(0);
  expect((await balanceOf(current, shipper)) - before).toBe(500_000_000n + 890_880n - 5_000n);
});

test('a wrong program, an RPC of another cluster and a key that has nothing here are each said plainly (A-165)', async () => {
  const { current } = service;
  const ada = await keyed(current, 0);
  const at = async (program: string) =>
    runHere(['exit', '--rpc', current.ledger.rpcUrl, '--program', program, '--key', ada.file]);
  expect((await at(ada.pubkey)).stderr).toContain(`there is no program ${ada.pubkey}`);
  expect((await at((await keyed(current)).pubkey)).stderr).toContain('is no program on ledger');
  expect((await at('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')).stderr).toContain('it has no config');
  const nameless = await runHere(['exit', '--rpc', current.ledger.rpcUrl, '--key', ada.file]);
  expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining('Name the program: --program ADDRESS') });
  expect((await out(current, ada)).stdout).toContain('This ledger has nothing of this key');
  const trusted = {
    kind: 'trusted',
    at: '2026-01-01T00:00:00.000Z',
    service: 'https://legwork.example',
    genesisHash: ada.pubkey,
    program: programOf(),
  };
  await writeFile(ada.file.replace(/\.json$/, '.journal.jsonl'), `${JSON.stringify(trusted)}\n`);
  const other = await runHere(['exit', '--rpc', current.ledger.rpcUrl, '--key', ada.file]);
  expect(other.stderr).toContain(`this key worked on ledger ${ada.pubkey}: give an RPC of that one`);
});
