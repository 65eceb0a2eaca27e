import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  confirmLeg,
  createLegworkClient,
  followEvents,
  listPackage,
  LegworkApiError,
  sendTransaction,
  signTransaction,
} from '@legwork/sdk';
import { createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startOwnInstance } from '../src/demo/instance.js';
import type { OwnInstance } from '../src/demo/instance.js';
import { loadOrCreateKeypair } from '../src/keypairs.js';
import { runProgram } from './support/programs.js';

const AIRDROP = 1_000_000_000n;
const SIGNATURE_FEE = 5_000n;
const REPUTATION_RENT = 1_252_800n;
const HALFWAY = '52.455,13.509';
const PLAIN = ['--terms', 'plain'];

let instance: OwnInstance;
let keys: string;

beforeAll(async () => {
  keys = await mkdtemp(join(tmpdir(), 'legwork-examples-'));
  // The tests together write more than one address may in a minute.
  instance = await startOwnInstance({ LIMIT_WRITES: '0' });
}, 360_000);

afterAll(async () => {
  await instance?.stop();
  await rm(keys, { recursive: true, force: true });
}, 360_000);

async function walletOf(key: string) {
  const { address } = await loadOrCreateKeypair(join(keys, key));
  const client = createLegworkClient({ url: instance.url });
  const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
  const balance = async () => (await rpc.getBalance(address, { commitment: 'confirmed' }).send()).value;
  return { address, balance };
}

describe('the example courier and shipper', () => {
  test('bring a package from hand to hand, and each is paid what the leg says', async () => {
    const url = ['--url', instance.url];
    const first = runProgram('courier.js', [...url, '--key', join(keys, 'first'), '--to', HALFWAY]);
    const second = runProgram('courier.js', [...url, '--key', join(keys, 'second'), '--from', HALFWAY]);
    await Promise.all([first.shows('looks for work'), second.shows('looks for work')]);

    const shipper = runProgram('shipper.js', [...url, ...PLAIN, '--key', join(keys, 'shipper'), '--budget', '0.3']);
    await shipper.succeeds();
    expect(shipper.output()).toContain('delivered');
    await second.shows('took over package');

    const wallets = {
      first: await walletOf('first'),
      second: await walletOf('second'),
      shipper: await walletOf('shipper'),
    };
    const client = createLegworkClient({ url: instance.url });
    const { items } = await client.listPackages({ shipper: wallets.shipper.address });
    const { swarm, status } = await client.getPackage({ packageId: items[0]?.id ?? '' });
    expect(status).toBe('delivered');
    expect(swarm?.legs.map(({ agentPubkey }) => agentPubkey)).toEqual([wallets.first.address, wallets.second.address]);
    const paid = swarm?.legs.map(({ agreedPaymentLamports }) => agreedPaymentLamports) ?? [];
    expect(await wallets.first.balance()).toBe(AIRDROP + (paid[0] ?? 0n));
    expect(await wallets.second.balance()).toBe(AIRDROP + (paid[1] ?? 0n) - SIGNATURE_FEE);
  }, 360_000);

  test('get the same answer when they confirm again, also after the settlement', async () => {
    const shipper = await loadOrCreateKeypair(join(keys, 'shipper'));
    const second = await loadOrCreateKeypair(join(keys, 'second'));
    const client = createLegworkClient({ url: instance.url });
    const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
    const { items } = await client.listPackages({ shipper: shipper.address });
    const { swarm } = await client.getPackage({ packageId: items[0]?.id ?? '' });
    const [handoff, arrival] = swarm?.legs ?? [];
    for (const [signer, leg] of [[second, handoff] as const, [shipper, arrival] as const]) {
      const own = createLegworkClient({ url: instance.url, signer });
      const again = await confirmLeg(own, rpc, signer, leg?.id ?? '');
      expect(again).toMatchObject({ signature: leg?.confirmSignature, status: 'completed', swarmStatus: 'settled' });
    }
    const stranger = createLegworkClient({ url: instance.url, signer: second });
    await expect(confirmLeg(stranger, rpc, second, arrival?.id ?? '')).rejects.toThrow(LegworkApiError);
  });

  test('does nothing twice when a courier is started again', async () => {
    const { balance } = await walletOf('second');
    const before = await balance();
    const again = runProgram('courier.js', ['--url', instance.url, '--key', join(keys, 'second'), '--from', HALFWAY]);
    await again.shows('looks for work');
    // A package of its own stretch shows that it has caught up with the past.
    const other = ['--url', instance.url, '--key', join(keys, 'other'), '--from', HALFWAY];
    const shipper = runProgram('shipper.js', [...other, ...PLAIN]);
    await shipper.succeeds();
    expect(again.output()).not.toContain('took over');
    expect(await balance()).toBeGreaterThan(before);
  }, 360_000);

  test('bring one from hand to hand that binds both sides, and every stake comes back', async () => {
    const url = ['--url', instance.url];
    const first = runProgram('courier.js', [...url, '--key', join(keys, 'bound-1'), '--to', HALFWAY]);
    const second = runProgram('courier.js', [...url, '--key', join(keys, 'bound-2'), '--from', HALFWAY]);
    await Promise.all([first.shows('looks for work'), second.shows('looks for work')]);
    const shipper = runProgram('shipper.js', [...url, '--key', join(keys, 'bound-shipper'), '--budget', '0.3']);
    await shipper.succeeds();
    expect(shipper.output()).toContain('signed the pickup of package');
    expect(shipper.output()).toContain('delivered');
    expect(first.output()).toContain('took over package');
    await second.shows('took over package');

    const { address } = await walletOf('bound-shipper');
    const client = createLegworkClient({ url: instance.url });
    const { items } = await client.listPackages({ shipper: address });
    const { swarm, terms } = await client.getPackage({ packageId: items[0]?.id ?? '' });
    expect(terms).toMatchObject({ stakeLamports: 60_000_000n, cosignedPickup: true });
    for (const [index, key] of ['bound-1', 'bound-2'].entries()) {
      const { paidLamports, agentPubkey } = swarm?.legs[index] ?? {};
      const wallet = await walletOf(key);
      expect(agentPubkey).toBe(wallet.address);
      // Its own reputation account, and a few signatures: nothing of its stake is missing.
      const spent = AIRDROP + (paidLamports ?? 0n) - (await wallet.balance());
      expect(spent).toBeGreaterThan(REPUTATION_RENT);
      expect(spent).toBeLessThanOrEqual(REPUTATION_RENT + 6n * SIGNATURE_FEE);
    }
  }, 360_000);

  test('keep their keys readable by nobody else', async () => {
    expect((await stat(join(keys, 'first'))).mode & 0o777).toBe(0o600);
  });
});

