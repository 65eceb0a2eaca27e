// How soon the service shows what wallets do on the ledger without telling it: transaction confirmed -> event received, for
// listings and for confirmations, on an instance of its own.
// Run it after `npm run build`: node bench/mirror.mjs [packages, 100 unless given]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createRelayClient, followEvents, signListing, signTransaction } from '@agent-relay/sdk';
import { createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import { startInstance } from '../examples/dist/demo/instance.js';

const PACKAGES = Number(process.argv[2] ?? 100);
const PACKAGES_A_SHIPPER = 50;
const BERLIN = { originLat: 52.5208, originLng: 13.3989, destLat: 52.5031, destLng: 13.4694 };
const NO_LIMITS = { LIMIT_TOOL_CALLS: '0', LIMIT_BIDS: '0', LIMIT_WRITES: '0', LIMIT_READS: '0' };

async function registered(url) {
  const signer = await generateKeyPairSigner();
  const client = createRelayClient({ url, signer });
  await client.registerAgent({ agentPubkey: signer.address });
  return { signer, client };
}

/** When each event of a package came, by type. */
class Heard {
  #at = new Map();
  #waiting = new Map();

  async follow(url, signal) {
    const topics = ['PACKAGE_LISTED', 'SWARM_FORMED', 'LEG_CONFIRMED'];
    for await (const { type, packageId } of followEvents({ url, since: 0, topics, signal })) {
      const key = `${type} ${packageId}`;
      this.#at.set(key, performance.now());
      this.#waiting.get(key)?.(performance.now());
    }
  }

  at(type, packageId) {
    const key = `${type} ${packageId}`;
    return this.#at.get(key) ?? new Promise((resolve) => this.#waiting.set(key, resolve));
  }
}

/** Sends as a wallet does. The embedded ledger answers once it is confirmed. @returns when that was */
async function confirmed(rpc, transaction) {
  await rpc.sendTransaction(transaction, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
  return performance.now();
}

function report(what, times) {
  times.sort((a, b) => a - b);
  const quantile = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
  console.log(
    `${what} confirmed -> event over ${times.length} packages, one after the other: ` +
      `p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms, slowest ${quantile(1)} ms`,
  );
}

/** One package, listed and confirmed by its wallet alone. @returns how long each took to be seen, in milliseconds */
async function carry({ rpc, programId, heard }, shipper, courier, index) {
  const draft = { ...BERLIN, description: `bench ${index}`, weightKg: 1, volumeLitres: 1, maxBudgetSol: 0.01 };
  const { packageId, transaction } = await signListing(shipper.client, shipper.signer, draft);
  const listedAt = await confirmed(rpc, transaction);
  const listing = (await heard.at('PACKAGE_LISTED', packageId)) - listedAt;

  await courier.client.submitBid({
    packageId,
    agentPubkey: courier.signer.address,
    pickupLat: BERLIN.originLat,
    pickupLng: BERLIN.originLng,
    dropoffLat: BERLIN.destLat,
    dropoffLng: BERLIN.destLng,
    distanceKm: 6,
    estimatedDurationMin: 20,
    costSol: 0.005,
  });
  await heard.at('SWARM_FORMED', packageId);
  const { swarm } = await shipper.client.getPackage({ packageId });
  const built = await shipper.client.buildConfirmTx({ legId: swarm.legs[0].id });
  const signed = await signTransaction(built.transaction, shipper.signer, { programId, name: 'confirmLeg' });
  const confirmedAt = await confirmed(rpc, signed);
  return { listing, confirmation: (await heard.at('LEG_CONFIRMED', packageId)) - confirmedAt };
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'agent-relay-bench-'));
  const instance = await startInstance(join(folder, 'data'), { ledgerPort: 0, settings: NO_LIMITS });
  const ended = new AbortController();
  try {
    const { url } = instance;
    const { programId, rpcUrl } = await createRelayClient({ url }).getConfig();
    const heard = new Heard();
    heard.follow(url, ended.signal).catch((error) => {
      if (!ended.signal.aborted) throw error;
    });
    const scene = { rpc: createSolanaRpc(rpcUrl), programId, heard };
    const courier = await registered(url);
    const times = [];
    let shipper;
    for (let index = 0; index < PACKAGES; index += 1) {
      if (index % PACKAGES_A_SHIPPER === 0) shipper = await registered(url);
      times.push(await carry(scene, shipper, courier, index));
    }
    report(
      'listing',
      times.map(({ listing }) => listing),
    );
    report(
      'confirmation',
      times.map(({ confirmation }) => confirmation),
    );
  } finally {
    ended.abort();
    await instance.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
