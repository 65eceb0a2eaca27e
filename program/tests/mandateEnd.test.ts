import { associatedTokenAddress, PackageStatus, TaskStatus } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { RENT_OF_VAULT } from './harness/mandates.js';
import { HALF, MandateScene } from './harness/mandateScene.js';
import { swapped, unsigned } from './harness/tamper.js';
import { STAKE } from './harness/terms.js';
import { RENT_OF_TOKENS, tokensAt } from './harness/tokens.js';

/** The amount that a listing of one SOL, or of as many tokens, gives back if nothing was paid. */
const back = (inTokens: boolean, amount = SOL) =>
  inTokens ? { tokens: amount, lamports: RENT_OF_TOKENS } : { tokens: 0n, lamports: amount + RENT_OF_VAULT };

describe.skipIf(CANNOT_FORGE).each([false, true])('what a mandate has paid for, in tokens: %s', (inTokens) => {
  test('[P-117] [P-118] its owner cancels it with one signature, before anything forms, and the mandate has the money', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandated } = scene;
    const delivery = await scene.listed();
    const before = await scene.held();
    const spent = (await scene.mandates.state(mandated)).spent;
    must(await scene.send(relay.cancel(delivery, mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens));
    must(await scene.send(relay.close(delivery, mandated.owner)));
    expect(await scene.gained(before)).toEqual({ ...back(inTokens), lamports: back(inTokens).lamports + 1_273_680n });
    expect((await scene.mandates.state(mandated)).spent).toBe(spent);
  });

  test('[P-117] [P-118] delegate and coordinator end it too, and the money comes nowhere else', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandated } = scene;
    for (const [index, signer] of [mandated.delegate, relay.coordinator].entries()) {
      const delivery = await scene.listed(index + 1);
      const before = await scene.held();
      for (const thief of [
        mandated.delegate.address,
        mandated.owner.address,
        (await relay.person('stranger')).address,
      ]) {
        const elsewhere = swapped(relay.cancel(delivery, signer), 4, thief);
        expect((await scene.send(elsewhere)).error).toBe('InvalidAccount');
      }
      must(await scene.send(relay.cancel(delivery, signer)));
      expect(await scene.gained(before)).toEqual(back(inTokens));
    }
  });

  test('[P-118] nobody passes for its owner: no stranger, no owner of another mandate, and no owner without the mandate', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandates, mandated } = scene;
    const delivery = await scene.listed();
    const stranger = await relay.person('stranger');
    const own = await mandates.between('stranger', 'delegate', mandated.asset);
    must(await relay.ledger.send(await mandates.set(own)));
    for (const shown of [mandated.address, own.address, stranger.address]) {
      const cancel = swapped(relay.cancel(delivery, stranger), 4, shown);
      expect((await scene.send(cancel)).error).toBe('Unauthorized');
      expect((await scene.send(swapped(relay.close(delivery, stranger), 3, shown))).error).toBe('Unauthorized');
    }
    expect((await scene.send(swapped(relay.cancel(delivery, mandated.owner), 4, mandated.owner.address))).error).toBe(
      'Unauthorized',
    );
    expect((await scene.send(unsigned(relay.cancel(delivery, mandated.owner), 0))).error).toBe('MissingSignature');
    must(await scene.send(relay.cancel(delivery, mandated.owner)));
  });

  test('[P-117] [P-118] its owner reclaims while it forms, and from the deadline on, and settles what is delivered', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandated } = scene;
    const forming = await relay.forming([HALF, HALF], 1, await scene.listed(1));
    let before = await scene.held();
    must(await scene.send(await relay.reclaim(forming, 1, mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens));

    const carried = await scene.inTransit(2);
    must(await scene.send(await relay.handoff(carried, 0, 1), carried.package));
    before = await scene.held();
    const stranger = await relay.person('stranger');
    expect((await scene.send(await relay.settle(carried, 1, stranger))).error).toBe('Unauthorized');
    must(await scene.send(await relay.settle(carried, 1, mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens, HALF));

    const late = await scene.inTransit(3);
    expect((await scene.send(await relay.reclaim(late, 1, mandated.owner))).error).toBe('DeadlineNotReached');
    await relay.ledger.setClock(DEADLINE);
    before = await scene.held();
    must(await scene.send(await relay.reclaim(late, 1, mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens));
    expect((await relay.package(late)).status).toBe(PackageStatus.Reclaimed);
  });

  test('[P-117] [P-118] tasks go the same ways', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandates, mandated } = scene;
    const { tasks } = relay;
    const job = async (number: number, numLegs: number) => {
      const next = await mandates.job(number, mandated);
      must(await scene.send(tasks.list(next, { numLegs }), next.task));
      return next;
    };
    const [cancelled, worked, late] = [await job(1, 2), await job(2, 1), await job(3, 2)];
    let before = await scene.held();
    must(await scene.send(tasks.cancel(cancelled, mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens));
    must(await scene.send(tasks.close(cancelled, mandated.owner)));

    await tasks.inProgress([0], worked);
    must(await scene.send(await tasks.result(worked, 0), worked.task));
    before = await scene.held();
    must(await scene.send(await tasks.settle(worked, firstLegs(1), mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens, 0n));

    await tasks.inProgress([0], late);
    await relay.ledger.setClock(DEADLINE);
    before = await scene.held();
    must(await scene.send(await tasks.reclaim(late, firstLegs(1), mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens));
    expect((await tasks.state(late)).status).toBe(TaskStatus.Reclaimed);
  });

  test('[P-117] the stake of a courier who kept the parcel comes to the mandate, with the budget', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandated } = scene;
    const delivery = await scene.inTransit(1, true);
    must(await scene.send(await relay.moves.accept(delivery, { take: true }), delivery.package));
    await relay.ledger.setClock(DEADLINE);
    const before = await scene.held();
    must(await scene.send(await relay.reclaim(delivery, 1, mandated.owner)));
    expect(await scene.gained(before)).toEqual(back(inTokens, SOL + STAKE));
  });

  test('[P-119] what it has funded goes on after its end, and comes to its owner when it is made again', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandates, mandated } = scene;
    const [listed, forming] = [await scene.listed(1), await relay.forming([HALF], 0, await scene.listed(2))];
    must(await relay.ledger.send(...(await mandates.closing(mandated))));
    expect(await relay.ledger.account(mandated.address)).toBeUndefined();
    expect((await scene.send(relay.cancel(listed, mandated.owner))).error).toBe('Unauthorized');
    must(await scene.send(relay.cancel(listed, relay.coordinator)));
    expect(await scene.held()).toEqual(back(inTokens));
    must(await relay.ledger.send(await mandates.set(mandated, { cap: 1n })));
    must(await scene.send(await relay.reclaim(forming, 0, mandated.owner)));
    must(await scene.send(relay.close(listed, mandated.owner)));
    const { tokens, lamports } = await scene.held();
    const { asset, owner } = mandated;
    const own = async () =>
      asset ? tokensAt(relay.ledger, await associatedTokenAddress(owner.address, asset.mint)) : 0n;
    const before = [await relay.lamports(owner.address), await own()] as const;
    must(await relay.ledger.send(...(await mandates.closing(mandated))));
    const rentOfTokens = inTokens ? RENT_OF_TOKENS : 0n;
    expect((await relay.lamports(owner.address)) - before[0]).toBe(lamports + rentOfTokens);
    expect((await own()) - before[1]).toBe(tokens);
    expect(tokens + lamports).toBeGreaterThan(2n * SOL);
  });

  test('[P-119] a mandate that is made again counts from nothing, within its new limits alone', async () => {
    const scene = await MandateScene.of(inTokens);
    const { relay, mandates, mandated } = scene;
    await scene.listed(1);
    must(await relay.ledger.send(...(await mandates.closing(mandated))));
    must(await relay.ledger.send(await mandates.set(mandated, { cap: HALF })));
    expect(await mandates.state(mandated)).toMatchObject({ spent: 0n, periodStart: 0n, cap: HALF });
    const delivery = await mandates.delivery(2, mandated);
    expect((await scene.send(relay.list(delivery), delivery.package)).error).toBe('MandateExceeded');
  });
});
