import type { MoveAction } from '@legwork/protocol/contract';
import { expect, test } from 'vitest';
import { at, type Cast, legNow } from '../operations/turns/scene.js';
import { type Party, withService } from '../support/service.js';
import { received } from '../support/transactions.js';
import { balanceOf, coordinatorOf, legIdOf, paidByCoordinator, poorCouriers } from './scene.js';

const service = withService();
const TWO_SIGNATURES = 10_000n;

/** Makes a move whose fee the coordinator pays. @returns what it cost the coordinator */
async function relayedMove(cast: Cast, index: number, by: Party, action: MoveAction, hash?: string): Promise<bigint> {
  const legId = await legIdOf(service.current, cast, index);
  const built = await by.client.buildTurnTx({ legId, action, pubkey: by.pubkey, ...(hash && { hash }) });
  const transaction = await paidByCoordinator(service.current, built.transaction, [by]);
  const completed = await by.client.relayTransaction({ transaction });
  await by.client.submitTurn({ legId, transaction: completed.transaction });
  return -(await received(service.current, completed.signature, coordinatorOf(service.current)));
}

test('a courier that has nothing but its stake accepts, takes, claims and gives up by transactions that the coordinator pays for (M-97)', async () => {
  const cast = await poorCouriers(service.current);
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  expect(await relayedMove(cast, 0, first, 'accept')).toBe(TWO_SIGNATURES);
  expect(await balanceOf(service.current, first.pubkey)).toBe(0n);
  expect(await relayedMove(cast, 0, first, 'take')).toBe(TWO_SIGNATURES);
  expect(await relayedMove(cast, 1, second, 'accept')).toBe(TWO_SIGNATURES);
  expect(await relayedMove(cast, 1, second, 'vacate')).toBe(TWO_SIGNATURES);
  const { hash } = await first.client.putEvidence({
    legId: await legIdOf(service.current, cast, 0),
    text: 'at the station',
  });
  expect(await relayedMove(cast, 0, first, 'claim', hash)).toBe(TWO_SIGNATURES);
  expect(await legNow(service.current, cast.parcel.id, 0)).toMatchObject({ stage: 'claimed' });
});
