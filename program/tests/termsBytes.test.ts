import type { Address, Instruction } from '@solana/kit';
import { expect, test } from 'vitest';
import { Relay } from './harness/relay.js';
import { terms } from './harness/terms.js';
import { BUDGET, transactionBytes } from './harness/transactionBytes.js';

test('[T-2] [T-5] the moves of a leg leave most of a packet free', async () => {
  const relay = await Relay.initialised();
  const { moves } = relay;
  const delivery = await relay.delivery();
  const own = { ...delivery, funder: delivery.shipper };
  const [courier, stranger] = [await relay.courier(0), await relay.person('stranger')];
  const bytes = (payer: { readonly address: Address }, ...instructions: readonly Instruction[]) =>
    transactionBytes(payer.address, 0, [...BUDGET, ...instructions]);

  expect({
    list: bytes(delivery.shipper, relay.list(own, { terms: await terms() })),
    listForAnother: bytes(delivery.funder, relay.list(delivery, { terms: await terms() })),
    accept: bytes(courier, await moves.accept(delivery)),
    acceptCosigned: bytes(courier, await moves.accept(delivery, { take: true, lister: delivery.shipper })),
    vacate: bytes(stranger, await moves.vacate(delivery, { index: 1, signer: stranger })),
    claim: bytes(courier, await moves.claim(delivery)),
    dispute: bytes(delivery.shipper, await moves.dispute(delivery)),
  }).toEqual({
    list: 512,
    listForAnother: 608,
    accept: 393,
    acceptCosigned: 457,
    vacate: 425,
    claim: 358,
    dispute: 391,
  });
});
