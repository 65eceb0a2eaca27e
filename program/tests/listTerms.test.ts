import { getPackageListedEventDecoder, PackageStatus, type TermsArgs } from '@legwork/program-client';
import { some } from '@solana/kit';
import { describe, expect } from 'vitest';
import { must, SOL } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { testGuards } from './harness/guards.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { withData } from './harness/tamper.js';
import { COSIGNED, NOBODY, terms } from './harness/terms.js';

const WALLET_RENT = 890_880n;
const TWO_WALLETS = 2n * WALLET_RENT;
const DAYS_30 = 30 * 86_400;
const CLOCKS = ['carry', 'handoff', 'review', 'arbitration'] as const;

async function refusalOf(relay: Relay, changes: Partial<TermsArgs>): Promise<string | undefined> {
  const list = relay.list(await relay.delivery(), { terms: await terms(changes) });
  return (await relay.ledger.send(list)).error;
}

describe('list_package with terms', () => {
  testGuards(async (relay) => ({
    instruction: relay.list(await relay.delivery(), { terms: await terms() }),
    owned: { InvalidAccountOwner: [2] },
    strangers: { InvalidAccountOwner: [2], InvalidAccount: [3, 4, 5] },
    fixedAccounts: 6,
  }));

  test('[T-1] [T-4] keeps the terms behind what a package without any has', async ({ relay }) => {
    const agreed = await terms({ flags: COSIGNED });
    const [plain, bound] = [await relay.listed(1), await relay.listed(2, { terms: agreed })];
    const [before, after] = [await relay.package(plain), await relay.package(bound)];

    expect(after.terms).toEqual(some(agreed));
    expect(after).toMatchObject({ version: 2, status: PackageStatus.Listed, formation: 0, maxBudget: SOL });
    const { bump, packageId, vaultBump } = after;
    expect(after).toEqual({ ...before, version: 2, bump, packageId, vaultBump, terms: some(agreed) });
    expect([await relay.lamports(plain.package), await relay.lamports(bound.package)]).toEqual([
      2_164_560n,
      2_784_000n,
    ]);
    expect(await relay.lamports(bound.vault)).toBe(SOL + WALLET_RENT);
  });

  test('[T-2] refuses 88 and 90 bytes of terms, and every part of them', async ({ relay }) => {
    const list = relay.list(await relay.delivery(), { terms: await terms() });
    const data = Uint8Array.from(list.data ?? []);
    expect(data).toHaveLength(65 + 89);
    for (const other of [data.slice(0, -1), Uint8Array.of(...data, 0), data.slice(0, 66), data.slice(0, 64)]) {
      expect([other.length, (await relay.ledger.send(withData(list, other))).error]).toEqual([
        other.length,
        'InvalidInstruction',
      ]);
    }
    must(await relay.ledger.send(list));
  });

  test('[T-3] refuses an arbiter who is party, or nobody', async ({ relay }) => {
    const { shipper, funder } = await relay.delivery();
    const { receiver } = await terms();
    for (const arbiter of [NOBODY, shipper.address, funder.address, relay.coordinator.address, receiver]) {
      expect([arbiter, await refusalOf(relay, { arbiter })]).toEqual([arbiter, 'InvalidTerms']);
    }
    expect(await refusalOf(relay, { receiver: NOBODY, arbiter: NOBODY })).toBe('InvalidTerms');
    must(await relay.ledger.send(relay.list(await relay.delivery(), { terms: await terms() })));
  });

  test('[T-3] refuses the coordinator as receiver; nobody or the lister may be it', async ({ relay }) => {
    expect(await refusalOf(relay, { receiver: relay.coordinator.address })).toBe('InvalidTerms');
    const { shipper } = await relay.delivery();
    for (const [number, receiver] of [NOBODY, shipper.address].entries()) {
      await relay.listed(number, { terms: await terms({ receiver }) });
    }
  });

  test('[T-3] takes stakes from two empty accounts to the budget', async ({ relay }) => {
    for (const stake of [0n, TWO_WALLETS - 1n, SOL + 1n, 2n ** 64n - 1n]) {
      expect([stake, await refusalOf(relay, { stake })]).toEqual([stake, 'InvalidTerms']);
    }
    for (const [number, stake] of [TWO_WALLETS, SOL].entries()) {
      await relay.listed(number, { terms: await terms({ stake }) });
    }
  });

  test('[T-3] takes clocks from 300 seconds to 30 days, each of them', async ({ relay }) => {
    for (const [number, clock] of CLOCKS.entries()) {
      for (const seconds of [0, 299, DAYS_30 + 1, 2 ** 32 - 1]) {
        expect([clock, seconds, await refusalOf(relay, { [clock]: seconds })]).toEqual([
          clock,
          seconds,
          'InvalidTerms',
        ]);
      }
      await relay.listed(2 * number, { terms: await terms({ [clock]: 300 }) });
      await relay.listed(2 * number + 1, { terms: await terms({ [clock]: DAYS_30 }) });
    }
  });

  test('[T-3] takes no flag but bit 0', async ({ relay }) => {
    for (const flags of [2, 3, 128, 255]) {
      expect([flags, await refusalOf(relay, { flags })]).toEqual([flags, 'InvalidTerms']);
    }
    await relay.listed(1, { terms: await terms({ flags: COSIGNED }) });
  });

  test('[P-15] the coordinator may sponsor a package with terms without the signature of its shipper', async ({
    relay,
  }) => {
    const sponsored = await relay.delivery(1, { funder: relay.coordinator });
    must(await relay.ledger.send(relay.list(sponsored, { terms: await terms(), shipperSigns: false })));
    expect(await relay.package(sponsored)).toMatchObject({ version: 2, funder: relay.coordinator.address });
  });

  test('[P-8] logs the same event as without terms', async ({ relay }) => {
    const delivery = await relay.delivery();
    const outcome = await relay.ledger.send(relay.list(delivery, { terms: await terms() }));
    expect(decoded(getPackageListedEventDecoder(), outcome)).toMatchObject({ package: delivery.package });
  });

  test('[T-19] cancel and close give everything back, the rent of the terms too', async ({ relay }) => {
    const delivery = await relay.delivery();
    const before = await relay.lamports(delivery.funder.address);
    must(await relay.ledger.send(relay.list(delivery, { terms: await terms() })));
    must(await relay.ledger.send(relay.cancel(delivery)));
    must(await relay.ledger.send(relay.close(delivery)));
    expect(await relay.lamports(delivery.funder.address)).toBe(before - WALLET_RENT);
    expect(await relay.state(delivery.package)).toMatchObject({ data: new Uint8Array(), lamports: WALLET_RENT });
    const again = relay.list(delivery, { terms: await terms() });
    expect((await relay.ledger.send(again)).error).toBe('AlreadyInitialized');
  });
});
