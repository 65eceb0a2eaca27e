import type { Bid } from '@legwork/sdk';
import type { Market } from '../engine/market.js';
import type { Parcel } from '../engine/search.js';
import type { CourierPolicy } from '../policy/policy.js';
import { errandOf } from './legalBid.js';
import { bestStretch, mightJoin } from './stretch.js';
import type { Stretch } from './stretch.js';

interface Found {
  readonly bids: readonly Bid[];
  readonly stretch: Stretch | undefined;
}

/** The stretches of listed packages that suit a courier, each worked out once for a reading of the package and of its bids. */
export class Stretches {
  readonly #market: Pick<Market, 'bidsOn'>;
  readonly #courier: CourierPolicy;
  readonly #pubkey: string;
  readonly #alone = new WeakMap<Parcel, { readonly stretch: Stretch | undefined; readonly needsBids: boolean }>();
  readonly #found = new WeakMap<Parcel, Found>();

  constructor(market: Pick<Market, 'bidsOn'>, courier: CourierPolicy, pubkey: string) {
    this.#market = market;
    this.#courier = courier;
    this.#pubkey = pubkey;
  }

  /** Reports whether everything that decides about it is read. */
  isDecided(parcel: Parcel): boolean {
    return !this.#aloneOf(parcel).needsBids || this.#market.bidsOn(parcel.packageId) !== undefined;
  }

  /** Others' bids are read where they may offer a place to join; until then there is no stretch. */
  of(parcel: Parcel): Stretch | undefined {
    const alone = this.#aloneOf(parcel);
    if (!alone.needsBids) return alone.stretch;
    const bids = this.#market.bidsOn(parcel.packageId);
    if (!bids) return undefined;
    const known = this.#found.get(parcel);
    if (known?.bids === bids) return known.stretch;
    const stretch = bestStretch(errandOf(parcel, bids, this.#pubkey), this.#courier);
    this.#found.set(parcel, { bids, stretch });
    return stretch;
  }

  #aloneOf(parcel: Parcel) {
    const known = this.#alone.get(parcel);
    if (known) return known;
    const errand = errandOf(parcel, [], this.#pubkey);
    const stretch = bestStretch(errand, this.#courier);
    const needsBids = stretch ? stretch.fit !== 'whole' : mightJoin(errand, this.#courier);
    const found = { stretch, needsBids };
    this.#alone.set(parcel, found);
    return found;
  }
}
