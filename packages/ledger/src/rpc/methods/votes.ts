import type { Account } from '../../bank/account.js';
import type { Commitment } from '../../bank/commitment.js';
import { toBase58 } from '../../bank/keys.js';
import { VOTE_PROGRAM } from '../../bank/stakes/delegation.js';
import { confirmationsOf } from '../../bank/stakes/voteState.js';
import { readCommitment, type RpcContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, configParam, u64Param } from '../params.js';
import { readVote } from '../parsed/accounts/stake.js';

/** A validator whose latest vote is further back is delinquent, unless the caller says otherwise. */
const DELINQUENT_SLOTS = 128n;
/** Epochs whose credits are told. */
const CREDIT_EPOCHS = 5;
/** Numbers of confirmations, from none to those that make a block final. */
const CONFIRMATIONS = 32;

const getVoteAccounts: RpcMethod = (params, context) => {
  const config = configParam(params[0]);
  const only = config['votePubkey'] === undefined ? undefined : toBase58(addressParam(config['votePubkey']));
  const given = config['delinquentSlotDistance'];
  const distance = given === undefined ? DELINQUENT_SLOTS : u64Param(given, 'delinquentSlotDistance');
  const commitment = readCommitment(config, context);
  const slot = BigInt(context.bank.slotAt(commitment));
  const accounts = [...context.bank.find('program', VOTE_PROGRAM, commitment)].flatMap(({ address, account }) =>
    only === undefined || toBase58(address) === only ? (voterOf(address, account, commitment, context) ?? []) : [],
  );
  const isCurrent = ({ lastVote }: { readonly lastVote: bigint }): boolean =>
    slot >= distance ? lastVote > slot - distance : lastVote > 0n;
  const isKept = ({ activatedStake }: { readonly activatedStake: bigint }): boolean =>
    config['keepUnstakedDelinquents'] === true || activatedStake > 0n;
  return {
    current: accounts.filter(isCurrent),
    delinquent: accounts.filter((one) => !isCurrent(one) && isKept(one)),
  };
};

/** A vote account as `getVoteAccounts` shows it; undefined when it is none that a validator could use. */
function voterOf(address: Uint8Array, account: Account, commitment: Commitment, { bank }: RpcContext) {
  const vote = readVote(account.data, address);
  if (vote === undefined) return undefined;
  const activatedStake = bank.stakes.activeStake(address, bank.slotAt(commitment));
  const isOurs = Buffer.compare(address, bank.stakes.vote) === 0;
  return {
    activatedStake,
    commission: vote.commission,
    epochCredits: vote.epochCredits
      .slice(-CREDIT_EPOCHS)
      .map((one) => [one.epoch, BigInt(one.credits), BigInt(one.previousCredits)]),
    epochVoteAccount: isOurs || activatedStake > 0n,
    inflationRewardsCommissionBps: vote.inflationRewardsCommissionBps,
    lastVote: vote.votes.at(-1)?.slot ?? 0n,
    nodePubkey: vote.nodePubkey,
    rootSlot: vote.rootSlot ?? 0n,
    votePubkey: toBase58(address),
  };
}

/**
 * The stake that has voted on a block, by the number of votes on it and above; none is known of one without a
 * vote.
 */
const getBlockCommitment: RpcMethod = (params, { bank }) => {
  const slot = u64Param(params[0], 'slot');
  const latest = bank.slotAt('processed');
  const totalStake = bank.stakes.totalStake(latest);
  const count = confirmationsOf(Number(slot), latest);
  const commitment =
    count === undefined
      ? null
      : Array.from({ length: CONFIRMATIONS }, (_, index) => (index === count ? totalStake : 0n));
  return { commitment, totalStake };
};

export const voteMethods: RpcMethods = { getBlockCommitment, getVoteAccounts };
