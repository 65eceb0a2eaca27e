import { assetAddress, decodeAsset, getAssetSetEventDecoder, type TokenAsset } from '@legwork/program-client';
import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { must, SOL } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { terms } from './harness/terms.js';
import { TokenLedger } from './harness/tokenLedger.js';
import { mintAccount, newAsset, setAsset } from './harness/tokens.js';

const TOKEN_2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const NATIVE = address('So11111111111111111111111111111111111111112');

/** An authority that can pay the rent. */
async function withFunds(): Promise<Relay> {
  const relay = await Relay.initialised();
  await relay.ledger.airdrop(relay.authority.address, SOL);
  return relay;
}

async function minted(relay: Relay, number = 1, decimals = 6): Promise<TokenAsset> {
  const mint = (await keyOf(`mint ${number}`)).address;
  await relay.ledger.forge(mint, await mintAccount(decimals));
  return { number, mint };
}

describe.skipIf(CANNOT_FORGE)('set_asset', () => {
  testGuards(
    async (relay) => ({
      instruction: await setAsset(relay, await minted(relay)),
      fixedAccounts: 5,
      owned: { InvalidAccountOwner: [1] },
      strangers: { Unauthorized: [0], InvalidAccount: [2, 4], InvalidMint: [3] },
    }),
    withFunds,
  );

  test('[P-8] [P-108] makes a token of the classic program an asset, with its decimals', async () => {
    const relay = await withFunds();
    const asset = await minted(relay, 7, 9);
    const set = await relay.ledger.send(await setAsset(relay, asset, { minAmount: 5n }));
    const said = { number: 7, mint: asset.mint, decimals: 9, isOpen: 1, minAmount: 5n };
    expect(decoded(getAssetSetEventDecoder(), set)).toEqual({ discriminator: 29, ...said });
    const { data } = decodeAsset(await relay.encoded(await assetAddress(relay.programAddress, 7)));
    expect(data).toMatchObject(said);
  });

  test('[P-108] refuses mints of other programs, of more decimals, unfinished ones and wrapped SOL', async () => {
    const relay = await withFunds();
    const asset = await minted(relay);
    const whole = await mintAccount(6);
    const forms = [
      await mintAccount(6, TOKEN_2022),
      await mintAccount(10),
      { ...whole, data: whole.data.with(45, 0) },
      { ...whole, data: whole.data.slice(0, 81) },
      { ...whole, data: Uint8Array.of(...whole.data, 0) },
    ];
    for (const form of forms) {
      await relay.ledger.forge(asset.mint, form);
      expect((await relay.ledger.send(await setAsset(relay, asset))).error).toBe('InvalidMint');
    }
    await relay.ledger.forge(NATIVE, whole);
    const native = await setAsset(relay, { number: 1, mint: NATIVE });
    expect((await relay.ledger.send(native)).error).toBe('InvalidMint');
  });

  test('[P-108] refuses the number of SOL and an amount of nothing', async () => {
    const relay = await withFunds();
    const asset = await minted(relay, 0);
    for (const changed of [
      await setAsset(relay, asset),
      await setAsset(relay, await minted(relay), { minAmount: 0n }),
    ]) {
      expect((await relay.ledger.send(changed)).error).toBe('InvalidAmount');
    }
  });

  test('[P-108] opens, closes and bounds an asset anew, never with another mint', async () => {
    const relay = await withFunds();
    const asset = await newAsset(relay);
    const other = await minted(relay, 2);
    const swapped = await setAsset(relay, { number: 1, mint: other.mint });
    expect((await relay.ledger.send(swapped)).error).toBe('InvalidAccount');
    must(await relay.ledger.send(await setAsset(relay, asset, { isOpen: false, minAmount: 9n })));
    const { data } = decodeAsset(await relay.encoded(await assetAddress(relay.programAddress, 1)));
    expect(data).toMatchObject({ mint: asset.mint, isOpen: 0, minAmount: 9n });
  });
});

describe.skipIf(CANNOT_FORGE)('what an asset allows', () => {
  test('[P-109] a closed asset takes no listing, and what is listed in it goes on', async () => {
    const { relay, ledger, asset } = await TokenLedger.create();
    const listed = await relay.listed(1);
    must(await relay.ledger.send(await setAsset(relay, asset, { isOpen: false })));
    const said = await ledger.said(relay.list(await relay.delivery(2)));
    expect((await ledger.plain.send(...said)).error).toBe('AssetClosed');
    must(await relay.ledger.send(relay.cancel(listed)));
  });

  test('[P-109] a budget is at least its least amount, and so is a stake', async () => {
    const { relay, asset } = await TokenLedger.create();
    const list = async (number: number, maxBudget: bigint, stake?: bigint) => {
      const bound = stake === undefined ? {} : { terms: await terms({ stake }) };
      return (await relay.ledger.send(relay.list(await relay.delivery(number), { maxBudget, ...bound }))).error;
    };
    must(await relay.ledger.send(await setAsset(relay, asset, { minAmount: 1_000n })));
    expect(await list(1, 999n)).toBe('InvalidAmount');
    expect(await list(2, 5_000n, 999n)).toBe('InvalidTerms');
    expect(await list(2, 5_000n, 5_001n)).toBe('InvalidTerms');
    expect([await list(1, 1_000n), await list(2, 5_000n, 1_000n)]).toEqual([undefined, undefined]);
  });

  test('[P-109] the listing says which asset it is paid in, and one in lamports says none', async () => {
    const { relay, ledger } = await TokenLedger.create();
    expect((await relay.package(await relay.listed(1))).asset).toBe(1);
    expect((await relay.tasks.state(await relay.tasks.listed(1))).asset).toBe(1);
    const plain = await relay.delivery(2);
    must(await ledger.plain.send(relay.list(plain)));
    expect((await relay.package(plain)).asset).toBe(0);
  });
});
