// The parts that measurements of a running service share: the people, a parcel across Berlin, a bid on it, a summary of times.
import { Agent, request } from 'node:http';
import { createLegworkClient } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { usageAlone, usageOf } from './processes.mjs';

/** A bench asks more often than a client may. */
export const UNLIMITED = {
  LIMIT_TOOL_CALLS: '0',
  LIMIT_BIDS: '0',
  LIMIT_BIDS_PER_ADDRESS: '0',
  LIMIT_WRITES: '0',
  LIMIT_DRAFTS: '0',
  LIMIT_READS: '0',
  LIMIT_WAITING_LEGS: '0',
  LIMIT_AIRDROPS: '0',
};
/** Packages that one shipper's airdrop pays for. */
export const PACKAGES_A_SHIPPER = 50;

const BERLIN = { originLat: 52.5208, originLng: 13.3989, destLat: 52.5031, destLng: 13.4694 };

const agent = new Agent({ keepAlive: true });

/** Carries requests with less of the processor than the global `fetch`, which would take more of it than the service. */
export function lightFetch(url, { method, headers, body }) {
  return new Promise((resolve, reject) => {
    const read = async (answer) => {
      const text = (await answer.setEncoding('utf8').toArray()).join('');
      const { statusCode: status } = answer;
      return { ok: status < 400, status, headers: new Headers(answer.headers), text: () => text };
    };
    const sent = request(url, { method, headers, agent }, (answer) => resolve(read(answer)));
    sent.on('error', reject).end(body);
  });
}

/** A registered agent with the client that signs for it. */
export async function registered(url, options) {
  const signer = await generateKeyPairSigner();
  const client = createLegworkClient({ url, signer, ...options });
  await client.registerAgent({ agentPubkey: signer.address });
  return { signer, client };
}

export function parcel(description) {
  return { ...BERLIN, description, weightKg: 1, volumeLitres: 1, maxBudgetSol: 0.01, terms: 'plain' };
}

/** Offers to carry the parcel alone. */
export function bidOnParcel({ signer, client }, packageId) {
  return client.submitBid({
    packageId,
    agentPubkey: signer.address,
    pickupLat: BERLIN.originLat,
    pickupLng: BERLIN.originLng,
    dropoffLat: BERLIN.destLat,
    dropoffLng: BERLIN.destLng,
    distanceKm: 6,
    estimatedDurationMin: 20,
    costSol: 0.005,
  });
}

/** `p50 … ms, p95 … ms, slowest … ms` */
export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms`;
}

/** CPU milliseconds of a service so far, and of what it started. */
export async function cpuOf(pid) {
  const [alone, all] = await Promise.all([usageAlone(pid), usageOf(pid)]);
  return [alone.cpuSec * 1000, (all.cpuSec - alone.cpuSec) * 1000];
}
