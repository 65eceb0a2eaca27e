import { cancelPackage, confirmLeg, createRelayClient, type Fetch, listPackage } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { theFirst } from '../support/theFirst.js';

const service = withService();

/** A wallet that signs transactions and no messages, as hardware wallets are. */
function silentOf({ signer }: Party) {
  const signMessages = () => Promise.reject(new Error('Transaction cancelled'));
  return { address: signer.address, signTransactions: signer.signTransactions.bind(signer), signMessages };
}

/** The requests whose path ends so are answered by `instead`. */
function interrupted(by: Party, path: RegExp, instead: () => Promise<Response>) {
  const fetching: Fetch = (input, init) =>
    path.test(new URL(String(input)).pathname) ? instead() : fetch(input, init);
  return createRelayClient({ url: service.current.server.url, signer: by.signer, fetch: fetching, patienceMs: 0 });
}

const problem = (status: number, code: string) =>
  Promise.resolve(Response.json({ type: 'about:blank', title: code, status, code, detail: 'not now' }, { status }));

const brought = () => formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);

test('a confirmation that landed is told as landed by a wallet that signs no messages, and the parcel is delivered (S-165)', async () => {
  const { parcel, shipper } = await brought();
  const wallet = silentOf(shipper);
  const client = createRelayClient({ url: service.current.server.url, signer: wallet });
  const leg = theFirst(parcel.swarm?.legs ?? []);
  const confirmed = await confirmLeg(client, service.current.rpc, wallet, leg.id);
  expect(confirmed).toMatchObject({ legId: leg.id, status: 'completed' });
  expect(confirmed.open?.why.message).toMatch('Transaction cancelled');
  const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  expect(delivered.swarm?.legs[0]?.confirmSignature).toBe(confirmed.signature);
});

test.each<[string, () => Promise<Response>]>([
  ['an outage', () => Promise.reject(new TypeError('fetch failed'))],
  ['a limit', () => problem(429, 'rate_limited')],
  ['a service that finds its ledger silent', () => problem(503, 'ledger_unavailable')],
])('a confirmation that landed is told as landed over %s; repeated, it is the same one (S-165)', async (_, instead) => {
  const { parcel, shipper } = await brought();
  const leg = theFirst(parcel.swarm?.legs ?? []);
  const client = interrupted(shipper, /\/confirm$/, instead);
  const confirmed = await confirmLeg(client, service.current.rpc, shipper.signer, leg.id);
  expect(confirmed).toMatchObject({ status: 'completed', open: { what: expect.stringMatching('service') as string } });
  const again = await confirmLeg(shipper.client, service.current.rpc, shipper.signer, leg.id);
  expect(again).toMatchObject({ signature: confirmed.signature, open: null });
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
});

test('a cancellation that landed is told as landed when the service does not answer any more (S-165)', async () => {
  const shipper = await service.current.party();
  const listed = await listPackage(shipper.client, shipper.signer, draft());
  let asked = 0;
  const client = interrupted(shipper, /^\/packages\/[^/]+$/, () => {
    asked += 1;
    return asked === 1 ? fetch(`${service.current.server.url}/packages/${listed.id}`) : problem(500, 'internal_error');
  });
  const cancelled = await cancelPackage(client, service.current.rpc, shipper.signer, listed.id);
  expect(cancelled).toMatchObject({ id: listed.id, failureReason: 'cancelled', open: { why: { status: 500 } } });
});

test('a ledger that is silent for a moment after it took a transaction has not refused it (S-165)', async () => {
  const { parcel, shipper } = await brought();
  const leg = theFirst(parcel.swarm?.legs ?? []);
  let silences = 0;
  const rpc = new Proxy(service.current.rpc, {
    get: (target, name, receiver) => {
      if (name !== 'getBlockHeight' || silences === 3) return Reflect.get(target, name, receiver) as unknown;
      silences += 1;
      return () => ({ send: () => Promise.reject(new TypeError('fetch failed')) });
    },
  });
  expect(await confirmLeg(shipper.client, rpc, shipper.signer, leg.id)).toMatchObject({ open: null });
  expect(silences).toBe(3);
});
