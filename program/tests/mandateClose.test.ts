import {
  associatedTokenAddress,
  closeMandate,
  getCollectInstruction,
  getMandateClosedEventDecoder,
  inTokens,
  lockerAddress,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { AccountRole, type Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { must, SOL } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { Mandates, RENT_OF_MANDATE } from './harness/mandates.js';
import { MandateScene } from './harness/mandateScene.js';
import { Relay } from './harness/relay.js';
import { swapped, unsigned } from './harness/tamper.js';
import { give, newAsset, tokenAccount, tokensAt } from './harness/tokens.js';

describe('close_mandate', () => {
  testGuards(async (relay) => {
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded();
    const instruction = await mandates.ending(mandated);
    return {
      instruction,
      fixedAccounts: 2,
      owned: { InvalidAccountOwner: [1] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1] },
    };
  });

  test('[P-8] [P-119] gives its owner everything, also while paused, and leaves nothing', async () => {
    const relay = await Relay.initialised();
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded({}, { amount: 3n * SOL });
    await relay.pause();
    const before = await relay.lamports(mandated.owner.address);
    const closed = await relay.ledger.send(...(await mandates.closing(mandated)));
    expect(decoded(getMandateClosedEventDecoder(), closed)).toEqual({
      discriminator: 32,
      mandate: mandated.address,
      owner: mandated.owner.address,
      delegate: mandated.delegate.address,
      lamports: 3n * SOL + RENT_OF_MANDATE,
    });
    expect((await relay.lamports(mandated.owner.address)) - before).toBe(3n * SOL + RENT_OF_MANDATE);
    expect(await relay.ledger.account(mandated.address)).toBeUndefined();
    expect((await relay.ledger.send(...(await mandates.closing(mandated)))).error).toBe('InvalidAccountOwner');
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-119] empties and closes each token account that is named, and no other one',
    async () => {
      const scene = await MandateScene.of(true);
      const { relay, mandated } = scene;
      const { owner, address, asset } = mandated;
      if (!asset) throw new Error('it is in a token');
      const parties = { owner, delegate: mandated.delegate.address, asset };
      const other = await newAsset(relay, 2);
      await give(relay.ledger, address, other.mint, 5n);
      for (const { mint } of [asset, other]) await give(relay.ledger, owner.address, mint, 0n);
      const both = async (mint: Address) =>
        Promise.all([address, owner.address].map((wallet) => associatedTokenAddress(wallet, mint)));
      const closing = await closeMandate(relay.programAddress, parties);
      const foreign = (await keyOf('foreign')).address;
      const strangers = tokenAccount({ mint: asset.mint, owner: (await keyOf('stranger')).address, amount: 5n });
      await relay.ledger.forge(foreign, strangers);
      expect((await relay.ledger.send(swapped(closing, 3, foreign))).error).toBe('InvalidAccount');
      expect((await relay.ledger.send(swapped(closing, 3, owner.address))).error).toBe('MissingTokenAccount');
      expect((await relay.ledger.send(swapped(closing, 2, foreign))).error).toBe('InvalidAccount');
      const odd = { ...closing, accounts: closing.accounts?.slice(0, 4) ?? [] };
      expect((await relay.ledger.send(odd)).error).toBe('MissingTokenAccount');
      const more = (await both(other.mint)).map((account) => ({ address: account, role: AccountRole.WRITABLE }));
      must(await relay.ledger.send({ ...closing, accounts: [...(closing.accounts ?? []), ...more] }));
      for (const [{ mint }, amount] of [
        [asset, 100n * SOL],
        [other, 5n],
      ] as const) {
        const [from, to] = await both(mint);
        if (!from || !to) throw new Error('two wallets have two accounts');
        expect(await relay.ledger.account(from)).toBeUndefined();
        expect(await tokensAt(relay.ledger, to)).toBe(amount);
      }
    },
  );

  test.skipIf(CANNOT_FORGE)(
    '[P-119] a frozen token account keeps nothing else back, and its tokens come later',
    async () => {
      const scene = await MandateScene.of(true);
      const { relay, mandates, mandated } = scene;
      const { asset, owner, address } = mandated;
      if (!asset) throw new Error('it is in a token');
      const account = await mandates.tokens(mandated);
      const form = { mint: asset.mint, owner: address, amount: 7n };
      await relay.ledger.forge(account, tokenAccount({ ...form, state: 'frozen' }));
      expect((await relay.ledger.send(...(await mandates.closing(mandated)))).error).toBe('custom error 17');
      const parties = { owner, delegate: mandated.delegate.address, asset };
      must(await relay.ledger.send(await closeMandate(relay.programAddress, parties, false)));
      await relay.ledger.forge(account, tokenAccount(form));
      must(await relay.ledger.send(await mandates.set(mandated)));
      must(await relay.ledger.send(...(await mandates.closing(mandated))));
      expect(await tokensAt(relay.ledger, await associatedTokenAddress(owner.address, asset.mint))).toBe(7n);
    },
  );

  test.skipIf(CANNOT_FORGE)(
    '[P-111] [P-112] [P-117] what a frozen mandate cannot receive waits in its locker, and comes to it when it is thawed',
    async () => {
      const scene = await MandateScene.of(true);
      const { relay, mandates, mandated } = scene;
      const { programAddress, ledger } = relay;
      const { asset, owner, address } = mandated;
      if (!asset) throw new Error('it is in a token');
      const delivery = await scene.listed();
      const account = await mandates.tokens(mandated);
      const amount = await tokensAt(ledger, account);
      const form = { mint: asset.mint, owner: address, amount };
      await ledger.forge(account, tokenAccount({ ...form, state: 'frozen' }));
      const locker = await lockerAddress(programAddress, address);
      const waiting = await give(ledger, locker, asset.mint);
      const locked = new Set([address]);
      const cancel = await inTokens(programAddress, relay.cancel(delivery, owner), asset, { locked });
      must(await ledger.send(cancel));
      expect(await tokensAt(ledger, waiting)).toBe(SOL);
      const accounts = { wallet: address, locker, from: waiting, to: account, tokenProgram: TOKEN_PROGRAM_ADDRESS };
      const collect = getCollectInstruction(accounts, { programAddress });
      expect((await ledger.send(collect)).error).toBe('PayeeCannotReceive');
      const elsewhere = await give(ledger, owner.address, asset.mint);
      expect((await ledger.send(swapped(collect, 3, elsewhere))).error).toBe('InvalidAccount');
      await ledger.forge(account, tokenAccount(form));
      must(await ledger.send(collect));
      must(await ledger.send(...(await mandates.closing(mandated))));
      expect(await tokensAt(ledger, elsewhere)).toBe(amount + SOL);
    },
  );

  test('[P-119] [P-121] nobody else ends a mandate or takes from it: not its delegate, not the coordinator, not the authority', async () => {
    const relay = await Relay.initialised();
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded();
    for (const owner of [mandated.delegate, relay.coordinator, relay.authority, await relay.person('stranger')]) {
      const closing = await mandates.ending({ ...mandated, owner });
      expect((await relay.ledger.send(swapped(closing, 1, mandated.address))).error).toBe('Unauthorized');
    }
    const transfer = getTransferSolInstruction({
      source: mandated.delegate,
      destination: mandated.owner.address,
      amount: 1n,
    });
    expect((await relay.ledger.send(unsigned(swapped(transfer, 0, mandated.address), 0))).error).toBeDefined();
    expect(await relay.lamports(mandated.address)).toBe(100n * SOL + RENT_OF_MANDATE);
  });
});
