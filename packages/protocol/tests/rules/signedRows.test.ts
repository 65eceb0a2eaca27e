import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLamports } from '../../src/contract/money.js';
import { createNonce } from '../../src/contract/nonce.js';
import { operations } from '../../src/contract/operations/index.js';
import { inputsFor, proveCall, type ProvenCall, type SignedCall } from '../../src/contract/signedCall.js';
import { createRequestSigner, signedRequestText, signRequest } from '../../src/contract/signing.js';
import { provesBid, provesLegClaim, provesRewardClaim, signaturesAskedFor } from '../../src/rules/signedRows.js';

const NOW = Date.UTC(2026, 0, 1);
const agent = createRequestSigner(new Uint8Array(32).fill(7));
const other = createRequestSigner(new Uint8Array(32).fill(8));
const UUIDS = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'] as const;

async function signed(method: string, path: string, content: unknown, signer = agent): Promise<SignedCall> {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const parts = { method, host: 'relay.example', path, body };
  const nonce = createNonce(NOW);
  const { 'X-Signature': signature } = await signRequest(signer, parts, nonce);
  return { pubkey: signer.pubkey, signature, text: signedRequestText(parts, nonce), body };
}

function proven(call: SignedCall): ProvenCall {
  const proof = proveCall(call);
  if (!proof) throw new Error('the call proves nothing');
  return proof;
}

