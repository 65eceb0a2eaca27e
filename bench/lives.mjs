// Packages that live their whole life on a running service: three bids, two legs, each confirmed, settled. Many are under way at once.
import { confirmLeg, followEvents, listPackage } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { PACKAGES_A_SHIPPER, parcel, registered } from './market.mjs';

const ORIGIN = { pickupLat: 52.5208, pickupLng: 13.3989 };
const MEETING = { lat: 52.515, lng: 13.435 };
const DESTINATION = { dropoffLat: 52.5031, dropoffLng: 13.4694 };
const FIRST = { ...ORIGIN, dropoffLat: MEETING.lat, dropoffLng: MEETING.lng, distanceKm: 3, costSol: 0.002 };
const SECOND = { pickupLat: MEETING.lat, pickupLng: MEETING.lng, ...DESTINATION, distanceKm: 3, costSol: 0.002 };
const DEARER = { ...FIRST, costSol: 0.003 };

/** Resolves when the event of this type came for the package. */
function eventsOf(url, signal) {
  const seen = new Set();
  const waiting = new Map();
  void (async () => {
    for await (const { type, packageId } of followEvents({
      url,
      topics: ['SWARM_FORMED', 'PACKAGE_DELIVERED'],
      signal,
    })) {
      const key = `${type} ${packageId}`;
      seen.add(key);
      waiting.get(key)?.();
    }
  })().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return (type, id) =>
    new Promise((resolve) => {
      const key = `${type} ${id}`;
      if (seen.has(key)) resolve();
      else waiting.set(key, resolve);
    });
}

async function live({ shipper, couriers, rpc, came }, index) {
  const { id } = await listPackage(shipper.client, shipper.signer, parcel(`bench ${index}`));
  const bid = ({ client, signer }, offer) =>
    client.submitBid({ packageId: id, agentPubkey: signer.address, estimatedDurationMin: 20, ...offer });
  await Promise.all([bid(couriers[0], FIRST), bid(couriers[2], DEARER)]);
  // Only with this one there is a chain.
  await bid(couriers[1], SECOND);
  await came('SWARM_FORMED', id);
  const { swarm } = await shipper.client.getPackage({ packageId: id });
  for (const leg of swarm.legs) {
    const next = swarm.legs[leg.legIndex + 1];
    const recipient = next ? couriers.find(({ signer }) => signer.address === next.agentPubkey) : shipper;
    await confirmLeg(recipient.client, rpc, recipient.signer, leg.id);
  }
  await came('PACKAGE_DELIVERED', id);
}

/** Three couriers, and as many shippers as so many packages take. */
export async function parties(url, packages) {
  const couriers = await Promise.all([registered(url), registered(url), registered(url)]);
  const many = Math.ceil(packages / PACKAGES_A_SHIPPER);
  const shippers = await Promise.all(Array.from({ length: many }, () => registered(url)));
  return { couriers, shippers };
}

/** Lets so many packages live. Resolves once the last one is delivered. */
export async function lives(url, { couriers, shippers }, packages, atOnce) {
  const ended = new AbortController();
  const came = eventsOf(url, ended.signal);
  const rpc = createSolanaRpc((await shippers[0].client.getConfig()).rpcUrl);
  let index = 0;
  const lane = async () => {
    while (index < packages) {
      const own = index++;
      await live({ shipper: shippers[own % shippers.length], couriers, rpc, came }, own);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  ended.abort();
}
