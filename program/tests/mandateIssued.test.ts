import { associatedTokenAddress } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { must, NOW, SOL } from './harness/delivery.js';
import { Issuer } from './harness/issuer.js';
import { Mandates, RENT_OF_VAULT, RENTS } from './harness/mandates.js';
import { test } from './harness/relayTest.js';
import { tokensAt } from './harness/tokens.js';

const BUDGET = 5_000n;
const limits = { cap: SOL, expiresAt: NOW + 864_000n };

describe('a mandate on any cluster', () => {
  test('[P-115] [P-117] [P-119] lends budget and rents in SOL, has them back, and returns all to its owner', async ({
    relay,
  }) => {
    const { ledger } = relay;
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded(limits, { amount: SOL });
    const { owner, address } = mandated;
    const delivery = await mandates.delivery(1, mandated);
    const whole = await relay.lamports(address);
    must(await ledger.send(relay.list(delivery, { maxBudget: BUDGET })));
    expect(whole - (await relay.lamports(address))).toBe(BUDGET + RENTS.package);
    const again = relay.list(await mandates.delivery(2, mandated), { maxBudget: SOL });
    expect((await ledger.send(again)).error).toBe('MandateExceeded');
    must(await ledger.send(relay.cancel(delivery, owner)));
    must(await ledger.send(relay.close(delivery, owner)));
    expect(whole - (await relay.lamports(address))).toBe(RENT_OF_VAULT);
    must(await ledger.send(...(await mandates.closing(mandated))));
    expect(await ledger.account(address)).toBeUndefined();
    expect((await ledger.send(again)).error).toBe('MandateMissing');
  });

  test('[P-115] [P-117] [P-119] lends a token, has it back, and returns all to its owner', async ({ relay }) => {
    const { ledger } = relay;
    const issuer = await Issuer.create(relay);
    const mandates = new Mandates(relay);
    const mandated = await mandates.between('owner', 'delegate', issuer.asset);
    const { owner, address } = mandated;
    const job = await mandates.job(1, mandated);
    const listing = relay.tasks.list(job, { maxBudget: BUDGET });
    must(await ledger.send(await mandates.set(mandated, limits)));
    await mandates.give(mandated, SOL / 10n);
    await issuer.give(address, BUDGET);
    must(await ledger.send(...(await mandates.said(listing, mandated, job.task))));
    const account = await mandates.tokens(mandated);
    expect(await tokensAt(ledger, account)).toBe(0n);
    must(await ledger.send(...(await mandates.said(relay.tasks.cancel(job, owner), mandated))));
    expect(await tokensAt(ledger, account)).toBe(BUDGET);
    must(await ledger.send(...(await mandates.closing(mandated))));
    expect(await ledger.account(address)).toBeUndefined();
    expect(await tokensAt(ledger, await associatedTokenAddress(owner.address, issuer.asset.mint))).toBe(BUDGET);
  });
});
