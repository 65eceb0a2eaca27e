import { LegStatus } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import { court, division, guardedRuling } from './harness/court.js';
import { must } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import { KINDS } from './harness/kinds.js';
import { STAKE } from './harness/terms.js';

describe.each(KINDS)('rule by lister and courier, of a $kind', (kind) => {
  const { staged } = kind;

  testGuards((relay) => guardedRuling(relay, kind, 'agreed'));

  test('[T-23] lister and courier take back what they posted, in every status that they may end', async () => {
    const statuses =
      kind.kind === 'task' ? (['claimed', 'disputed'] as const) : (['held', 'claimed', 'disputed'] as const);
    for (const status of statuses) {
      const relay = await court();
      for (const [number, percent] of [0, 1, 100].entries()) {
        const escrow = await staged(relay, status, { number });
        const agreement = await relay.moves.rule(escrow, { form: 'agreed', percent });
        const changes = await gains(relay, escrow, agreement);
        const isDisputed = status === 'disputed';
        const stakes = isDisputed ? { leg: -2n * STAKE, lister: STAKE } : { leg: -STAKE };
        expect([status, percent, changes]).toEqual([status, percent, { ...stakes, courier: STAKE }]);
        expect((await relay.moves.leg(escrow)).status).toBe(percent === 0 ? LegStatus.Vacant : LegStatus.Ruled);
      }
    }
  });

  test('[T-22] [T-23] [T-24] a receiver that disputed is the other side', async () => {
    const relay = await court();
    const receiver = await relay.person('receiver');
    for (const [number, form] of (['ruled', 'agreed'] as const).entries()) {
      const escrow = await staged(relay, 'claimed', { number });
      must(await relay.ledger.send(await relay.moves.dispute(escrow, { disputer: receiver })));
      const wrong = await relay.moves.rule(escrow, { form, percent: 30 });
      expect((await relay.ledger.send(wrong)).error).toBe('InvalidAccount');
      const right = await relay.moves.rule(escrow, { form, percent: 30, other: receiver.address });
      const { lister, ...others } = division(STAKE, 30n);
      const agreed = { leg: -2n * STAKE, courier: STAKE, receiver: STAKE };
      expect(await gains(relay, escrow, right)).toEqual(form === 'ruled' ? { ...others, receiver: lister } : agreed);
    }
  });
});

test('[T-24] one who disputes is the other side whoever disputed the leg before', async () => {
  const relay = await court();
  const receiver = await relay.person('receiver');
  const delivery = await relay.moves.claimed();
  must(await relay.ledger.send(await relay.moves.dispute(delivery, { disputer: receiver })));
  must(await relay.ledger.send(await relay.moves.rule(delivery, { percent: 0, other: receiver.address })));
  const courier = await relay.courier(3);
  must(await relay.ledger.send(await relay.moves.replace(delivery, 0, courier.address)));
  const move = { courier, formation: 2 };
  must(await relay.ledger.send(await relay.moves.accept(delivery, { ...move, take: true })));
  const agreement = { ...move, form: 'agreed', percent: 10 } as const;
  const stale = await relay.moves.rule(delivery, { ...agreement, other: receiver.address });
  expect((await relay.ledger.send(stale)).error).toBe('InvalidAccount');
  must(await relay.ledger.send(await relay.moves.rule(delivery, agreement)));
});
