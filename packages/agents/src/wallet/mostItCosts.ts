import { getPackageSize, getReputationSize, getTaskSize, getTermsEncoder, LegStatus } from '@legwork/program-client';
import { decodeRelayAccount, TransactionRefusedError } from '@legwork/sdk';
import { fetchEncodedAccounts, unwrapOption } from '@solana/kit';
import type { Address, GetMultipleAccountsApi, Rpc } from '@solana/kit';
import type { RelayTransaction } from './describeTransaction.js';

/** Of one signature. */
const BASE_FEE_LAMPORTS = 5_000n;
const TERMS_BYTES = getTermsEncoder().fixedSize;

/** The rent minimum of every cluster, lamports: for an account's header and its bytes. */
export const rent = (bytes: number) => BigInt(128 + bytes) * 6_960n;

/** Confirming and ruling pay another from escrow or from stakes; the others bring back what is the signer's. */
const MOVES_NOTHING_OF_OURS: ReadonlySet<string> = new Set([
  'confirmLeg',
  'vacate',
  'claim',
  'rule',
  'cancelPackage',
  'reclaimPackage',
  'closePackage',
  'cancelTask',
  'reclaimTask',
  'closeTask',
] satisfies RelayTransaction['instruction']['name'][]);

/**
 * The most that a transaction takes from the wallet for good or for a while, lamports: its fee, what it locks in escrow, the rent of the
 * accounts that it opens, and the stake that it posts. Stakes stand on the ledger, in the terms of what the leg is part of.
 *
 * @throws {TransactionRefusedError} when it is an instruction that no agent needs
 */
export async function mostItCosts(
  { instruction, priorityFeeLamports, feePayer, signers }: RelayTransaction,
  own: Address,
  rpc: Rpc<GetMultipleAccountsApi>,
): Promise<bigint> {
  const fee = feePayer === own ? BASE_FEE_LAMPORTS * BigInt(signers.length) + priorityFeeLamports : 0n;
  switch (instruction.name) {
    case 'listPackage': {
      const tail = unwrapOption(instruction.data.terms) === null ? 0 : TERMS_BYTES;
      return fee + instruction.data.maxBudget + rent(0) + rent(getPackageSize() + tail);
    }
    case 'listTask':
      return fee + instruction.data.maxBudget + rent(0) + rent(getTaskSize());
    case 'openReputation':
      return fee + rent(getReputationSize());
    case 'accept':
      return fee + (instruction.accounts.courier.address === own ? await stakeOf(instruction, rpc) : 0n);
    case 'dispute':
      return fee + (await stakeOf(instruction, rpc));
    default:
      if (MOVES_NOTHING_OF_OURS.has(instruction.name)) return fee;
      throw new TransactionRefusedError(`an agent signs no ${instruction.name}`);
  }
}

type Posting = Extract<RelayTransaction['instruction'], { name: 'accept' | 'dispute' }>;

/** What the move posts. An accepted leg holds its courier's stake already. @throws {TransactionRefusedError} where there are no terms */
async function stakeOf({ name, accounts }: Posting, rpc: Rpc<GetMultipleAccountsApi>): Promise<bigint> {
  const places = [accounts.listing.address, accounts.leg.address];
  const [listing, leg] = (await fetchEncodedAccounts(rpc, places, { commitment: 'confirmed' })).map((account) =>
    account.exists ? decodeRelayAccount(account.data) : undefined,
  );
  const terms = listing?.kind === 'package' ? unwrapOption(listing.data.terms) : null;
  if (terms === null || leg?.kind !== 'leg') {
    throw new TransactionRefusedError(`the ledger has no leg with terms at ${accounts.leg.address}`);
  }
  return name === 'accept' && leg.data.status === LegStatus.Accepted ? 0n : terms.stake;
}
