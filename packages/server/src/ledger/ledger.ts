import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { configAddress, getConfigDecoder } from '@legwork/program-client';
import { ask, blockTimeOf, type LedgerRpc } from '@legwork/program-client/history';
import { type Lamports, parseKeypairFile, LegworkError, toLamports } from '@legwork/protocol/contract';
import {
  address,
  type Address,
  createKeyPairSignerFromBytes,
  createSolanaRpcFromTransport,
  getBase64Encoder,
  getI64Decoder,
  type KeyPairSigner,
} from '@solana/kit';
import { LRUCache } from 'lru-cache';
import { type Config, ConfigError } from '../config.js';
import { type Blockhashes, keepBlockhashes, keepPrices, type Prices } from './kept.js';
import { type Assets, readAssets } from './assets.js';
import { keptTransport } from './transport.js';

const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
/** Where the account holds the Unix seconds, a signed integer of eight bytes. */
const UNIX_TIMESTAMP_OFFSET = 32;

/** Bytes that the ledger charges for every account on top of its data. */
const OVERHEAD_BYTES = 128n;

/** The ledger as this service uses it. */
export interface Ledger {
  rpc: LedgerRpc;
  blockhashes: Blockhashes;
  prices: Prices;
  /** Addresses that the ledger showed as payable within the last minute. */
  payable: LRUCache<string, true>;
  programAddress: Address;
  configAddress: Address;
  /** Of the program, as it was at the start. */
  authority: Address;
  /** The assets that listings can be paid in. */
  assets: Assets;
  /** The hot key: forms swarms and settles. */
  coordinator: KeyPairSigner;
  /** Derived from the hot key, for the MACs of its decisions; kept nowhere. Rule M-75. */
  decisionKey: KeyObject;
  genesisHash: string;
  /** The least that an empty account must hold: a payment below it cannot reach an empty wallet. */
  rentExemptMinimum: Lamports;
}

/** So long an address counts as payable, milliseconds. */
const PAYABLE_MS = 60_000;

/** The most that are remembered: an address takes about 100 bytes. */
const MOST_PAYABLE = 20_000;

/** @returns the memory of {@link Ledger.payable}; an agent that bids again within the minute costs the ledger nothing */
export function keepPayable(): Ledger['payable'] {
  return new LRUCache({ max: MOST_PAYABLE, ttl: PAYABLE_MS });
}

