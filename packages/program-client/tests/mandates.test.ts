import { AccountRole, createNoopSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  associatedTokenAddress,
  closeMandate,
  decodeRelayInstruction,
  inTokens,
  mandateAddress,
  mandateLeft,
  type MandateLimits,
  setMandate,
  TOKEN_PROGRAM_ADDRESS,
} from '../src/index.js';
import { anyAddress, decoded, programAddress } from './facts/instructions.js';
import { replayed } from './facts/histories.js';
import { PackageOnLedger } from './facts/packageOnLedger.js';

const HOUR = 3_600;
const NOW = 1_800_000_000n;
const spending = { cap: 100n, period: HOUR, expiresAt: 0n, periodStart: NOW, spent: 30n };

async function parties() {
  const [owner, delegate, mint] = [await anyAddress(), await anyAddress(), await anyAddress()];
  const limits: MandateLimits = {
    permits: 3,
    cap: 5n,
    period: HOUR,
    expiresAt: NOW,
    maxAhead: 86_400,
    arbiter: await anyAddress(),
  };
  return { owner: createNoopSigner(owner), delegate, asset: { number: 7, mint }, limits };
}

describe('how much a delegate may still list', () => {
  test('is what is left of the cap within the period, and the whole cap from its end on (P-116)', () => {
    expect(mandateLeft(spending, 1_000n, NOW)).toBe(70n);
    expect(mandateLeft(spending, 1_000n, NOW + BigInt(HOUR) - 1n)).toBe(70n);
    expect(mandateLeft(spending, 1_000n, NOW + BigInt(HOUR))).toBe(100n);
  });

  test('is no more than lies there, nothing once it has expired, and nothing under a cap that was lowered (P-116)', () => {
    expect(mandateLeft(spending, 69n, NOW)).toBe(69n);
    expect(mandateLeft({ ...spending, expiresAt: NOW + 1n }, 1_000n, NOW)).toBe(70n);
    expect(mandateLeft({ ...spending, expiresAt: NOW }, 1_000n, NOW)).toBe(0n);
    expect(mandateLeft({ ...spending, cap: 29n }, 1_000n, NOW)).toBe(0n);
  });

  test('is never more than the cap or the balance, nor less than nothing (P-116)', () => {
    const amount = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
    const instant = fc.bigInt({ min: 0n, max: 1n << 40n });
    fc.assert(
      fc.property(amount, amount, amount, instant, instant, fc.integer({ min: 1, max: 2 ** 32 - 1 }), (...given) => {
        const [cap, spent, balance, periodStart, now, period] = given;
        const left = mandateLeft({ cap, spent, period, periodStart, expiresAt: 0n }, balance, now);
        expect(left >= 0n && left <= cap && left <= balance).toBe(true);
      }),
    );
  });
});

describe('the instructions of a mandate', () => {
  test('set_mandate names owner, delegate, and the address of both and the asset (P-114)', async () => {
    const { owner, delegate, asset, limits } = await parties();
    const seeds = { owner: owner.address, delegate, asset: 7 };
    const set = decodeRelayInstruction(
      programAddress,
      await setMandate(programAddress, { owner, delegate, asset }, limits),
    );
    expect(set).toMatchObject({
      name: 'setMandate',
      accounts: {
        owner: { address: owner.address },
        delegate: { address: delegate },
        mandate: { address: await mandateAddress(programAddress, seeds) },
      },
      data: { asset: 7, ...limits },
    });
    const inSol = await setMandate(programAddress, { owner, delegate }, limits);
    const at = await mandateAddress(programAddress, { ...seeds, asset: 0 });
    expect(decodeRelayInstruction(programAddress, inSol)).toMatchObject({ accounts: { mandate: { address: at } } });
  });

  test('close_mandate names the tokens of the mandate and where they go, if it has any (P-119)', async () => {
    const { owner, delegate, asset } = await parties();
    const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: 7 });
    const [from, to] = [
      await associatedTokenAddress(mandate, asset.mint),
      await associatedTokenAddress(owner.address, asset.mint),
    ];
    const closing = await closeMandate(programAddress, { owner, delegate, asset });
    const addresses = (closing.accounts ?? []).map((account) => account.address);
    expect(addresses).toEqual([owner.address, mandate, TOKEN_PROGRAM_ADDRESS, from, to]);
    expect(decodeRelayInstruction(programAddress, closing)?.name).toBe('closeMandate');
    const bare = await closeMandate(programAddress, { owner, delegate, asset }, false);
    expect(bare.accounts).toHaveLength(2);
  });

  test('a listing in a token that a mandate pays for takes the tokens of the mandate (P-115)', async () => {
    const { owner, delegate, asset } = await parties();
    const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: 7 });
    const parcel = await PackageOnLedger.of([await anyAddress()], [30n]);
    const { accounts } = parcel.list();
    const others = Object.values(accounts)
      .slice(1)
      .filter((meta) => meta !== undefined);
    const metas = [{ address: mandate, role: AccountRole.WRITABLE }, ...others];
    const instruction = { programAddress, accounts: metas, data: Uint8Array.of(3, ...new Uint8Array(64)) };
    const said = await inTokens(programAddress, instruction, asset);
    expect(said.accounts?.at(-1)?.address).toBe(await associatedTokenAddress(mandate, asset.mint));
  });
});

test('the facts know the mandates that are not ended, with their last limits (P-114, P-119)', async () => {
  const { owner, delegate, asset, limits } = await parties();
  const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: 7 });
  const set = (cap: bigint) => setMandate(programAddress, { owner, delegate, asset }, { ...limits, cap });
  const history = [[decoded(await set(5n))], [decoded(await set(9n))]];
  expect(replayed(history).mandates).toEqual(
    new Map([
      [mandate, { owner: owner.address, delegate, limits: { ...limits, asset: 7, cap: 9n }, signature: 'tx1' }],
    ]),
  );
  const closed = decoded(await closeMandate(programAddress, { owner, delegate, asset }));
  expect(replayed([...history, [closed]]).mandates.size).toBe(0);
});
