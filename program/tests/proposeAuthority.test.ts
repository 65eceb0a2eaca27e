import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { testGuards } from './harness/guards.js';
import { must } from './harness/delivery.js';
import { test } from './harness/relayTest.js';

const NOBODY = address('11111111111111111111111111111111');

describe('propose_authority', () => {
  testGuards(async (relay) => ({
    instruction: relay.proposeAuthority((await relay.person('heir')).address),
    owned: { InvalidAccountOwner: [1] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1] },
    fixedAccounts: 2,
  }));

  test('[P-62] names the next authority, a later proposal replaces it, and the authority stays for now', async ({
    relay,
  }) => {
    const before = await relay.settings();
    for (const name of ['heir', 'other heir']) {
      const { address: heir } = await relay.person(name);
      must(await relay.ledger.send(relay.proposeAuthority(heir)));
      expect(await relay.settings()).toEqual({ ...before, pendingAuthority: heir });
    }
    must(await relay.ledger.send(relay.setPaused(true)));
  });

  test('[P-62] the zero key withdraws the proposal', async ({ relay }) => {
    const heir = await relay.person('heir');
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    must(await relay.ledger.send(relay.proposeAuthority(NOBODY)));
    expect((await relay.settings()).pendingAuthority).toBe(NOBODY);
    expect((await relay.ledger.send(relay.acceptAuthority(heir))).error).toBe('Unauthorized');
  });

  test('[P-62] refuses everybody but the authority: the coordinator and the proposed one too', async ({ relay }) => {
    const heir = await relay.person('heir');
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    for (const signer of [relay.coordinator, heir, await relay.person('stranger')]) {
      const outcome = await relay.ledger.send(relay.proposeAuthority(signer.address, signer));
      expect(outcome.error).toBe('Unauthorized');
    }
    expect((await relay.settings()).pendingAuthority).toBe(heir.address);
  });

  test('[P-62] refuses the coordinator as the next authority', async ({ relay }) => {
    const outcome = await relay.ledger.send(relay.proposeAuthority(relay.coordinator.address));
    expect(outcome.error).toBe('InvalidRole');
  });
});
