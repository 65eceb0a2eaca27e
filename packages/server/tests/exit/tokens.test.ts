import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cluster } from '@legwork/deploy';
import {
  associatedTokenAddress,
  createAssociatedToken,
  lockerAddress,
  readTokenAccount,
  transferTokens,
} from '@legwork/program-client';
import { AccountRole, address, type Address } from '@solana/kit';
import { afterEach, expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { at } from '../operations/turns/scene.js';
import { withService } from '../support/service.js';
import { balanceOf, type Keyed, keyed, out, outOf, relay } from './scene.js';

const service = withService();
/** Nothing of it answers while people leave. */
afterEach(() => service.current.restart());
const ONE = 1_000_000n;
const FEE = 5_000n;

/** The mint, and 100 of it for each. */
async function withUsdc(...people: readonly Keyed[]): Promise<Address> {
  for (const { client, pubkey } of people) await client.registerAgent({ agentPubkey: pubkey });
  const { assets } = await at(people, 0).client.getConfig();
  return address(assets.find(({ asset }) => asset === 'usdc')?.mint ?? '');
}

/** The balance of a wallet in it, base units; undefined: it has no token account. */
async function held(owner: string, mint: Address): Promise<bigint | undefined> {
  const place = await associatedTokenAddress(address(owner), mint);
  const found = await new Cluster(service.current.rpc).dataOf(place);
  return found && readTokenAccount(found.data).amount;
}

test('courier, receiver and shipper get out of a package in USDC, to the base unit (A-160, A-162, A-163)', async () => {
  const { current } = service;
  const shipper = await keyed(current);
  const mint = await withUsdc(shipper);
  const cast = await relay(current, [['zoo', 'ostkreuz', 0.1]], {
    shipper,
    budget: { maxBudget: '50000001', asset: 'usdc' },
    cost: () => ({ cost: '3000000' }),
    prepare: withUsdc,
  });
  const { receiver, listing } = cast;
  const courier = at(cast.couriers, 0);
  await current.stop();
  expect(await outOf(current, courier, 'accept', listing, '--yes')).toContain(`your stake of 10 ${mint}`);
  await outOf(current, courier, 'take', listing, '--yes');
  expect(await held(courier.pubkey, mint)).toBe(90n * ONE);
  const sol = await balanceOf(current, shipper);
  const file = join(courier.file, '../text.txt');
  await writeFile(file, 'at the door');
  await outOf(current, courier, 'claim', listing, '--file', file, '--yes');
  expect(await outOf(current, receiver)).toContain(`pays 3.642857 ${mint} to ${courier.pubkey}`);
  await outOf(current, receiver, 'confirm', listing, '--yes');
  expect(await outOf(current, shipper, '--all', '--yes')).toMatch(/exit settle[^]*exit close/);
  expect(await held(courier.pubkey, mint)).toBe(100n * ONE + 3_642_857n);
  expect(await held(shipper.pubkey, mint)).toBe(100n * ONE - 3_642_857n);
  // The rents of the vault's token account and of the listing come back in SOL.
  expect((await balanceOf(current, shipper)) - sol).toBe(2_039_280n + 272n * 6_960n - 2n * FEE);
});

test('what waits in a locker is collected, and by --all only where that opens no account (A-163, P-112)', async () => {
  const { current } = service;
  const [ada, ben] = [await keyed(current), await keyed(current)];
  const mint = await withUsdc(ada);
  const locker = await lockerAddress(current.ledger.keypairs.program.signer.address, ben.signer.address);
  const payer = { address: ada.signer.address, role: AccountRole.WRITABLE_SIGNER, signer: ada.signer };
  await new Cluster(current.rpc).run(ada.signer, [
    await createAssociatedToken(payer, locker, mint),
    await transferTokens(payer, locker, mint, 7n),
  ]);
  await current.stop();
  expect(await outOf(current, ben, '--all')).toContain('Nothing that only gains');
  expect(await outOf(current, ben, 'collect', mint, '--yes')).toContain(
    'Opens 1 token account, for 0.00203928 SOL of rent',
  );
  expect(await held(ben.pubkey, mint)).toBe(7n);
  expect(await outOf(current, ben)).toContain('This ledger has nothing of this key');
});

test('an owner takes back what its mandate listed, and ends it (A-160, P-118, P-119)', async () => {
  const { current } = service;
  const [owner, delegate] = [await keyed(current), await keyed(current)];
  const mint = await withUsdc(owner, delegate);
  const typed = async (who: Keyed, ...words: string[]) => {
    const said = await runHere([...words, '--key', who.file, '--url', current.server.url]);
    expect({ words, ...said }).toMatchObject({ code: 0 });
  };
  await typed(owner, 'mandate', 'give', '--to', delegate.pubkey, '--asset', 'usdc', '--cap', '5', '--put', '20');
  const task = ['--title', 'Count', '--what', 'Count.', '--leg', 'Count.', '--budget', '1.5', '--asset', 'usdc'];
  await typed(delegate, 'post', 'task', ...task, '--terms', 'plain', '--mandate', owner.pubkey);
  await current.stop();
  const before = await balanceOf(current, owner);
  const { listings, mandates } = JSON.parse(await outOf(current, owner, '--json')) as {
    listings: { address: string }[];
    mandates: { address: string; lamports: number }[];
  };
  const [listing, mandate] = [at(listings, 0).address, at(mandates, 0).address];
  expect(await outOf(current, owner, '--all')).toContain('Nothing that only gains');
  await outOf(current, owner, 'cancel', listing, '--yes');
  await outOf(current, owner, 'close', listing, '--yes');
  expect((await out(current, delegate, 'end', mandate, '--yes')).stderr).toContain('Your key cannot end');
  await outOf(current, owner, 'end', mandate, '--yes');
  expect(await held(owner.pubkey, mint)).toBe(100n * ONE);
  expect((await balanceOf(current, owner)) - before).toBeGreaterThan(0n);
});