const bid = {
  packageId: UUIDS[0],
  agentPubkey: agent.pubkey,
  pickupLat: 52.5,
  pickupLng: 13.4,
  dropoffLat: 52.51,
  dropoffLng: 13.41,
  distanceKm: 2.5,
  estimatedDurationMin: 9,
  costSol: 0.1,
};
const stored = {
  packageId: UUIDS[0],
  agentPubkey: agent.pubkey,
  pickup: { lat: 52.5, lng: 13.4 },
  dropoff: { lat: 52.51, lng: 13.41 },
  distanceKm: 2.5,
  costLamports: toLamports(100_000_000n),
  expiresAtMs: NOW + 600_000,
};
const toolCall = (name: string, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('a kept call', () => {
  it('[S-95] proves who signed what, and when', async () => {
    const call = await signed('POST', '/bids', bid);
    expect(proveCall(call)).toEqual({
      pubkey: agent.pubkey,
      method: 'POST',
      path: '/bids',
      body: call.body,
      signedAtMs: NOW,
    });
  });

  it('[S-95] proves nothing once anything of it was changed', async () => {
    const call = await signed('POST', '/bids', bid);
    const part = fc.constantFrom<keyof SignedCall>('pubkey', 'signature', 'text', 'body');
    fc.assert(
      fc.property(part, fc.nat(), fc.string({ minLength: 1, maxLength: 3 }), (name, at, text) => {
        const was = call[name];
        const [from, to] = [at % (was.length + 1), at % (was.length + 1)];
        const changed = { ...call, [name]: was.slice(0, from) + text + was.slice(to) };
        expect(proveCall(changed)).toBeUndefined();
      }),
    );
    expect(proveCall({ ...call, pubkey: other.pubkey })).toBeUndefined();
    expect(proveCall({ ...call, pubkey: base58.encode(new Uint8Array(32)) })).toBeUndefined();
    expect(proveCall({ pubkey: '', signature: '', text: '', body: '' })).toBeUndefined();
  });

  it.each([
    ['REST', '/bids', bid],
    ['REST under a prefix', '/relay/v1/bids?x=1', bid],
    ['/mcp/call', '/mcp/call', { tool: 'svc_submit_bid', arguments: bid }],
    ['/mcp', '/tools/mcp', toolCall('svc_submit_bid', bid)],
    ['a batch', '/mcp', [toolCall('svc_economy_stats', {}), toolCall('svc_submit_bid', bid)]],
    ['a body with a mark of its order', '/bids', `\uFEFF${JSON.stringify(bid)}`],
  ])('[S-96] proves the bid that it made over %s', async (_entrance, path, content) => {
    const call = proven(await signed('POST', path, content));
    expect(provesBid(call, stored)).toBe(true);
    for (const operation of [operations.bidDigitalLeg, operations.registerRewardClaim, operations.updateAgent]) {
      expect(inputsFor(operation, call)).toEqual([]);
    }
  });

  it.each([
    ['another package', { packageId: UUIDS[1] }],
    ['a vacant leg', { legId: UUIDS[1] }],
    ['another agent', { agentPubkey: other.pubkey }],
    ['another pickup', { pickup: { lat: 52.5, lng: 13.400001 } }],
    ['another drop-off', { dropoff: { lat: 52.51, lng: 13.42 } }],
    ['another distance', { distanceKm: 2.4 }],
    ['a lamport more', { costLamports: toLamports(100_000_001n) }],
    ['longer than any window and a minute of grace allow', { expiresAtMs: NOW + 120_000 + 87_000_001 }],
  ])('[S-96] proves no bid for %s', async (_what, change) => {
    expect(provesBid(proven(await signed('POST', '/bids', bid)), { ...stored, ...change })).toBe(false);
  });

  it('[S-96] proves a bid for the vacant leg that it names, and for no other', async () => {
    const call = proven(await signed('POST', '/bids', { ...bid, legId: UUIDS[1] }));
    const legIds = [UUIDS[1], UUIDS[0], null, undefined];
    expect(legIds.map((legId) => provesBid(call, { ...stored, legId }))).toEqual([true, false, false, false]);
  });

  it('[S-96] proves a bid for as long as it says, and no longer', async () => {
    const call = proven(await signed('POST', '/bids', { ...bid, expiresInSec: 60 }));
    expect(provesBid(call, { ...stored, expiresAtMs: NOW + 180_000 })).toBe(true);
    expect(provesBid(call, { ...stored, expiresAtMs: NOW + 180_001 })).toBe(false);
  });

  it.each([
    ['another path', 'POST', '/packages', bid],
    ['another method', 'GET', '/bids', bid],
    ['another tool', 'POST', '/mcp/call', { tool: 'svc_get_package', arguments: bid }],
    [
      'a tool call that is no call',
      'POST',
      '/mcp',
      { method: 'tools/list', params: { name: 'svc_submit_bid', arguments: bid } },
    ],
    ['a bid without its price', 'POST', '/bids', { ...bid, costSol: undefined }],
    ['no JSON', 'POST', '/bids', 'costSol=1'],
    ['a list', 'POST', '/bids', [bid]],
    ['nothing', 'POST', '/mcp', ''],
  ])('[S-96] proves no bid by %s', async (_what, method, path, content) => {
    expect(provesBid(proven(await signed(method, path, content)), stored)).toBe(false);
  });

  it('[S-96] proves a claim of the leg that its path names', async () => {
    const path = `/digital-tasks/${UUIDS[0]}/legs/${UUIDS[1]}/bid`;
    const call = proven(await signed('POST', path, { agentPubkey: agent.pubkey, bidSol: 0.1 }));
    const leg = { taskId: UUIDS[0], legId: UUIDS[1], agentPubkey: agent.pubkey };
    expect(provesLegClaim(call, leg)).toBe(true);
    expect(provesLegClaim(call, { ...leg, legId: UUIDS[0] })).toBe(false);
    expect(provesLegClaim(call, { ...leg, agentPubkey: other.pubkey })).toBe(false);
    const tool = toolCall('svc_bid_digital_leg', { ...leg, bidSol: 0.1 });
    expect(provesLegClaim(proven(await signed('POST', '/mcp', tool)), leg)).toBe(true);
  });

  it('[S-96] proves a reward claim with its payout key and its figure', async () => {
    const asked = { devnetPubkey: agent.pubkey, mainnetPubkey: other.pubkey, confirmedEarningsLamports: 5 };
    const call = proven(await signed('POST', '/reward-claims', asked));
    const claim = { devnetPubkey: agent.pubkey, mainnetPubkey: other.pubkey, earningsLamports: toLamports(5n) };
    expect(provesRewardClaim(call, claim)).toBe(true);
    expect(provesRewardClaim(call, { ...claim, mainnetPubkey: agent.pubkey })).toBe(false);
    expect(provesRewardClaim(call, { ...claim, earningsLamports: toLamports(6n) })).toBe(false);
  });

  it('[S-16] says what its key asked for, of its own profile alone', async () => {
    const ask = (path: string, content: object) =>
      signed('PATCH', path, content).then((call) => signaturesAskedFor(proven(call)));
    expect(await ask(`/agents/${agent.pubkey}`, { requireSignedCalls: false })).toBe(false);
    expect(await ask(`/agents/${agent.pubkey}`, { requireSignedCalls: true })).toBe(true);
    expect(await ask(`/agents/${agent.pubkey}`, { displayName: 'North' })).toBeUndefined();
    expect(await ask(`/agents/${other.pubkey}`, { requireSignedCalls: false })).toBeUndefined();
  });
});
