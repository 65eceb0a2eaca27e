import { associatedTokenAddress, lockerAddress, PERMITS, TOKEN_PROGRAM_ADDRESS } from '@legwork/program-client';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { ListingScene } from './harness/listingScene.js';
import { Mandates, PERIOD, RENT_OF_MANDATE, RENTS } from './harness/mandates.js';
import { swapped, unsigned } from './harness/tamper.js';
import { terms } from './harness/terms.js';
import { newAsset, tokenAccount, tokensAt } from './harness/tokens.js';

const CASES = (['package', 'task'] as const).flatMap((what) => [false, true].map((inTokens) => ({ what, inTokens })));

describe.skipIf(CANNOT_FORGE)('a listing that a mandate pays for', () => {
  describe('a package', () => {
    testGuards(async (relay) => {
      const mandates = new Mandates(relay);
      const mandated = await mandates.funded();
      return {
        instruction: relay.list(await mandates.delivery(1, mandated)),
        fixedAccounts: 6,
        owned: { InvalidAccountOwner: [2] },
        strangers: { MissingSignature: [0], InvalidAccount: [1, 3, 4, 5], InvalidAccountOwner: [2] },
        tailBytes: 0,
      };
    });
  });

  test.each(CASES)(
    '[P-115] takes budget and rents from the mandate, and from the delegate nothing: $what in tokens: $inTokens',
    async (its) => {
      const scene = await ListingScene.of(its);
      const { instruction, at, vault } = await scene.listing({ maxBudget: SOL });
      const said = await scene.mandates.said(instruction, scene.mandated, at);
      for (const made of said.slice(0, -1)) must(await scene.relay.ledger.send(made));
      const before = await scene.held();
      must(await scene.relay.ledger.send(...said.slice(-1)));
      const after = await scene.held();
      const rents = its.inTokens ? RENTS[its.what] - 890_880n : RENTS[its.what];
      expect(before.delegate - after.delegate).toBe(0n);
      expect(before.lamports - after.lamports).toBe(its.inTokens ? rents : SOL + rents);
      expect(before.tokens - after.tokens).toBe(its.inTokens ? SOL : 0n);
      expect(after.spent).toBe(its.inTokens ? SOL : SOL + rents);
      expect(await scene.relay.lamports(at)).toBe(RENTS[its.what] - 890_880n);
      const { asset } = scene.mandated;
      const tokens = asset && (await tokensAt(scene.relay.ledger, await associatedTokenAddress(vault, asset.mint)));
      const inVault = { tokens, lamports: await scene.relay.lamports(vault) };
      expect(inVault).toEqual(asset ? { tokens: SOL, lamports: 0n } : { lamports: SOL + 890_880n });
    },
  );

  test.each(CASES)('[P-115] only the delegate lists with it, and signs: $what in tokens: $inTokens', async (its) => {
    const scene = await ListingScene.of(its);
    const { relay, mandates, mandated } = scene;
    expect(await scene.list({}, (listing) => unsigned(listing, 1))).toBe('MissingSignature');
    for (const name of ['owner', 'stranger']) {
      const delegate = await relay.person(name);
      const said = await scene.said({}, { ...mandated, delegate });
      expect((await relay.ledger.send(...said)).error).toBe('Unauthorized');
    }
    const other = await mandates.funded({}, { asset: mandated.asset, delegate: 'other delegate' });
    const said = await scene.said({}, { ...mandated, delegate: other.delegate });
    expect((await relay.ledger.send(...said)).error).toBe('Unauthorized');
    expect(await scene.list()).toBeUndefined();
  });

  test.each(CASES)(
    '[P-116] $what, in tokens: $inTokens: the cap of a period is reached to the unit, and the next period begins anew',
    async (its) => {
      const rents = its.inTokens ? 0n : RENTS[its.what];
      const cap = 2n * SOL + 2n * rents;
      const scene = await ListingScene.of(its, { cap });
      expect(await scene.list({ maxBudget: cap - rents + 1n })).toBe('MandateExceeded');
      expect(await scene.list({ maxBudget: SOL })).toBeUndefined();
      expect(await scene.list({ maxBudget: SOL + 1n })).toBe('MandateExceeded');
      expect(await scene.list({ maxBudget: SOL })).toBeUndefined();
      expect(await scene.list({ maxBudget: 4n })).toBe('MandateExceeded');
      await scene.relay.ledger.setClock(NOW + BigInt(PERIOD) - 1n);
      expect(await scene.list({ maxBudget: 4n })).toBe('MandateExceeded');
      await scene.relay.ledger.setClock(NOW + BigInt(PERIOD));
      expect(await scene.list({ maxBudget: 2n * SOL })).toBeUndefined();
      expect((await scene.mandates.state(scene.mandated)).periodStart).toBe(NOW + BigInt(PERIOD));
    },
  );

  test.each(CASES)(
    '[P-116] $what, in tokens: $inTokens: more than lies in it is refused, down to its own rent',
    async (its) => {
      const rents = its.inTokens ? 0n : RENTS[its.what];
      const scene = await ListingScene.of(its, { cap: 1n << 60n }, SOL + rents);
      expect(await scene.list({ maxBudget: SOL + 1n })).toBe('MandateEmpty');
      expect(await scene.list({ maxBudget: SOL })).toBeUndefined();
      expect(await scene.list({ maxBudget: 4n })).toBe('MandateEmpty');
      const { tokens, lamports } = await scene.held();
      expect([tokens, its.inTokens || lamports === RENT_OF_MANDATE]).toEqual([0n, true]);
    },
  );

  test('[P-116] a mandate in a token without lamports for rents is empty', async () => {
    const scene = await ListingScene.of({ what: 'package', inTokens: true });
    const { relay, mandated } = scene;
    const state = await relay.state(mandated.address);
    await relay.ledger.forge(mandated.address, { ...state, lamports: RENT_OF_MANDATE + RENTS.package - 890_881n });
    expect(await scene.list()).toBe('MandateEmpty');
    await relay.ledger.forge(mandated.address, { ...state, lamports: RENT_OF_MANDATE + RENTS.package - 890_880n });
    expect(await scene.list()).toBeUndefined();
  });

  test.each(CASES)('[P-116] $what, in tokens: $inTokens: it expires at its second', async (its) => {
    const scene = await ListingScene.of(its, { expiresAt: NOW + 60n });
    await scene.relay.ledger.setClock(NOW + 59n);
    expect(await scene.list()).toBeUndefined();
    await scene.relay.ledger.setClock(NOW + 60n);
    expect(await scene.list()).toBe('MandateExpired');
  });

  test.each(CASES)(
    '[P-116] $what, in tokens: $inTokens: only what it permits, no longer than it permits, in its asset',
    async (its) => {
      const { packages, tasks } = PERMITS;
      const other = its.what === 'package' ? tasks : packages;
      const scene = await ListingScene.of(its, { permits: other, maxAhead: 86_400 });
      const { relay, mandates, mandated } = scene;
      expect(await scene.list()).toBe('MandateForbids');
      must(await relay.ledger.send(await mandates.set(mandated, { permits: packages | tasks, maxAhead: 86_400 })));
      expect(await scene.list({ deadline: DEADLINE + 1n })).toBe('MandateForbids');
      expect(await scene.list({ deadline: DEADLINE })).toBeUndefined();
      const assets = [undefined, await newAsset(relay, 1), await newAsset(relay, 2)];
      for (const asset of assets.filter((one) => one?.number !== mandated.asset?.number)) {
        const said = await scene.said({}, { ...mandated, asset });
        expect((await relay.ledger.send(...said)).error).toBe('MandateForbids');
      }
    },
  );

  test.each(CASES)(
    '[P-116] $what, in tokens: $inTokens: terms, and those of one arbiter, and never the owner as arbiter',
    async (its) => {
      const scene = await ListingScene.of(its, { permits: 3 | PERMITS.onlyWithTerms });
      const { relay, mandates, mandated } = scene;
      const [arbiter, owner] = [(await keyOf('arbiter')).address, mandated.owner.address];
      expect(await scene.list()).toBe('MandateForbids');
      expect(await scene.list({ terms: await terms({ arbiter: owner }) })).toBe('MandateForbids');
      expect(await scene.list({ terms: await terms() })).toBeUndefined();
      must(await relay.ledger.send(await mandates.set(mandated, { arbiter })));
      expect(await scene.list()).toBe('MandateForbids');
      const accomplice = (await keyOf('accomplice')).address;
      expect(await scene.list({ terms: await terms({ arbiter: accomplice }) })).toBe('MandateForbids');
      expect(await scene.list({ terms: await terms() })).toBeUndefined();
    },
  );

  test.each(CASES)(
    '[P-9] [P-116] $what, in tokens: $inTokens: a paused program and a deadline too near are refused as ever',
    async (its) => {
      const scene = await ListingScene.of(its);
      expect(await scene.list({ deadline: NOW + 599n })).toBe('InvalidDeadline');
      await scene.relay.pause();
      expect(await scene.list()).toBe('Paused');
    },
  );

  test.each(CASES)(
    '[P-120] $what, in tokens: $inTokens: what its owner has ended between signing and landing is refused by name',
    async (its) => {
      const scene = await ListingScene.of(its);
      const { relay, mandated } = scene;
      const said = [...(await scene.said())];
      const last = said.pop();
      if (!last) throw new Error('nothing is said');
      if (said.length > 0) must(await relay.ledger.send(...said));
      must(await relay.ledger.send(...(await scene.mandates.closing(mandated))));
      expect((await relay.ledger.send(last)).error).toBe('MandateMissing');
      await relay.ledger.airdrop(mandated.address, 50n * SOL);
      expect((await relay.ledger.send(last)).error).toBe('MandateMissing');
    },
  );

  test('[P-3] [P-115] no other account of the program is a mandate, and no forged one', async () => {
    const scene = await ListingScene.of({ what: 'package', inTokens: false });
    const { relay, mandated } = scene;
    const { instruction } = await scene.listing();
    const { data } = await relay.state(mandated.address);
    const parcel = await relay.listed(99);
    for (const account of [relay.config, parcel.package]) {
      expect((await relay.ledger.send(swapped(instruction, 0, account))).error).toBe('InvalidAccountKind');
    }
    const forged = (await keyOf('forged')).address;
    await relay.ledger.forge(forged, { lamports: 50n * SOL, owner: TOKEN_PROGRAM_ADDRESS, data, executable: false });
    expect((await relay.ledger.send(swapped(instruction, 0, forged))).error).toBe('MissingSignature');
    // Anybody may give a key of its own to the program, but only with a blank account.
    const blank = await keyOf('blank');
    const state = { lamports: 50n * SOL, owner: relay.programAddress, data: new Uint8Array(160), executable: false };
    await relay.ledger.forge(blank.address, state);
    expect((await relay.ledger.send(swapped(instruction, 0, blank.address))).error).toBe('InvalidAccountKind');
  });

  test('[P-15] [P-115] the coordinator lists nothing with a mandate, and a delegate signs also where it is the coordinator', async () => {
    const scene = await ListingScene.of({ what: 'package', inTokens: false });
    const { relay, mandates, mandated } = scene;
    must(await relay.ledger.send(relay.setCoordinator(mandated.address)));
    expect(await scene.list({}, (listing) => unsigned(listing, 1))).toBe('MissingSignature');
    must(await relay.ledger.send(relay.setCoordinator(relay.coordinator.address)));
    const said = await scene.said({}, { ...mandated, delegate: relay.coordinator });
    expect((await relay.ledger.send(...said)).error).toBe('Unauthorized');
    expect((await mandates.state(mandated)).spent).toBe(0n);
  });

  test('[P-5] [P-116] what strangers sent to a listing before spares the mandate its rent, and no more', async () => {
    for (const dust of [890_880n, SOL]) {
      const scene = await ListingScene.of({ what: 'package', inTokens: false });
      const { instruction, at, vault } = await scene.listing({ maxBudget: SOL });
      for (const account of [at, vault]) await scene.relay.ledger.airdrop(account, dust);
      must(await scene.relay.ledger.send(instruction));
      const spared = dust < RENTS.package - 890_880n ? dust : RENTS.package - 890_880n;
      expect((await scene.held()).spent).toBe(SOL + RENTS.package - spared);
      expect(await scene.relay.lamports(vault)).toBe(SOL + 890_880n + dust);
    }
  });

  test('[P-110] [P-115] tokens come from accounts that the mandate may spend from, and from no others', async () => {
    const scene = await ListingScene.of({ what: 'package', inTokens: true });
    const { relay, mandated } = scene;
    const { asset, owner, delegate } = mandated;
    if (!asset) throw new Error('it is in a token');
    const source = 9;
    const at = async (holder: Address, form: object = {}) => {
      const account = (await keyOf(`tokens of ${holder} ${JSON.stringify(form)}`)).address;
      await relay.ledger.forge(account, tokenAccount({ mint: asset.mint, owner: holder, amount: 9n * SOL, ...form }));
      return (listing: Instruction) => swapped(listing, source, account);
    };
    expect(await scene.list({}, await at(owner.address))).toBe('custom error 4');
    expect(await scene.list({}, await at(delegate.address))).toBe('custom error 4');
    expect(await scene.list({}, await at((await keyOf('stranger')).address))).toBe('custom error 4');
    expect(await scene.list({}, await at(mandated.address, { state: 'frozen' }))).toBe('custom error 17');
    const other = await newAsset(relay, 2);
    expect(await scene.list({}, await at(mandated.address, { mint: other.mint }))).toBe('InvalidMint');
    const locker = await lockerAddress(relay.programAddress, delegate.address);
    expect(await scene.list({}, await at(locker))).toBe('custom error 4');
    expect(await scene.list({}, await at(mandated.address))).toBeUndefined();
  });
});