/** @throws ConfigError naming the file and what is wrong with it; never what is in it */
async function readCoordinator(file: string, programId: string): Promise<Pick<Ledger, 'coordinator' | 'decisionKey'>> {
  try {
    const secret = parseKeypairFile(await readFile(file, 'utf8'));
    const derived = hkdfSync('sha256', secret.subarray(0, 32), '', `legwork decisions of ${programId}`, 32);
    const coordinator = await createKeyPairSignerFromBytes(secret);
    return { coordinator, decisionKey: createSecretKey(Buffer.from(derived)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new ConfigError(`COORDINATOR_KEYPAIR: ${file} cannot be used: ${reason}`);
  }
}

/** The program's settings at this address must exist and name this coordinator: nobody else may form swarms or settle. @returns its authority */
async function requireProgram(
  rpc: LedgerRpc,
  programId: string,
  settings: Address,
  coordinator: Address,
): Promise<Address> {
  const { value: account } = await ask(rpc.getAccountInfo(settings, { commitment: 'confirmed', encoding: 'base64' }));
  if (account?.owner !== programId) {
    throw new ConfigError(
      `RELAY_PROGRAM_ID: the ledger shows no initialised program at ${programId}; deploy it with legwork program deploy`,
    );
  }
  const { coordinator: named, authority } = getConfigDecoder().decode(getBase64Encoder().encode(account.data[0]));
  if (named === coordinator) return authority;
  throw new ConfigError(`COORDINATOR_KEYPAIR: holds ${coordinator}, but the program takes orders from ${named} only`);
}

/**
 * Reads what the start depends on. A node that is behind may not show it yet: what it does not show is held against the settings only if it
 * says that it is not. Rule S-81.
 */
async function believed<T>(rpc: LedgerRpc, read: Promise<T>): Promise<T> {
  return read.catch(async (error: unknown) => {
    if (error instanceof ConfigError) await ask(rpc.getHealth());
    throw error;
  });
}

/** True if the ledger did not answer, or does not show what it says that it has: asking again may help. */
export const isUnavailable = (error: unknown): error is LegworkError =>
  error instanceof LegworkError && error.code === 'ledger_unavailable';

/**
 * Connects to the ledger and checks that the program is there and takes orders from the coordinator's key.
 *
 * @param assetsListed - numbers of the assets of which the database has listings
 * @throws ConfigError naming the setting that does not fit; what the ledger said when it could not be asked
 */
export async function connectLedger(config: Config, assetsListed: readonly number[]): Promise<Ledger> {
  const rpc = createSolanaRpcFromTransport(keptTransport(config.rpcUrl));
  const programAddress = address(config.programId);
  const { coordinator, decisionKey } = await readCoordinator(config.coordinatorKeypair, config.programId);
  if (config.arbiterPubkey === coordinator.address) {
    throw new ConfigError('ARBITER_PUBKEY: is the coordinator, whose rulings the program refuses; name another key');
  }
  const relayConfig = await configAddress(programAddress);
  const [genesisHash, rentExemptMinimum] = await Promise.all([
    ask(rpc.getGenesisHash()),
    ask(rpc.getMinimumBalanceForRentExemption(0n)),
  ]);
  if (typeof genesisHash !== 'string') {
    throw new ConfigError('SOLANA_RPC_URL: what answers there is not the JSON-RPC of a Solana cluster');
  }
  const program = requireProgram(rpc, programAddress, relayConfig, coordinator.address);
  const authority = await believed(rpc, program);
  const known = { rpc, programAddress, coordinator: coordinator.address };
  const assets = await readAssets(known, config.assets, assetsListed);
  return {
    rpc,
    blockhashes: keepBlockhashes(rpc),
    prices: keepPrices(rpc, coordinator.address),
    payable: keepPayable(),
    programAddress,
    configAddress: relayConfig,
    authority,
    assets,
    coordinator,
    decisionKey,
    genesisHash,
    rentExemptMinimum: toLamports(rentExemptMinimum),
  };
}

/** Says that something will be signed soon: what that takes of the ledger is read meanwhile. */
export function warm({ blockhashes, prices }: Pick<Ledger, 'blockhashes' | 'prices'>): void {
  blockhashes.warm();
  prices.warm();
}

/** Returns the instant in whole Unix seconds, as the program counts time. */
export function unixSeconds(instant: Date): bigint {
  return BigInt(Math.floor(instant.getTime() / 1000));
}

/** Returns the ledger's time in whole seconds, by which the program judges deadlines. @throws LegworkError `ledger_unavailable` */
export async function readLedgerTime({ rpc }: Pick<Ledger, 'rpc'>): Promise<Date> {
  const { value } = await ask(rpc.getAccountInfo(CLOCK, { commitment: 'confirmed', encoding: 'base64' }));
  if (value === null) throw new Error('the ledger shows no clock');
  const [seconds] = getI64Decoder().read(getBase64Encoder().encode(value.data[0]), UNIX_TIMESTAMP_OFFSET);
  return new Date(Number(seconds) * 1000);
}

/** Returns when the block of the slot was made, by which the program counted. @throws LegworkError `ledger_unavailable` */
export async function readBlockTime({ rpc }: Pick<Ledger, 'rpc'>, slot: bigint): Promise<Date> {
  const seconds = blockTimeOf(await ask(rpc.getBlockTime(slot)));
  if (seconds !== null) return new Date(Number(seconds) * 1000);
  throw new LegworkError('ledger_unavailable', `The ledger does not say when it made block ${slot}; try again later.`);
}

/** Returns the least that an account with so many bytes of data must hold: rent is linear in the bytes. */
export function rentOf({ rentExemptMinimum }: Pick<Ledger, 'rentExemptMinimum'>, bytes: number): Lamports {
  return toLamports((rentExemptMinimum * (OVERHEAD_BYTES + BigInt(bytes))) / OVERHEAD_BYTES);
}
