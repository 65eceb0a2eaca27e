import { openSession, policySchema } from '@legwork/agents';
import { type HandoffAhead, INSTRUCTIONS_SYSVAR_ADDRESS } from '@legwork/program-client';
import { listPackage, makeMove, readHandoff, signHandoff, submitHandoff } from '@legwork/sdk';
import { onTestFinished, test, expect } from 'vitest';
import { at, courier, legNow, newKey } from '../operations/turns/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { fundedKey } from './bridgeClient.js';

const arbiterPubkey = await newKey();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiterPubkey }) });

/** A guarded wallet. */
async function guarded() {
  const { key, journal } = await fundedKey(service.current);
  const limits = { perTransaction: 0.5, perDay: 1, inAll: 1 };
  const session = await openSession(policySchema.parse({ key, service: service.current.server.url, limits }));
  onTestFinished(() => session.close());
  return { ...session, journal };
}

test('the guarded wallet signs the text of a handoff that is its own to give, and no other (A-121, A-4)', async () => {
  const shipper = await guarded();
  const carrier = await courier(service.current);
  const listed = await listPackage(shipper.client, shipper.signer, draft({ maxBudgetSol: 0.2 }));
  await carrier.client.submitBid(bidInput(carrier, listed.id, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service.current, listed.id, ({ status }) => status === 'in_transit');
  const of = { packageId: parcel.id, legIndex: 0 };
  const legId = (await legNow(service.current, parcel.id, 0)).id;
  const sign = (ahead: HandoffAhead) => signHandoff(shipper.signer, ahead);
  const read = (more: object) => readHandoff(shipper.client, shipper.signer.address, { ...of, ...more });

  const early = await read({ evenBeforePickup: true });
  await expect(sign(early)).rejects.toThrow(/nobody has picked up the parcel of this leg, and this text pays/u);
  const pickup = await read({ pickup: true });
  const others: Partial<HandoffAhead>[] = [
    { formation: 9 },
    { nonce: new Uint8Array(8).fill(3) },
    { listing: INSTRUCTIONS_SYSVAR_ADDRESS },
    { legIndex: 1 },
  ];
  for (const other of others) {
    await expect(sign({ ...pickup, ...other } as HandoffAhead)).rejects.toThrow(/does not take|has no leg/u);
  }
  await submitHandoff(carrier.client, carrier.signer, await sign(pickup));
  await untilPackage(service.current, parcel.id, ({ swarm }) => at(swarm?.legs ?? [], 0).stage === 'carried');

  const sender = await guarded();
  const sent = await submitHandoff(sender.client, sender.signer, await sign(await read({})));
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  const signed = (await shipper.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed.slice(-2)).toMatchObject([
    { instruction: 'handoff', subject: sent.leg, lamports: '0' },
    { instruction: 'handoff', subject: sent.leg, lamports: '0' },
  ]);
  expect((await sender.journal()).at(-1)).toMatchObject({
    kind: 'signed',
    instruction: 'confirmLeg',
    lamports: '10000',
  });
  await expect(makeMove(carrier.client, carrier.signer, { legId, ...of, action: 'claim', text: 'x' })).rejects.toThrow(
    /completed|over|ledger/u,
  );
});
