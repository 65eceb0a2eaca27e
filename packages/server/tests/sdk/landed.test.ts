import { bytesToSign, parsePubkey, proveCall } from '@legwork/protocol/contract';
import {
  cancelPackage,
  confirmLeg,
  confirmWithCode,
  createLegworkClient,
  ensureReputation,
  type Fetch,
  listDigitalTask,
  listPackage,
  makeMove,
  receive,
  receiverCode,
} from '@legwork/sdk';
import {
  address,
  type Base64EncodedWireTransaction,
  getBase58Encoder,
  getBase64Decoder,
  unwrapSimulationError,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { goal, untilTask } from '../operations/digitalTasks/scene.js';
import { at, formedWithTerms, legNow, move } from '../operations/turns/scene.js';
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
  return createLegworkClient({ url: service.current.server.url, signer: by.signer, fetch: fetching, patienceMs: 0 });
}

const problem = (status: number, code: string) =>
  Promise.resolve(Response.json({ type: 'about:blank', title: code, status, code, detail: 'not now' }, { status }));

const brought = () => formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);

test('a confirmation that landed is told as landed by a wallet that refuses messages, and the parcel is delivered (S-165)', async () => {
  const { parcel, shipper } = await brought();
  const wallet = silentOf(shipper);
  const client = createLegworkClient({ url: service.current.server.url, signer: wallet });
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
  const client = createLegworkClient({
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
  const again = await receive(shipper.client, shipper.signer, { packageId: parcel.id }, { rpc: service.current.rpc });
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
      if (name !== 'getSignatureStatuses' || silences === 3) return Reflect.get(target, name, receiver) as unknown;
      silences += 1;
      return () => ({ send: () => Promise.reject(new TypeError('fetch failed')) });
    },
  });
  expect(await confirmLeg(shipper.client, rpc, shipper.signer, leg.id)).toMatchObject({ open: null });
  expect(silences).toBe(3);
});

/** The service does what these requests ask for, and its answers are lost. */
function lost(by: Party, path: RegExp, instead: () => Promise<Response>) {
  const fetching: Fetch = async (input, init) => {
    const answer = await fetch(input, init);
    return path.test(new URL(String(input)).pathname) ? instead() : answer;
  };
  return createLegworkClient({ url: service.current.server.url, signer: by.signer, fetch: fetching, patienceMs: 0 });
}

const balanceOf = async ({ pubkey }: Party) => (await service.current.rpc.getBalance(address(pubkey)).send()).value;

test('a listing is told as landed when the answer is lost, and the service shows it by itself (S-165)', async () => {
  const shipper = await service.current.party(2);
  const instead = () => problem(429, 'rate_limited');
  const parcel = await listPackage(lost(shipper, /^\/packages$/, instead), shipper.signer, draft());
  const task = await listDigitalTask(lost(shipper, /^\/digital-tasks$/, instead), shipper.signer, goal());
  for (const { open, signature } of [parcel, task]) {
    expect([open?.what, signature]).toEqual([expect.stringMatching('service shows'), expect.any(String)]);
  }
  await untilPackage(service.current, parcel.id, ({ listSignature }) => listSignature === parcel.signature);
  await untilTask(service.current, task.id, ({ listSignature }) => listSignature === task.signature);
});

test('a move is told as landed when the answer is lost, with the stage that the ledger shows; repeated, it is the same and costs nothing (S-165)', async () => {
  const { parcel, couriers } = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const carrier = at(couriers, 0);
  const leg = await legNow(service.current, parcel.id, 0);
  const accept = { legId: leg.id, packageId: parcel.id, action: 'accept' } as const;
  const { rpc } = service.current;
  const cut = () => Promise.reject(new TypeError('fetch failed'));
  const made = await makeMove(lost(carrier, /^\/turns$/, cut), carrier.signer, accept, { rpc });
  expect(made).toMatchObject({ legId: leg.id, stage: 'accepted', until: null, open: { why: expect.any(Error) } });
  const before = await balanceOf(carrier);
  const again = await makeMove(carrier.client, carrier.signer, accept, { rpc });
  expect(again).toMatchObject({ signature: made.signature, stage: 'accepted', open: null });
  expect(await balanceOf(carrier)).toBe(before);
});

