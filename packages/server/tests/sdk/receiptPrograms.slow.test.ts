import { makeMove, type Receipt, readHandoff, signHandoff, submitHandoff } from '@legwork/sdk';
import { expect, test } from 'vitest';
import {
  goVerifier,
  pythonVerifier,
  type ReceiptVerifier,
  rustVerifier,
  typescriptVerifier,
} from '../../../../examples/tests/support/receiptVerifiers.js';
import { at, carryTo, CHAIN, formedWithTerms, legNow } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';

const service = withService();

/** A relay of which two handoffs go by transactions, one by a text with something noted, and the last one by a text. */
async function relayed(): Promise<Receipt[]> {
  const cast = await formedWithTerms(service.current, CHAIN, {});
  const { parcel, shipper, couriers } = cast;
  await carryTo(service.current, cast, 1);
  const third = at(couriers, 2);
  const legId = (await legNow(service.current, parcel.id, 2)).id;
  await makeMove(third.client, third.signer, { legId, packageId: parcel.id, action: 'accept' });
  for (const [by, legIndex] of [
    [third, 1],
    [shipper, 2],
  ] as const) {
    const ahead = await readHandoff(by.client, by.signer.address, { packageId: parcel.id, legIndex });
    const noted = legIndex === 1 ? new Uint8Array(32).fill(9) : undefined;
    await submitHandoff(by.client, by.signer, await signHandoff(by.signer, ahead, { noted }));
    await untilPackage(service.current, parcel.id, ({ status, swarm }) =>
      legIndex === 1 ? swarm?.legs[2]?.stage === 'carried' : status === 'delivered',
    );
  }
  return (await shipper.client.getPackageReceipts({ packageId: parcel.id })).receipts;
}

/** Chains whose signatures, or hashes, all hold, and that another transaction or none stands behind. */
function forged(receipts: readonly Receipt[]): [why: string, place: number, chain: Receipt[]][] {
  const landed = (place: number, transaction: string) =>
    receipts.map((one, index) => (index === place ? { ...one, landed: { transaction, slot: '1' } } : one));
  const of = (place: number) => at(receipts, place).landed?.transaction ?? '';
  return [
    ['is not this handoff', 2, landed(2, of(1))],
    ['is not this handoff', 3, landed(3, of(2))],
    ['does not show', 2, landed(2, '1'.repeat(64))],
    ['is not this handoff', 0, [{ ...at(receipts, 0), at: '2026-01-01T00:00:00Z' }]],
    ['is not this handoff', 0, [{ ...at(receipts, 0), to: at(receipts, 1).to }]],
  ];
}

test('programs in four languages find each handoff on a ledger, and none that is not there (S-210, S-212)', async ({
  annotate,
}) => {
  const { rpcUrl } = service.current.ledger;
  const receipts = await relayed();
  expect(receipts.map(({ condition }) => condition)).toEqual(['not said', 'not said', 'noted', 'as described']);
  const typescript = typescriptVerifier();
  const told = await typescript.verify(receipts, rpcUrl);
  expect(told).toMatchObject({ code: 0, output: expect.stringContaining(', on the ledger') });
  const others = { Python: await pythonVerifier(), Go: await goVerifier(), Rust: await rustVerifier() };
  for (const [language, verifier] of Object.entries<ReceiptVerifier>({ TypeScript: typescript, ...others })) {
    if (verifier.missing !== undefined) {
      await annotate(`${language} is left out: ${verifier.missing}`);
      continue;
    }
    expect([language, await verifier.verify(receipts, rpcUrl)]).toEqual([language, told]);
    for (const [why, place, chain] of forged(receipts)) {
      expect([language, await verifier.verify(chain), await verifier.verify(chain, rpcUrl)]).toEqual([
        language,
        expect.objectContaining({ code: 0 }),
        { code: 1, output: expect.stringMatching(new RegExp(`^receipt ${place + 1}: .*${why}`, 'u')) },
      ]);
    }
  }
}, 900_000);
