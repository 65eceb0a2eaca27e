import type { MoveAction } from '@legwork/protocol/contract';
import { expect, test } from 'vitest';
import { at, type Cast, legNow, moveWithText } from '../operations/turns/scene.js';
import { type Party, withService } from '../support/service.js';
import { received } from '../support/transactions.js';
import { balanceOf, coordinatorOf, legIdOf, paidByCoordinator, poorCouriers } from './scene.js';

const service = withService();
const TWO_SIGNATURES = 10_000n;

/** Makes a move whose fee the coordinator pays. @returns what it cost the coordinator */
async function relayedMove(
  cast: Cast,
  index: number,
  by: Party,
  action: MoveAction,
  given: { hash?: string; percent?: number } = {},
): Promise<bigint> {
  const legId = await legIdOf(service.current, cast, index);
  const built = await by.client.buildTurnTx({ legId, action, pubkey: by.pubkey, ...given });
  const transaction = await paidByCoordinator(service.current, built.transaction, [by]);
  const completed = await by.client.relayTransaction({ transaction });
  await by.client.submitTurn({ legId, transaction: completed.transaction });
  return -(await received(service.current, completed.signature, coordinatorOf(service.current)));
}

test('a courier that has nothing but its stake accepts, takes, claims and gives up by transactions that the coordinator pays for, and an arbiter rules by one, with its reason (M-97, T-113)', async () => {
  const cast = await poorCouriers(service.current);
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  expect(await relayedMove(cast, 0, first, 'accept')).toBe(TWO_SIGNATURES);
  expect(await balanceOf(service.current, first.pubkey)).toBe(0n);
  expect(await relayedMove(cast, 0, first, 'take')).toBe(TWO_SIGNATURES);
  expect(await relayedMove(cast, 1, second, 'accept')).toBe(TWO_SIGNATURES);
  expect(await relayedMove(cast, 1, second, 'vacate')).toBe(TWO_SIGNATURES);
  const { arbiter, shipper, parcel } = cast;
  const legId = await legIdOf(service.current, cast, 0);
  const stored = async (by: Party, text: string) => ({ hash: (await by.client.putEvidence({ legId, text })).hash });
  expect(await relayedMove(cast, 0, first, 'claim', await stored(first, 'at the station'))).toBe(TWO_SIGNATURES);
  expect(await legNow(service.current, parcel.id, 0)).toMatchObject({ stage: 'claimed' });
  await moveWithText(service.current, cast, 0, shipper, 'dispute', 'at no station');
  const reason = await stored(arbiter, 'it shows another station');
  expect(await relayedMove(cast, 0, arbiter, 'rule', { percent: 30, ...reason })).toBe(TWO_SIGNATURES);
  expect(await legNow(service.current, parcel.id, 0)).toMatchObject({ percent: 30 });
});
