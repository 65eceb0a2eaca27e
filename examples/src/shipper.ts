// A shipper: has one package carried, signs for it at the end, and leaves when it is settled.
// node examples/dist/shipper.js --url http://127.0.0.1:8080 --key shipper.json --from 52.52,13.40 --to 52.36,13.50 --budget 0.3
import { parseArgs } from 'node:util';
import { confirmLeg, createRelayClient, followEvents, formatSol, listPackage } from '@legwork/sdk';
import { createSolanaRpc } from '@legwork/sdk/kit';
import { loadOrCreateKeypair } from './keypairs.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({
  options: { url: string, key: string, from: string, to: string, budget: string, what: string },
});
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'shipper.json');
const client = createRelayClient({ url, signer });
const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
await client.registerAgent({ agentPubkey: signer.address, displayName: 'example shipper' });

const [originLat = 52.5212, originLng = 13.3969] = values.from?.split(',').map(Number) ?? [];
const [destLat = 52.3622, destLng = 13.5007] = values.to?.split(',').map(Number) ?? [];
const parcel = await listPackage(client, signer, {
  originLat,
  originLng,
  destLat,
  destLng,
  description: values.what ?? 'a box of books',
  weightKg: 4,
  volumeLitres: 20,
  maxBudgetSol: Number(values.budget ?? 0.3),
});
console.log(`listed package ${parcel.id}`);

const topics = ['SWARM_FORMED', 'LEG_CONFIRMED', 'PACKAGE_DELIVERED', 'PACKAGE_FAILED'] as const;
for await (const event of followEvents({ url, since: 0, topics })) {
  if (event.packageId !== parcel.id) continue;
  const { swarm, refundLamports, status } = await client.getPackage({ packageId: parcel.id });
  if (status === 'delivered' || status === 'failed') {
    console.log(`${status}; ${formatSol(refundLamports ?? 0n)} SOL came back`);
    break;
  }
  const current = swarm?.status === 'active' ? swarm.legs.find((leg) => leg.status === 'pending') : undefined;
  // The last leg is the shipper's to confirm: the package has arrived.
  if (swarm && current?.legIndex === swarm.totalLegs - 1) {
    const { signature } = await confirmLeg(client, rpc, signer, current.id);
    console.log(`received package ${parcel.id}: ${signature}`);
  }
}
