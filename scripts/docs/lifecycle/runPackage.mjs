// Plays one package with a chain of three couriers and records it, stage by stage: what was called, what landed on the
// ledger, which events followed.
import {
  confirmLeg,
  createLegworkClient,
  estimatedDurationMin,
  followEvents,
  greatCircleKm,
  listPackage,
} from '@legwork/sdk';
import { createKeyPairSignerFromPrivateKeyBytes, createSolanaRpc, lamports } from '@solana/kit';
import { readTransaction, recordingFetch, recordingRpc } from './recorder.mjs';

export const SHIPPER = 'Nora (shipper)';
export const COURIERS = ['Ada (courier)', 'Bo (courier)', 'Cem (courier)'];
/** Museumsinsel, Ostkreuz, Schöneweide, Airport BER. */
const STOPS = [
  { lat: 52.5212, lng: 13.3969 },
  { lat: 52.5031, lng: 13.4694 },
  { lat: 52.4552, lng: 13.5093 },
  { lat: 52.3622, lng: 13.5007 },
];
const COSTS_SOL = [0.03, 0.04, 0.06];
const BUDGET_SOL = 0.3;

/** @param {string} url of a service that nobody else uses */
export async function runPackage(url) {
  const calls = [];
  const sent = new Map();
  const config = await createLegworkClient({ url }).getConfig();
  const rpc = createSolanaRpc(config.rpcUrl);
  const agents = new Map();
  for (const name of [SHIPPER, ...COURIERS]) agents.set(name, await agent(name, { url, config, rpc, calls, sent }));
  const names = new Map([
    [config.coordinatorPubkey, 'Service'],
    ...[...agents].map(([name, { signer }]) => [signer.address, name]),
  ]);
  const stages = [];
  const stage = stageRecorder({ url, calls, stages, rpc, programId: config.programId });

  const shipper = agents.get(SHIPPER);
  const item = await stage('Listing: the budget is locked in a vault', ['PACKAGE_LISTED'], () =>
    listPackage(shipper.client, shipper.signer, {
      originLat: STOPS[0].lat,
      originLng: STOPS[0].lng,
      destLat: STOPS[3].lat,
      destLng: STOPS[3].lng,
      description: 'a violin',
      weightKg: 2,
      volumeLitres: 30,
      maxBudgetSol: BUDGET_SOL,
      terms: 'plain',
    }),
  );
  for (const [index, name] of COURIERS.entries()) {
    const last = index === COURIERS.length - 1;
    const title = index === 0 ? 'Bidding: each courier for its stretch, signed' : undefined;
    // The last bid makes a chain, so formation follows without another call.
    await stage(title, ['BID_STORED'], () => bid(agents.get(name), item.id, index));
    if (last)
      await stage(
        'Formation: the best chain of bids is committed',
        ['SWARM_FORMED', 'BID_RECEIVED', 'BID_RECEIVED', 'BID_RECEIVED'],
        () => undefined,
      );
  }
  const { swarm } = await shipper.client.getPackage({ packageId: item.id });
  for (const leg of swarm.legs) {
    const receiver = COURIERS[leg.legIndex + 1] ?? SHIPPER;
    const title = `Handoff ${leg.legIndex + 1}: ${first(receiver)} receives from ${first(COURIERS[leg.legIndex])} and signs`;
    const { client, signer, rpc: own } = agents.get(receiver);
    await stage(title, ['LEG_CONFIRMED'], () => confirmLeg(client, own, signer, leg.id));
  }
  await stage('Settlement: the rest of the budget returns', ['PACKAGE_DELIVERED'], () => undefined);
  return { stages, names, sent, vault: item.onChainVault };
}

export const first = (name) => name.split(' ')[0];

async function agent(name, { url, config, rpc, calls, sent }) {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)));
  await rpc.requestAirdrop(signer.address, lamports(1_000_000_000n), { commitment: 'confirmed' }).send();
  const client = createLegworkClient({ url, signer, fetch: recordingFetch(name, calls) });
  return { signer, client, rpc: recordingRpc(config.rpcUrl, name, sent) };
}

function bid({ client, signer }, packageId, index) {
  const [from, to] = [STOPS[index], STOPS[index + 1]];
  const distanceKm = Number((greatCircleKm(from, to) * 1.3).toFixed(1));
  return client.submitBid({
    packageId,
    agentPubkey: signer.address,
    pickupLat: from.lat,
    pickupLng: from.lng,
    dropoffLat: to.lat,
    dropoffLng: to.lng,
    distanceKm,
    estimatedDurationMin: estimatedDurationMin(distanceKm),
    costSol: COSTS_SOL[index],
  });
}

/** Runs one stage and waits for the events that end it; a stage without a title goes on with the one before. */
function stageRecorder({ url, calls, stages, rpc, programId }) {
  const events = followEvents({ url, since: 0 })[Symbol.asyncIterator]();
  return async (title, expected, act) => {
    const result = await act();
    const seen = [];
    for (const type of expected) {
      const { value: event } = await events.next();
      if (event.type !== type) throw new Error(`${type} was due, but ${event.type} came`);
      seen.push(event);
    }
    const signature = seen.map(
      (event) => event.listSignature ?? event.formSignature ?? event.signature ?? event.settleSignature,
    )[0];
    const transaction = signature && (await readTransaction(rpc, programId, signature));
    const part = { calls: calls.splice(0), transaction, events: seen };
    if (title === undefined) stages.at(-1).parts.push(part);
    else stages.push({ title, parts: [part] });
    return result;
  };
}
