import type { Address, Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { must, NOW, SOL } from './harness/delivery.js';
import { stagedJob } from './harness/jobStages.js';
import { PAYMENTS } from './harness/moves.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { withData } from './harness/tamper.js';
import { CARRY } from './harness/terms.js';

const HALF = SOL / 2n;

/** The counts of this courier's reputation: accepted, completed. */
async function career(relay: Relay, index = 0): Promise<[bigint, bigint]> {
  const { legsAccepted, legsCompleted } = await relay.reputation((await relay.courier(index)).address);
  return [legsAccepted, legsCompleted];
}

const errorOf = async (relay: Relay, instruction: Instruction) => (await relay.ledger.send(instruction)).error;

/** The instruction without its last account, and with another one in that place. */
function withLast({ accounts = [], ...rest }: Instruction, other?: Address): Instruction {
  const last = accounts.at(-1);
  const swapped = other === undefined || last === undefined ? [] : [{ ...last, address: other }];
  return { ...rest, accounts: [...accounts.slice(0, -1), ...swapped] };
}

describe('what a reputation counts of legs with terms', () => {
  test('[T-100] nothing before the courier has the parcel: a rival that lists, lets it win and reclaims changes nothing', async ({
    relay,
  }) => {
    for (let round = 1; round <= 5; round += 1) {
      const delivery = await relay.moves.pending(await relay.moves.listed(round), [HALF]);
      if (round % 2 === 0) await relay.moves.accepted([0], delivery);
      must(await relay.ledger.send(await relay.moves.reclaim(delivery, delivery.shipper, 1)));
    }
    expect(await career(relay)).toEqual([0n, 0n]);
  });

  test('[T-100] the pickup, then the payment', async ({ relay }) => {
    const delivery = await relay.moves.pending(await relay.moves.listed(), [HALF]);
    expect(await career(relay)).toEqual([0n, 0n]);
    await relay.moves.carried(delivery);
    expect(await career(relay)).toEqual([1n, 0n]);
    must(await relay.ledger.send(await relay.moves.handoff(delivery, 0, 1)));
    expect(await career(relay)).toEqual([1n, 1n]);
  });

  test('[T-100] a parcel that arrives without having been picked up on the ledger, once', async ({ relay }) => {
    const delivery = await relay.moves.accepted([0], await relay.moves.pending(await relay.moves.listed(), [HALF]));
    must(await relay.ledger.send(await relay.moves.handoff(delivery, 0, 1)));
    expect(await career(relay)).toEqual([1n, 1n]);
  });

  test('[T-100] a takeover for both couriers, whose next one is counted from then on', async ({ relay }) => {
    const delivery = await relay.moves.accepted([1], await relay.moves.carried());
    must(await relay.ledger.send(await relay.moves.handoff(delivery)));
    expect([await career(relay), await career(relay, 1)]).toEqual([
      [1n, 1n],
      [1n, 0n],
    ]);
  });

  test.skipIf(CANNOT_SET_TIME)('[T-100] a stake that is lost, and no leaving in time', async ({ relay }) => {
    const delivery = await relay.moves.accepted([0]);
    must(await relay.ledger.send(await relay.moves.vacate(delivery, { index: 0 })));
    expect(await career(relay)).toEqual([0n, 0n]);
    const { address } = await relay.courier(0);
    must(await relay.ledger.send(await relay.moves.replace(delivery, 0, address)));
    must(await relay.ledger.send(await relay.moves.accept(delivery, { formation: 2 })));
    await relay.ledger.setClock(NOW + CARRY);
    const evict = await relay.moves.vacate(delivery, { formation: 2, signer: await relay.person('stranger') });
    expect(await errorOf(relay, withLast(evict))).toBe('NotEnoughAccounts');
    must(await relay.ledger.send(evict));
    expect(await career(relay)).toEqual([1n, 0n]);
  });

  test('[T-100] the claim of a result', async ({ relay }) => {
    const job = await stagedJob(relay, 'accepted');
    expect(await career(relay)).toEqual([0n, 0n]);
    must(await relay.ledger.send(await relay.moves.claim(job)));
    expect(await career(relay)).toEqual([1n, 0n]);
  });

  test('[T-100] [T-103] nobody evades it, and nothing of it is written to another reputation', async ({ relay }) => {
    const delivery = await relay.moves.pending(undefined, PAYMENTS);
    const other = await relay.reputationOf((await relay.courier(1)).address);
    const take = await relay.moves.accept(delivery, { take: true });
    expect(await errorOf(relay, withLast(take))).toBe('NotEnoughAccounts');
    expect(await errorOf(relay, withLast(take, other))).toBe('InvalidAccount');
    expect(await errorOf(relay, withLast(take, delivery.swarm))).toBe('InvalidAccountKind');
    expect(await errorOf(relay, withLast(take, (await relay.person('stranger')).address))).toBe('InvalidAccountOwner');
    must(await relay.ledger.send(take));
    await relay.moves.accepted([1], delivery);
    const handoff = await relay.moves.handoff(delivery);
    expect(await errorOf(relay, withLast(handoff))).toBe('NotEnoughAccounts');
    const own = await relay.reputationOf((await relay.courier(0)).address);
    expect(await errorOf(relay, withLast(handoff, own))).toBe('InvalidAccount');
    must(await relay.ledger.send(handoff));
    expect([await career(relay), await career(relay, 1)]).toEqual([
      [1n, 1n],
      [1n, 0n],
    ]);
  });

  test('[T-102] an assignment says that it counts later by one byte of 1, and only with terms', async ({ relay }) => {
    const { address } = await relay.courier(0);
    const plain = await relay.forming([HALF], 0, await relay.listed(2));
    expect(await errorOf(relay, await relay.assign(plain, 0, address, HALF, true))).toBe('InvalidInstruction');
    const bound = await relay.forming([HALF], 0, await relay.moves.listed(3));
    const assign = await relay.assign(bound, 0, address, HALF, true);
    const said = Uint8Array.from(assign.data ?? []);
    const wrong = withData(assign, said.with(said.length - 1, 2));
    expect(await errorOf(relay, wrong)).toBe('InvalidInstruction');
    // As the service of a former version says it.
    must(await relay.ledger.send(await relay.assign(bound, 0, address, HALF, null)));
    expect(await career(relay)).toEqual([1n, 0n]);
  });
});
