import { describe, expect } from 'vitest';
import { testGuards } from './harness/guards.js';
import { must, SOL } from './harness/delivery.js';
import { test } from './harness/relayTest.js';
import { withData } from './harness/tamper.js';

describe('set_paused', () => {
  testGuards(async (relay) => ({
    instruction: relay.setPaused(true),
    owned: { InvalidAccountOwner: [1] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1] },
    fixedAccounts: 2,
  }));

  test('[P-60] the authority pauses and starts again; nothing else changes', async ({ relay }) => {
    const before = await relay.settings();
    for (const paused of [true, true, false, false, true]) {
      must(await relay.ledger.send(relay.setPaused(paused)));
      expect(await relay.settings()).toEqual({ ...before, paused: paused ? 1 : 0 });
    }
  });

  test('[P-60] refuses everybody else, the coordinator too', async ({ relay }) => {
    for (const signer of [relay.coordinator, await relay.person('funder'), await relay.person('stranger')]) {
      for (const paused of [true, false]) {
        expect((await relay.ledger.send(relay.setPaused(paused, signer))).error).toBe('Unauthorized');
      }
    }
    expect((await relay.settings()).paused).toBe(0);
  });

  test('[P-61] takes true and false, no other number', async ({ relay }) => {
    for (const number of [2, 128, 255]) {
      const odd = withData(relay.setPaused(true), Uint8Array.of(2, number));
      expect((await relay.ledger.send(odd)).error).toBe('InvalidInstruction');
    }
  });

  test('[P-9] pausing stops what is new, and starting again opens it', async ({ relay }) => {
    const listed = await relay.listed(1);
    const forming = await relay.forming([SOL], 0, await relay.listed(2));
    const starts = [
      relay.list(await relay.delivery(3)),
      relay.form(listed, 1, SOL),
      await relay.assign(forming, 0, (await relay.courier(0)).address, SOL),
    ];
    await relay.pause();
    for (const start of starts) expect((await relay.ledger.send(start)).error).toBe('Paused');
    must(await relay.ledger.send(relay.setPaused(false)));
    for (const start of starts) must(await relay.ledger.send(start));
  });
});
