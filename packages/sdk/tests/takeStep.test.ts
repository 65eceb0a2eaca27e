import { SOL, createUuid, type LegTurnView, toLamports } from '@legwork/protocol/contract';
import { createSolanaRpc, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { createLegworkClient, type StepTaker, takeStep } from '../src/index.js';
import { type Answer, type Received, startOutsideService } from './support/outsideService.js';

const legId = createUuid();
const packageId = createUuid();

/** A turn of the courier of the first leg. */
const turnOf = ({ address: agentPubkey }: KeyPairSigner): LegTurnView => ({
  kind: 'package',
  packageId,
  legId,
  legIndex: 0,
  agentPubkey,
  stage: 'accepted',
  actions: ['take', 'vacate'],
  awaited: null,
  moves: [],
  actor: 'courier',
  until: new Date(),
  silence: 'x',
  ...SOL,
  stake: toLamports(1n),
  stakeLamports: toLamports(1n),
  payment: toLamports(1n),
  paymentLamports: toLamports(1n),
});

/** A key that takes steps beside a service that answers so; with the moves that it should make, and the requests to the service. */
async function taking(answer: (request: Received) => Answer = () => ({ status: 404, json: {} })) {
  const signer = await generateKeyPairSigner();
  const service = await startOutsideService(answer);
  const made: string[] = [];
  const taker: StepTaker = {
    client: createLegworkClient({ url: service.url, signer }),
    signer,
    rpc: createSolanaRpc(service.url),
    make: ({ action }) => Promise.resolve(void made.push(action)),
    send: () => Promise.resolve(void made.push('sent')),
  };
  return { taker, turn: turnOf(signer), made, received: service.received };
}

test('[T-10] a leg that is not wanted is left, and one that is wanted is accepted', async () => {
  const { taker, turn, made } = await taking();
  await takeStep({ ...taker, accepts: () => false }, turn, { kind: 'accept' });
  await takeStep({ ...taker, accepts: () => true }, turn, { kind: 'accept' });
  await takeStep(taker, turn, { kind: 'accept' });
  expect(made).toEqual(['vacate', 'accept', 'accept']);
});

test('[T-10] a pickup that the shipper has to sign too is left when its clock is about to end, whoever has the parcel', async () => {
  const { taker, turn, made, received } = await taking();
  const step = { kind: 'pickUp', action: 'take', isLast: true } as const;
  await takeStep({ ...taker, hasParcel: () => true }, turn, { ...step, isCosigned: true });
  await takeStep({ ...taker, hasParcel: () => true }, turn, { ...step, isCosigned: false });
  await takeStep({ ...taker, hasParcel: () => false }, turn, { ...step, isCosigned: false });
  expect(made).toEqual(['vacate', 'take', 'vacate']);
  expect(received).toEqual([]);
});
