import { getTransferSolInstruction } from '@solana-program/system';
import type { Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { acceptedDoubles } from './harness/aliases.js';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { test } from './harness/relayTest.js';
import { staged } from './harness/stages.js';
import { ARBITRATION, REVIEW } from './harness/terms.js';

/** Length of a leg without its turn. */
const PLAIN_LEG = 85;

test.skipIf(CANNOT_SET_TIME)(
  '[P-7] one account in two mutable roles is refused for every pair of places',
  async ({ relay }) => {
    const { ledger, moves } = relay;
    const taken = await staged(relay, 'carried');
    expect(await acceptedDoubles(relay, await moves.handoff(taken))).toEqual([]);
    const disputed = await staged(relay, 'disputed', { number: 2 });
    expect(await acceptedDoubles(relay, await moves.rule(disputed, { percent: 60 }))).toEqual([]);
    expect(await acceptedDoubles(relay, await moves.crank(disputed))).toEqual([]);
    const agreed = await staged(relay, 'claimed', { number: 3 });
    expect(await acceptedDoubles(relay, await moves.rule(agreed, { form: 'agreed', percent: 60 }))).toEqual([]);
    const vacant = await staged(relay, 'vacant', { number: 4 });
    const { address } = await relay.courier(3);
    expect(await acceptedDoubles(relay, await moves.replace(vacant, 0, address))).toEqual([]);
    const silent = await staged(relay, 'disputed', { number: 5 });
    const left = await moves.accepted([0, 1, 2], await moves.pending(await moves.listed(6)));
    await ledger.setClock(NOW + ARBITRATION);
    const silence = await moves.rule(silent, { form: 'default', percent: 50 });
    expect(await acceptedDoubles(relay, silence)).toEqual([]);
    expect(await acceptedDoubles(relay, await moves.reclaim(left))).toEqual([]);
  },
);

describe.skipIf(CANNOT_SET_TIME)('stakes and payments move once', () => {
  test('[T-18] [T-33] [T-34] also when one transaction asks twice', async ({ relay }) => {
    const { ledger, moves } = relay;
    const claimed = await staged(relay, 'claimed');
    const disputed = await staged(relay, 'disputed', { number: 2 });
    const vacant = await staged(relay, 'vacant', { number: 3 });
    const ruling = await moves.rule(disputed, { percent: 60 });
    const agreement = await moves.rule(disputed, { form: 'agreed', percent: 60 });
    const payment = await moves.crank(disputed);
    const replacement = await moves.replace(vacant, 0, (await relay.courier(3)).address);
    const crank = await moves.crank(claimed);
    const twice: readonly (readonly [readonly Instruction[], string])[] = [
      [[ruling, ruling], 'InvalidStatus'],
      [[ruling, agreement], 'InvalidStatus'],
      [[agreement, ruling], 'InvalidStatus'],
      [[ruling, payment, payment], 'LegOutOfOrder'],
      [[ruling, payment, ruling], 'InvalidStatus'],
      [[replacement, replacement], 'InvalidStatus'],
      [[crank, crank], 'LegOutOfOrder'],
      [[crank, await moves.dispute(claimed)], 'InvalidStatus'],
    ];
    await ledger.setClock(NOW + REVIEW);
    for (const [place, [instructions, refusal]] of twice.entries()) {
      expect([place, (await ledger.send(...instructions)).error]).toEqual([place, refusal]);
    }
    must(await ledger.send(ruling, payment));
    must(await ledger.send(crank));
  });

  test('[T-43] [P-51] accounts of a reclaimed package that get lamports again give nothing', async ({ relay }) => {
    const { ledger, moves } = relay;
    const delivery = await staged(relay, 'accepted');
    const { funder: source } = delivery;
    const places = [delivery.swarm, await relay.leg(delivery, 0), await relay.leg(delivery, 1), delivery.vault];
    const revive = places.map((destination) => getTransferSolInstruction({ source, destination, amount: SOL }));
    const [reclaim, vacate, handoff] = [
      await moves.reclaim(delivery),
      await moves.vacate(delivery),
      await moves.handoff(delivery),
    ];
    expect((await ledger.send(reclaim, ...revive, reclaim)).error).toBe('InvalidStatus');
    expect((await ledger.send(reclaim, ...revive, vacate)).error).toBe('InvalidStatus');
    expect((await ledger.send(reclaim, ...revive, handoff)).error).toBe('InvalidAccountOwner');
    must(await ledger.send(reclaim, ...revive));
  });
});

test.skipIf(CANNOT_FORGE || CANNOT_SET_TIME)(
  '[T-4] legs without turns are no legs of a package with terms',
  async ({ relay }) => {
    const delivery = await staged(relay, 'carried');
    const handoff = await relay.moves.handoff(delivery);
    const agreement = await relay.moves.rule(delivery, { form: 'agreed', percent: 60 });
    for (const [index, instructions] of [[handoff, agreement], [handoff]].entries()) {
      const leg = await relay.leg(delivery, index);
      const state = await relay.state(leg);
      for (const data of [state.data.slice(0, PLAIN_LEG).with(1, 1), state.data.slice(0, -1)]) {
        await relay.change(leg, () => data);
        for (const instruction of instructions) {
          expect((await relay.ledger.send(instruction)).error).toBe('InvalidAccountKind');
        }
      }
      await relay.ledger.forge(leg, state);
    }
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(handoff));
  },
);
