import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { must, SOL } from './harness/delivery.js';
import { CURRENT, FORMER_WITHOUT_MANDATES, relayOf, upgrade } from './harness/former.js';
import { Mandates, RENT_OF_VAULT } from './harness/mandates.js';

describe.skipIf(CANNOT_FORGE)('an upgrade from the program without mandates', () => {
  test("[P-114] [P-118] what was listed before is its funder's, and mandates begin after", async () => {
    const relay = await relayOf(FORMER_WITHOUT_MANDATES);
    const mandates = new Mandates(relay);
    const mandated = await mandates.between('owner', 'delegate');
    expect((await relay.ledger.send(await mandates.set(mandated))).error).toBe('InvalidInstruction');
    const delivery = await relay.listed();
    await upgrade(relay, CURRENT);
    expect((await relay.ledger.send(relay.cancel(delivery, mandated.owner))).error).toBe('Unauthorized');
    must(await relay.ledger.send(relay.cancel(delivery)));
    await mandates.funded();
    must(await relay.ledger.send(relay.list(await mandates.delivery(2, mandated))));
  });

  test('[P-117] back in the former program a mandate pays for nothing and loses nothing; forward again, it goes on', async () => {
    const relay = await relayOf(FORMER_WITHOUT_MANDATES);
    await upgrade(relay, CURRENT);
    const mandates = new Mandates(relay);
    const mandated = await mandates.funded();
    const [first, second] = [await mandates.delivery(1, mandated), await mandates.delivery(2, mandated)];
    must(await relay.ledger.send(relay.list(first)));
    const before = await relay.lamports(mandated.address);
    await upgrade(relay, FORMER_WITHOUT_MANDATES);
    expect((await relay.ledger.send(relay.list(second))).error).toBe('MissingSignature');
    expect((await relay.ledger.send(relay.cancel(first, mandated.owner))).error).toBe('Unauthorized');
    must(await relay.ledger.send(relay.cancel(first, mandated.delegate)));
    expect((await relay.lamports(mandated.address)) - before).toBe(SOL + RENT_OF_VAULT);
    await upgrade(relay, CURRENT);
    must(await relay.ledger.send(relay.list(second)));
    must(await relay.ledger.send(relay.cancel(second, mandated.owner)));
  });
});
