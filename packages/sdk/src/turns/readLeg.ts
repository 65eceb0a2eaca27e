import {
  assetAddress,
  configAddress,
  decodeAsset,
  decodeLeg,
  decodePackage,
  decodeSwarm,
  decodeTask,
  decodeTaskLeg,
  reputationAddress,
  vaultAddress,
  SOL_ASSET,
} from '@legwork/program-client';
import { LegStatus, type Terms, type Turn } from '@legwork/program-client';
import type { LegStage, PackageDetail } from '@legwork/protocol/contract';
import { address, fetchEncodedAccounts, getI64Decoder, unwrapOption } from '@solana/kit';
import type {
  Address,
  EncodedAccount,
  GetLatestBlockhashApi,
  GetMultipleAccountsApi,
  Option,
  ReadonlyUint8Array,
  Rpc,
} from '@solana/kit';
import type { HistoryRpc } from '../landed.js';
import { TransactionRefusedError } from '../errors.js';
import { termsCompared } from '../listingTerms.js';
import type { PaidToken } from '../assets.js';
import type { SendRpc } from '../transactions/sendTransaction.js';
import { type ListingKind, type Places, placesOf, placesSaid } from './legPlaces.js';

/** The RPC methods that moves need; `ledgerRpc(config.rpcUrl)` has them. */
export type TurnRpc = AccountRpc & SendRpc & HistoryRpc & Rpc<GetLatestBlockhashApi>;

/** The RPC method that reading a leg needs. */
export type AccountRpc = Rpc<GetMultipleAccountsApi>;

/** The account that holds the ledger's time, and where in it the unix seconds stand. */
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const UNIX_TIMESTAMP_OFFSET = 32;

/** A leg's account, with its turn. */
interface TimedLeg {
  readonly index: number;
  readonly status: LegStatus;
  /** Its courier, or the agent of a task's leg. */
  readonly worker: Address;
  /** Of its worker. */
  readonly reputation: Address;
  /** Of a leg without terms it tells the number of its formation, and nothing else. */
  readonly turn: Turn;
  /** Of a task's leg: the sha256 of what is claimed; all zero: nothing yet. */
  readonly resultHash: ReadonlyUint8Array | undefined;
}

/** A leg with terms or without, and all that signing about it names, as the ledger says at one moment. */
export interface AnyLeg extends TimedLeg {
  readonly programId: Address;
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
  /** Tells the listing from one at the same address on another cluster; all zero: no text can be about it. */
  readonly nonce: ReadonlyUint8Array;
  readonly terms: Terms | null;
  /** The token that it pays in; undefined: SOL. */
  readonly token: PaidToken | undefined;
  /** The leg after it. */
  readonly next: TimedLeg | undefined;
  /** Unix seconds. */
  readonly now: bigint;
}

/** A leg with terms. */
export interface LegOnLedger extends AnyLeg {
  readonly listingOf: ListingOf;
  readonly terms: Terms;
}

/** The service's id of what a leg is part of: a package or a task. */
export type ListingOf =
  | { readonly packageId: string; readonly taskId?: undefined }
  | { readonly taskId: string; readonly packageId?: undefined };

/** A package or a task as the service tells of it. */
export type SpokenListing = ListingOf &
  Pick<PackageDetail, 'shipperPubkey' | 'terms'> & {
    /** Number of the asset that it pays in; {@link numberOf} has it by name. */
    readonly assetNumber: number;
  };

/**
 * Reads a leg with terms from the ledger, at the address that follows from lister, listing and index. Nothing else of what the service
 * says is used, and its terms have to be the ledger's.
 *
 * @throws {TransactionRefusedError} when the ledger has no such leg, or it is bound by other terms than the service says
 */
