// A courier: bids for its stretch of road and carries what it wins. With terms it stakes, keeps its clocks and claims.
// node examples/dist/courier.js --url http://127.0.0.1:8080 --key courier.json --from 52.52,13.40 --to 52.50,13.47
import { parseArgs } from 'node:util';
import {
  createLegworkClient,
  ensureReputation,
  estimatedDurationMin,
  followEvents,
  followTurns,
  greatCircleKm,
  ledgerRpc,
  receive,
  stillOpen,
} from '@legwork/sdk';
import type { PackageDetail } from '@legwork/sdk';
import { loadOrCreateKeypair } from './keypairs.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({ options: { url: string, key: string, 'sol-per-km': string, from: string, to: string } });
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'courier.json');
const client = createLegworkClient({ url, signer });
const rpc = ledgerRpc((await client.getConfig()).rpcUrl);
await client.registerAgent({ agentPubkey: signer.address, displayName: 'example courier' });
console.log(`courier ${signer.address} looks for work`);

// A real one asks its people. Here the parcel is always in hand, and there at once.
void followTurns(client, signer, {
  hasParcel: () => true,
  carried: ({ parcel }) => console.log(`took over package ${parcel.id}`),
  evidence: (_, isLast) => (isLast ? 'It is with me, at the place where this leg ends.' : undefined),
  made: ({ signature }, { turn }, action) => console.log(`${action} leg ${turn.legIndex + 1}: ${signature}`),
  failed: (error) => console.log(`to be tried again: ${String(error)}`),
});

// From the first event on: bids and confirmations are safe to repeat.
const topics = ['PACKAGE_LISTED', 'SWARM_FORMED', 'LEG_CONFIRMED'] as const;
for await (const event of followEvents({ url, since: 0, topics })) {
  const parcel = await client.getPackage({ packageId: event.packageId });
  if (parcel.status === 'listed' && event.type === 'PACKAGE_LISTED') await bid(parcel);
  if (parcel.terms !== null) continue;
  const legs = parcel.swarm?.status === 'active' ? parcel.swarm.legs : [];
  const current = legs.find((leg) => leg.status === 'pending');
  // Without terms the courier of the next leg receives the package, and signs for it when it is in its hands.
  if (current !== undefined && legs[current.legIndex + 1]?.agentPubkey === signer.address) {
    const confirmed = await receive(client, signer, { packageId: parcel.id }, { rpc });
    console.log(`took over package ${parcel.id}: ${confirmed.signature}${stillOpen(confirmed)}`);
  }
}

async function bid(parcel: PackageDetail) {
  const { id: packageId, terms, originLat, originLng, destLat, destLng } = parcel;
  const [pickupLat = originLat, pickupLng = originLng] = values.from?.split(',').map(Number) ?? [];
  const [dropoffLat = destLat, dropoffLng = destLng] = values.to?.split(',').map(Number) ?? [];
  const straightKm = greatCircleKm({ lat: pickupLat, lng: pickupLng }, { lat: dropoffLat, lng: dropoffLng });
  const distanceKm = Number((straightKm * 1.3).toFixed(1));
  const costSol = Number((distanceKm * Number(values['sol-per-km'] ?? 0.005)).toFixed(4));
  const places = { pickupLat, pickupLng, dropoffLat, dropoffLng, distanceKm };
  const offer = { ...places, estimatedDurationMin: estimatedDurationMin(distanceKm), costSol };
  try {
    // A key without a reputation cannot bid where both sides are bound.
    const opened = terms === null ? null : await ensureReputation(client, rpc, signer, parcel);
    if (opened !== null) console.log(`opened its reputation: ${opened.signature}${stillOpen(opened)}`);
    await client.submitBid({ packageId, agentPubkey: signer.address, ...offer });
    console.log(`bid ${costSol} SOL on package ${packageId}`);
  } catch (error) {
    console.log(`no bid on package ${packageId}: ${String(error)}`);
  }
}
