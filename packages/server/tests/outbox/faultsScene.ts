import {
  confirmLeg,
  listPackage,
  type PackageDetail,
  LegworkApiError,
  signListing,
  type SignedListing,
} from '@legwork/sdk';
import { address, type Address } from '@solana/kit';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { feesSince, readBooks, type Books } from '../../../cli/tests/support/books.js';
import { findLanded } from '@legwork/program-client/history';
import type { AppContext } from '../../src/context.js';
import type { Lie, LyingNode, Told } from '../support/lyingNode.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, TestService } from '../support/service.js';
import { hold } from '../support/holdIntents.js';
import { Wallets } from '../mirror/walletScene.js';

const MEET_MS = 25_000;
const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** A package on its way, with everybody who takes part. */
export interface Market {
  shipper: Party;
  couriers: Party[];
  parcel: PackageDetail;
}

/** A service that reaches its ledger through a node that may lie; the tests' own `rpc` goes straight to the ledger. */
export class Scene {
  readonly service: TestService;
  readonly node: LyingNode;
  readonly context: AppContext;
  #toldAt = new Date(0);

  static async start(): Promise<Scene> {
    const service = await TestService.start({ lying: true });
    return new Scene(service, await service.context());
  }

  private constructor(service: TestService, context: AppContext) {
    this.service = service;
    this.node = service.node;
    this.context = context;
  }

  async close(): Promise<void> {
    await this.node.mend();
    await this.context.db.destroy();
    await this.service.close();
  }

  /** Keeps the package's intents from being carried out. */
  hold(packageId: string): Promise<void> {
    return hold(this.service, packageId);
  }

  async #letGo(): Promise<void> {
    await this.service.db.deleteFrom('outbox').where('unique_key', 'like', 'hold:%').execute();
  }

  async readiness(): Promise<{ status: number; detail: unknown }> {
    const answer = await fetch(`${this.service.server.url}/readyz`);
    const { detail } = (await answer.json()) as { detail?: unknown };
    return { status: answer.status, detail };
  }

  /** The intents that are not done. */
  openIntents() {
    return this.service.db.selectFrom('outbox').selectAll().where('status', '<>', 'done').orderBy('id').execute();
  }

  /** Begins this lie in the place of any other, then lets go what was held back. */
  async tell(lie: Lie, methods?: readonly string[]): Promise<Told> {
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(this.service.db);
    this.#toldAt = rows[0]?.now ?? new Date();
    await this.node.mend();
    const told = await this.node.begin(lie, methods);
    await this.#letGo();
    return told;
  }

  /** Waits until that many intents, and no others, have met the lie and been put off. */
  async untilMet(intents: number): Promise<void> {
    for (const deadline = Date.now() + MEET_MS; ; await sleep(50)) {
      const open = await this.openIntents();
      const putOff = open.filter(
        (intent) =>
          intent.updated_at >= this.#toldAt &&
          intent.lease_token === null &&
          intent.last_error?.includes('did not answer') === true,
      );
      if (putOff.length === intents) return;
      if (Date.now() > deadline) throw new Error(`the intents did not meet the lie: ${JSON.stringify(open, shown)}`);
    }
  }

  /** The answers to readers: the HTTP status of a list, and the status of the package to be settled. */
  async reads({ settling, listing }: UnderWay): Promise<[number, string]> {
    const listed = await fetch(`${this.service.server.url}/packages?limit=3`);
    await listed.arrayBuffer();
    const { status } = await listing.shipper.client.getPackage({ packageId: settling.parcel.id });
    return [listed.status, status];
  }

  /** Names of the program's instructions in the account's successful transactions, oldest first; a failure stops. */
  async historyOf(account: string): Promise<string[]> {
    const history = await this.service.rpc
      .getSignaturesForAddress(address(account), { commitment: 'confirmed' })
      .send();
    const names: string[] = [];
    for (const { signature, err } of history.toReversed()) {
      if (err !== null) throw new Error(`transaction ${signature} failed`);
      const landed = await findLanded(this.context.ledger, signature);
      if (landed?.kind === 'landed') names.push(...landed.instructions.map(({ name }) => name));
    }
    return names;
  }
}

/** A scene for the tests of the current file; there once they run. */
export function withScene(): { readonly current: Scene } {
  let scene: Scene | undefined;
  beforeAll(async () => {
    scene = await Scene.start();
  });
  // A test that failed in the middle of a lie leaves none to the next one.
  afterEach(() => scene?.node.mend());
  afterAll(() => scene?.close());
  return {
    get current() {
      if (!scene) throw new Error('The scene is there only while tests and hooks run.');
      return scene;
    },
  };
}

/** Four packages, each at another moment of its life. */
export interface UnderWay {
  /** Signed, to be submitted. */
  listing: { shipper: Party; couriers: Party[]; signed: SignedListing };
  /** Its swarm is to be formed: the intent is held back. */
  forming: { shipper: Party; couriers: Party[]; id: string };
  /** Both of its legs are to be confirmed. */
  confirming: Market;
  /** To be settled: the intent is held back. */
  settling: Market;
}

async function packageToForm(scene: Scene): Promise<UnderWay['forming']> {
  const [shipper, courier] = await Promise.all([scene.service.party(), scene.service.party(1)]);
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await scene.hold(id);
  await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  await untilPackage(scene.service, id, ({ status }) => status === 'swarm_forming');
  return { shipper, couriers: [courier], id };
}

async function packageToSettle(scene: Scene): Promise<Market> {
  const market = await formedPackage(scene.service, [['zoo', 'ostkreuz', 0.1]]);
  await scene.hold(market.parcel.id);
  await new Wallets(scene.service).confirm(market, 0);
  await untilPackage(scene.service, market.parcel.id, ({ swarm }) => swarm?.completedLegs === 1);
  return market;
}

