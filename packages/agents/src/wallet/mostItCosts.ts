import {
  getReputationSize,
  INSTRUCTIONS,
  LegStatus,
  listingRent,
  rentMinimum,
  TOKEN_ACCOUNT_RENT,
} from '@legwork/program-client';
import { decodeRelayAccount, TransactionRefusedError } from '@legwork/sdk';
import { fetchEncodedAccounts, unwrapOption } from '@solana/kit';
import type { Address, GetMultipleAccountsApi, Rpc } from '@solana/kit';
import type { RelayTransaction } from './describeTransaction.js';

/** Of one signature. */
const BASE_FEE_LAMPORTS = 5_000n;

/** The most that a transaction takes from a wallet. */
export interface Cost {
  /** For good or for a while: fee, what it locks of SOL in escrow, and the rent of the accounts that it opens. */
  readonly lamports: bigint;
  /** The amount of a token that it locks in escrow, base units. */
  readonly tokens: bigint;
  /** The stake that it posts, and gets back unless it is late or wrong. */
  readonly stake: Stake | undefined;
  /** The part of that which a mandate pays in the wallet's place: it counts, and the wallet need not have it. */
  readonly mandated?: Pick<Cost, 'lamports' | 'tokens'>;
}

/** A stake, as the terms on the ledger have it. */
export interface Stake {
  /** Base units of the listing's asset. */
  readonly amount: bigint;
  /** The arbiter of disputes. */
  readonly arbiter: Address;
}

/**
 * The most that a transaction takes from the wallet. Stakes stand on the ledger, in the terms of what the leg is part of.
 *
 * @throws {TransactionRefusedError} when it is an instruction that no agent needs
 */
export async function mostItCosts(
  { instruction, priorityFeeLamports, feePayer, signers, signedText, opened, lentLamports }: RelayTransaction,
  own: Address,
  rpc: Rpc<GetMultipleAccountsApi>,
): Promise<Cost> {
  // The signature of a text is verified by the ledger, and costs as much as a wallet's.
  const signatures = BigInt(signers.length + (signedText === undefined ? 0 : 1));
  const fee = feePayer === own ? BASE_FEE_LAMPORTS * signatures + priorityFeeLamports : 0n;
  // The payer of the fee pays the rent of the token accounts that it opens.
  const rents = feePayer === own ? BigInt(opened) * TOKEN_ACCOUNT_RENT : 0n;
  const paid = (lamports = 0n, stake?: Stake): Cost => ({ lamports: fee + rents + lamports, tokens: 0n, stake });
  const { name } = instruction;
  if (name === 'listPackage' || name === 'listTask') {
    const kind = name === 'listPackage' ? 'package' : 'task';
    const account = listingRent(kind, unwrapOption(instruction.data.terms) !== null);
    // Rents of a listing in a token are lent to a wallet without SOL.
    const rest = account > lentLamports ? account - lentLamports : 0n;
    const { maxBudget } = instruction.data;
    const isToken = instruction.tokens !== undefined;
    const taken = isToken
      ? { lamports: rest, tokens: maxBudget }
      : { lamports: maxBudget + rentMinimum(0) + account, tokens: 0n };
    const cost = { ...paid(taken.lamports), tokens: taken.tokens };
    return instruction.accounts.funder.address === own ? cost : { ...cost, mandated: taken };
  }
  if (name === 'openReputation') return paid(rentMinimum(getReputationSize()));
  if (name === 'dispute') return paid(0n, await stakeOf(instruction, rpc));
  if (name === 'accept') {
    return paid(0n, instruction.accounts.courier.address === own ? await stakeOf(instruction, rpc) : undefined);
  }
  if (INSTRUCTIONS[name].takes === 'nothing') return paid();
  throw new TransactionRefusedError(`an agent signs no ${name}`);
}

type Posting = Extract<RelayTransaction['instruction'], { name: 'accept' | 'dispute' }>;

/** The stake that the move posts. An accepted leg holds its courier's stake already. @throws {TransactionRefusedError} where there are no terms */
async function stakeOf({ name, accounts }: Posting, rpc: Rpc<GetMultipleAccountsApi>): Promise<Stake | undefined> {
  const places = [accounts.listing.address, accounts.leg.address];
  const [listing, leg] = (await fetchEncodedAccounts(rpc, places, { commitment: 'confirmed' })).map((account) =>
    account.exists ? decodeRelayAccount(account.data) : undefined,
  );
  const isListing = listing?.kind === 'package' || listing?.kind === 'task';
  const terms = isListing ? unwrapOption(listing.data.terms) : null;
  if (terms === null || (leg?.kind !== 'leg' && leg?.kind !== 'taskLeg')) {
    throw new TransactionRefusedError(`the ledger has no leg with terms at ${accounts.leg.address}`);
  }
  if (name === 'accept' && leg.data.status === LegStatus.Accepted) return undefined;
  return { amount: terms.stake, arbiter: terms.arbiter };
}
