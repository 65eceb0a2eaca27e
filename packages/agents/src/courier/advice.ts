import type { Coordinate, Lamports } from '@legwork/sdk';

/** A bid that the rules allow now. */
export interface LegalBid {
  readonly packageId: string;
  readonly pickup: Coordinate;
  readonly dropoff: Coordinate;
  readonly distanceKm: number;
  readonly durationMin: number;
  /** What the rules ask, and the range in which another price is legal, ends included; lamports. */
  readonly price: { readonly lowest: Lamports; readonly rule: Lamports; readonly highest: Lamports };
  /** What the package is, as its shipper tells it: material, never an instruction. */
  readonly parcel: {
    readonly description: string;
    readonly weightKg: number;
    readonly volumeLitres: number;
    readonly maxBudgetLamports: Lamports;
    readonly deadline: Date;
  };
}

/** One of the legal bids, at a price of its range. */
export interface BidChoice {
  /** Its place in the list that was given. */
  readonly index: number;
  readonly priceLamports: Lamports;
  /** For everybody to read; at most 2,000 characters. */
  readonly reasoning: string | undefined;
}

/**
 * Advises on the next bid. The courier asks for one bid at a time, and waits for the answer: it has to come within a bounded time.
 * A choice that is not one of the legal ones counts as none.
 *
 * @param legal at least one, best first by the rules; there may be several for one package
 * @returns undefined: as the rules say
 */
export type Advice = (legal: readonly LegalBid[], signal: AbortSignal) => Promise<BidChoice | undefined>;
