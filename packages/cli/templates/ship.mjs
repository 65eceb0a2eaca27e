// Has one parcel carried: locks the budget, signs for the parcel when it arrives, and says what came back.
import { readFile } from 'node:fs/promises';
import { confirmLeg, createRelayClient, followEvents, formatSol, listPackage, parseKeypairFile } from '@legwork/sdk';
import { createKeyPairSignerFromBytes, createSolanaRpc } from '@legwork/sdk/kit';

const url = 'http://127.0.0.1:8080';
const signer = await createKeyPairSignerFromBytes(parseKeypairFile(await readFile('key.json', 'utf8')));
const client = createRelayClient({ url, signer });
const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
await client.registerAgent({ agentPubkey: signer.address, displayName: 'my shipper' });

const parcel = await listPackage(client, signer, {
  originLat: 52.5212,
  originLng: 13.3969,
  destLat: 52.503,
  destLng: 13.4692,
  description: 'a box of books',
  weightKg: 4,
  volumeLitres: 20,
  maxBudgetSol: 0.3,
  // Nobody stakes anything. Without this line the usual terms of the service bind both sides.
  terms: 'plain',
});
console.log(`Listed ${parcel.id}; up to 0.3 SOL for carrying it. Waiting for couriers ...`);

const topics = ['SWARM_FORMED', 'LEG_CONFIRMED', 'PACKAGE_DELIVERED', 'PACKAGE_FAILED'];
for await (const { packageId } of followEvents({ url, since: 0, topics })) {
  if (packageId !== parcel.id) continue;
  const { swarm, status, refundLamports } = await client.getPackage({ packageId });
  if (status === 'delivered' || status === 'failed') {
    console.log(`${status}; ${formatSol(refundLamports ?? 0n)} SOL came back.`);
    break;
  }
  const current = swarm?.status === 'active' ? swarm.legs.find((leg) => leg.status === 'pending') : undefined;
  // The last leg ends at you: sign for the parcel once you have it.
  if (current && current.legIndex === swarm.totalLegs - 1) await confirmLeg(client, rpc, signer, current.id);
}
