import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { testGuards } from './harness/guards.js';
import { must } from './harness/delivery.js';
import { test } from './harness/relayTest.js';

const NOBODY = address('11111111111111111111111111111111');

describe('accept_authority', () => {
  testGuards(async (relay) => {
    const heir = await relay.person('heir');
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    return {
      instruction: relay.acceptAuthority(heir),
      owned: { InvalidAccountOwner: [1] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1] },
      fixedAccounts: 2,
    };
  });

  test('[P-63] the proposed key takes over, and the former authority can do nothing more', async ({ relay }) => {
    const before = await relay.settings();
    const heir = await relay.person('heir');
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    must(await relay.ledger.send(relay.acceptAuthority(heir)));
    expect(await relay.settings()).toEqual({ ...before, authority: heir.address, pendingAuthority: NOBODY });

    const { address: somebody } = await relay.person('somebody');
    const formerly = [relay.setPaused(true), relay.setCoordinator(somebody), relay.proposeAuthority(somebody)];
    for (const instruction of formerly) expect((await relay.ledger.send(instruction)).error).toBe('Unauthorized');
    must(await relay.ledger.send(relay.setPaused(true, heir)));
    must(await relay.ledger.send(relay.setCoordinator(somebody, heir)));
  });

  test('[P-63] happens once for a proposal', async ({ relay }) => {
    const heir = await relay.person('heir');
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    must(await relay.ledger.send(relay.acceptAuthority(heir)));
    expect((await relay.ledger.send(relay.acceptAuthority(heir))).error).toBe('Unauthorized');
  });

  test('[P-63] refuses everybody but the proposed key, and everybody when none is proposed', async ({ relay }) => {
    const heir = await relay.person('heir');
    const others = [relay.authority, relay.coordinator, await relay.person('former heir')];
    for (const signer of [heir, ...others]) {
      expect((await relay.ledger.send(relay.acceptAuthority(signer))).error).toBe('Unauthorized');
    }
    must(await relay.ledger.send(relay.proposeAuthority((await relay.person('former heir')).address)));
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    for (const signer of others) {
      expect((await relay.ledger.send(relay.acceptAuthority(signer))).error).toBe('Unauthorized');
    }
    expect((await relay.settings()).authority).toBe(relay.authority.address);
  });

  test('[P-64] refuses a key that has become the coordinator since it was proposed', async ({ relay }) => {
    const heir = await relay.person('heir');
    must(await relay.ledger.send(relay.proposeAuthority(heir.address)));
    must(await relay.ledger.send(relay.setCoordinator(heir.address)));
    expect((await relay.ledger.send(relay.acceptAuthority(heir))).error).toBe('InvalidRole');
    must(await relay.ledger.send(relay.setCoordinator(relay.coordinator.address)));
    must(await relay.ledger.send(relay.acceptAuthority(heir)));
  });
});
