import { setTimeout as sleep } from 'node:timers/promises';
import { relayGenesis } from '@legwork/deploy';
import { startLedger } from '@legwork/ledger';
import {
  confirmLeg,
  type Coordinate,
  createLegworkClient,
  greatCircleKm,
  type PackageDetail,
  LegworkApiError,
  type LegworkClient,
  LegworkNetworkError,
  signListing,
  submitListing,
} from '@legwork/sdk';
import { startPostgres } from '@legwork/postgres';
import { type Address, createSolanaRpc, type KeyPairSigner } from '@solana/kit';
import { Client } from 'pg';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { PROGRAM_FILE } from '../src/paths.js';
import { readBooks, feesSince } from './support/books.js';
import { temporaryFolders } from './support/command.js';
import { Service } from './support/service.js';
import { fundedWallet, type LedgerRpc } from './support/wallets.js';

const SOL = 1_000_000_000n;
const KILLS = 3;
/** A kill falls this long after its step began, at most; the longest step takes about that. */
const LONGEST_DELAY_MS = 150;
const STEPS = ['list', 'bid 0', 'bid 1', 'bid 2', 'form', 'confirm 0', 'confirm 1', 'confirm 2', 'settle'];
/** Alexanderplatz, Potsdamer Platz, Charlottenburg, Spandau. */
const STOPS: readonly Coordinate[] = [
  { lat: 52.5219, lng: 13.4132 },
  { lat: 52.5096, lng: 13.3759 },
  { lat: 52.5167, lng: 13.3041 },
  { lat: 52.5352, lng: 13.1975 },
];

const newFolder = temporaryFolders();

/** Which steps are hit, and how many milliseconds after they began. */
function planKills(): Map<string, number> {
  const steps = STEPS.toSorted(() => Math.random() - 0.5).slice(0, KILLS);
  return new Map(steps.map((step) => [step, Math.random() * LONGEST_DELAY_MS]));
}

/** Repeats the action, as an agent does when it gets no answer, or something is still open after it landed. */
async function persist<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      const done = await action();
      if (!isOpen(done)) return done;
    } catch (error) {
      const transient =
        error instanceof LegworkNetworkError || (error instanceof LegworkApiError && error.status >= 500);
      if (!transient) throw error;
    }
    await sleep(50);
  }
}

const isOpen = (done: unknown) => typeof done === 'object' && done !== null && 'open' in done && done.open !== null;

function stop(index: number): Coordinate {
  const found = STOPS[index];
  if (!found) throw new RangeError(`There is no stop ${index}.`);
  return found;
}

async function bid(courier: LegworkClient, agentPubkey: Address, packageId: string, index: number): Promise<void> {
  const [from, to] = [stop(index), stop(index + 1)];
  try {
    await courier.submitBid({
      packageId,
      agentPubkey,
      pickupLat: from.lat,
      pickupLng: from.lng,
      dropoffLat: to.lat,
      dropoffLng: to.lng,
      distanceKm: greatCircleKm(from, to),
      estimatedDurationMin: 20,
      costSol: 0.05,
    });
  } catch (error) {
    // Repeated after a lost answer, when the first one has already won.
    if (!(error instanceof LegworkApiError && error.code === 'invalid_status')) throw error;
  }
}

/** Lists, bids, confirms; every step may be hit by a kill. Returns the delivered package. */
async function runPackage(
  service: Service,
  rpc: LedgerRpc,
  shipper: KeyPairSigner,
  couriers: readonly KeyPairSigner[],
  kills: ReadonlyMap<string, number>,
): Promise<PackageDetail> {
  const clientOf = (signer: KeyPairSigner) => createLegworkClient({ url: service.url, signer, timeoutMs: 5000 });
  const client = clientOf(shipper);
  async function step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const delay = kills.get(name);
    const death = delay === undefined ? undefined : sleep(delay).then(() => service.dieAndReturn());
    const [result] = await Promise.all([persist(action), death]);
    return result;
  }
  const until = async (done: (found: PackageDetail) => boolean): Promise<PackageDetail> => {
    for (;;) {
      const found = await persist(() => client.getPackage({ packageId: listing.packageId }));
      if (done(found)) return found;
      await sleep(20);
    }
  };

  const listing = await persist(() =>
    signListing(client, shipper, {
      originLat: stop(0).lat,
      originLng: stop(0).lng,
      destLat: stop(3).lat,
      destLng: stop(3).lng,
      description: 'A cello in its case',
      weightKg: 9,
      volumeLitres: 140,
      maxBudgetSol: 0.5,
    }),
  );
  await step('list', () => submitListing(client, listing));
  for (const [index, courier] of couriers.entries()) {
    await step(`bid ${index}`, () => bid(clientOf(courier), courier.address, listing.packageId, index));
  }
  const { swarm } = await step('form', () => until(({ status }) => status === 'in_transit'));
  for (const leg of swarm?.legs ?? []) {
    const recipient = couriers[leg.legIndex + 1] ?? shipper;
    await step(`confirm ${leg.legIndex}`, () => confirmLeg(clientOf(recipient), rpc, recipient, leg.id));
  }
  return step('settle', () => until(({ status }) => status === 'delivered'));
}

