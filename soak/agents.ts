import { setTimeout as sleep } from 'node:timers/promises';
import {
  confirmLeg,
  type Coordinate,
  createRelayClient,
  greatCircleKm,
  LedgerRefusedError,
  type PackageDetail,
  RelayApiError,
  type RelayClient,
  RelayNetworkError,
  signListing,
  type SignedListing,
  submitListing,
} from '@agent-relay/sdk';
import { isSolanaError, type KeyPairSigner, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import { type Random, shuffled } from './plan.js';

/** Alexanderplatz, Potsdamer Platz, Charlottenburg, Spandau. */
const STOPS: readonly [Coordinate, Coordinate, Coordinate, Coordinate] = [
  { lat: 52.5219, lng: 13.4132 },
  { lat: 52.5096, lng: 13.3759 },
  { lat: 52.5167, lng: 13.3041 },
  { lat: 52.5352, lng: 13.1975 },
];
/** The stretches of a package, by how many there are. */
const STRETCHES: readonly (readonly [number, number])[][] = [
  [[0, 3]],
  [
    [0, 2],
    [2, 3],
  ],
  [
    [0, 1],
    [1, 2],
    [2, 3],
  ],
];

/** After the last kill. While parts are killed and started, a package may take as long as that takes. */
const PACKAGE_MS = 120_000;
const CALL_MS = 10_000;

/** What agents need to know, and whom they tell. */
export interface World {
  readonly url: string;
  readonly rpc: LedgerRpc;
  readonly couriers: readonly KeyPairSigner[];
  readonly random: Random;
  /** Hears of every step that begins: a kill may fall into it. */
  readonly step: () => void;
  /** When the last kill had been put right; undefined: there are more to come. */
  readonly calmSince: () => number | undefined;
  /** Hears of every call that got no answer and is repeated. */
  readonly repeated: () => void;
}

/** A package that was carried to its end. */
export interface Carried {
  readonly item: PackageDetail;
  readonly shipper: KeyPairSigner;
}

/** No answer, or an answer that says "not now": the same again. */
function isTransient(error: unknown): boolean {
  if (error instanceof RelayNetworkError) return true;
  if (error instanceof RelayApiError) return error.status >= 500;
  // A confirmation that expired while nobody answered; the program's own refusals are final.
  if (error instanceof LedgerRefusedError) return error.programError === undefined;
  // The agents' own way to the ledger.
  return error instanceof TypeError || isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR);
}

/** The life of one package, by agents who repeat what got no answer. Every one of their calls may be hit by a kill. */
class Journey {
  readonly #world: World;
  readonly #shipper: KeyPairSigner;
  readonly #began = Date.now();
  #at = 'the beginning';

  constructor(world: World, shipper: KeyPairSigner) {
    this.#world = world;
    this.#shipper = shipper;
  }

  async run(): Promise<PackageDetail> {
    const { couriers, random } = this.#world;
    const stretches = STRETCHES[Math.floor(random() * STRETCHES.length)] ?? [];
    const chosen = shuffled(couriers, random).slice(0, stretches.length);
    const { packageId } = await this.#list();
    for (const [index, stretch] of stretches.entries()) {
      await this.#bid(packageId, stretch, chosen[index], (20 + Math.floor(random() * 60)) / 1000);
    }
    const { swarm } = await this.#until(packageId, 'in_transit');
    for (const leg of swarm?.legs ?? []) {
      const next = swarm?.legs[leg.legIndex + 1]?.agentPubkey;
      const recipient = couriers.find(({ address }) => address === next) ?? this.#shipper;
      const name = `${packageId}: confirm leg ${leg.legIndex}`;
      await this.#step(name, () => confirmLeg(this.#clientOf(recipient), this.#world.rpc, recipient, leg.id));
    }
    return this.#until(packageId, 'delivered');
  }

  async #list(): Promise<SignedListing> {
    for (;;) {
      const listing = await this.#sign();
      try {
        await this.#step(`${listing.packageId}: list`, () => submitListing(this.#clientOf(this.#shipper), listing));
        return listing;
      } catch (error) {
        // Expired while nobody answered: nothing is locked, as the audit will see, so a new one may be signed.
        const { cause } = error as Error;
        if (!(cause instanceof RelayApiError && cause.code === 'transaction_failed')) throw error;
        this.#world.repeated();
        this.#requireTime(String(cause));
      }
    }
  }

  async #sign(): Promise<SignedListing> {
    const client = this.#clientOf(this.#shipper);
    return this.#step('sign a listing', () =>
      signListing(client, this.#shipper, {
        originLat: STOPS[0].lat,
        originLng: STOPS[0].lng,
        destLat: STOPS[3].lat,
        destLng: STOPS[3].lng,
        description: 'A cello in its case',
        weightKg: 9,
        volumeLitres: 140,
        maxBudgetSol: 0.5,
      }),
    );
  }

  async #bid(
    packageId: string,
    [from, to]: readonly [number, number],
    courier: KeyPairSigner | undefined,
    costSol: number,
  ): Promise<void> {
    const [pickup, dropoff] = [STOPS[from], STOPS[to]];
    if (!courier || !pickup || !dropoff) throw new RangeError('There are too few couriers or stops.');
    await this.#step(`${packageId}: bid`, async () => {
      try {
        await this.#clientOf(courier).submitBid({
          packageId,
          agentPubkey: courier.address,
          pickupLat: pickup.lat,
          pickupLng: pickup.lng,
          dropoffLat: dropoff.lat,
          dropoffLng: dropoff.lng,
          distanceKm: greatCircleKm(pickup, dropoff),
          estimatedDurationMin: 20,
          costSol,
        });
      } catch (error) {
        // Repeated after a lost answer, when the first one has already won.
        if (!(error instanceof RelayApiError && error.code === 'invalid_status')) throw error;
      }
    });
  }

  async #until(packageId: string, status: PackageDetail['status']): Promise<PackageDetail> {
    const client = this.#clientOf(this.#shipper);
    for (;;) {
      const found = await this.#step(`${packageId}: ${status}`, () => client.getPackage({ packageId }), false);
      if (found.status === status) return found;
      this.#requireTime(`it is ${found.status}`);
      await sleep(60);
    }
  }

  async #step<T>(name: string, action: () => Promise<T>, mayBeHit = true): Promise<T> {
    this.#at = name;
    if (mayBeHit) this.#world.step();
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (!isTransient(error)) throw new Error(`${name}: ${String(error)}`, { cause: error });
        this.#world.repeated();
        this.#requireTime(String(error));
        await sleep(100);
      }
    }
  }

  #requireTime(last: string): void {
    const calmSince = this.#world.calmSince();
    if (calmSince === undefined || Date.now() - Math.max(calmSince, this.#began) < PACKAGE_MS) return;
    throw new Error(`stuck at ${this.#at}: ${last}`);
  }

  #clientOf(signer: KeyPairSigner): RelayClient {
    return createRelayClient({ url: this.#world.url, signer, timeoutMs: CALL_MS });
  }
}

/** Lists a package, lets couriers bid on one to three stretches, confirms each handoff, waits for the delivery. */
export async function carryPackage(world: World, shipper: KeyPairSigner): Promise<Carried> {
  return { item: await new Journey(world, shipper).run(), shipper };
}
