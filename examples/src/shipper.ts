// A shipper: has one package carried, hands it over, signs for it at the end, and leaves when it is settled.
// node examples/dist/shipper.js --url http://127.0.0.1:8080 --key shipper.json --from 52.52,13.40 --to 52.36,13.50 --budget 0.3
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createLegworkClient,
  formatAmount,
  ledgerRpc,
  listPackage,
  receive,
  signPickup,
  stillOpen,
  toLamports,
} from '@legwork/sdk';
import type { Swarm } from '@legwork/sdk';
import { loadOrCreateKeypair } from './keypairs.js';

const string = { type: 'string' } as const;
const { values } = parseArgs({
  options: { url: string, key: string, from: string, to: string, budget: string, what: string, terms: string },
});
const url = values.url ?? 'http://127.0.0.1:8080';
const signer = await loadOrCreateKeypair(values.key ?? 'shipper.json');
const client = createLegworkClient({ url, signer });
const rpc = ledgerRpc((await client.getConfig()).rpcUrl);
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
  // Left out: the usual terms of the service, which bind both sides.
  ...(values.terms === 'plain' && { terms: values.terms }),
});
const bound = parcel.open === null && parcel.terms ? `, ruled by ${parcel.terms.arbiterPubkey} if disputed` : '';
console.log(`listed package ${parcel.id}${bound}${stillOpen(parcel)}`);

let signedFor: string | undefined;
for (;;) {
  const { swarm, refund, status, ...of } = await client.getPackage({ packageId: parcel.id });
  if (status === 'delivered' || status === 'failed') {
    console.log(`${status}; ${formatAmount(refund ?? toLamports(0n), of)} came back`);
    break;
  }
  if (swarm?.status === 'active') await sign(swarm);
  await sleep(1_000);
}

async function sign({ legs, totalLegs }: Swarm) {
  const current = legs.find((leg) => leg.status === 'pending');
  if (current === undefined) return;
  const { id: legId, legIndex, stage, agentPubkey } = current;
  // With terms the first courier has the parcel once it has sent what the shipper signs: it may not leave with it before.
  // It signs once for each courier, since what is signed does not expire and the courier may send it at any moment.
  if (legIndex === 0 && stage === 'accepted' && agentPubkey !== signedFor) {
    const packageId = parcel.id;
    const { code } = await signPickup(client, signer, { legId, packageId }, { rpc });
    console.log(`signed the pickup of package ${packageId}, which may go once its leg is carried: ${code}`);
    signedFor = agentPubkey;
  } else if (legIndex === totalLegs - 1 && (stage === null || stage === 'carried')) {
    // The last leg is the shipper's to confirm: the package has arrived.
    const confirmed = await receive(client, signer, { packageId: parcel.id }, { rpc });
    console.log(`received package ${parcel.id}: ${confirmed.signature}${stillOpen(confirmed)}`);
  }
}