test('three SIGKILLs at random moments of a package lose nothing and pay nothing twice', {
  timeout: 600_000,
}, async () => {
  const dataDir = await newFolder();
  const [postgres, ledger] = await Promise.all([
    startPostgres({ dataDir }),
    startLedger({ dataDir: await newFolder(), port: 0, genesis: relayGenesis(PROGRAM_FILE) }),
  ]);
  onTestFinished(async () => {
    await ledger.close();
    await postgres.stop();
  });
  const service = await Service.start({
    DATABASE_URL: postgres.connectionString,
    SOLANA_RPC_URL: ledger.rpcUrl,
    SOLANA_WS_URL: ledger.wsUrl,
    SOLANA_CLUSTER: 'embedded',
    RELAY_PROGRAM_ID: ledger.keypairs.program.signer.address,
    COORDINATOR_KEYPAIR: ledger.keypairs.coordinator.path,
  });
  onTestFinished(async () => {
    await service.stop();
  });
  const rpc = createSolanaRpc(ledger.rpcUrl);
  const [shipper, ...couriers] = await Promise.all([2n, 1n, 1n, 1n].map((sol) => fundedWallet(rpc, sol * SOL)));
  if (!shipper) throw new Error('There is no shipper.');
  const { coordinatorPubkey, programId } = await createLegworkClient(service).getConfig();
  const coordinator = coordinatorPubkey as Address;
  const wallets = [shipper.address, coordinator, ...couriers.map(({ address }) => address)];
  const before = await readBooks(rpc, programId, wallets);

  const kills = planKills();
  const plan = [...kills].map(([step, delay]) => `${step} + ${delay.toFixed(0)} ms`).join(', ');
  onTestFailed(() => console.error(`Killed at ${plan}`));
  const delivered = await runPackage(service, rpc, shipper, couriers, kills);

  const after = await readBooks(rpc, programId, wallets);
  const fees = await feesSince(rpc, before);
  const gain = (wallet: Address) =>
    (after.wallets.get(wallet) ?? 0n) - (before.wallets.get(wallet) ?? 0n) + (fees.get(wallet)?.lamports ?? 0n);
  const total = (amounts: Iterable<bigint>) => [...amounts].reduce((sum, amount) => sum + amount, 0n);

  const legs = delivered.swarm?.legs ?? [];
  expect(legs.map(({ agentPubkey }) => agentPubkey)).toEqual(couriers.map(({ address }) => address));
  for (const leg of legs) expect(gain(leg.agentPubkey as Address)).toBe(leg.agreedPayment);
  const { value: packageAccount } = await rpc
    .getAccountInfo(delivered.onChainPackage as Address, { encoding: 'base64', commitment: 'confirmed' })
    .send();
  const paid = total(legs.map(({ agreedPayment }) => agreedPayment));
  expect(gain(shipper.address)).toBe(-paid - (packageAccount?.lamports ?? 0n));
  // One formation, one settlement.
  expect(fees.get(coordinator)?.transactions).toBe(2);
  // One listing, one confirmation.
  expect(fees.get(shipper.address)?.transactions).toBe(2);
  expect(total(wallets.map(gain))).toBe(before.inProgram - after.inProgram);

  const database = new Client({ connectionString: postgres.connectionString });
  await database.connect();
  onTestFinished(() => database.end());
  const rows = async (query: string) => (await database.query<Record<string, unknown>>(query)).rows;
  // The ledger tells of a settlement before the worker that takes it over from a killed one may: that waits for its lease.
  await expect
    .poll(() => rows('select kind, status from outbox order by id'), { timeout: 45_000 })
    .toEqual([
      { kind: 'form_swarm', status: 'done' },
      { kind: 'settle', status: 'done' },
    ]);
  expect(await rows('select status, failed_formations from packages')).toEqual([
    { status: 'delivered', failed_formations: 0 },
  ]);
  expect(await rows('select status from swarms')).toEqual([{ status: 'settled' }]);
  expect(
    await rows('select leg_index, agent_pubkey, status, agreed_payment_lamports::text as paid from legs order by 1'),
  ).toEqual(
    legs.map((leg) => ({
      leg_index: leg.legIndex,
      agent_pubkey: leg.agentPubkey,
      status: 'completed',
      paid: String(leg.agreedPayment),
    })),
  );
  await expect.poll(() => rows('select 1 from events where seq is null')).toEqual([]);
  const events = await rows("select type from events where type <> 'BID_STORED' order by seq");
  expect(events.map(({ type }) => type)).toEqual([
    'PACKAGE_LISTED',
    'SWARM_FORMED',
    'BID_RECEIVED',
    'BID_RECEIVED',
    'BID_RECEIVED',
    'LEG_CONFIRMED',
    'LEG_CONFIRMED',
    'LEG_CONFIRMED',
    'PACKAGE_DELIVERED',
  ]);
  expect(await service.stop()).toBe(0);
});
