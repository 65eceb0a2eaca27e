import { LegStatus } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { acceptedDoubles } from './harness/aliases.js';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { listingOf, type Escrow } from './harness/escrow.js';
import { listedJob, stagedJob } from './harness/jobStages.js';
import { KINDS, type HopStage, type Kind } from './harness/kinds.js';
import { PAYMENTS, type Moves } from './harness/moves.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { readOnly, swapped, withData } from './harness/tamper.js';

const TERMS_BYTES = 89;
const TURN_BYTES = 12;

/** Each move of a first leg, and the status in which it fits. */
interface Playable {
  readonly stage: HopStage;
  readonly move: (moves: Moves, escrow: Escrow) => Promise<Instruction>;
}

const MOVES: Readonly<Record<string, Playable>> = {
  accept: { stage: 'pending', move: (moves, escrow) => moves.accept(escrow) },
  vacate: { stage: 'accepted', move: (moves, escrow) => moves.vacate(escrow) },
  claim: { stage: 'held', move: (moves, escrow) => moves.claim(escrow) },
  dispute: { stage: 'claimed', move: (moves, escrow) => moves.dispute(escrow) },
};
const OF_BOTH = KINDS.flatMap((kind) =>
  Object.entries(MOVES).map(([name, playable]) => ({ name, kind: kind.kind, staged: kind.staged, ...playable })),
);

/** Of this kind without terms, at stages at which it has a first leg. */
async function withoutTerms(relay: Relay, kind: Kind['kind']): Promise<Escrow[]> {
  if (kind === 'task') return [await relay.tasks.inProgress([0])];
  return [await relay.forming([SOL / 2n, 1n], 1), await relay.inTransit([SOL / 2n], await relay.listed(2))];
}

/** Of this kind with terms, before anybody has all of its work and after its end. */
async function notUnderWay(relay: Relay, kind: Kind['kind']): Promise<Escrow[]> {
  const { ledger, tasks } = relay;
  if (kind === 'package') {
    const [forming, over] = [await relay.moves.listed(), await relay.moves.listed(2)];
    for (const delivery of [forming, over]) await relay.forming(PAYMENTS, 2, delivery);
    must(await ledger.send(await relay.reclaim(over, 2)));
    return [forming, over];
  }
  const [listed, released] = [await listedJob(relay), await stagedJob(relay, 'vacant', { number: 2 })];
  const cancelled = await listedJob(relay, { number: 3 });
  must(await ledger.send(await tasks.release(released, { index: 0 })));
  must(await ledger.send(tasks.cancel(cancelled)));
  return [listed, released, cancelled];
}

describe.each(OF_BOTH)('$name, of a $kind', ({ kind, staged, stage, move }) => {
  test('[T-5] refuses what has no terms, at any stage', async ({ relay }) => {
    for (const escrow of await withoutTerms(relay, kind)) {
      expect((await relay.ledger.send(await move(relay.moves, escrow))).error).toBe('TermsMissing');
    }
  });

  test('[T-5] [T-74] refuses what is not under way', async ({ relay }) => {
    for (const escrow of await notUnderWay(relay, kind)) {
      expect((await relay.ledger.send(await move(relay.moves, escrow))).error).toBe('InvalidStatus');
    }
  });

  test('[T-5] refuses the number of another courier of the leg', async ({ relay }) => {
    const instruction = await move(relay.moves, await staged(relay, stage));
    for (const formation of [0, 2, 256]) {
      const data = Uint8Array.from(instruction.data ?? []);
      new DataView(data.buffer).setUint16(1, formation, true);
      expect((await relay.ledger.send(withData(instruction, data))).error).toBe('FormationMismatch');
    }
    must(await relay.ledger.send(instruction));
  });

  test('[T-6] is open while paused', async ({ relay }) => {
    const instruction = await move(relay.moves, await staged(relay, stage));
    await relay.pause();
    expect((await relay.ledger.send(instruction)).error).toBeUndefined();
  });

  test('happens once', async ({ relay }) => {
    const instruction = await move(relay.moves, await staged(relay, stage));
    must(await relay.ledger.send(instruction));
    expect((await relay.ledger.send(instruction)).error).toBe('InvalidStatus');
  });

  test('[P-7] refuses the leg of another one, and the other kind in place of this one', async ({ relay }) => {
    const escrow = await staged(relay, stage);
    const instruction = await move(relay.moves, escrow);
    const other = await staged(relay, stage, { number: 2 });
    const [ofPackage, ofTask] = [
      await relay.moves.pending(await relay.moves.listed(9)),
      await stagedJob(relay, 'pending', { number: 9 }),
    ];
    const stranger = kind === 'task' ? ofPackage : ofTask;
    expect((await relay.ledger.send(swapped(instruction, 3, await relay.hop(other, 0)))).error).toBe('InvalidAccount');
    expect((await relay.ledger.send(swapped(instruction, 3, await relay.hop(stranger, 0)))).error).toBe(
      'InvalidAccountKind',
    );
    const mixed = swapped(instruction, 1, listingOf(stranger));
    expect((await relay.ledger.send(mixed)).error).toBe(kind === 'task' ? 'InvalidAccountOwner' : 'InvalidAccount');
    expect((await relay.ledger.send(swapped(instruction, 2, ofPackage.swarm))).error).toBe('InvalidAccount');
    const none = readOnly(swapped(instruction, 2, relay.programAddress), 2);
    expect((await relay.ledger.send(none)).error).toBe(kind === 'task' ? undefined : 'InvalidAccountOwner');
    if (kind === 'package') must(await relay.ledger.send(instruction));
  });

  test.skipIf(CANNOT_FORGE)('[T-4] refuses mixed versions and truncated tails', async ({ relay }) => {
    const escrow = await staged(relay, stage);
    const instruction = await move(relay.moves, escrow);
    const tails = [
      [listingOf(escrow), TERMS_BYTES],
      [await relay.hop(escrow, 0), TURN_BYTES],
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
    for (const { kind, name, staged, stage, move } of OF_BOTH.filter((each) => each.name !== 'claim')) {
      const relay = await Relay.initialised();
      const instruction = await move(relay.moves, await staged(relay, stage));
      expect([kind, name, await acceptedDoubles(relay, instruction)]).toEqual([kind, name, []]);
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-19] a package of one leg is taken, confirmed and settled', async ({ relay }) => {
    const delivery = await relay.moves.carried(await relay.moves.pending(undefined, [SOL / 2n]));
    must(await relay.ledger.send(await relay.handoff(delivery, 0, 1)));
    expect(await relay.moves.leg(delivery)).toMatchObject({ status: LegStatus.Completed });
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.settle(delivery, 1)));
    expect(await relay.ledger.account(await relay.leg(delivery, 0))).toBeUndefined();
  });
});
