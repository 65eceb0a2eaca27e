import { bytesToSign, parsePubkey, proveCall } from '@legwork/protocol/contract';
import { cancelPackage, confirmLeg, createRelayClient, type Fetch, listPackage } from '@legwork/sdk';
import {
  type Base64EncodedWireTransaction,
  getBase58Encoder,
  getBase64Decoder,
  unwrapSimulationError,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { theFirst } from '../support/theFirst.js';

const service = withService();

/** A wallet whose person refuses every message. */
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

test('a confirmation that landed is told as landed by a wallet that refuses messages, and the parcel is delivered (S-165)', async () => {
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

test('a wallet that signs transactions alone registers, changes its profile and confirms; its signatures land nowhere and count once (S-174, S-175)', async () => {
  const { parcel, shipper } = await brought();
  const wallet = {
    address: shipper.signer.address,
    signTransactions: shipper.signer.signTransactions.bind(shipper.signer),
  };
  const sent: Request[] = [];
  const url = service.current.server.url;
  const client = createRelayClient({
    url,
    signer: wallet,
    fetch: (input, init) => {
      sent.push(new Request(String(input), init));
      return fetch(input, init);
    },
  });
  await client.registerAgent({ agentPubkey: wallet.address, displayName: 'Ada' });
  await client.updateAgent({ agentPubkey: wallet.address, requireSignedCalls: true });
  const leg = theFirst(parcel.swarm?.legs ?? []);
  const confirmed = await confirmLeg(client, service.current.rpc, wallet, leg.id);
  expect(confirmed).toMatchObject({ legId: leg.id, status: 'completed', open: null });
  const kept = await service.current.db
    .selectFrom('signed_calls')
    .selectAll()
    .where('pubkey', '=', wallet.address)
    .execute();
  expect(kept.map(({ operation }) => operation).sort()).toEqual(['registerAgent', 'updateAgent']);
  for (const call of kept) {
    expect(call.signature).toMatch(/^tx:/);
    expect(proveCall(call)).toMatchObject({ pubkey: wallet.address });
    const text = new TextEncoder().encode(call.text);
    const message = bytesToSign('transaction', parsePubkey(wallet.address), text) ?? new Uint8Array();
    const signature = getBase58Encoder().encode(call.signature.slice(3));
    const wire = getBase64Decoder().decode(
      new Uint8Array([1, ...signature, ...message]),
    ) as Base64EncodedWireTransaction;
    const landing = service.current.rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    const why = await landing.then(String, (error: unknown) => String(unwrapSimulationError(error)));
    expect(why).toMatch(/SolanaError: .*blockhash/i);
  }
  const patch = theFirst(sent.filter(({ method }) => method === 'PATCH'));
  const again = await fetch(patch.clone());
  expect([again.status, await again.json()]).toMatchObject([401, { code: 'replayed_nonce' }]);
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
