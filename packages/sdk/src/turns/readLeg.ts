import {
  configAddress,
  decodeLeg,
  decodePackage,
  decodeSwarm,
  decodeTask,
  decodeTaskLeg,
  legAddress,
  packageAddress,
  reputationAddress,
  swarmAddress,
  taskAddress,
  taskLegAddress,
  vaultAddress,
} from '@legwork/program-client';
import { LegStatus } from '@legwork/program-client';
import type { Terms, Turn } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { LegStage, PackageDetail } from '@legwork/protocol/contract';
import { address, fetchEncodedAccounts, getI64Decoder, unwrapOption } from '@solana/kit';
import type {
  Address,
  EncodedAccount,
  GetMultipleAccountsApi,
  GetSignatureStatusesApi,
  Option,
  ReadonlyUint8Array,
  Rpc,
} from '@solana/kit';
import type { HistoryRpc } from '../landed.js';
import { TransactionRefusedError } from '../errors.js';
import { termsCompared } from '../listingTerms.js';

/** The RPC methods that moves need; `createSolanaRpc(config.rpcUrl)` of @solana/kit has them. */
export type TurnRpc = Rpc<GetMultipleAccountsApi & GetSignatureStatusesApi> & HistoryRpc;

/** The account that holds the ledger's time, and where in it the unix seconds stand. */
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const UNIX_TIMESTAMP_OFFSET = 32;

/** A leg's account, with the turn that legs with terms have. */
interface TimedLeg {
  readonly index: number;
  readonly status: LegStatus;
  /** Its courier, or the agent of a task's leg. */
  readonly worker: Address;
  /** Of its worker. */
  readonly reputation: Address;
  readonly turn: Turn;
  /** Of a task's leg: the sha256 of what is claimed; all zero: nothing yet. */
  readonly resultHash: ReadonlyUint8Array | undefined;
}

/** A leg with terms, and all that a move of it names, as the ledger says at one moment. */
export interface LegOnLedger extends TimedLeg {
  readonly programId: Address;
  readonly listingOf: ListingOf;
  readonly config: Address;
  readonly listing: Address;
  /** Undefined of a task. */
  readonly swarm: Address | undefined;
  readonly vault: Address;
  readonly address: Address;
  /** Addresses of the legs beside it; undefined: there is none, or it is of a task, whose legs are paid one by one. */
  readonly before: Address | undefined;
  readonly after: Address | undefined;
  /** The shipper, or the poster of a task. */
  readonly lister: Address;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** Of the document that the lister signed for. */
  readonly termsHash: ReadonlyUint8Array;
  readonly terms: Terms;
  /** The leg after it. */
  readonly next: TimedLeg | undefined;
  /** Unix seconds. */
  readonly now: bigint;
}

/** The service's id of what a leg is part of: a package or a task. */
export type ListingOf =
  | { readonly packageId: string; readonly taskId?: undefined }
  | { readonly taskId: string; readonly packageId?: undefined };

/** A package or a task as the service tells of it. */
export type SpokenListing = ListingOf & Pick<PackageDetail, 'shipperPubkey' | 'terms'>;

/**
 * Reads a leg with terms from the ledger, at the address that follows from lister, listing and index. Nothing else of what the service
 * says is used, and its terms have to be the ledger's.
 *
 * @throws {TransactionRefusedError} when the ledger has no such leg, or it is bound by other terms than the service says
 */
export async function readLeg(
  rpc: TurnRpc,
  programId: Address,
  said: SpokenListing,
  index: number,
): Promise<LegOnLedger> {
  const places =
    said.taskId === undefined ? await inPackage(programId, said, index) : await inTask(programId, said, index);
  const { listing, swarm, address: place, after } = places;
  const asked = [listing, place, CLOCK, swarm, after].filter((one) => one !== undefined);
  const [listed, leg, clock, formed, following] = await existing(rpc, asked);
  if (!listed || !leg || !clock || (swarm !== undefined && !formed)) {
    throw new TransactionRefusedError(`the ledger has no leg ${index + 1} of ${nameOf(said)}`);
  }
  const timed = await (swarm === undefined ? taskLeg(programId, leg) : timedLeg(programId, leg));
  const hasNext = formed !== undefined && decodeSwarm(formed).data.totalLegs > index + 1 && following !== undefined;
  const { terms, ...found } = swarm === undefined ? taskListing(listed) : packageListing(listed);
  return {
    programId,
    listingOf: idOf(said),
    config: await configAddress(programId),
    vault: await vaultAddress(programId, listing),
    ...places,
    ...timed,
    ...found,
    terms: agreedTerms(unwrapOption(terms), said),
    after: hasNext ? after : undefined,
    next: hasNext ? await timedLeg(programId, following) : undefined,
    now: secondsOf(clock),
  };
}

