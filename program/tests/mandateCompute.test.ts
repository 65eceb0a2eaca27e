import type { Instruction } from '@solana/kit';
import { expect } from 'vitest';
import { OTHER_ADDRESSES } from './harness/backend.js';
import { must, SOL } from './harness/delivery.js';
import { Mandates } from './harness/mandates.js';
import { test } from './harness/relayTest.js';
import { terms } from './harness/terms.js';
import { newAsset } from './harness/tokens.js';

/** A listing by a mandate makes two calls to another program more than one by a wallet. */
const LIMIT_OF_MANDATES = 10_000;

test.skipIf(OTHER_ADDRESSES)(
  `[P-115] what mandates do takes at most ${LIMIT_OF_MANDATES} compute units`,
  async ({ relay }) => {
    const table: Record<string, number> = {};
    const { ledger } = relay;
    const mandates = new Mandates(relay);
    const mandated = await mandates.between('owner', 'delegate');
    const measure = async (name: string, ...instructions: readonly Instruction[]) => {
      table[name] = must(await ledger.send(...instructions)).units;
    };
    await measure('set_mandate, a new one', await mandates.set(mandated));
    await measure('set_mandate, again', await mandates.set(mandated));
    await mandates.give(mandated, 100n * SOL);
    const delivery = await mandates.delivery(1, mandated);
    await measure('list_package by a mandate', relay.list(delivery));
    await measure('cancel_package, its owner', relay.cancel(delivery, mandated.owner));
    await measure('close_package, its owner', relay.close(delivery, mandated.owner));
    const withTerms = relay.list(await mandates.delivery(2, mandated), { terms: await terms() });
    await measure('list_package with terms', withTerms);
    await measure('list_task by a mandate', relay.tasks.list(await mandates.job(3, mandated)));
    await measure('close_mandate', ...(await mandates.closing(mandated)));
    const asset = await newAsset(relay);
    const inTokens = await mandates.funded({}, { asset });
    const paid = await mandates.delivery(4, inTokens);
    const said = [...(await mandates.said(relay.list(paid), inTokens, paid.package))];
    const listing = said.pop();
    must(await ledger.send(...said));
    if (listing) await measure('list_package in tokens', listing);

    const rows = Object.entries(table).map(([name, units]) => `  ${name.padEnd(28)}${String(units).padStart(6)}\n`);
    process.stdout.write(`compute units of mandates\n${rows.join('')}`);
    expect(Object.entries(table).filter(([, units]) => units > LIMIT_OF_MANDATES)).toEqual([]);
  },
);
