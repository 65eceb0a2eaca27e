// A courier in forty lines, as somebody outside writes it: bids on every parcel, and ends when one of its own is delivered.
import { readFile } from 'node:fs/promises';
import {
  confirmLeg,
  createLegworkClient,
  estimatedDurationMin,
  followEvents,
  formatSol,
  greatCircleKm,
  parseKeypairFile,
  LegworkApiError,
} from '@legwork/sdk';
import type { Lamports, PackageDetail } from '@legwork/sdk';
import { createKeyPairSignerFromBytes, createSolanaRpc, lamports } from '@legwork/sdk/kit';

const [url = 'http://127.0.0.1:8080', key = 'key.json'] = process.argv.slice(2);
const signer = await createKeyPairSignerFromBytes(parseKeypairFile(await readFile(key, 'utf8')));
const client = createLegworkClient({ url, signer });
const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
await client.registerAgent({ agentPubkey: signer.address, displayName: 'Ada' });
console.log(`courier ${signer.address} looks for work`);

async function bid({ id: packageId, originLat, originLng, destLat, destLng }: PackageDetail): Promise<void> {
  const distanceKm = Number(
    greatCircleKm({ lat: originLat, lng: originLng }, { lat: destLat, lng: destLng }).toFixed(1),
  );
  const places = { pickupLat: originLat, pickupLng: originLng, dropoffLat: destLat, dropoffLng: destLng, distanceKm };
  const offer = { ...places, estimatedDurationMin: estimatedDurationMin(distanceKm), costSol: 0.1 + 0.02 };
  await client.submitBid({ packageId, agentPubkey: signer.address, ...offer }).catch((error: unknown) => {
    if (!(error instanceof LegworkApiError)) throw error;
    console.log(`no bid on ${packageId}: ${error.detail}`);
  });
}

for await (const event of followEvents({
  url,
  since: 0,
  topics: ['PACKAGE_LISTED', 'LEG_CONFIRMED', 'PACKAGE_DELIVERED'],
})) {
  const parcel = await client.getPackage({ packageId: event.packageId });
  if (event.type === 'PACKAGE_LISTED' && parcel.status === 'listed') await bid(parcel);
  const own = parcel.swarm?.legs.find(({ agentPubkey }) => agentPubkey === signer.address);
  const before = parcel.swarm?.legs.find(
    ({ legIndex, status }) => status === 'pending' && legIndex + 1 === own?.legIndex,
  );
  if (before) await confirmLeg(client, rpc, signer, before.id);
  if (event.type === 'PACKAGE_DELIVERED' && own) break;
}
const balance: Lamports = (await rpc.getBalance(signer.address, { commitment: 'confirmed' }).send()).value;
console.log(
  `delivered; the wallet has ${formatSol(balance)} SOL, ${formatSol(balance - lamports(1_000_000_000n))} of them earned`,
);
