import { ANY_ARBITER, listingRents, mandateRefusal, type MandateWish } from '@legwork/program-client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { NOW, SOL } from './harness/delivery.js';
import { keyOf } from './harness/keys.js';
import { LiteSvmLedger } from './harness/liteSvmLedger.js';
import { Mandates, PERIOD, RENT_OF_MANDATE } from './harness/mandates.js';
import { Relay } from './harness/relay.js';
import { terms } from './harness/terms.js';
import { newAsset, tokenAccount, tokensAt } from './harness/tokens.js';

const RUNS = 150;
const DAY = 86_400n;

/** Around what a listing takes, so that each limit decides now and then. */
const around = (amount: bigint) => fc.bigInt({ min: amount - 3_000_000n, max: amount + 3_000_000n });
const often = <T>(usual: T, other: T) => fc.constantFrom(usual, usual, usual, other);

const cases = fc.record({
  kind: fc.constantFrom('package' as const, 'task' as const),
  inTokens: fc.boolean(),
  permits: fc.constantFrom(3, 3, 3, 1, 2, 7),
  cap: fc.oneof(fc.constant(9n * SOL), around(SOL)),
  spentBefore: fc.boolean(),
  period: fc.integer({ min: 1, max: PERIOD }),
  wait: fc.integer({ min: 0, max: PERIOD }),
  expiresIn: often(0n, BigInt(PERIOD / 2)),
  maxAhead: often(2n * DAY, DAY / 2n),
  lamports: fc.oneof(fc.constant(9n * SOL), around(SOL)),
  tokens: fc.oneof(fc.constant(9n * SOL), around(SOL)),
  bound: often('any', 'other'),
  wished: fc.constantFrom('none', 'arbiter', 'owner'),
});

test.skipIf(CANNOT_FORGE)(
  '[P-116] the client refuses by the same name what the program refuses, and nothing else',
  async () => {
    const relay = await Relay.initialised(await LiteSvmLedger.create());
    const { ledger } = relay;
    const mandates = new Mandates(relay);
    const asset = await newAsset(relay);
    const seen = new Map<string | undefined, number>();
    let [number, now] = [0, NOW];
    await fc.assert(
      fc.asyncProperty(cases, async (its) => {
        now += BigInt(PERIOD);
        await ledger.setClock(now);
        number += 2;
        const given = its.inTokens ? asset : undefined;
        const mandated = await mandates.funded({}, { asset: given, delegate: `delegate ${number}`, amount: 2n * SOL });
        const { owner, address } = mandated;
        const list = async (at: number, wish: MandateWish) => {
          const offer = {
            maxBudget: wish.maxBudget,
            deadline: wish.deadline,
            ...(wish.arbiter === null ? {} : { terms: await terms({ arbiter: wish.arbiter }) }),
          };
          const [delivery, job] = [await mandates.delivery(at, mandated), await mandates.job(at, mandated)];
          const said =
            wish.kind === 'package'
              ? await mandates.said(relay.list(delivery, offer), mandated, delivery.package)
              : await mandates.said(relay.tasks.list(job, offer), mandated, job.task);
          for (const made of said.slice(0, -1)) await ledger.send(made);
          return ledger.send(...said.slice(-1));
        };
        const arbiters = { none: null, arbiter: (await keyOf('arbiter')).address, owner: owner.address };
        const plain = { kind: its.kind, asset: given?.number ?? 0, maxBudget: SOL, arbiter: null };
        if (its.spentBefore) await list(number, { ...plain, maxBudget: SOL / 2n, deadline: now + DAY });
        const limits = {
          permits: its.permits,
          cap: its.cap,
          period: its.period,
          expiresAt: its.expiresIn === 0n ? 0n : now + its.expiresIn,
          maxAhead: Number(its.maxAhead),
          arbiter: its.bound === 'any' ? ANY_ARBITER : (await keyOf('other arbiter')).address,
        };
        await ledger.send(await mandates.set(mandated, limits));
        const state = await relay.state(address);
        await ledger.forge(address, { ...state, lamports: RENT_OF_MANDATE + its.lamports });
        if (given) {
          const form = { mint: given.mint, owner: address, amount: its.tokens };
          await ledger.forge(await mandates.tokens(mandated), tokenAccount(form));
        }
        now += BigInt(its.wait);
        await ledger.setClock(now);
        const wish = { ...plain, arbiter: arbiters[its.wished], deadline: now + DAY };
        const tokens = given ? await tokensAt(ledger, await mandates.tokens(mandated)) : 0n;
        const held = { lamports: its.lamports, tokens };
        const refusal = mandateRefusal(await mandates.state(mandated), wish, held, now);
        const before = await relay.lamports(address);
        expect((await list(number + 1, wish)).error).toBe(refusal);
        const taken = refusal === undefined ? listingRents(wish) + (given ? 0n : SOL) : 0n;
        expect(before - (await relay.lamports(address))).toBe(taken);
        seen.set(refusal, (seen.get(refusal) ?? 0) + 1);
      }),
      { numRuns: RUNS, seed: 46, endOnFailure: true },
    );
    const names = [undefined, 'MandateExpired', 'MandateForbids', 'MandateExceeded', 'MandateEmpty'];
    expect(new Set(seen.keys())).toEqual(new Set(names));
  },
);