/** The ledger's time in milliseconds since 1970. */
export async function ledgerNowMs(rpc: TurnRpc): Promise<number> {
  const [clock] = await existing(rpc, [CLOCK]);
  if (clock === undefined) throw new TypeError('the ledger does not tell the time');
  return Number(secondsOf(clock)) * 1000;
}

const STAGES: Readonly<Record<LegStatus, LegStage>> = {
  [LegStatus.Pending]: 'pending',
  [LegStatus.Completed]: 'completed',
  [LegStatus.Accepted]: 'accepted',
  [LegStatus.Carried]: 'carried',
  [LegStatus.Claimed]: 'claimed',
  [LegStatus.Disputed]: 'disputed',
  [LegStatus.Ruled]: 'ruled',
  [LegStatus.Vacant]: 'vacant',
};

/** What the ledger says of the leg now; undefined: its account is closed, because its agent left, or all is paid. */
export async function stageOnLedger(
  rpc: TurnRpc,
  { swarm, address: place }: LegOnLedger,
): Promise<LegStage | undefined> {
  const [account] = await existing(rpc, [place]);
  if (account === undefined) return undefined;
  const { status } = swarm === undefined ? decodeTaskLeg(account).data : decodeLeg(account).data;
  return STAGES[status];
}

/** Where the ledger has a leg, and what a move of it names beside it. */
type Places = Pick<LegOnLedger, 'listing' | 'swarm' | 'before' | 'address' | 'after'>;

async function inPackage(
  programId: Address,
  said: SpokenListing & { packageId: string },
  index: number,
): Promise<Places> {
  const listing = await packageAddress(programId, address(said.shipperPubkey), uuidToBytes(said.packageId));
  const swarm = await swarmAddress(programId, listing);
  return {
    listing,
    swarm,
    before: index === 0 ? undefined : await legAddress(programId, swarm, index - 1),
    address: await legAddress(programId, swarm, index),
    after: await legAddress(programId, swarm, index + 1),
  };
}

async function inTask(programId: Address, said: SpokenListing & { taskId: string }, index: number): Promise<Places> {
  const listing = await taskAddress(programId, address(said.shipperPubkey), uuidToBytes(said.taskId));
  const place = await taskLegAddress(programId, listing, index);
  return { listing, swarm: undefined, before: undefined, address: place, after: undefined };
}

/** What a listing says of its own. */
interface Listed extends Pick<LegOnLedger, 'lister' | 'deadline' | 'termsHash'> {
  readonly terms: Option<Terms>;
}

function packageListing(account: EncodedAccount): Listed {
  const { shipper: lister, deadline, termsHash, terms } = decodePackage(account).data;
  return { lister, deadline, termsHash, terms };
}

function taskListing(account: EncodedAccount): Listed {
  const { poster: lister, deadline, termsHash, terms } = decodeTask(account).data;
  return { lister, deadline, termsHash, terms };
}

const idOf = ({ packageId, taskId }: ListingOf): ListingOf => (taskId === undefined ? { packageId } : { taskId });
const nameOf = ({ packageId, taskId }: ListingOf) =>
  taskId === undefined ? `package ${packageId}` : `digital task ${taskId}`;

/** @throws {TransactionRefusedError} when they are other ones than the service says, or none */
function agreedTerms(terms: Terms | null, said: SpokenListing): Terms {
  const [differing] = termsCompared(terms, said.terms).filter(([, found, told]) => found !== told);
  if (terms !== null && differing === undefined) return terms;
  const [term, found, told] = differing ?? ['terms', 'none', 'none'];
  throw new TransactionRefusedError(`the ${term} of ${nameOf(said)} is ${found}, and ${told} by the service`);
}

async function timedLeg(programId: Address, account: EncodedAccount): Promise<TimedLeg> {
  const { index, status, courier: worker, turn } = decodeLeg(account).data;
  const reputation = await reputationAddress(programId, worker);
  return { index, status, worker, reputation, turn: turnOf(account, turn), resultHash: undefined };
}

async function taskLeg(programId: Address, account: EncodedAccount): Promise<TimedLeg> {
  const { index, status, agent: worker, turn, resultHash } = decodeTaskLeg(account).data;
  const reputation = await reputationAddress(programId, worker);
  return { index, status, worker, reputation, turn: turnOf(account, turn), resultHash };
}

/** @throws {TransactionRefusedError} when it is of a listing without terms */
function turnOf({ address: place }: EncodedAccount, given: Option<Turn>): Turn {
  const turn = unwrapOption(given);
  if (turn === null) throw new TransactionRefusedError(`the leg at ${place} has no terms`);
  return turn;
}

async function existing(rpc: TurnRpc, addresses: readonly Address[]): Promise<(EncodedAccount | undefined)[]> {
  const found = await fetchEncodedAccounts(rpc, [...addresses], { commitment: 'confirmed' });
  return found.map((account) => (account.exists ? account : undefined));
}

function secondsOf(clock: EncodedAccount): bigint {
  return getI64Decoder().decode(clock.data, UNIX_TIMESTAMP_OFFSET);
}
