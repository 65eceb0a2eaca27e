import type { RelayInstruction } from '../decodeRelayInstruction.js';

/** A transaction as the ledger shows it. */
export interface Transaction {
  signature: string;
  /** The program's instructions in it, in the order they ran. */
  instructions: readonly RelayInstruction[];
  /** Unix seconds; null: the node does not say. */
  at: bigint | null;
  /** How many lamports more accounts of it had afterwards; without those that the node says nothing of. */
  gained: ReadonlyMap<string, bigint>;
  /** The sha256 that its ruling names as its reason, in hex; left out: none. */
  reasonHash?: string | undefined;
}

/** That a transaction cannot follow those before it. */
export interface Misfit {
  signature: string;
  /** The finding in place of the expected one. */
  misfit: string;
}

/** Leaves the fold, which returns it as a value. */
export class MisfitFound extends Error {}

export function misfit(why: string): never {
  throw new MisfitFound(why);
}

/** Lamports that were due to a wallet, which may not have been able to receive them. */
interface Payout {
  vault: string;
  wallet: string;
  lamports: bigint;
  /** Notes that they are in the vault instead. */
  keep: () => void;
}

/** Of more payouts in one transaction it is not told which were received: there are too many ways. No client sends so many. */
const MOST_PAYOUTS = 16;

/** The transaction that is folded: when it landed, and where its lamports went. */
export class Landing {
  readonly signature: string;
  /** Unix seconds, by the program's clock; null: the node does not say. */
  readonly at: bigint | null;
  /** The sha256 that its ruling names as its reason. */
  readonly reasonHash: string | null;
  readonly #gained: ReadonlyMap<string, bigint>;
  readonly #payouts: Payout[] = [];
  /** The gain of each vault if every wallet can receive. */
  readonly #expected = new Map<string, bigint>();
  readonly #filled = new Set<string>();

  constructor({ signature, at, gained, reasonHash }: Transaction) {
    this.signature = signature;
    this.reasonHash = reasonHash ?? null;
    this.at = at;
    this.#gained = gained;
  }

  /** Lamports come to a vault, or leave it. */
  move(vault: string, lamports: bigint): void {
    this.#expected.set(vault, (this.#expected.get(vault) ?? 0n) + lamports);
  }

  /** All that a vault holds comes, so that what stayed in it does not show; nor does it when all leaves, since it has less then. */
  fill(vault: string): void {
    this.#filled.add(vault);
  }

  /** Lamports are due to a wallet; the vault gets them if it cannot receive them. */
  payOut(payout: Payout): void {
    this.#payouts.push(payout);
  }

  /** Reports whether the account has no more than before, as far as the node says. */
  hasGainedNothing(account: string): boolean {
    const gained = this.#gained.get(account);
    return gained !== undefined && gained <= 0n;
  }

  /**
   * Finds what the wallets of the transaction could not receive, by what the vaults have gained. A gift to the vault may be as much as a
   * payout, and costs a shipper nothing, who gets it back: a wallet that gained all that it was due has received it.
   */
  settle(): void {
    for (const vault of new Set(this.#payouts.map((payout) => payout.vault))) {
      const gained = this.#gained.get(vault);
      if (gained === undefined || this.#filled.has(vault)) continue;
      const payouts = this.#payouts.filter((payout) => payout.vault === vault && !this.#hasReceivedAll(payout.wallet));
      if (payouts.length > MOST_PAYOUTS) continue;
      for (const kept of sumTo(payouts, gained - (this.#expected.get(vault) ?? 0n)) ?? []) kept.keep();
    }
  }

  /** Reports whether the wallet gained all that it was due, as far as the node says. One that pays a fee gains less. */
  #hasReceivedAll(wallet: string): boolean {
    const gained = this.#gained.get(wallet);
    const due = this.#payouts.reduce((sum, payout) => (payout.wallet === wallet ? sum + payout.lamports : sum), 0n);
    return gained !== undefined && gained >= due;
  }
}

/** Payouts of this sum, or undefined. A stranger's gift to the vault is no payout. */
function sumTo(payouts: readonly Payout[], lamports: bigint): Payout[] | undefined {
  if (lamports === 0n) return [];
  const [first, ...rest] = payouts;
  if (first === undefined || lamports < 0n) return undefined;
  const others = sumTo(rest, lamports - first.lamports);
  return others === undefined ? sumTo(rest, lamports) : [first, ...others];
}