describe('a recipient that vanished', () => {
  /** A package in transit with one courier, so that the shipper is the next to sign. */
  async function packageOnItsLastLeg() {
    const [shipper, courier] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
    const client = createLegworkClient({ url: instance.url, signer: shipper });
    await client.registerAgent({ agentPubkey: shipper.address });
    const route = { originLat: 52.5, originLng: 13.4, destLat: 52.45, destLng: 13.51 };
    const goods = { description: 'a lamp', weightKg: 1, volumeLitres: 5, maxBudgetSol: 0.1, terms: 'plain' } as const;
    const { id } = await listPackage(client, shipper, { ...route, ...goods });
    const places = { pickupLat: 52.5, pickupLng: 13.4, dropoffLat: 52.45, dropoffLng: 13.51 };
    await createLegworkClient({ url: instance.url, signer: courier }).submitBid({
      packageId: id,
      agentPubkey: courier.address,
      ...places,
      distanceKm: 12,
      estimatedDurationMin: 24,
      costSol: 0.02,
    });
    for await (const event of followEvents({ url: instance.url, since: 0, topics: ['SWARM_FORMED'] })) {
      if (event.packageId === id) break;
    }
    const legId = (await client.getPackage({ packageId: id })).swarm?.legs[0]?.id ?? '';
    const { rpcUrl, programId } = await client.getConfig();
    return { client, shipper, courier, legId, programId, rpc: createSolanaRpc(rpcUrl) };
  }

  test('between the ledger and the service repeats the call, and signs nothing twice', async () => {
    const { client, shipper, legId, programId, rpc } = await packageOnItsLastLeg();
    const built = await client.buildConfirmTx({ legId });
    const signed = await signTransaction(built.transaction, shipper, { programId, name: 'confirmLeg' });
    const signature = await sendTransaction(rpc, signed, built.lastValidBlockHeight);
    const { value: before } = await rpc.getBalance(shipper.address, { commitment: 'confirmed' }).send();

    expect(await confirmLeg(client, rpc, shipper, legId)).toMatchObject({ signature, status: 'completed' });
    for await (const event of followEvents({ url: instance.url, since: 0, topics: ['PACKAGE_DELIVERED'] })) {
      if (event.type !== 'PACKAGE_DELIVERED') continue;
      const { swarm } = await client.getPackage({ packageId: event.packageId });
      if (swarm?.legs[0]?.id !== legId) continue;
      const { value: after } = await rpc.getBalance(shipper.address, { commitment: 'confirmed' }).send();
      // The surplus and the rent came back, and no second fee was paid.
      const rent = await rpc.getMinimumBalanceForRentExemption(0n).send();
      expect(after - before).toBe((event.refundLamports ?? 0n) + rent);
      break;
    }
  });

  test('and is started twice gets one confirmation', async () => {
    const { client, shipper, courier, legId, rpc } = await packageOnItsLastLeg();
    const answers = await Promise.all([1, 2, 3].map(() => confirmLeg(client, rpc, shipper, legId)));
    expect(new Set(answers.map(({ signature }) => signature)).size).toBe(1);
    const { value } = await rpc.getBalance(courier.address, { commitment: 'confirmed' }).send();
    // 0.02 SOL and a bonus of 3/14 of it, once.
    expect(value).toBe(24_285_714n);
  });
});

