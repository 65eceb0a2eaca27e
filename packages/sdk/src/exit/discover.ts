import {
  ASSET_KIND,
  assetAddress,
  getAssetDecoder,
  getLegDecoder,
  getMandateDecoder,
  getPackageSize,
  getSwarmDecoder,
  getTaskLegDecoder,
  getTaskSize,
  LEG_KIND,
  MANDATE_KIND,
  mandateAddress,
  PACKAGE_KIND,
  SWARM_KIND,
  TASK_KIND,
  TASK_LEG_KIND,
} from '@legwork/program-client';
import {
  type Address,
  type Base58EncodedBytes,
  type Decoder,
  getBase58Decoder,
  getBase64Encoder,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { errorOf } from '../landed.js';
import { ExitError } from './exitRpc.js';
import type { ExitLedger } from './found.js';
import { readAccounts } from './readAccounts.js';
import { assetFrom } from './readListing.js';

/** Where accounts hold who has a part in them, bytes from their beginning. */
const PLACES = {
  listing: [
    { kind: PACKAGE_KIND, at: 23 },
    { kind: PACKAGE_KIND, at: 55 },
    { kind: TASK_KIND, at: 24 },
    { kind: TASK_KIND, at: 56 },
  ],
  /** Receiver and arbiter stand in the terms, behind the rest. */
  terms: [
    { kind: PACKAGE_KIND, at: getPackageSize() },
    { kind: PACKAGE_KIND, at: getPackageSize() + 32 },
    { kind: TASK_KIND, at: getTaskSize() },
    { kind: TASK_KIND, at: getTaskSize() + 32 },
  ],
  courier: { kind: LEG_KIND, at: 37 },
  agent: { kind: TASK_LEG_KIND, at: 37 },
  owner: { kind: MANDATE_KIND, at: 61 },
} as const;

/** Where a package and a task say who funds them. */
const FUNDER = [PLACES.listing[1], PLACES.listing[3]];

/** The most listings that are looked at: strangers can name any key in theirs. Its own, and those that it works on, come first. */
const MOST_LISTINGS = 300;

/** A mandate that a key gave. */
export interface FoundMandate {
  readonly address: Address;
  readonly delegate: Address;
  readonly number: number;
  /** Of its account, all of which comes back. */
  readonly lamports: bigint;
}

/** The listings that a key has a part in. */
export interface Discovered {
  readonly listings: readonly Address[];
  /** How many more name it. */
  readonly more: number;
}

interface Held {
  readonly address: Address;
  readonly lamports: bigint;
  readonly data: ReadonlyUint8Array;
}

/**
 * Finds by filters on the program's accounts where a key has a part: as lister, funder, courier, agent, receiver,
 * arbiter or owner of a mandate. The RPC's answer only names addresses, which are read and checked one by one.
 *
 * @throws {ExitError} when the node refuses such questions
 */
export async function discover(
  ledger: ExitLedger,
  key: Address,
  mandates: readonly FoundMandate[],
): Promise<Discovered> {
  const questions = [
    ...PLACES.listing.map((place) => () => listings(ledger, place, key)),
    ...mandates.flatMap(({ address }) => FUNDER.map((place) => () => listings(ledger, place, address))),
    () => legs(ledger, key),
    () => taskLegs(ledger, key),
    ...PLACES.terms.map((place) => () => listings(ledger, place, key)),
  ];
  const named = new Set<Address>();
  // One after the other: nodes for everybody count how many one asks at once.
  for (const ask of questions) for (const address of await ask()) named.add(address);
  const found = [...named];
  return { listings: found.slice(0, MOST_LISTINGS), more: Math.max(found.length - MOST_LISTINGS, 0) };
}

interface Place {
  readonly kind: number;
  readonly at: number;
}

const base58 = (bytes: Uint8Array) => getBase58Decoder().decode(bytes) as Base58EncodedBytes;

async function holding({ rpc, program }: ExitLedger, kind: number, at?: number, key?: Address): Promise<Held[]> {
  const named = at === undefined || key === undefined ? [] : [memcmp(at, key as string as Base58EncodedBytes)];
  const filters = [memcmp(0, base58(Uint8Array.of(kind))), ...named];
  const found = await rpc
    .getProgramAccounts(program, { commitment: 'confirmed', encoding: 'base64', filters })
    .send()
    .catch((cause: unknown) => {
      if (cause instanceof ExitError) throw cause;
      throw new ExitError(
        `this RPC does not search the program's accounts (${errorOf(cause).message}): name each package and task by its address, or use another RPC`,
        { cause },
      );
    });
  return found.map(({ pubkey, account }) => ({
    address: pubkey,
    lamports: account.lamports,
    data: getBase64Encoder().encode(account.data[0]),
  }));
}

/** @throws {ExitError} when it is too short to be what was asked for */
function read<T>(decoder: Decoder<T>, data: ReadonlyUint8Array): T {
  try {
    return decoder.decode(data);
  } catch (cause) {
    throw new ExitError('the RPC shows accounts that are none of the program: use another one', { cause });
  }
}

const memcmp = (offset: number, bytes: Base58EncodedBytes) => ({
  memcmp: { offset: BigInt(offset), bytes, encoding: 'base58' as const },
});

async function listings(ledger: ExitLedger, { kind, at }: Place, key: Address): Promise<Address[]> {
  return (await holding(ledger, kind, at, key)).map(({ address }) => address);
}

async function taskLegs(ledger: ExitLedger, key: Address): Promise<Address[]> {
  const found = await holding(ledger, PLACES.agent.kind, PLACES.agent.at, key);
  return found.map(({ data }) => read(getTaskLegDecoder(), data).task);
}

/** A leg names its swarm, and the swarm its package. */
async function legs(ledger: ExitLedger, key: Address): Promise<Address[]> {
  const found = await holding(ledger, PLACES.courier.kind, PLACES.courier.at, key);
  const swarms = await readAccounts(
    ledger.rpc,
    found.map(({ data }) => read(getLegDecoder(), data).swarm),
  );
  return swarms.flatMap((swarm) =>
    swarm?.owner === ledger.program && swarm.data[0] === SWARM_KIND
      ? [read(getSwarmDecoder(), swarm.data).package]
      : [],
  );
}

/** The mandates that a key gave. @throws {ExitError} when the node refuses such questions */
export async function mandatesOf(ledger: ExitLedger, key: Address): Promise<FoundMandate[]> {
  const found = await holding(ledger, PLACES.owner.kind, PLACES.owner.at, key);
  const checked = await Promise.all(
    found.map(async ({ address, lamports, data }) => {
      const { owner, delegate, asset: number } = read(getMandateDecoder(), data);
      const at = await mandateAddress(ledger.program, { owner, delegate, asset: number });
      return at === address && owner === key ? [{ address, delegate, number, lamports }] : [];
    }),
  );
  return checked.flat();
}

/** All tokens that listings of the program can be paid in: there are at most 255, so that no search is needed. */
export async function allAssets({ rpc, program }: ExitLedger) {
  const numbers = Array.from({ length: MOST_ASSETS }, (_, index) => index + 1);
  const places = await Promise.all(numbers.map((number) => assetAddress(program, number)));
  const shown = await readAccounts(rpc, places);
  return shown.flatMap((account) =>
    account?.owner === program && account.data[0] === ASSET_KIND
      ? [assetFrom(read(getAssetDecoder(), account.data), account.address)]
      : [],
  );
}

const MOST_ASSETS = 255;
