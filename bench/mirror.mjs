// How soon the service shows what wallets do on the ledger without telling it: transaction confirmed -> event received, for
// listings and for confirmations, on an instance of its own.
// Run it after `npm run build`: node bench/mirror.mjs [packages, 100 unless given]
import { performance } from 'node:perf_hooks';
import { createLegworkClient, followEvents, signListing, signTransaction } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { bidOnParcel, PACKAGES_A_SHIPPER, parcel, registered, summary, UNLIMITED } from './market.mjs';

const PACKAGES = Number(process.argv[2] ?? 100);

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
  console.log(`${what} confirmed -> event over ${times.length} packages, one after the other: ${summary(times)}`);
}

/** One package, listed and confirmed by its wallet alone. @returns how long each took to be seen, in milliseconds */
async function carry({ rpc, programId, heard }, shipper, courier, index) {
  const { packageId, transaction } = await signListing(shipper.client, shipper.signer, parcel(`bench ${index}`));
  const listedAt = await confirmed(rpc, transaction);
  const listing = (await heard.at('PACKAGE_LISTED', packageId)) - listedAt;

  await bidOnParcel(courier, packageId);
  await heard.at('SWARM_FORMED', packageId);
  const { swarm } = await shipper.client.getPackage({ packageId });
  const built = await shipper.client.buildConfirmTx({ legId: swarm.legs[0].id });
  const signed = await signTransaction(built.transaction, shipper.signer, { programId, name: 'confirmLeg' });
  const confirmedAt = await confirmed(rpc, signed);
  return { listing, confirmation: (await heard.at('LEG_CONFIRMED', packageId)) - confirmedAt };
}

async function main() {
  const instance = await startOwnInstance(UNLIMITED);
  const ended = new AbortController();
  try {
    const { url } = instance;
    const { programId, rpcUrl } = await createLegworkClient({ url }).getConfig();
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
  }
}

await main();
