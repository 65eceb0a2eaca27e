import { type Package, SOL_ASSET, type Task } from '@legwork/program-client';
import type { AssetFacts, LedgerFacts, ListingFacts } from '@legwork/program-client/facts';
import { ask, type ReadLedger } from '@legwork/program-client/history';
import { getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';
import type { Findings, Value } from '../findings.js';
import { patiently } from '../ledger.js';
import { compareTerms } from './turn.js';

/** The rent of accounts on this ledger. */
export interface Rent {
  /** The minimum balance of an account of so many bytes, in lamports. */
  minimumFor: (bytes: number) => bigint;
}

/** Reads the rent, which grows by the same for every byte. */
export async function readRent({ rpc }: ReadLedger): Promise<Rent> {
  const [empty, one] = await Promise.all(
    [0n, 1n].map((bytes) => patiently(() => ask(rpc.getMinimumBalanceForRentExemption(bytes)))),
  );
  if (empty === undefined || one === undefined) throw new Error('two sizes have two rents');
  return { minimumFor: (bytes) => empty + (one - empty) * BigInt(bytes) };
}

/** The account that is taken, and its subject. */
interface Taken {
  subject: string;
  /** `package account`, ... */
  what: string;
}

/** Reports a difference between an account and its transactions. */
export type SameOnLedger = (what: string, account: Value, replayed: Value) => void;

/** An account of the program on the ledger. */
export interface LedgerAccount {
  bytes: ReadonlyUint8Array;
  /** Its balance above the rent for its bytes, in lamports. */
  aboveRent: bigint;
}

/** The program's accounts; comparing one takes it out. */
export class LedgerAccounts {
  readonly #found: Map<string, LedgerAccount>;
  readonly #assets: ReadonlyMap<string, AssetFacts>;
  readonly #findings: Findings;

  private constructor(found: Map<string, LedgerAccount>, assets: ReadonlyMap<string, AssetFacts>, findings: Findings) {
    this.#found = found;
    this.#assets = assets;
    this.#findings = findings;
  }

  static async read(
    { rpc, programAddress }: ReadLedger,
    { minimumFor }: Rent,
    { assets }: LedgerFacts,
    findings: Findings,
  ): Promise<LedgerAccounts> {
    const found = await patiently(() =>
      ask(rpc.getProgramAccounts(programAddress, { commitment: 'confirmed', encoding: 'base64' })),
    );
    const byAddress = found.map(({ pubkey, account }) => {
      const bytes = getBase64Encoder().encode(account.data[0]);
      return [pubkey, { bytes, aboveRent: account.lamports - minimumFor(bytes.length) }] as const;
    });
    return new LedgerAccounts(new Map(byAddress), assets, findings);
  }

  /** The account, once; a difference when there is none, or one of another kind. */
  take(at: string, kind: number, { subject, what }: Taken): LedgerAccount | undefined {
    const found = this.#found.get(at);
    this.#found.delete(at);
    if (found?.bytes[0] === kind) return found;
    this.#findings.differ(subject, `${what} ${at} is not on the ledger, though its transactions made one`);
    return undefined;
  }

  /** Like `take`, for a package or task; a closed account is empty. */
  takeListing(listing: ListingFacts, kind: number, taken: Taken): LedgerAccount | undefined {
    if (listing.closeSignature === null) return this.take(listing.address, kind, taken);
    // The empty account stays, so that the id stays used: rules P-67 and P-97.
    const size = this.#found.get(listing.address)?.bytes.length ?? null;
    this.#findings.sameOnLedger(taken.subject, 'size', size, 0, listing.latestSignature);
    this.#found.delete(listing.address);
    return undefined;
  }

  /** The asset that the listing is paid in; undefined: SOL. */
  assetOf({ asset }: ListingFacts): AssetFacts | undefined {
    return asset === null ? undefined : this.#assets.get(asset);
  }

  /** The accounts that were not taken. */
  rest(): Iterable<[address: string, account: LedgerAccount]> {
    return this.#found;
  }
}

/**
 * Compares what the accounts of packages and tasks have in common.
 *
 * @param asset the asset of its payments by its transactions; undefined: SOL
 */
export function compareListingAccount(
  data: Package | Task,
  listing: ListingFacts,
  asset: AssetFacts | undefined,
  same: SameOnLedger,
): void {
  same('funder', data.funder, listing.funder);
  same('asset', data.asset, asset?.number ?? SOL_ASSET);
  same('budget in lamports', data.maxBudget, listing.budgetLamports);
  same('paid lamports', data.paid, listing.paidLamports);
  same('deadline in unix seconds', data.deadline, listing.deadline);
  same('terms hash', Buffer.from(data.termsHash).toString('hex'), listing.termsHash);
  compareTerms(data, listing, same);
}
