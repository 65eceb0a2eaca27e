import {
  assetAddress,
  associatedTokenAddress,
  type Asset as AssetAccount,
  ASSET_KIND,
  getAssetDecoder,
  getLegDecoder,
  getPackageDecoder,
  getSwarmDecoder,
  getTaskDecoder,
  getTaskLegDecoder,
  legAddress,
  LEG_KIND,
  PACKAGE_KIND,
  packageAddress,
  PackageStatus,
  readTokenAccount,
  rentMinimum,
  SOL_ASSET,
  SWARM_KIND,
  swarmAddress,
  SwarmStatus,
  TASK_KIND,
  TASK_LEG_KIND,
  taskAddress,
  taskLegAddress,
  TaskStatus,
  type Terms,
  type Turn,
  vaultAddress,
} from '@legwork/program-client';
import { type Asset, bytesToUuid, isInSol, SOL, toLamports } from '@legwork/protocol/contract';
import { type Address, type Option, type ReadonlyUint8Array, unwrapOption } from '@solana/kit';
import type { PaidToken } from '../assets.js';
import { bytesToHex } from '../hex.js';
import { STAGES } from '../turns/readLeg.js';
import { ExitError } from './exitRpc.js';
import { type ExitLedger, type FoundLeg, type FoundListing, termsFrom } from './found.js';
import { readAccounts, type ShownAccount } from './readAccounts.js';

const MOST_LEGS = 7;
const MOST_TASK_LEGS = 4;

type Reading = Pick<ExitLedger, 'rpc' | 'program'>;

/**
 * Reads a package or a task at an address, with its vault and its legs. Its address has to follow from what it says of itself, as the
 * program makes it.
 *
 * @throws {ExitError} when there is none, or it cannot be what the RPC shows
 */