test('a move that only looks like one made before is refused as ever (S-165)', async () => {
  const { parcel, couriers } = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const carrier = at(couriers, 0);
  const { id: legId } = await legNow(service.current, parcel.id, 0);
  await move(service.current, { parcel }, 0, carrier, 'accept');
  await move(service.current, { parcel }, 0, carrier, 'take');
  const accept = { legId, packageId: parcel.id, action: 'accept' } as const;
  await expect(makeMove(carrier.client, carrier.signer, accept)).rejects.toMatchObject({ code: 'not_your_turn' });
});

test('a claim with its evidence is found on the ledger when it is repeated (S-165)', async () => {
  const { parcel, couriers } = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const carrier = at(couriers, 0);
  const { id: legId } = await legNow(service.current, parcel.id, 0);
  await move(service.current, { parcel }, 0, carrier, 'accept');
  await move(service.current, { parcel }, 0, carrier, 'take');
  const claim = { legId, packageId: parcel.id, action: 'claim', text: 'In box 17.' } as const;
  const client = lost(carrier, /^\/turns$/, () => problem(429, 'rate_limited'));
  const made = await makeMove(client, carrier.signer, claim);
  expect(made).toMatchObject({ stage: 'claimed', open: { what: expect.any(String) as string } });
  expect(await makeMove(carrier.client, carrier.signer, claim)).toMatchObject({
    signature: made.signature,
    open: null,
  });
});

test('the code of a consignee delivers, and is told so when the answer is lost (S-165)', async () => {
  const { code, pubkey } = await receiverCode();
  const choice = { receiverPubkey: pubkey };
  const { parcel, couriers } = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], choice);
  const carrier = at(couriers, 0);
  const { id: legId } = await legNow(service.current, parcel.id, 0);
  await move(service.current, { parcel }, 0, carrier, 'accept');
  await move(service.current, { parcel }, 0, carrier, 'take');
  const client = lost(carrier, /^\/turns$/, () => problem(503, 'ledger_unavailable'));
  const made = await confirmWithCode(client, carrier.signer, legId, code, { packageId: parcel.id });
  expect(made).toMatchObject({ stage: 'completed', open: { why: { status: 503 } } });
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
});

test('a reputation that was opened is told as opened when the service does not answer any more; repeated, nothing is paid (S-165)', async () => {
  const agent = await service.current.party(1);
  let asked = 0;
  const client = interrupted(agent, /^\/agents\/[^/]+\/reputation$/, () => {
    asked += 1;
    const { url } = service.current.server;
    return asked === 1 ? fetch(`${url}/agents/${agent.pubkey}/reputation`) : problem(429, 'rate_limited');
  });
  const opened = await ensureReputation(client, service.current.rpc, agent.signer);
  expect(opened).toMatchObject({ signature: expect.any(String) as string, open: { why: { status: 429 } } });
  const before = await balanceOf(agent);
  expect(await ensureReputation(agent.client, service.current.rpc, agent.signer)).toBeNull();
  expect(await balanceOf(agent)).toBe(before);
});

test('a parcel that was received is told as received while the service does not say how it stands; repeated, it is the same (S-165)', async () => {
  const { parcel, couriers, shipper } = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const cast = { packageId: parcel.id };
  const carrier = at(couriers, 0);
  const { id: legId, onChainLeg } = await legNow(service.current, parcel.id, 0);
  await makeMove(carrier.client, carrier.signer, { ...cast, legId, action: 'accept' });
  await makeMove(carrier.client, carrier.signer, { ...cast, legId, action: 'take' });
  let hasLanded = false;
  const client: typeof shipper.client = {
    ...shipper.client,
    getPackage: (...asked) =>
      hasLanded ? Promise.reject(new TypeError('fetch failed')) : shipper.client.getPackage(...asked),
    submitTurn: async (...given) => {
      const answer = await shipper.client.submitTurn(...given);
      hasLanded = true;
      return answer;
    },
  };
  const options = { rpc: service.current.rpc };
  const received = await receive(client, shipper.signer, cast, options);
  expect(received).toMatchObject({ ...cast, legId, legIndex: 0, onChainLeg, status: 'completed' });
  expect(received.open?.what).toBe('read how the package stands now');
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  const again = await receive(shipper.client, shipper.signer, cast, options);
  expect(again).toMatchObject({ signature: received.signature, open: null, swarmStatus: 'settled' });
});
