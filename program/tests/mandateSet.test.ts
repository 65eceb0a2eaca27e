import { decodeMandate, getMandateSetEventDecoder, mandateAddress, PERMITS } from '@legwork/program-client';
import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { must, NOW, SOL } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { testGuards } from './harness/guards.js';
import { LIMITS, Mandates, RENT_OF_MANDATE } from './harness/mandates.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped, swappedFor } from './harness/tamper.js';

const arbiter = address('SysvarC1ock11111111111111111111111111111111');

describe('set_mandate', () => {
  testGuards(async (relay) => {
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded();
    return {
      instruction: await mandates.set(mandated),
      fixedAccounts: 4,
      owned: {},
      strangers: { InvalidAccount: [0, 1, 2, 3] },
    };
  });

  test('[P-8] [P-114] makes a mandate at its own address, which says whose it is and how far it goes', async ({
    relay,
  }) => {
    const mandates = new Mandates(relay);
    const mandated = await mandates.between('owner', 'delegate');
    const { owner, delegate } = mandated;
    const limits = { permits: PERMITS.tasks, cap: 7n, period: 60, expiresAt: NOW, maxAhead: 86_400, arbiter };
    const before = await relay.lamports(owner.address);
    const set = await relay.ledger.send(await mandates.set(mandated, limits));
    const said = { ...limits, asset: 0, owner: owner.address, delegate: delegate.address };
    expect(decoded(getMandateSetEventDecoder(), set)).toEqual({
      discriminator: 31,
      mandate: mandated.address,
      ...said,
    });
    expect(await mandates.state(mandated)).toMatchObject({ ...said, periodStart: 0n, spent: 0n });
    expect(before - (await relay.lamports(owner.address))).toBe(RENT_OF_MANDATE);
  });

  test('[P-114] bounds a mandate anew, also while paused, and what is spent stays spent', async ({ relay }) => {
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded();
    must(await relay.ledger.send(relay.list(await mandates.delivery(1, mandated), { maxBudget: SOL })));
    const before = await mandates.state(mandated);
    expect(before.spent).toBeGreaterThan(SOL);
    await relay.pause();
    must(await relay.ledger.send(await mandates.set(mandated, { cap: 5n, period: 9, permits: 0 })));
    expect(await mandates.state(mandated)).toEqual({ ...before, cap: 5n, period: 9, permits: 0 });
  });

  test('[P-114] refuses a period of nothing, in which every listing would begin anew', async ({ relay }) => {
    const mandates = new Mandates(relay);
    const mandated = await mandates.between('owner', 'delegate');
    expect((await relay.ledger.send(await mandates.set(mandated, { period: 0 }))).error).toBe('InvalidAmount');
  });

  test("[P-114] nobody sets another one's mandate: not the delegate, not the coordinator, and not at its address", async ({
    relay,
  }) => {
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded();
    for (const person of [mandated.delegate, relay.coordinator, await relay.person('stranger')]) {
      const own = await mandates.set({ ...mandated, owner: person }, { cap: SOL });
      expect((await relay.ledger.send(swapped(own, 2, mandated.address))).error).toBe('InvalidAccount');
      must(await relay.ledger.send(await mandates.set({ ...mandated, owner: person })));
    }
    const other = await relay.person('other delegate');
    expect((await relay.ledger.send(swappedFor(await mandates.set(mandated), 1, other))).error).toBe('InvalidAccount');
    expect((await mandates.state(mandated)).owner).toBe(mandated.owner.address);
  });

  test('[P-114] owner, delegate and asset have one mandate each, and no two share an address', async ({ relay }) => {
    const [one, other] = [(await relay.person('owner')).address, (await relay.person('delegate')).address];
    const { programAddress } = relay;
    const addresses = await Promise.all(
      [0, 1, 255].flatMap((asset) => [
        mandateAddress(programAddress, { owner: one, delegate: other, asset }),
        mandateAddress(programAddress, { owner: other, delegate: one, asset }),
        mandateAddress(programAddress, { owner: one, delegate: one, asset }),
      ]),
    );
    expect(new Set(addresses).size).toBe(9);
  });

  test.skipIf(CANNOT_FORGE)('[P-5] [P-114] lamports that strangers sent before get in the way of nothing', async () => {
    for (const dust of [890_880n, RENT_OF_MANDATE, SOL]) {
      const relay = await Relay.initialised();
      const mandates = new Mandates(relay);
      const mandated = await mandates.between('owner', 'delegate');
      await relay.ledger.airdrop(mandated.address, dust);
      must(await relay.ledger.send(await mandates.set(mandated)));
      const { data, lamports } = decodeMandate(await relay.encoded(mandated.address));
      expect(data.cap).toBe(LIMITS.cap);
      expect(lamports).toBe(dust > RENT_OF_MANDATE ? dust : RENT_OF_MANDATE);
    }
  });
});