describe('the demo', () => {
  test('plays, and accounts for every lamport', async () => {
    const demo = runProgram('demo/packages/main.js', ['--url', instance.url, '--keys', join(keys, 'demo')]);
    await demo.succeeds();
    expect(demo.output()).toContain('won by a chain of 3: Ada, Chiara, Emre');
    expect(demo.output()).toContain('won by Greta alone');
    expect(demo.output()).toContain('Ada is paid 0.0335 SOL (bid 0.0276 + bonus 0.0059)');
    expect(demo.output()).toContain('without a commitment shows what was final some 13 seconds ago');
    expect(demo.output()).toContain('Every lamport is accounted for.');
  }, 360_000);

  test('finishes a run that was killed while packages are listed, while couriers bid, and between two handoffs', async () => {
    const options = ['--url', instance.url, '--keys', join(keys, 'killed')];
    const play = (...more: string[]) => runProgram('demo/packages/main.js', [...options, ...more]);
    let demo = play();
    for (const moment of ['Nora sends', 'Chiara ', 'takes over']) {
      await demo.shows(moment);
      demo.kill('SIGKILL');
      expect(await demo.ended).toBe(null);
      demo = play('--resume');
    }
    await demo.succeeds();
    expect(demo.output()).toContain('Every lamport is accounted for.');
    const nora = demo.output().match(/^Nora \(shipper\).*$/m)?.[0];
    expect(nora?.split(/\s+/).slice(2, 4)).toEqual(['0', '1,000,000,000']);
  }, 360_000);

  test('tells how to go on when the service dies under it', async () => {
    const other = await startOwnInstance();
    onTestFinished(other.stop);
    const options = ['--url', other.url, '--keys', join(keys, 'orphaned')];
    const demo = runProgram('demo/packages/main.js', options);
    await demo.shows('Nora sends');
    await other.stop();
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain(`Finish it with: npm run demo -- ${options.join(' ')} --resume`);
    expect(demo.output()).not.toContain('    at ');
  }, 360_000);

  test('has nothing to resume after a finished run', async () => {
    const demo = runProgram('demo/packages/main.js', ['--url', instance.url, '--keys', join(keys, 'demo'), '--resume']);
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('There is nothing to resume');
  }, 360_000);
});
