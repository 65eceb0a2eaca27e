import type { Features } from '../features.js';

/** As a validator's genesis sets it. */
export const INFLATION = { initial: 0.08, terminal: 0.015, taper: 0.15, foundation: 0.05, foundationTerm: 7 };

const SECONDS_PER_YEAR = 365.242199 * 24 * 60 * 60;
const SLOT_MS = 400;
/**
 * Features that let inflation reckon with shorter slots from the first epoch after their activation, and with
 * how long ones (SIMD-0525).
 */
const SHORTER_SLOTS: readonly (readonly [feature: string, ms: number])[] = [
  ['iBRLjhJnkmDZgNoZRDMW11d8ZV7HvsL3vAyRjZB5npW', 200],
  ['iBRLMc81UjRa8fn8A6eE8bJTnRbgQoPTynM51akENCV', 250],
  ['iBRLL3k18HST852F1Mf3Lv83waTNQmmqvKDxvYGwQFL', 300],
];

/** The inflation of a ledger with these features. Rates are shares of all lamports in a year. */
export class Inflation {
  readonly #laterSlotMs: number;
  readonly #slotsPerEpoch: number;

  constructor(features: Features, slotsPerEpoch: number) {
    this.#slotsPerEpoch = slotsPerEpoch;
    this.#laterSlotMs = SHORTER_SLOTS.find(([feature]) => features.includes(feature))?.[1] ?? SLOT_MS;
  }

  /** The rates after so many epochs. */
  ratesAfter(epochs: number): { readonly total: number; readonly validator: number; readonly foundation: number } {
    const { initial, terminal, taper, foundation: share, foundationTerm } = INFLATION;
    const years =
      this.#yearsOf(Math.min(1, epochs), SLOT_MS) + this.#yearsOf(Math.max(0, epochs - 1), this.#laterSlotMs);
    const total = Math.max(initial * (1 - taper) ** years, terminal);
    const foundation = years < foundationTerm ? total * share : 0;
    return { total, foundation, validator: total - foundation };
  }

  /** What the stakers of an epoch are paid when it is over, in lamports, of a supply. */
  rewardsOf(epoch: number, supply: bigint): bigint {
    const years = this.#yearsOf(1, epoch === 0 ? SLOT_MS : this.#laterSlotMs);
    return BigInt(Math.floor(this.ratesAfter(epoch + 1).validator * Number(supply) * years));
  }

  #yearsOf(epochs: number, slotMs: number): number {
    return (epochs * this.#slotsPerEpoch * slotMs) / 1000 / SECONDS_PER_YEAR;
  }
}
