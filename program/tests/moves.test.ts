import { LegStatus } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { acceptedDoubles } from './harness/aliases.js';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, SOL, type Delivery } from './harness/delivery.js';
import { PAYMENTS, type Moves } from './harness/moves.js';
import { Relay } from './harness/relay.js';

const TERMS_BYTES = 89;
const TURN_BYTES = 12;

/** Each move, after what makes a package that its first leg fits. */
interface Playable {
  readonly prepare: (moves: Moves) => Promise<Delivery>;
  readonly move: (moves: Moves, delivery: Delivery) => Promise<Instruction>;
}

const MOVES: Readonly<Record<string, Playable>> = {
  accept: { prepare: (moves) => moves.pending(), move: (moves, delivery) => moves.accept(delivery, { take: true }) },
  vacate: { prepare: (moves) => moves.accepted(), move: (moves, delivery) => moves.vacate(delivery) },
  claim: { prepare: (moves) => moves.carried(), move: (moves, delivery) => moves.claim(delivery) },
  dispute: { prepare: (moves) => moves.claimed(), move: (moves, delivery) => moves.dispute(delivery) },
};

async function prepared(relay: Relay, { prepare, move }: Playable) {
  const delivery = await prepare(relay.moves);
  return { delivery, instruction: await move(relay.moves, delivery) };
}

describe.each(Object.entries(MOVES))('%s', (_, playable) => {
  test('[T-5] refuses a package without terms, at any stage', async () => {
    const relay = await Relay.initialised();
    const stages = [await relay.forming([SOL / 2n, 1n], 1), await relay.inTransit([SOL / 2n], await relay.listed(2))];
    for (const delivery of stages) {
      const move = await playable.move(relay.moves, delivery);
      expect((await relay.ledger.send(move)).error).toBe('TermsMissing');
    }
  });

  test('[T-5] refuses a package that is not in transit', async () => {
    const relay = await Relay.initialised();
    const delivery = await relay.forming(PAYMENTS, 2, await relay.moves.listed());
    const move = await playable.move(relay.moves, delivery);
    expect((await relay.ledger.send(move)).error).toBe('InvalidStatus');
    must(await relay.ledger.send(await relay.reclaim(delivery, 2)));
    expect((await relay.ledger.send(move)).error).toBe('InvalidStatus');
  });

  test('[T-6] is open while paused', async () => {
    const relay = await Relay.initialised();
    const { instruction } = await prepared(relay, playable);
    await relay.pause();
    expect((await relay.ledger.send(instruction)).error).toBeUndefined();
  });

  test('happens once', async () => {
    const relay = await Relay.initialised();
    const { instruction } = await prepared(relay, playable);
    must(await relay.ledger.send(instruction));
    expect((await relay.ledger.send(instruction)).error).toBe('InvalidStatus');
  });

  test.skipIf(CANNOT_FORGE)('[T-4] refuses mixed versions and truncated tails', async () => {
    const relay = await Relay.initialised();
    const { delivery, instruction } = await prepared(relay, playable);
    const tails = [
      [delivery.package, TERMS_BYTES],
      [await relay.leg(delivery, 0), TURN_BYTES],
    ] as const;
    for (const [address, tail] of tails) {
      const state = await relay.state(address);
      const { data } = state;
      const forgeries = [
        ['version 1 with a tail', data.with(1, 1)],
        ['version 2 without a tail', data.slice(0, -tail)],
        ['a byte less', data.slice(0, -1)],
        ['a byte more', Uint8Array.of(...data, 0)],
        ['version 0', data.with(1, 0)],
        ['version 3', data.with(1, 3)],
      ] as const;
      for (const [what, forged] of forgeries) {
        await relay.ledger.forge(address, { ...state, data: forged });
        expect([what, (await relay.ledger.send(instruction)).error]).toEqual([what, 'InvalidAccountKind']);
      }
      const plain = data.slice(0, -tail).with(1, 1);
      await relay.ledger.forge(address, { ...state, data: plain });
      const error = tail === TERMS_BYTES ? 'TermsMissing' : 'InvalidAccountKind';
      expect((await relay.ledger.send(instruction)).error).toBe(error);
      await relay.ledger.forge(address, state);
    }
    must(await relay.ledger.send(instruction));
  });
});

describe('moves', () => {
  test('[P-7] take no account in the place of another writable one', async () => {
    for (const [name, playable] of Object.entries(MOVES).filter(([move]) => move !== 'claim')) {
      const relay = await Relay.initialised();
      const { instruction } = await prepared(relay, playable);
      expect([name, await acceptedDoubles(relay, instruction)]).toEqual([name, []]);
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-19] a package of one leg is taken, confirmed and settled', async () => {
    const relay = await Relay.initialised();
    const delivery = await relay.moves.carried(await relay.moves.pending(undefined, [SOL / 2n]));
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 1)));
    expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Completed });
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.settle(delivery, 1)));
    expect(await relay.ledger.account(await relay.leg(delivery, 0))).toBeUndefined();
  });
});
