import { LegStatus } from '@legwork/program-client';
import { decodeRelayAccount, formatSol } from '@legwork/sdk';
import type { ServiceConfig } from '@legwork/sdk';
import { address, fetchEncodedAccounts } from '@solana/kit';
import type { Address, GetMultipleAccountsApi, Rpc } from '@solana/kit';
import type { JournalEntry, JournalView } from '../journal.js';
import type { Policy } from '../policy/policy.js';
import type { Stake } from './mostItCosts.js';
import { LimitError } from './spending.js';

/** Under which terms a key posts stakes, and how much; lamports. */
export interface StakeRules {
  readonly perLeg: bigint;
  /** Of all that lie in legs at a time. */
  readonly inAll: bigint;
  /** Whose rulings are taken. */
  readonly arbiters: readonly string[];
}

/** What a policy says of stakes, where `service` stands for the arbiter that the service names now. */
export function stakeRulesOf(
  { limits, accept }: Pick<Policy, 'limits' | 'accept'>,
  { arbiterPubkey }: Pick<ServiceConfig, 'arbiterPubkey'>,
): StakeRules {
  const arbiters = accept.arbiters.flatMap((one) => (one === 'service' ? (arbiterPubkey ?? []) : one));
  return { perLeg: limits.stakePerLeg, inAll: limits.stakeInAll, arbiters };
}

/** The stakes that lie in legs, or may, by what was signed. Rule A-9. */
export class Stakes implements JournalView {
  /** Lamports, by the account of the leg: two signatures about one leg post one stake. */
  readonly #posted = new Map<string, bigint>();

  take(entry: JournalEntry): void {
    if (entry.kind === 'signed' && entry.stakeLamports !== undefined) {
      this.#posted.set(entry.subject, entry.stakeLamports);
    }
    if (entry.kind === 'freed') this.#posted.delete(entry.subject);
  }

  /** The accounts of the legs that may hold a stake. */
  get legs(): readonly Address[] {
    return [...this.#posted.keys()].map((leg) => address(leg));
  }

  get inAll(): bigint {
    return [...this.#posted.values()].reduce((sum, lamports) => sum + lamports, 0n);
  }

  /** @throws {LimitError} when a stake in this leg would pass a limit, or is ruled by somebody whom the policy does not name */
  check(leg: string, { lamports, arbiter }: Stake, { perLeg, inAll, arbiters }: StakeRules): void {
    if (!arbiters.includes(arbiter))
      throw new LimitError(`${arbiter} rules its disputes, whom accept.arbiters does not name`);
    const others = this.inAll - (this.#posted.get(leg) ?? 0n);
    if (lamports > perLeg) throw overLimit('stakePerLeg', lamports, perLeg, '');
    const lying = others > 0n ? `, and ${formatSol(others)} SOL lie in other legs` : '';
    if (others + lamports > inAll) throw overLimit('stakeInAll', lamports, inAll, lying);
  }
}

function overLimit(name: string, lamports: bigint, limit: bigint, more: string): LimitError {
  return new LimitError(
    `the stake is ${formatSol(lamports)} SOL${more}, but limits.${name} is ${formatSol(limit)} SOL`,
  );
}

const MOST_ACCOUNTS = 100;
/** Of a leg whose courier or agent posts, or has posted, a stake. */
const WORKERS: ReadonlySet<LegStatus> = new Set([LegStatus.Pending, LegStatus.Accepted, LegStatus.Carried]);
/** Of a leg whose disputer posts, or has posted, one too. */
const DISPUTERS: ReadonlySet<LegStatus> = new Set([LegStatus.Claimed, LegStatus.Disputed]);

/** Those of the legs that hold no stake of this wallet, and will hold none by what was signed. */
export async function freedOf(
  legs: readonly Address[],
  own: Address,
  rpc: Rpc<GetMultipleAccountsApi>,
): Promise<Address[]> {
  const freed: Address[] = [];
  for (let from = 0; from < legs.length; from += MOST_ACCOUNTS) {
    const asked = legs.slice(from, from + MOST_ACCOUNTS);
    const accounts = await fetchEncodedAccounts(rpc, asked, { commitment: 'confirmed' });
    for (const account of accounts) {
      const found = account.exists ? decodeRelayAccount(account.data) : undefined;
      if (!mayHold(found, own)) freed.push(account.address);
    }
  }
  return freed;
}

function mayHold(found: ReturnType<typeof decodeRelayAccount>, own: Address): boolean {
  if (found?.kind !== 'leg' && found?.kind !== 'taskLeg') return false;
  const worker = found.kind === 'leg' ? found.data.courier : found.data.agent;
  return DISPUTERS.has(found.data.status) || (worker === own && WORKERS.has(found.data.status));
}
