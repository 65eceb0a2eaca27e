import { getCreateAccountInstruction } from '@solana-program/system';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { bytesOf, secondAddress } from './harness/bumps.js';
import { must, SOL } from './harness/delivery.js';
import { keyOf } from './harness/keys.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

const PAYMENTS = [SOL / 2n, SOL / 4n];
const ANY_RENT = SOL / 100n;

/** Place of an account of the program among an instruction's accounts, its length, and why another one is refused there. */
type Owned = readonly (readonly [place: number, space: number, error: 'itself' | 'its relations'])[];
const OWNED_IN_CONFIRM: Owned = [
  [1, 183, 'its relations'],
  [2, 129, 'its relations'],
  [3, 85, 'itself'],
  [6, 52, 'itself'],
  [7, 85, 'itself'],
];
const OWNED_IN_SETTLE: Owned = [
  [1, 100, 'itself'],
  [2, 183, 'itself'],
  [5, 129, 'itself'],
  [8, 85, 'itself'],
  [9, 85, 'itself'],
];

describe('forged accounts', () => {
  test('[P-3] accounts that a stranger creates and assigns to the program are no accounts of it', async ({ relay }) => {
    const delivery = await relay.inTransit(PAYMENTS);
    const confirm = await relay.handoff(delivery, 0, 2);
    const payer = await relay.person('stranger');
    for (const [place, space, why] of OWNED_IN_CONFIRM) {
      const newAccount = await keyOf(`blank account for place ${place}`);
      const create = getCreateAccountInstruction({
        payer,
        newAccount,
        lamports: ANY_RENT,
        space,
        programAddress: relay.programAddress,
      });
      const outcome = await relay.ledger.send(create, swapped(confirm, place, newAccount.address));
      expect([place, outcome.error]).toEqual([place, why === 'itself' ? 'InvalidAccountKind' : 'InvalidAccount']);
    }
    must(await relay.ledger.send(confirm));
  });

  test.skipIf(CANNOT_FORGE)(
    "[P-3] copies of the real accounts, owned by an attacker's program, are refused in every place",
    async ({ relay }) => {
      const attacker = await keyOf("the attacker's program");
      const copyOf = async (original: Address, name: string): Promise<Address> => {
        const { address } = await keyOf(`copy for ${name}`);
        await relay.ledger.forge(address, { ...(await relay.state(original)), owner: attacker.address });
        return address;
      };
      const refused = async (instruction: Instruction, owned: Owned) => {
        for (const [place, , why] of owned) {
          const original = instruction.accounts?.[place]?.address;
          if (!original) throw new Error(`There is no account in place ${place}`);
          const forged = swapped(instruction, place, await copyOf(original, `${place}`));
          const error = why === 'itself' ? 'InvalidAccountOwner' : 'InvalidAccount';
          expect([place, (await relay.ledger.send(forged)).error]).toEqual([place, error]);
        }
        must(await relay.ledger.send(instruction));
      };
      const delivery = await relay.inTransit(PAYMENTS);
      await refused(await relay.handoff(delivery, 0, 2), OWNED_IN_CONFIRM);
      must(await relay.ledger.send(await relay.handoff(delivery, 1, 2)));
      await refused(await relay.settle(delivery, 2), OWNED_IN_SETTLE);
      await refused(relay.close(delivery), OWNED_IN_SETTLE.slice(0, 2));
    },
  );

  test.skipIf(CANNOT_FORGE)(
    '[P-12] a Config of an attacker, with the attacker in every role, gives no role',
    async ({ relay }) => {
      const attacker = await relay.person('attacker');
      const { address } = await keyOf("the attacker's config");
      const real = await relay.state(relay.config);
      const data = real.data.slice();
      for (const at of [3, 67]) data.set(bytesOf(attacker.address), at);
      await relay.ledger.forge(address, { ...real, data, owner: attacker.address });
      const attempts = [
        swapped(relay.setPaused(true, attacker), 1, address),
        swapped(relay.setCoordinator(attacker.address, attacker), 1, address),
        swapped(relay.cancel(await relay.listed(), attacker), 1, address),
      ];
      for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccountOwner');
    },
  );

  test('[P-4] no account is created at the address of a second bump', async ({ relay }) => {
    const courier = (await relay.courier(0)).address;
    const planned = await relay.delivery(1);
    const { packageId, shipper } = planned;
    const second = (canonical: Address, ...seeds: (string | Uint8Array)[]) =>
      secondAddress(
        relay,
        canonical,
        seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed)),
      );
    const [packageBytes, swarmBytes] = [bytesOf(planned.package), bytesOf(planned.swarm)];
    const list = relay.list(planned);
    const otherPackage = second(planned.package, 'package', bytesOf(shipper.address), packageId);
    expect((await relay.ledger.send(swapped(list, 3, otherPackage))).error).toBe('InvalidAccount');
    const otherVault = second(planned.vault, 'vault', packageBytes);
    expect((await relay.ledger.send(swapped(list, 4, otherVault))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(list));
    const form = relay.form(planned, 1, SOL);
    const otherSwarm = second(planned.swarm, 'swarm', packageBytes);
    expect((await relay.ledger.send(swapped(form, 3, otherSwarm))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(form));
    const assign = await relay.assign(planned, 0, courier, SOL);
    const otherLeg = second(await relay.leg(planned, 0), 'leg', swarmBytes, Uint8Array.of(0));
    expect((await relay.ledger.send(swapped(assign, 5, otherLeg))).error).toBe('InvalidAccount');
    // A second reputation would be a clean one.
    const otherReputation = second(await relay.reputationOf(courier), 'reputation', bytesOf(courier));
    expect((await relay.ledger.send(swapped(assign, 7, otherReputation))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(assign));
  });

  test('[P-4] there is no second Config', async () => {
    const relay = await Relay.deployed();
    const other = secondAddress(relay, relay.config, [Buffer.from('config')]);
    expect((await relay.ledger.send(swapped(relay.initialize(), 1, other))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(relay.initialize()));
    expect((await relay.ledger.send(swapped(relay.initialize(), 1, other))).error).toBe('InvalidAccount');
  });
});
