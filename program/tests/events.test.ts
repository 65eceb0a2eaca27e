import {
  getAuthorityAcceptedEventDecoder,
  getAuthorityProposedEventDecoder,
  getCoordinatorSetEventDecoder,
  getInitializedEventDecoder,
  getLegAssignedEventDecoder,
  getLegConfirmedEventDecoder,
  getPackageCancelledEventDecoder,
  getPackageClosedEventDecoder,
  getPackageListedEventDecoder,
  getPackageReclaimedEventDecoder,
  getPackageSettledEventDecoder,
  getPausedSetEventDecoder,
  getReputationOpenedEventDecoder,
  getSwarmFormedEventDecoder,
} from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, SOL, TERMS_HASH } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';

describe('[P-8] every instruction logs one event', () => {
  test('initialize, list_package and cancel_package', async () => {
    const relay = await Relay.deployed();
    const { ledger, authority, coordinator } = relay;
    const initialized = decoded(getInitializedEventDecoder(), await ledger.send(relay.initialize()));
    const roles = { authority: authority.address, coordinator: coordinator.address };
    expect(initialized).toEqual({ discriminator: 0, ...roles });

    const delivery = await relay.delivery();
    expect(decoded(getPackageListedEventDecoder(), await ledger.send(relay.list(delivery)))).toEqual({
      discriminator: 3,
      package: delivery.package,
      shipper: delivery.shipper.address,
      funder: delivery.funder.address,
      maxBudget: SOL,
      deadline: DEADLINE,
      termsHash: TERMS_HASH,
    });
    expect(decoded(getPackageCancelledEventDecoder(), await ledger.send(relay.cancel(delivery)))).toEqual({
      discriminator: 4,
      package: delivery.package,
      refundLamports: SOL + 890_880n,
    });
  });

  test('form_swarm, assign_leg, confirm_leg and settle', async ({ relay }) => {
    const { ledger } = relay;
    const delivery = await relay.listed();
    const { package: address, swarm } = delivery;
    const courier = (await relay.courier(0)).address;
    const leg = await relay.leg(delivery, 0);
    const totalLamports = SOL / 2n;

    const formed = decoded(getSwarmFormedEventDecoder(), await ledger.send(relay.form(delivery, 1, totalLamports)));
    expect(formed).toEqual({ discriminator: 5, package: address, swarm, formation: 1, totalLegs: 1, totalLamports });
    const assign = await relay.assign(delivery, 0, courier, totalLamports);
    const hop = { swarm, leg, courier, index: 0, paymentLamports: totalLamports };
    expect(decoded(getLegAssignedEventDecoder(), await ledger.send(assign))).toEqual({ discriminator: 6, ...hop });
    const confirm = await relay.handoff(delivery, 0, 1);
    expect(decoded(getLegConfirmedEventDecoder(), await ledger.send(confirm))).toEqual({ discriminator: 7, ...hop });
    expect(decoded(getPackageSettledEventDecoder(), await ledger.send(await relay.settle(delivery, 1)))).toEqual({
      discriminator: 8,
      package: address,
      paidLamports: totalLamports,
      refundLamports: totalLamports + 890_880n,
    });
  });

  test.skipIf(CANNOT_SET_TIME)('reclaim_package', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.ledger.send(await relay.reclaim(delivery, 1));
    expect(decoded(getPackageReclaimedEventDecoder(), reclaim)).toEqual({
      discriminator: 10,
      package: delivery.package,
      paidLamports: 0n,
      refundLamports: SOL + 890_880n,
    });
  });

  test('set_coordinator, set_paused, propose_authority and accept_authority', async ({ relay }) => {
    const { ledger } = relay;
    const [coordinator, heir] = [(await relay.person('new coordinator')).address, await relay.person('heir')];
    const authority = heir.address;
    expect(decoded(getCoordinatorSetEventDecoder(), await ledger.send(relay.setCoordinator(coordinator)))).toEqual({
      discriminator: 1,
      coordinator,
    });
    for (const paused of [true, false]) {
      const event = decoded(getPausedSetEventDecoder(), await ledger.send(relay.setPaused(paused)));
      expect(event).toEqual({ discriminator: 2, paused: paused ? 1 : 0 });
    }
    expect(decoded(getAuthorityProposedEventDecoder(), await ledger.send(relay.proposeAuthority(authority)))).toEqual({
      discriminator: 12,
      authority,
    });
    expect(decoded(getAuthorityAcceptedEventDecoder(), await ledger.send(relay.acceptAuthority(heir)))).toEqual({
      discriminator: 13,
      authority,
    });
  });

  test('open_reputation', async ({ relay }) => {
    const [{ address: agent }, payer] = [await relay.courier(0), await relay.person('stranger')];
    const opened = await relay.ledger.send(await relay.openReputation(agent, payer));
    const event = decoded(getReputationOpenedEventDecoder(), opened);
    expect(event).toEqual({ discriminator: 14, agent, payer: payer.address });
  });

  test('close_package', async ({ relay }) => {
    const delivery = await relay.listed();
    must(await relay.ledger.send(relay.cancel(delivery)));
    expect(decoded(getPackageClosedEventDecoder(), await relay.ledger.send(relay.close(delivery)))).toEqual({
      discriminator: 11,
      package: delivery.package,
      rentLamports: 1_273_680n,
    });
  });
});