export async function readListing(ledger: Reading, address: Address): Promise<FoundListing> {
  const { program } = ledger;
  const swarm = await swarmAddress(program, address);
  const places = [address, await vaultAddress(program, address), swarm];
  const ofPackage = await Promise.all(indexes(MOST_LEGS).map((index) => legAddress(program, swarm, index)));
  const ofTask = await Promise.all(indexes(MOST_TASK_LEGS).map((index) => taskLegAddress(program, address, index)));
  const [listed, vault, formed, ...legs] = await readAccounts(ledger.rpc, [...places, ...ofPackage, ...ofTask]);
  if (listed === undefined) throw new ExitError(`the ledger has nothing at ${address}`);
  if (listed.owner !== program) throw new ExitError(`${address} is an account of ${listed.owner}, not of ${program}`);
  const found = { listed, vault, formed, legs: legs.slice(0, MOST_LEGS), taskLegs: legs.slice(MOST_LEGS) };
  if (listed.data[0] === PACKAGE_KIND) return packageIn(ledger, found);
  if (listed.data[0] === TASK_KIND) return taskIn(ledger, found);
  const what = listed.data.length === 0 ? 'was closed: nothing is left there' : 'is neither a package nor a task';
  throw new ExitError(`${address} ${what}`);
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

interface Accounts {
  readonly listed: ShownAccount;
  readonly vault: ShownAccount | undefined;
  readonly formed: ShownAccount | undefined;
  readonly legs: readonly (ShownAccount | undefined)[];
  readonly taskLegs: readonly (ShownAccount | undefined)[];
}

async function packageIn(ledger: Reading, { listed, vault, formed, legs }: Accounts): Promise<FoundListing> {
  const { status, shipper, packageId, kind: _, ...data } = getPackageDecoder().decode(listed.data);
  requireAt(listed.address, await packageAddress(ledger.program, shipper, packageId), shipper);
  const isUnderWay = status === PackageStatus.Forming || status === PackageStatus.InTransit;
  const account = isUnderWay ? ofKind(ledger, formed, SWARM_KIND) : undefined;
  const swarm = account && getSwarmDecoder().decode(account.data);
  if (isUnderWay && swarm === undefined) throw new ExitError(`the RPC shows no swarm of ${listed.address}`);
  const assigned = indexes(swarm?.assignedLegs ?? 0).map((index): FoundLeg => {
    const leg = ofKind(ledger, legs[index], LEG_KIND);
    if (leg === undefined) throw new ExitError(`the RPC shows no leg ${index + 1} of ${listed.address}`);
    const { courier, ...said } = getLegDecoder().decode(leg.data);
    return { ...legFrom(leg.address, said), worker: courier, resultHash: null, rentPayer: undefined };
  });
  return listingFrom(ledger, listed, vault, {
    kind: 'package',
    id: bytesToUuid(Uint8Array.from(packageId)),
    status: statusOf(status === PackageStatus.Listed, isUnderWay, swarm?.status === SwarmStatus.Forming),
    lister: shipper,
    ...data,
    swarm: account && swarm && { address: account.address, rentPayer: swarm.rentPayer, legs: swarm.assignedLegs },
    legs: assigned,
    legCount: swarm?.totalLegs ?? 0,
  });
}

async function taskIn(ledger: Reading, { listed, vault, taskLegs }: Accounts): Promise<FoundListing> {
  const { status, poster, taskId, numLegs, kind: _, ...data } = getTaskDecoder().decode(listed.data);
  requireAt(listed.address, await taskAddress(ledger.program, poster, taskId), poster);
  const legs = taskLegs.flatMap((account): FoundLeg[] => {
    const leg = ofKind(ledger, account, TASK_LEG_KIND);
    if (leg === undefined) return [];
    const { agent, rentPayer, resultHash, ...said } = getTaskLegDecoder().decode(leg.data);
    const result = resultHash.some((byte) => byte !== 0) ? bytesToHex(resultHash) : null;
    return [{ ...legFrom(leg.address, said), worker: agent, resultHash: result, rentPayer }];
  });
  return listingFrom(ledger, listed, vault, {
    kind: 'task',
    id: bytesToUuid(Uint8Array.from(taskId)),
    status: statusOf(status === TaskStatus.Listed, status === TaskStatus.InProgress, false),
    lister: poster,
    ...data,
    swarm: undefined,
    legs,
    legCount: numLegs,
  });
}

const statusOf = (isListed: boolean, isUnderWay: boolean, isForming: boolean): FoundListing['status'] =>
  isListed ? 'listed' : isForming ? 'forming' : isUnderWay ? 'active' : 'over';

/** Anybody can have an account at another address say that it is somebody's. */
function requireAt(shown: Address, meant: Address, lister: Address): void {
  if (shown === meant) return;
  throw new ExitError(
    `the RPC shows what is at ${shown} as listed by ${lister}, whose is at ${meant}: it is not believed`,
  );
}

function ofKind({ program }: Reading, account: ShownAccount | undefined, kind: number): ShownAccount | undefined {
  return account?.owner === program && account.data[0] === kind ? account : undefined;
}

function legFrom(
  address: Address,
  said: {
    readonly index: number;
    readonly status: keyof typeof STAGES;
    readonly paymentLamports: bigint;
    readonly turn: Option<Turn>;
  },
) {
  const turn = unwrapOption(said.turn);
  const stage = STAGES[said.status];
  return {
    index: said.index,
    address,
    stage,
    payment: toLamports(said.paymentLamports),
    since: turn === null ? null : new Date(Number(turn.since) * 1000),
    percent: turn !== null && stage === 'ruled' ? turn.percent : null,
  };
}

interface Data
  extends Pick<FoundListing, 'kind' | 'id' | 'status' | 'lister' | 'funder' | 'swarm' | 'legs' | 'legCount'> {
  readonly deadline: bigint;
  readonly asset: number;
  readonly termsHash: ReadonlyUint8Array;
  readonly nonce: ReadonlyUint8Array;
  readonly terms: Option<Terms>;
}

async function listingFrom(
  ledger: Reading,
  { address, lamports }: ShownAccount,
  vault: ShownAccount | undefined,
  { asset: number, termsHash, deadline, terms: bound, ...data }: Data,
): Promise<FoundListing> {
  const { token, ...asset } = await assetOf(ledger, number);
  const terms = unwrapOption(bound);
  const place = await vaultAddress(ledger.program, address);
  const empty = rentMinimum(0);
  return {
    ...data,
    address,
    deadline: new Date(Number(deadline) * 1000),
    asset,
    token,
    terms: terms && termsFrom(terms, isInSol(asset)),
    termsHash: bytesToHex(termsHash),
    nonce: data.nonce,
    vault: place,
    held: toLamports(token === undefined ? (vault?.lamports ?? 0n) : await tokensOf(ledger, place, token.mint)),
    rentLamports: toLamports(lamports > empty ? lamports - empty : 0n),
  };
}

/** The tokens of the associated token account of an owner; none where there is no account. */
export async function tokensOf({ rpc }: Pick<Reading, 'rpc'>, owner: Address, mint: Address): Promise<bigint> {
  const [account] = await readAccounts(rpc, [await associatedTokenAddress(owner, mint)]);
  return account === undefined ? 0n : readTokenAccount(account.data).amount;
}

/** The asset that a number of the program stands for. A token has no name here: it is called by its mint. */
export async function assetOf(
  { rpc, program }: Reading,
  number: number,
): Promise<Asset & { readonly token: PaidToken | undefined }> {
  if (number === SOL_ASSET) return { ...SOL, token: undefined };
  const place = await assetAddress(program, number);
  const account = ofKind({ rpc, program }, (await readAccounts(rpc, [place]))[0], ASSET_KIND);
  if (account === undefined) throw new ExitError(`the RPC does not show asset ${number}`);
  return assetFrom(getAssetDecoder().decode(account.data), place);
}

export function assetFrom({ number, mint, decimals }: AssetAccount, account: Address) {
  return { asset: mint, decimals, token: { number, mint, account } };
}
