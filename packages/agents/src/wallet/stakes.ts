import { LegStatus } from '@legwork/program-client';
import { decodeRelayAccount, formatAmount, SOL } from '@legwork/sdk';
import type { ServiceConfig } from '@legwork/sdk';
import { address, fetchEncodedAccounts } from '@solana/kit';
import type { Address, GetMultipleAccountsApi, Rpc } from '@solana/kit';
import type { JournalEntry, JournalView } from '../journal.js';
import type { Policy } from '../policy/policy.js';
import { keyOf, limitWords, solRules } from './assetRules.js';
import type { AssetRules } from './assetRules.js';
import type { Stake } from './mostItCosts.js';
import { LimitError } from './spending.js';

/** Under which terms a key posts stakes, and how much, in one asset; base units. */
export interface StakeRules {
  readonly of: AssetRules;
  readonly perLeg: bigint;
  /** Of all that lie in legs at a time. */
  readonly inAll: bigint;
  /** The arbiters whose rulings it takes. */
  readonly arbiters: readonly string[];
}

/** A policy's rules for stakes, where `service` stands for the arbiter that the service names now. */
export function stakeRulesOf(
  policy: Pick<Policy, 'limits' | 'accept' | 'courier'>,
  { arbiterPubkey }: Pick<ServiceConfig, 'arbiterPubkey'>,
  of: AssetRules = solRules(policy),
): StakeRules {
  const arbiters = policy.accept.arbiters.flatMap((one) => (one === 'service' ? (arbiterPubkey ?? []) : one));
  return { of, perLeg: of.stakePerLeg, inAll: of.stakeInAll, arbiters };
}

/** The stakes that lie in legs, or may, by what was signed. Rule A-9. */
export class Stakes implements JournalView {
  /** By the account of the leg, with the key of the asset: two signatures about one leg post one stake. */
  readonly #posted = new Map<string, { readonly key: string; readonly amount: bigint }>();

  take(entry: JournalEntry): void {
    if (entry.kind === 'signed' && entry.stakeLamports !== undefined) {
      this.#posted.set(entry.subject, { key: SOL.asset, amount: entry.stakeLamports });
    }
    if (entry.kind === 'signed' && entry.token?.stake !== undefined) {
      this.#posted.set(entry.subject, { key: entry.token.mint, amount: entry.token.stake });
    }
    if (entry.kind === 'freed') this.#posted.delete(entry.subject);
  }

  /** The accounts of the legs that may hold a stake. */
  get legs(): readonly Address[] {
    return [...this.#posted.keys()].map((leg) => address(leg));
  }

  get inAll(): bigint {
    return this.lyingIn(SOL.asset);
  }

  /** Base units of one asset. @param beside a leg that is left out */
  lyingIn(key: string, beside?: string): bigint {
    return [...this.#posted].reduce(
      (sum, [leg, one]) => sum + (one.key === key && leg !== beside ? one.amount : 0n),
      0n,
    );
  }

  /** @throws {LimitError} when a stake in this leg would pass a limit, or is ruled by somebody whom the policy does not name */
  check(leg: string, { amount, arbiter }: Stake, { of, perLeg, inAll, arbiters }: StakeRules): void {
    if (!arbiters.includes(arbiter))
      throw new LimitError(`${arbiter} rules its disputes, whom accept.arbiters does not name`);
    const others = this.lyingIn(keyOf(of), leg);
    const stake = `the stake is ${formatAmount(amount, of)}`;
    if (amount > perLeg) throw new LimitError(`${stake}, but ${limitWords(of, 'stakePerLeg', perLeg)}`);
    const lying = others > 0n ? `, and ${formatAmount(others, of)} lie in other legs` : '';
    if (others + amount > inAll) throw new LimitError(`${stake}${lying}, but ${limitWords(of, 'stakeInAll', inAll)}`);
  }
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
