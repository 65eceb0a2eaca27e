import { getTaskListedEventDecoder, TaskStatus, type TermsArgs } from '@legwork/program-client';
import { some } from '@solana/kit';
import { describe, expect } from 'vitest';
import { must, SOL } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { testGuards } from './harness/guards.js';
import { listedJob } from './harness/jobStages.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { withData } from './harness/tamper.js';
import { COSIGNED, NOBODY, terms } from './harness/terms.js';

const WALLET_RENT = 890_880n;
const TWO_WALLETS = 2n * WALLET_RENT;
const DAYS_30 = 30 * 86_400;
const LONGEST = { carry: DAYS_30, handoff: DAYS_30, review: DAYS_30, arbitration: DAYS_30 };
const SHORTEST = { carry: 300, handoff: 300, review: 300, arbitration: 300 };

async function refusalOf(relay: Relay, changes: Partial<TermsArgs>): Promise<string | undefined> {
  const list = relay.tasks.list(await relay.tasks.job(), { terms: await terms(changes) });
  return (await relay.ledger.send(list)).error;
}

describe('list_task with terms', () => {
  testGuards(async (relay) => ({
    instruction: relay.tasks.list(await relay.tasks.job(), { terms: await terms() }),
    owned: { InvalidAccountOwner: [2] },
    strangers: { InvalidAccountOwner: [2], InvalidAccount: [3, 4, 5] },
    fixedAccounts: 6,
  }));

  test('[T-72] [T-4] keeps the terms behind what a task without any has', async ({ relay }) => {
    const agreed = await terms();
    const [plain, bound] = [await relay.tasks.listed(1), await relay.tasks.listed(2, { terms: agreed })];
    const [before, after] = [await relay.tasks.state(plain), await relay.tasks.state(bound)];

    expect(after).toMatchObject({ version: 2, status: TaskStatus.Listed, formation: 0, maxBudget: SOL });
    const { bump, taskId, vaultBump } = after;
    expect(after).toEqual({ ...before, version: 2, bump, taskId, vaultBump, terms: some(agreed) });
    expect([await relay.lamports(plain.task), await relay.lamports(bound.task)]).toEqual([3_062_400n, 3_681_840n]);
    expect(await relay.lamports(bound.vault)).toBe(SOL + WALLET_RENT);
  });

  test('[T-72] [T-2] refuses 88 and 90 bytes of terms, and every part of them', async ({ relay }) => {
    const list = relay.tasks.list(await relay.tasks.job(), { terms: await terms() });
    const data = Uint8Array.from(list.data ?? []);
    expect(data).toHaveLength(66 + 89);
    for (const other of [data.slice(0, -1), Uint8Array.of(...data, 0), data.slice(0, 67), data.slice(0, 65)]) {
      const { error } = await relay.ledger.send(withData(list, other));
      expect([other.length, error]).toEqual([other.length, 'InvalidInstruction']);
    }
    must(await relay.ledger.send(list));
  });

  test('[T-72] takes no flag at all', async ({ relay }) => {
    for (const flags of [COSIGNED, 2, 128, 255]) {
      expect([flags, await refusalOf(relay, { flags })]).toEqual([flags, 'InvalidTerms']);
    }
    await listedJob(relay);
  });

  test('[T-72] [T-3] refuses parties in the place of the arbiter, and the coordinator as receiver', async ({
    relay,
  }) => {
    const { poster, funder } = await relay.tasks.job();
    const { receiver } = await terms();
    for (const arbiter of [NOBODY, poster.address, funder.address, relay.coordinator.address, receiver]) {
      expect([arbiter, await refusalOf(relay, { arbiter })]).toEqual([arbiter, 'InvalidTerms']);
    }
    expect(await refusalOf(relay, { receiver: relay.coordinator.address })).toBe('InvalidTerms');
    for (const [number, accepted] of [NOBODY, poster.address].entries()) {
      await listedJob(relay, { number, changes: { receiver: accepted } });
    }
  });

  test('[T-72] [T-3] takes stakes from two empty accounts to the budget, and clocks from 300 seconds to 30 days', async ({
    relay,
  }) => {
    for (const stake of [0n, TWO_WALLETS - 1n, SOL + 1n]) {
      expect([stake, await refusalOf(relay, { stake })]).toEqual([stake, 'InvalidTerms']);
    }
    for (const clock of ['carry', 'handoff', 'review', 'arbitration'] as const) {
      for (const seconds of [0, 299, DAYS_30 + 1]) {
        expect([clock, await refusalOf(relay, { [clock]: seconds })]).toEqual([clock, 'InvalidTerms']);
      }
    }
    await listedJob(relay, { number: 1, changes: { stake: TWO_WALLETS, ...SHORTEST } });
    await listedJob(relay, { number: 2, changes: { stake: SOL, ...LONGEST } });
  });

  test('[P-8] logs the same event as without terms', async ({ relay }) => {
    const job = await relay.tasks.job();
    const outcome = await relay.ledger.send(relay.tasks.list(job, { terms: await terms() }));
    expect(decoded(getTaskListedEventDecoder(), outcome)).toMatchObject({ task: job.task, numLegs: 2 });
  });

  test('[T-19] cancel and close give everything back, the rent of the terms too', async ({ relay }) => {
    const job = await relay.tasks.job();
    const before = await relay.lamports(job.funder.address);
    const list = relay.tasks.list(job, { terms: await terms() });
    must(await relay.ledger.send(list));
    must(await relay.ledger.send(relay.tasks.cancel(job)));
    must(await relay.ledger.send(relay.tasks.close(job)));
    expect(await relay.lamports(job.funder.address)).toBe(before - WALLET_RENT);
    expect((await relay.ledger.send(list)).error).toBe('AlreadyInitialized');
  });
});
