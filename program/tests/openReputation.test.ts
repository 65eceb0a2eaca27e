import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { bytesOf, secondAddress } from './harness/bumps.js';
import { must, SOL } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

const RENT_OF_REPUTATION = (52n + 128n) * 6_960n;
const RENT_OF_LEG = (85n + 128n) * 6_960n;
const RENT_OF_TASK_LEG = (149n + 128n) * 6_960n;

describe('open_reputation', () => {
  testGuards(async (relay) => ({
    instruction: await relay.openReputation((await keyOf('agent')).address),
    owned: {},
    strangers: { InvalidAccount: [1, 2, 3] },
    fixedAccounts: 4,
  }));

  test('[P-98] [P-100] anybody pays for an agent who need not know, and nothing is counted', async ({ relay }) => {
    const payer = await relay.person('stranger');
    const { address: agent } = await keyOf('penniless agent');
    const before = await relay.lamports(payer.address);

    must(await relay.ledger.send(await relay.openReputation(agent, payer)));

    expect(await relay.reputation(agent)).toMatchObject({
      agent,
      legsAccepted: 0n,
      legsCompleted: 0n,
      reliabilityScore: 0,
    });
    expect(await relay.lamports(await relay.reputationOf(agent))).toBe(RENT_OF_REPUTATION);
    expect(await relay.lamports(payer.address)).toBe(before - RENT_OF_REPUTATION);
  });

  test('[P-98] an agent pays for its own', async ({ relay }) => {
    const agent = await relay.courier(0);
    must(await relay.ledger.send(await relay.openReputation(agent.address, agent)));
    expect(await relay.reputation(agent.address)).toMatchObject({ agent: agent.address, legsAccepted: 0n });
  });

  test('[P-98] needs no Config, and stays open while paused', async () => {
    const early = await Relay.deployed();
    const paused = await Relay.initialised();
    await paused.pause();
    for (const relay of [early, paused]) {
      const { address: agent } = await relay.courier(0);
      must(await relay.ledger.send(await relay.openReputation(agent)));
      expect(await relay.reputation(agent)).toMatchObject({ agent });
    }
  });

  test('[P-99] refuses an agent that is a program, an account of one, or an address that no key has', async ({
    relay,
  }) => {
    const delivery = await relay.listed();
    const addresses = [
      relay.ledger.programAddress,
      relay.config,
      delivery.package,
      delivery.vault,
      await relay.leg(delivery, 0),
      await relay.reputationOf((await relay.courier(0)).address),
    ];
    for (const agent of addresses) {
      const { error } = await relay.ledger.send(await relay.openReputation(agent));
      expect([agent, error]).toEqual([agent, 'InvalidAgent']);
    }
  });

  test('[P-100] opens a reputation once, and never resets one that counts', async ({ relay }) => {
    const [fresh, { address: known }] = [(await keyOf('agent')).address, await relay.courier(0)];
    const open = await relay.openReputation(fresh);
    expect((await relay.ledger.send(open, open)).error).toBe('AlreadyInitialized');
    must(await relay.ledger.send(open));
    expect((await relay.ledger.send(open)).error).toBe('AlreadyInitialized');

    await relay.carried([SOL]);
    expect((await relay.ledger.send(await relay.openReputation(known))).error).toBe('AlreadyInitialized');
    expect(await relay.reputation(known)).toMatchObject({ legsAccepted: 1n, legsCompleted: 1n });
  });

  test('[P-100] whoever assigns the agent a leg pays for the leg alone', async ({ relay }) => {
    const { address: agent } = await relay.courier(0);
    const [delivery, job] = [await relay.forming([SOL]), await relay.tasks.listed()];
    must(await relay.ledger.send(await relay.openReputation(agent)));
    const before = await relay.lamports(relay.coordinator.address);

    must(await relay.ledger.send(await relay.assign(delivery, 0, agent, SOL)));
    must(await relay.ledger.send(await relay.tasks.assign(job, 0, agent)));

    expect(await relay.lamports(relay.coordinator.address)).toBe(before - RENT_OF_LEG - RENT_OF_TASK_LEG);
    expect(await relay.reputation(agent)).toMatchObject({ legsAccepted: 2n });
  });

  test('[P-4] [P-7] refuses the reputation of somebody else, and the address of a second bump', async ({ relay }) => {
    const { address: agent } = await relay.courier(0);
    const open = await relay.openReputation(agent);
    const others = [
      await relay.reputationOf((await relay.courier(1)).address),
      secondAddress(relay, await relay.reputationOf(agent), [Buffer.from('reputation'), bytesOf(agent)]),
    ];
    for (const other of others) {
      expect((await relay.ledger.send(swapped(open, 2, other))).error).toBe('InvalidAccount');
    }
    must(await relay.ledger.send(open));
  });

  test.skipIf(CANNOT_FORGE)("[P-3] takes no account at the agent's address for a vacant one", async ({ relay }) => {
    const { address: agent } = await relay.courier(0);
    const at = await relay.reputationOf(agent);
    const open = await relay.openReputation(agent);
    const system = await relay.state(agent);
    const occupied = [
      { ...system, owner: (await keyOf('another program')).address },
      { ...system, data: new Uint8Array(52) },
      { ...system, owner: relay.programAddress, data: new Uint8Array(52) },
    ];
    for (const state of occupied) {
      await relay.ledger.forge(at, state);
      expect((await relay.ledger.send(open)).error).toBe('AlreadyInitialized');
    }
  });

  test('[P-5] works when strangers have sent lamports to the addresses', async () => {
    for (const gift of [890_880n, RENT_OF_REPUTATION, SOL]) {
      const relay = await Relay.initialised();
      const { address: agent } = await relay.courier(0);
      const payer = await relay.person('stranger');
      await relay.ledger.airdrop(await relay.reputationOf(agent), gift);
      const before = await relay.lamports(payer.address);
      must(await relay.ledger.send(await relay.openReputation(agent, payer)));
      const missing = gift < RENT_OF_REPUTATION ? RENT_OF_REPUTATION - gift : 0n;
      expect(await relay.lamports(payer.address)).toBe(before - missing);
      expect(await relay.reputation(agent)).toMatchObject({ agent, legsAccepted: 0n });
    }
  });
});
