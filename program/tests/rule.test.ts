import { LegStatus } from '@legwork/program-client';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, type Delivery } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import type { Ruling } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { signedBy, swapped, swappedFor, unsigned } from './harness/tamper.js';
import { ARBITRATION, INCINERATOR, STAKE, terms } from './harness/terms.js';

/** Whoever a ruling can pay. */
interface Purses {
  readonly leg: bigint;
  readonly worker: bigint;
  readonly lister: bigint;
  readonly receiver: bigint;
  readonly arbiter: bigint;
  readonly incinerator: bigint;
  readonly vault: bigint;
}

async function purses(relay: Relay, delivery: Delivery): Promise<Purses> {
  return {
    leg: await relay.lamports(await relay.leg(delivery, 0)),
    worker: await relay.lamports((await relay.courier(0)).address),
    lister: await relay.lamports(delivery.shipper.address),
    receiver: await relay.lamports((await relay.person('receiver')).address),
    arbiter: await relay.lamports((await keyOf('arbiter')).address),
    incinerator: await relay.lamports(INCINERATOR),
    vault: await relay.lamports(delivery.vault),
  };
}

/** What everybody has more after an instruction. */
async function gains(relay: Relay, delivery: Delivery, instruction: Instruction): Promise<Partial<Purses>> {
  const before = await purses(relay, delivery);
  must(await relay.ledger.send(instruction));
  const after = await purses(relay, delivery);
  const changes = Object.entries(after).map(([name, lamports]) => [name, lamports - before[name as keyof Purses]]);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0n)) as Partial<Purses>;
}

const FORMS: readonly Required<Ruling>['form'][] = ['ruled', 'default', 'agreed'];

describe('rule', () => {
  for (const form of ['ruled', 'agreed'] as const) {
    describe(`by ${form === 'ruled' ? 'the arbiter' : 'lister and courier'}`, () => {
      testGuards(async () => {
        const relay = await Relay.initialised();
        await relay.person('arbiter');
        const delivery = await relay.moves.disputed();
        return {
          relay,
          instruction: await relay.moves.rule(delivery, { form, percent: 60 }),
          owned: {
            3: 'InvalidAccountOwner',
            4: 'InvalidAccountOwner',
            5: 'InvalidAccountOwner',
            6: 'InvalidAccountOwner',
          },
          strangers: {
            0: 'Unauthorized',
            1: 'InvalidAccount',
            2: 'InvalidAccount',
            3: 'InvalidAccountOwner',
            4: 'InvalidAccountOwner',
            5: 'InvalidAccountOwner',
            6: 'InvalidAccountOwner',
            7: 'InvalidAccount',
            8: 'InvalidAccount',
          },
          fixedAccounts: 9,
        };
      });
    });
  }

  test.each([0, 1, 49, 50, 99, 100])(
    '[T-22] the arbiter divides two stakes less its fee at %i percent, to the lamport',
    async (percent) => {
      const relay = await Relay.initialised();
      await relay.person('arbiter');
      const delivery = await relay.moves.disputed();
      const fee = STAKE / 2n;
      const worker = ((2n * STAKE - fee) * BigInt(percent)) / 100n;

      const changes = await gains(relay, delivery, await relay.moves.rule(delivery, { percent }));

      const expected = { leg: -2n * STAKE, worker, lister: 2n * STAKE - fee - worker, arbiter: fee };
      expect(changes).toEqual(Object.fromEntries(Object.entries(expected).filter(([, change]) => change !== 0n)));
      const status = percent === 0 ? LegStatus.Vacant : LegStatus.Ruled;
      expect(await relay.moves.leg(delivery)).toMatchObject({ status, turn: { since: NOW, formation: 1, percent } });
    },
  );
});
