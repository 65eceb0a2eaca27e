import {
  configAddress,
  decodeLeg,
  decodePackage,
  decodeSwarm,
  legAddress,
  packageAddress,
  reputationAddress,
  swarmAddress,
  vaultAddress,
} from '@legwork/program-client';
import type { Leg, Package, Terms, Turn } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { PackageDetail } from '@legwork/protocol/contract';
import { address, fetchEncodedAccounts, getI64Decoder, unwrapOption } from '@solana/kit';
import type { Address, EncodedAccount, GetMultipleAccountsApi, GetSignatureStatusesApi, Rpc } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import { termsCompared } from '../ledgerTerms.js';

/** The RPC methods that moves need; `createSolanaRpc(config.rpcUrl)` of @solana/kit has them. */
export type TurnRpc = Rpc<GetMultipleAccountsApi & GetSignatureStatusesApi>;

/** The account that holds the ledger's time, and where in it the unix seconds stand. */
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const UNIX_TIMESTAMP_OFFSET = 32;

/** A leg's account, with the turn that legs with terms have. */
export interface TimedLeg {
  readonly leg: Leg;
  readonly turn: Turn;
}

/** A leg with terms, and all that a move of it names, as the ledger says at one moment. */
export interface LegOnLedger extends TimedLeg {
  readonly programId: Address;
  /** The service's id of its package. */
  readonly packageId: string;
  readonly config: Address;
  readonly listing: Address;
  readonly swarm: Address;
  readonly vault: Address;
  readonly address: Address;
  readonly reputation: Address;
  /** Addresses of the legs beside it; undefined: there is none. */
  readonly before: Address | undefined;
  readonly after: Address | undefined;
  readonly parcel: Package;
  readonly terms: Terms;
  /** The leg after it. */
  readonly next: TimedLeg | undefined;
  /** Unix seconds. */
  readonly now: bigint;
}

/** A package as the service tells of it. */
export type SpokenPackage = Pick<PackageDetail, 'id' | 'shipperPubkey' | 'terms'>;

/**
 * Reads a leg with terms from the ledger, at the address that follows from shipper, package and index. Nothing else of what the service
 * says is used, and its terms have to be the ledger's.
 *
 * @throws {TransactionRefusedError} when the ledger has no such leg, or it is bound by other terms than the service says
 */
export async function readLeg(
  rpc: TurnRpc,
  programId: Address,
  said: SpokenPackage,
  index: number,
): Promise<LegOnLedger> {
  const { after: next, ...places } = await placesOf(programId, said, index);
  const asked = [places.listing, places.swarm, places.address, next, CLOCK];
  const [listing, swarm, leg, after, clock] = await existing(rpc, asked);
  if (!listing || !swarm || !leg || !clock) {
    throw new TransactionRefusedError(`the ledger has no leg ${index + 1} of package ${said.id}`);
  }
  const { data: parcel } = decodePackage(listing);
  const timed = timedLeg(leg);
  const hasNext = decodeSwarm(swarm).data.totalLegs > index + 1 && after !== undefined;
  return {
    programId,
    packageId: said.id,
    ...places,
    ...timed,
    reputation: await reputationAddress(programId, timed.leg.courier),
    parcel,
    terms: agreedTerms(parcel, said),
    after: hasNext ? next : undefined,
    next: hasNext ? timedLeg(after) : undefined,
    now: secondsOf(clock),
  };
}

/** The ledger's time in milliseconds since 1970. */
export async function ledgerNowMs(rpc: TurnRpc): Promise<number> {
  const [clock] = await existing(rpc, [CLOCK]);
  if (clock === undefined) throw new TypeError('the ledger does not tell the time');
  return Number(secondsOf(clock)) * 1000;
}

async function placesOf(programId: Address, said: SpokenPackage, index: number) {
  const listing = await packageAddress(programId, address(said.shipperPubkey), uuidToBytes(said.id));
  const swarm = await swarmAddress(programId, listing);
  return {
    listing,
    swarm,
    config: await configAddress(programId),
    vault: await vaultAddress(programId, listing),
    before: index === 0 ? undefined : await legAddress(programId, swarm, index - 1),
    address: await legAddress(programId, swarm, index),
    after: await legAddress(programId, swarm, index + 1),
  };
}

/** @throws {TransactionRefusedError} when they are other ones than the service says, or none */
function agreedTerms(parcel: Package, said: SpokenPackage): Terms {
  const terms = unwrapOption(parcel.terms);
  const [differing] = termsCompared(terms, said.terms).filter(([, found, told]) => found !== told);
  if (terms !== null && differing === undefined) return terms;
  const [term, found, told] = differing ?? ['terms', 'none', 'none'];
  throw new TransactionRefusedError(`the ${term} of package ${said.id} is ${found}, and ${told} by the service`);
}

/** @throws {TransactionRefusedError} when it is of a package without terms */
function timedLeg(account: EncodedAccount): TimedLeg {
  const { data: leg } = decodeLeg(account);
  const turn = unwrapOption(leg.turn);
  if (turn === null) throw new TransactionRefusedError(`the leg at ${account.address} has no terms`);
  return { leg, turn };
}

async function existing(rpc: TurnRpc, addresses: readonly Address[]): Promise<(EncodedAccount | undefined)[]> {
  const found = await fetchEncodedAccounts(rpc, [...addresses], { commitment: 'confirmed' });
  return found.map((account) => (account.exists ? account : undefined));
}

function secondsOf(clock: EncodedAccount): bigint {
  return getI64Decoder().decode(clock.data, UNIX_TIMESTAMP_OFFSET);
}