export async function readLeg(
  rpc: AccountRpc,
  programId: Address,
  said: SpokenListing,
  index: number,
): Promise<LegOnLedger> {
  const leg = await readSpokenLeg(rpc, programId, said, index);
  if (leg === undefined) throw new TransactionRefusedError(`the ledger has no leg ${index + 1} of ${nameOf(said)}`);
  const { terms } = leg;
  if (terms === null) throw new TransactionRefusedError(`the leg at ${leg.address} has no terms`);
  return { ...leg, terms, listingOf: idOf(said) };
}

/**
 * Reads a leg that the service says is bound by these terms, or by none. Rule A-105.
 *
 * @returns undefined when the ledger does not have it, or has it no more
 * @throws {TransactionRefusedError} when it is bound by others
 */
export async function readSpokenLeg(
  rpc: AccountRpc,
  programId: Address,
  said: SpokenListing,
  index: number,
): Promise<AnyLeg | undefined> {
  const leg = await readLegAt(rpc, programId, await placesSaid(programId, said, index));
  if (leg === undefined) return undefined;
  requireTermsAsSaid(leg.terms, said);
  const number = leg.token?.number ?? SOL_ASSET;
  if (number === said.assetNumber) return leg;
  throw new TransactionRefusedError(
    `${nameOf(said)} pays in asset ${number} on the ledger, and in asset ${said.assetNumber} by the service`,
  );
}

/**
 * Reads a leg of the package or task at this address, no matter what anybody says of it.
 *
 * @returns undefined when the ledger does not have it
 */
export async function readLegOf(
  rpc: AccountRpc,
  programId: Address,
  listing: Address,
  index: number,
  kind: ListingKind = 'package',
): Promise<AnyLeg | undefined> {
  return readLegAt(rpc, programId, await placesOf(programId, listing, index, kind));
}

/** Legs of a task are paid one by one. */
const NO_SWARM = { formation: 0, totalLegs: 0 };

async function readLegAt(rpc: AccountRpc, programId: Address, places: Places): Promise<AnyLeg | undefined> {
  const { listing, swarm, address: place, after } = places;
  const asked = [listing, place, CLOCK, swarm, after].filter((one) => one !== undefined);
  const [listed, leg, clock, formed, following] = await existing(rpc, asked);
  if (!listed || !leg || !clock || (swarm !== undefined && !formed)) return undefined;
  const { formation, totalLegs } = formed === undefined ? NO_SWARM : decodeSwarm(formed).data;
  const timed = await (formed === undefined ? taskLeg(programId, leg) : timedLeg(programId, leg, formation));
  const hasNext = following !== undefined && totalLegs > timed.index + 1;
  const { terms, asset, ...found } = swarm === undefined ? taskListing(listed) : packageListing(listed);
  return {
    programId,
    config: await configAddress(programId),
    vault: await vaultAddress(programId, listing),
    ...places,
    ...timed,
    ...found,
    terms: unwrapOption(terms),
    token: await tokenOf(rpc, programId, asset),
    after: hasNext ? after : undefined,
    next: hasNext ? await timedLeg(programId, following, formation) : undefined,
    now: secondsOf(clock),
  };
}

/** The ledger's time in milliseconds since 1970. */
export async function ledgerNowMs(rpc: AccountRpc): Promise<number> {
  const [clock] = await existing(rpc, [CLOCK]);
  if (clock === undefined) throw new TypeError('the ledger does not tell the time');
  return Number(secondsOf(clock)) * 1000;
}

/** The service's name for each status. */
export const STAGES: Readonly<Record<LegStatus, LegStage>> = {
  [LegStatus.Pending]: 'pending',
  [LegStatus.Completed]: 'completed',
  [LegStatus.Accepted]: 'accepted',
  [LegStatus.Carried]: 'carried',
  [LegStatus.Claimed]: 'claimed',
  [LegStatus.Disputed]: 'disputed',
  [LegStatus.Ruled]: 'ruled',
  [LegStatus.Vacant]: 'vacant',
};

