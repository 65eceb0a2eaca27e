import type { Instruction, KeyPairSigner } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { must, NOW, SOL, type Delivery } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { staged } from './harness/stages.js';
import { HANDOFF, REVIEW } from './harness/terms.js';

async function error(relay: Relay, instruction: Instruction): Promise<string | undefined> {
  return (await relay.ledger.send(instruction)).error;
}

/** The signer and the move, and the replacement that came between the signature and its landing. */
describe('[T-30] [T-35] signatures about former couriers', () => {
  async function exchanged(relay: Relay, delivery: Delivery, index: number, courier: KeyPairSigner): Promise<number> {
    const { courier: former, turn } = await relay.moves.leg(delivery, index);
    const leave = { index, formation: turn.formation, courier: await relay.known(former) };
    must(await relay.ledger.send(await relay.moves.vacate(delivery, leave)));
    must(await relay.ledger.send(await relay.moves.replace(delivery, index, courier.address)));
    const { formation } = (await relay.moves.leg(delivery, index)).turn;
    must(await relay.ledger.send(await relay.moves.accept(delivery, { index, formation, courier })));
    return formation;
  }

  test('a handoff signed as the courier of the next leg fits no more after A, B, A', async ({ relay }) => {
    const [a, b] = [await relay.courier(1), await relay.courier(3)];
    const delivery = await staged(relay, 'carried');
    const old = await relay.moves.handoff(delivery);
    expect(await exchanged(relay, delivery, 1, b)).toBe(2);
    expect(await exchanged(relay, delivery, 1, a)).toBe(3);
    expect(await error(relay, old)).toBe('FormationMismatch');
    must(await relay.ledger.send(await relay.moves.handoff(delivery)));
  });

  test('a handoff signed for a courier of this leg fits no more after A, B, A', async ({ relay }) => {
    const [a, b] = [await relay.courier(0), await relay.courier(3)];
    const delivery = await staged(relay, 'accepted');
    const old = await relay.moves.handoff(delivery);
    await exchanged(relay, delivery, 0, b);
    const formation = await exchanged(relay, delivery, 0, a);
    must(await relay.ledger.send(await relay.moves.accept(delivery, { formation, courier: a, take: true })));
    expect(await error(relay, old)).toBe('FormationMismatch');
    must(await relay.ledger.send(await relay.moves.handoff(delivery)));
  });

  test('a replacement on another leg spoils no signature', async ({ relay }) => {
    const delivery = await staged(relay, 'carried');
    const handoff = await relay.moves.handoff(delivery);
    const claim = await relay.moves.claim(delivery);
    await relay.moves.accepted([2], delivery);
    await exchanged(relay, delivery, 2, await relay.courier(3));
    await exchanged(relay, delivery, 2, await relay.courier(2));
    expect(await error(relay, claim)).toBeUndefined();
    expect(await error(relay, handoff)).toBeUndefined();
  });

  test.skipIf(CANNOT_SET_TIME)(
    'replacing the next courier again and again delays no payment by silence',
    async ({ relay }) => {
      const delivery = await staged(relay, 'claimed');
      const crank = await relay.moves.crank(delivery);
      await exchanged(relay, delivery, 1, await relay.courier(3));
      await exchanged(relay, delivery, 1, await relay.courier(1));
      await relay.ledger.setClock(NOW + REVIEW);
      expect(await error(relay, crank)).toBeUndefined();
    },
  );

  test('a takeover names the larger number of both legs, whichever that is', async () => {
    for (const index of [0, 1]) {
      const relay = await Relay.initialised();
      const delivery = await staged(relay, 'accepted');
      await exchanged(relay, delivery, index, await relay.courier(3));
      const { courier, turn } = await relay.moves.leg(delivery, 0);
      const first = { courier: await relay.known(courier), formation: turn.formation };
      must(await relay.ledger.send(await relay.moves.accept(delivery, { ...first, take: true })));
      const recipient = await relay.known((await relay.moves.leg(delivery, 1)).courier);
      for (const formation of [0, 1, 3, 65_535]) {
        const confirm = await relay.confirm(delivery, { index: 0, courier, recipient, next: 1, formation });
        expect([index, formation, await error(relay, confirm)]).toEqual([index, formation, 'FormationMismatch']);
      }
      must(await relay.ledger.send(await relay.moves.handoff(delivery)));
    }
  });

  test("the lister's signature for a former courier of the final leg fits no more", async ({ relay }) => {
    const payments = [SOL / 8n];
    const delivery = await relay.moves.accepted([0], await relay.moves.pending(await relay.moves.listed(), payments));
    const { courier } = await relay.moves.leg(delivery);
    const old = await relay.confirm(delivery, { index: 0, courier, recipient: delivery.shipper });
    for (const newcomer of [await relay.courier(3), await relay.courier(0)]) {
      const former = await relay.moves.leg(delivery);
      const leave = { formation: former.turn.formation, courier: await relay.known(former.courier) };
      must(await relay.ledger.send(await relay.moves.vacate(delivery, leave)));
      must(
        await relay.ledger.send(
          await relay.moves.replace(delivery, 0, newcomer.address, { legs: 1, paymentLamports: SOL / 8n }),
        ),
      );
      const { formation } = (await relay.moves.leg(delivery)).turn;
      must(await relay.ledger.send(await relay.moves.accept(delivery, { formation, courier: newcomer })));
    }
    expect(await error(relay, old)).toBe('FormationMismatch');
  });

  test.skipIf(CANNOT_SET_TIME)(
    'moves signed by a former courier fit no more when it has the leg again',
    async ({ relay }) => {
      const delivery = await relay.moves.pending();
      const a = await relay.courier(0);
      const old = [
        await relay.moves.accept(delivery, { take: true }),
        await relay.moves.vacate(delivery),
        await relay.moves.claim(delivery),
        await relay.moves.rule(delivery, { form: 'agreed', percent: 100 }),
      ];
      must(await relay.ledger.send(await relay.moves.accept(delivery)));
      await exchanged(relay, delivery, 0, await relay.courier(3));
      const formation = await exchanged(relay, delivery, 0, a);
      for (const move of old) expect(await error(relay, move)).toBe('FormationMismatch');
      await relay.ledger.setClock(NOW + HANDOFF);
      must(await relay.ledger.send(await relay.moves.accept(delivery, { formation, take: true })));
      for (const move of old) expect(await error(relay, move)).toBe('FormationMismatch');
    },
  );
});
