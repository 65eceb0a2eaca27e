// A courier: bids on every listed package for its stretch of road, and signs for the packages it takes over.
// node examples/dist/courier.js --url http://127.0.0.1:8080 --key courier.json --from 52.52,13.40 --to 52.50,13.47
import { parseArgs } from 'node:util';
import * as relay from '@agent-relay/sdk';
import { createSolanaRpc } from '@solana/kit';
import { loadOrCreateKeypair } from './keypairs.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({
  options: { url: string, key: string, name: string, 'sol-per-km': string, from: string, to: string },
});
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'courier.json');
const client = relay.createRelayClient({ url, signer });
const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
await client.registerAgent({ agentPubkey: signer.address, displayName: values.name ?? 'example courier' });
console.log(`courier ${signer.address} looks for work`);

// From the first event on: a restarted courier catches up, because bids and confirmations are safe to repeat.
for await (const event of relay.followEvents({
  url,
  since: 0,
  topics: ['PACKAGE_LISTED', 'SWARM_FORMED', 'LEG_CONFIRMED'],
})) {
  const item = await client.getPackage({ packageId: event.packageId });
  if (item.status === 'listed' && event.type === 'PACKAGE_LISTED') await bid(item);
  const legs = item.swarm?.status === 'active' ? item.swarm.legs : [];
  const current = legs.find((leg) => leg.status === 'pending');
  // Whoever carries the next leg receives the package, and signs for it when it is in its hands.
  if (current !== undefined && legs[current.legIndex + 1]?.agentPubkey === signer.address) {
    const { signature } = await relay.confirmLeg(client, rpc, signer, current.id);
    console.log(`took over package ${item.id}: ${signature}`);
  }
}

async function bid(item: relay.PackageDetail) {
  const [pickupLat, pickupLng] = values.from?.split(',').map(Number) ?? [item.originLat, item.originLng];
  const [dropoffLat, dropoffLng] = values.to?.split(',').map(Number) ?? [item.destLat, item.destLng];
  const places = {
    pickupLat: pickupLat ?? NaN,
    pickupLng: pickupLng ?? NaN,
    dropoffLat: dropoffLat ?? NaN,
    dropoffLng: dropoffLng ?? NaN,
  };
  const straight = relay.greatCircleKm(
    { lat: places.pickupLat, lng: places.pickupLng },
    { lat: places.dropoffLat, lng: places.dropoffLng },
  );
  const distanceKm = Number((straight * 1.3).toFixed(1));
  const costSol = Number((distanceKm * Number(values['sol-per-km'] ?? 0.005)).toFixed(4));
  const estimatedDurationMin = relay.estimatedDurationMin(distanceKm);
  await client
    .submitBid({
      packageId: item.id,
      agentPubkey: signer.address,
      ...places,
      distanceKm,
      estimatedDurationMin,
      costSol,
    })
    .then(() => console.log(`bid ${costSol} SOL on package ${item.id}`))
    .catch((error: unknown) => console.log(`no bid on package ${item.id}: ${String(error)}`));
}