/** The leg's stage on the ledger now, or undefined if its account is closed, because its agent left, or all is paid. */
export async function stageOnLedger(
  rpc: AccountRpc,
  { swarm, address: place }: LegOnLedger,
): Promise<LegStage | undefined> {
  const [account] = await existing(rpc, [place]);
  if (account === undefined) return undefined;
  const { status } = swarm === undefined ? decodeTaskLeg(account).data : decodeLeg(account).data;
  return STAGES[status];
}

/** The fields of a listing itself. */
interface Listed extends Pick<LegOnLedger, 'lister' | 'deadline' | 'termsHash' | 'nonce'> {
  readonly asset: number;
  readonly terms: Option<Terms>;
}

function packageListing(account: EncodedAccount): Listed {
  const { shipper, ...said } = decodePackage(account).data;
  return listedBy(shipper, said);
}

function taskListing(account: EncodedAccount): Listed {
  const { poster, ...said } = decodeTask(account).data;
  return listedBy(poster, said);
}

function listedBy(lister: Address, { deadline, termsHash, nonce, terms, asset }: Omit<Listed, 'lister'>): Listed {
  return { lister, deadline, termsHash, nonce, terms, asset };
}

/** The token of an asset, as the ledger has it; undefined: SOL. */
async function tokenOf(rpc: AccountRpc, programId: Address, number: number): Promise<PaidToken | undefined> {
  if (number === SOL_ASSET) return undefined;
  const account = await assetAddress(programId, number);
  const [found] = await existing(rpc, [account]);
  if (found === undefined) throw new TransactionRefusedError(`the ledger does not show asset ${number}`);
  return { number, account, mint: decodeAsset(found).data.mint };
}

const idOf = ({ packageId, taskId }: ListingOf): ListingOf => (taskId === undefined ? { packageId } : { taskId });
const nameOf = ({ packageId, taskId }: ListingOf) =>
  taskId === undefined ? `package ${packageId}` : `digital task ${taskId}`;

/** @throws {TransactionRefusedError} when the ledger has others than the service says */
function requireTermsAsSaid(terms: Terms | null, said: SpokenListing): void {
  const [differing] = termsCompared(terms, said.terms).filter(([, found, told]) => found !== told);
  if (differing === undefined) return;
  const [term, found, told] = differing;
  if (terms !== null && said.terms !== null) {
    throw new TransactionRefusedError(`the ${term} of ${nameOf(said)} is ${found}, and ${told} by the service`);
  }
  throw new TransactionRefusedError(
    `the ${term} of ${nameOf(said)} are ${found} on the ledger, and ${told} by the service: nothing is signed until they are the same`,
  );
}

async function timedLeg(programId: Address, account: EncodedAccount, formation: number): Promise<TimedLeg> {
  const { index, status, courier: worker, turn } = decodeLeg(account).data;
  const reputation = await reputationAddress(programId, worker);
  return { index, status, worker, reputation, turn: unwrapOption(turn) ?? plainTurn(formation), resultHash: undefined };
}

async function taskLeg(programId: Address, account: EncodedAccount): Promise<TimedLeg> {
  const { index, status, agent: worker, turn, resultHash } = decodeTaskLeg(account).data;
  const reputation = await reputationAddress(programId, worker);
  return { index, status, worker, reputation, turn: unwrapOption(turn) ?? plainTurn(0), resultHash };
}

/** Without terms a leg has no clock, and a confirmation of it names the swarm's formation. */
const plainTurn = (formation: number): Turn => ({ since: 0n, formation, note: 0, percent: 0 });

async function existing(rpc: AccountRpc, addresses: readonly Address[]): Promise<(EncodedAccount | undefined)[]> {
  const found = await fetchEncodedAccounts(rpc, [...addresses], { commitment: 'confirmed' });
  return found.map((account) => (account.exists ? account : undefined));
}

function secondsOf(clock: EncodedAccount): bigint {
  return getI64Decoder().decode(clock.data, UNIX_TIMESTAMP_OFFSET);
}