async function packageToList(scene: Scene): Promise<UnderWay['listing']> {
  const [shipper, courier] = await Promise.all([scene.service.party(), scene.service.party(1)]);
  return { shipper, couriers: [courier], signed: await signListing(shipper.client, shipper.signer, draft()) };
}

export async function packagesUnderWay(scene: Scene): Promise<UnderWay> {
  const [listing, forming, confirming, settling] = await Promise.all([
    packageToList(scene),
    packageToForm(scene),
    formedPackage(scene.service, [
      ['zoo', 'alexanderplatz', 0.1],
      ['alexanderplatz', 'ostkreuz', 0.05],
    ]),
    packageToSettle(scene),
  ]);
  return { listing, forming, confirming, settling };
}

/** Persists like a caller when the service cannot say: the same again. Notes the refusals in `refusals`. */
async function persist<T>(refusals: Set<string>, action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof LegworkApiError)) throw error;
      refusals.add(error.code);
      if (error.status < 500) throw error;
      await sleep(100);
    }
  }
}

/**
 * Submits the listing and confirms every leg, all by callers who repeat their calls.
 *
 * @returns the codes of the refusals they met
 */
export async function callersDuring(
  scene: Scene,
  { listing, confirming }: Pick<UnderWay, 'confirming'> & { listing: UnderWay['listing'] | undefined },
): Promise<Set<string>> {
  const refusals = new Set<string>();
  async function confirm(): Promise<void> {
    const { shipper, couriers, parcel } = confirming;
    for (const leg of parcel.swarm?.legs ?? []) {
      const next = parcel.swarm?.legs[leg.legIndex + 1]?.agentPubkey;
      const { client, signer } = couriers.find(({ pubkey }) => pubkey === next) ?? shipper;
      await persist(refusals, async () => {
        const { open } = await confirmLeg(client, scene.service.rpc, signer, leg.id);
        if (open) throw open.why;
      });
    }
  }
  async function list({ shipper, signed: { packageId, transaction } }: UnderWay['listing']): Promise<void> {
    await persist(refusals, () => shipper.client.submitPackage({ packageId, transaction }));
  }
  await Promise.all([listing && list(listing), confirm()]);
  return refusals;
}

/** Carries every package to its end. */
export async function deliverAll(
  scene: Scene,
  { listing, forming, confirming, settling }: Omit<UnderWay, 'listing'> & { listing: UnderWay['listing'] | undefined },
): Promise<Market[]> {
  const { service } = scene;
  const listed = listing ? [{ ...listing, id: listing.signed.packageId }] : [];
  for (const { couriers, id } of listed) {
    for (const courier of couriers) {
      await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    }
  }
  const carried = [...listed, forming].map(async ({ shipper, couriers, id }): Promise<Market> => {
    const parcel = await untilPackage(service, id, ({ status }) => status === 'in_transit');
    await confirmAll(service, { shipper, couriers, parcel });
    return { shipper, couriers, parcel };
  });
  const markets = [...(await Promise.all(carried)), confirming, settling];
  return Promise.all(
    markets.map(async (market) => ({
      ...market,
      parcel: await untilPackage(service, market.parcel.id, ({ status }) => status === 'delivered'),
    })),
  );
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);

/** All the money there is, outside the faucet. */
export async function booksOf(scene: Scene, { listing, forming, confirming, settling }: UnderWay): Promise<Books> {
  const { rpc, server } = scene.service;
  const parties = [listing, forming, confirming, settling].flatMap(({ shipper, couriers }) => [shipper, ...couriers]);
  const wallets = [server.coordinatorPubkey as Address, ...parties.map(({ signer }) => signer.address)];
  return readBooks(rpc, server.programId, wallets);
}

/** Once on the ledger and paid once: every instruction of every package, every lamport of everybody. */
export async function requireTrueBooks(scene: Scene, markets: readonly Market[], before: Books): Promise<void> {
  for (const { parcel } of markets) {
    const each = (name: string) => Array.from({ length: parcel.swarm?.totalLegs ?? 0 }, () => name);
    expect(await scene.historyOf(parcel.onChainPackage)).toEqual([
      'listPackage',
      'formSwarm',
      ...each('assignLeg'),
      ...each('confirmLeg'),
      'settle',
    ]);
  }
  const { rpc, server } = scene.service;
  const after = await readBooks(rpc, server.programId, [...before.wallets.keys()]);
  const fees = await feesSince(rpc, before);
  const gain = (wallet: Address) =>
    (after.wallets.get(wallet) ?? 0n) - (before.wallets.get(wallet) ?? 0n) + (fees.get(wallet)?.lamports ?? 0n);
  for (const { parcel, couriers } of markets) {
    for (const leg of parcel.swarm?.legs ?? []) {
      const courier = couriers.find(({ pubkey }) => pubkey === leg.agentPubkey);
      // The settled package was paid before the lie.
      const expected = parcel === markets.at(-1)?.parcel ? 0n : leg.agreedPaymentLamports;
      expect(courier && gain(courier.signer.address)).toBe(expected);
    }
  }
  expect(sum([...before.wallets.keys()].map(gain))).toBe(before.inProgram - after.inProgram);
}

/** Requires the mirror's state in the end: every intent carried out, no formation lost on the way. */
export async function requireQuietRows(scene: Scene): Promise<void> {
  await expect.poll(() => scene.openIntents()).toEqual([]);
  const { db } = scene.service;
  expect(await db.selectFrom('swarms').select('failure').where('status', '=', 'failed').execute()).toEqual([]);
}
