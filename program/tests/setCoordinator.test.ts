import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { testGuards } from './harness/guards.js';
import { must, SOL } from './harness/delivery.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const NOBODY = address('11111111111111111111111111111111');
const HALF = SOL / 2n;

describe('set_coordinator', () => {
  testGuards(async (relay) => ({
    instruction: relay.setCoordinator((await relay.person('new coordinator')).address),
    owned: { InvalidAccountOwner: [1] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1] },
    fixedAccounts: 2,
  }));

  test('[P-57] the authority replaces the coordinator; nothing else changes', async ({ relay }) => {
    const before = await relay.settings();
    const successor = await relay.person('new coordinator');
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    expect(await relay.settings()).toEqual({ ...before, coordinator: successor.address });
  });

  test('[P-57] refuses everybody else, the coordinator too', async ({ relay }) => {
    const before = await relay.settings();
    for (const signer of [relay.coordinator, await relay.person('upgrader'), await relay.person('stranger')]) {
      const outcome = await relay.ledger.send(relay.setCoordinator(signer.address, signer));
      expect(outcome.error).toBe('Unauthorized');
    }
    expect(await relay.settings()).toEqual(before);
  });

  test('[P-58] refuses the authority and the zero key as coordinator', async ({ relay }) => {
    for (const coordinator of [relay.authority.address, NOBODY]) {
      expect((await relay.ledger.send(relay.setCoordinator(coordinator))).error).toBe('InvalidRole');
    }
  });

  test('[P-57] [P-59] the former coordinator can do nothing more, the new one goes on where it stopped', async ({
    relay,
  }) => {
    const successor = await relay.person('new coordinator');
    const listed = await relay.listed(1);
    const forming = await relay.forming([HALF, HALF], 1, await relay.listed(2));
    const carried = await relay.inTransit([HALF], await relay.listed(3));
    must(await relay.ledger.send(await relay.handoff(carried, 0, 1)));
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));

    const assign = await relay.assign(forming, 1, (await relay.courier(1)).address, HALF);
    const withRole = [
      [relay.form(listed, 1, SOL), 'Unauthorized'],
      [assign, 'Unauthorized'],
      [await relay.settle(carried, 1), 'Unauthorized'],
      [relay.cancel(listed, relay.coordinator), 'Unauthorized'],
    ] as const;
    for (const [instruction, error] of withRole) expect((await relay.ledger.send(instruction)).error).toBe(error);

    const sponsored = await relay.delivery(4, { funder: relay.coordinator });
    const unsigned = await relay.ledger.send(relay.list(sponsored, { shipperSigns: false }));
    expect(unsigned.error).toBe('MissingSignature');

    must(await relay.ledger.send(signedBy(assign, 0, successor)));
    const before = await relay.lamports(relay.coordinator.address);
    must(await relay.ledger.send(await relay.settle(carried, 1, successor)));
    // The former one paid for that swarm.
    expect(await relay.lamports(relay.coordinator.address)).toBeGreaterThan(before);
    must(await relay.ledger.send(relay.cancel(listed, successor)));
  });

  test('[P-59] rent goes to the coordinator who formed the swarm, not to another one', async ({ relay }) => {
    const successor = await relay.person('new coordinator');
    const delivery = await relay.inTransit([SOL]);
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 1)));
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    const diverted = swapped(await relay.settle(delivery, 1, successor), 6, successor.address);
    expect((await relay.ledger.send(diverted)).error).toBe('InvalidAccount');
  });
});
