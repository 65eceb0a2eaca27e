import type { Package, Task } from '@legwork/program-client';
import { getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';
import { ask } from '@legwork/program-client/history';
import type { ReadLedger } from '@legwork/program-client/history';
import { patiently } from './patiently.js';
import type { ListingFacts } from './facts.js';
import type { Findings, Value } from './findings.js';

/** What an account is taken for. */
interface Taken {
  subject: string;
  /** `package account`, ... */
  what: string;
}

/** Says what differs between an account and its transactions. */
export type SameOnLedger = (what: string, account: Value, replayed: Value) => void;

/** The program's accounts; each is taken out when it is compared. */
export class LedgerAccounts {
  readonly #found: Map<string, ReadonlyUint8Array>;
  readonly #findings: Findings;

  private constructor(found: Map<string, ReadonlyUint8Array>, findings: Findings) {
    this.#found = found;
    this.#findings = findings;
  }

  static async read({ rpc, programAddress }: ReadLedger, findings: Findings): Promise<LedgerAccounts> {
    const found = await patiently(() =>
      ask(rpc.getProgramAccounts(programAddress, { commitment: 'confirmed', encoding: 'base64' })),
    );
    const byAddress = found.map(({ pubkey, account }) => [pubkey, getBase64Encoder().encode(account.data[0])] as const);
    return new LedgerAccounts(new Map(byAddress), findings);
  }

  /** The account's bytes, once; a difference when there is none, or one of another kind. */
  take(at: string, kind: number, { subject, what }: Taken): ReadonlyUint8Array | undefined {
    const bytes = this.#found.get(at);
    this.#found.delete(at);
    if (bytes?.[0] === kind) return bytes;
    this.#findings.differ(subject, `${what} ${at} is not on the ledger, though its transactions made one`);
    return undefined;
  }

  /** As `take`, of a package or task; nothing is left in one that is closed. */
  takeListing(item: ListingFacts, kind: number, taken: Taken): ReadonlyUint8Array | undefined {
    if (item.closeSignature === null) return this.take(item.address, kind, taken);
    // The empty account stays, so that the id stays used: rules P-67 and P-97.
    const size = this.#found.get(item.address)?.length ?? null;
    this.#findings.sameOnLedger(taken.subject, 'size', size, 0, item.latestSignature);
    this.#found.delete(item.address);
    return undefined;
  }

  /** Those that were not taken. */
  rest(): Iterable<[address: string, bytes: ReadonlyUint8Array]> {
    return this.#found;
  }
}

/** Compares what the accounts of packages and tasks have in common. */
export function compareListingAccount(data: Package | Task, item: ListingFacts, same: SameOnLedger): void {
  same('funder', data.funder, item.funder);
  same('budget in lamports', data.maxBudget, item.budgetLamports);
  same('paid lamports', data.paid, item.paidLamports);
  same('deadline in unix seconds', data.deadline, item.deadline);
  same('terms hash', Buffer.from(data.termsHash).toString('hex'), item.termsHash);
}
