import { type Coordinate, greatCircleKm } from '@legwork/sdk';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { below, type Random } from '../plan.js';
import type { Calls } from './calls.js';
import { JOURNEY } from './calls.js';
import type { Poster } from './poster.js';
import type { Sights } from './sights.js';

/** From where nobody carries anything on: no chain is made of a bid that ends here. */
const NOWHERE: Coordinate = { lat: 52.39, lng: 13.52 };
const STOPOVER: Coordinate = { lat: 52.51, lng: 13.41 };
const CROWD = 100;
const SIGNED_SHARE = 0.4;
const COST_SOL = 0.004;

/** Bids with keys that nobody knows, one after the other. */
export class Bidder {
  readonly #calls: Calls;
  readonly #sights: Sights;
  readonly #poster: Poster;
  readonly #random: Random;
  /** The package that it paid for last. */
  #own: string | undefined;

  constructor(calls: Calls, sights: Sights, poster: Poster, random: Random) {
    this.#calls = calls;
    this.#sights = sights;
    this.#poster = poster;
    this.#random = random;
  }

  /** One bid on a package of the honest, which leads nowhere. */
  async pester(): Promise<void> {
    const listing = this.#sights.package('listed', this.#random);
    if (listing !== undefined) await this.#bid(listing.id, originOf(listing), NOWHERE, 'a bid that leads nowhere');
  }

  /** As many as arrive at once, on a package of the honest or on its own last one. */
  async crowd(): Promise<void> {
    await this.#sights.look();
    const listing = this.#sights.package('listed', this.#random);
    const bid =
      listing === undefined || below(2, this.#random) === 0
        ? () => this.#bidWholly(this.#own, 'a bid in a crowd on its own package')
        : () => this.#bid(listing.id, originOf(listing), NOWHERE, 'a bid in a crowd that leads nowhere');
    await Promise.all(Array.from({ length: CROWD }, bid));
  }

  /** Has a package of its own carried, by one or two, so that each costs the coordinator a reputation account. */
  async burn(): Promise<void> {
    this.#own = await this.#poster.listPackage();
    await this.#bidWholly(this.#own);
  }

  /** The same with a package that the coordinator pays for, if it does. */
  async burnSponsored(): Promise<void> {
    await this.#bidWholly(await this.#poster.sponsor());
  }

  async #bidWholly(packageId: string | undefined, what = 'a bid on its own package'): Promise<void> {
    if (packageId === undefined) return;
    const { from, to } = JOURNEY;
    const stops = below(2, this.#random) === 0 ? [from, to] : [from, STOPOVER, to];
    for (const [index, stop] of stops.slice(1).entries()) {
      await this.#bid(packageId, stops[index] ?? from, stop, what);
    }
  }

  async #bid(packageId: string, from: Coordinate, to: Coordinate, what: string): Promise<void> {
    const isSigned = this.#random() < SIGNED_SHARE;
    const bidder = await generateKeyPairSigner();
    const bid = {
      packageId,
      agentPubkey: bidder.address,
      pickupLat: from.lat,
      pickupLng: from.lng,
      dropoffLat: to.lat,
      dropoffLng: to.lng,
      distanceKm: greatCircleKm(from, to),
      estimatedDurationMin: 20,
      costSol: COST_SOL,
    };
    await this.#calls.ask(what, () => this.#send(bid, isSigned ? bidder : undefined));
  }

  #send(bid: Parameters<ReturnType<Calls['clientOf']>['submitBid']>[0], signer?: KeyPairSigner): Promise<unknown> {
    return signer ? this.#calls.clientOf(signer).submitBid(bid) : this.#calls.tool('svc_submit_bid', { ...bid });
  }
}

function originOf({ originLat: lat, originLng: lng }: { readonly originLat: number; readonly originLng: number }) {
  return { lat, lng };
}
