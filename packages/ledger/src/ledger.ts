import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bank } from './bank/bank.js';
import type { Rpc, RpcTransport, SolanaRpcApi } from '@solana/kit';
import { Signatures } from './bank/signatures.js';
import { Fork } from './fork/fork.js';
import type { Faucet } from './genesis/faucet.js';
import { serveFaucet, type FaucetServer } from './genesis/faucetServer.js';
import { openBank, type Genesis } from './genesis/genesis.js';
import { addressOf, type GivenState } from './genesis/given.js';
import { decodeJson, encodeJson } from './json.js';
import { loadKeypairs, type LedgerKeypairs } from './keypairs.js';
import type { Endpoints } from './rpc/context.js';
import { Dispatcher } from './rpc/dispatcher.js';
import { forkedMethods } from './rpc/forkedMethods.js';
import { allMethods } from './rpc/methods/index.js';
import { Performance } from './rpc/performance.js';
import { serve, socketAddresses, tickEachSlot } from './serve.js';
import { Store } from './store/store.js';

export type LedgerOptions<Name extends string = never> = GivenState & {
  /**
   * The data folder; made when missing. One process at a time may use it. Without one, the ledger lives in a temporary
   * folder until it is closed.
   */
  readonly dataDir?: string;
  /** Address to listen on. Default 127.0.0.1: there is no access control. */
  readonly host?: string;
  /** Port of the JSON-RPC and of WebSocket upgrades; 0 takes any free one. Default 8899, in a temporary folder 0. */
  readonly port?: number;
  /** Port of the WebSocket alone. Default the one after `port`. */
  readonly wsPort?: number;
  /** Port of a faucet over TCP, as Agave's clients know it; 0 takes any free one. Default none: airdrops go through JSON-RPC. */
  readonly faucetPort?: number;
  /** Serves `voteSubscribe` too. Default false, as on a validator. */
  readonly rpcPubsubEnableVoteSubscription?: boolean;
  /** When the ports are busy, take the next free pair instead of failing. */
  readonly portFallback?: boolean;
  /** The content of the ledger, apart from its faucet. Funds are given when the data folder is made, never later. */
  readonly genesis?: Genesis<Name>;
  /** Begins again from the genesis: everything in the folder is forgotten but its keypairs. */
  readonly reset?: boolean;
  /** Length of a slot in milliseconds. Default 400. */
  readonly slotMs?: number;
  /** Slots of an epoch, at least 32. Default 432,000. Of the genesis: ignored on a ledger that exists already. */
  readonly slotsPerEpoch?: number;
  /** The slot in which the ledger begins to serve. One that exists already moves on, and its time with it. */
  readonly warpSlot?: number;
  /** `immediate`: a transaction is final at once, not 32 slots later. Default `delayed`. */
  readonly finality?: 'delayed' | 'immediate';
  /**
   * Adds methods that set accounts and move time: `relay_…`, and `surfnet_…` as Surfpool has them. Default: in a
   * temporary folder.
   */
  readonly testing?: boolean;
  /** Accounts of another cluster to begin with, programs with their code; what the folder has already stays. */
  readonly clone?: {
    /** JSON-RPC of a node. */
    readonly from: string;
    readonly addresses: readonly string[];
    /** More of them, each of which has to be an upgradeable program there. */
    readonly upgradeablePrograms?: readonly string[];
  };
  /** JSON-RPC of a node: an account that the ledger lacks is copied from there when it is first used. */
  readonly fork?: string;
  /**
   * The features of which cluster are active: `agave-4.2` (the default), `mainnet-beta`, or a file as
   * `solana feature status --output json` prints it. A folder keeps those that it began with.
   */
  readonly features?: string;
  /** Called with each line of the ledger's log. */
  readonly log?: (line: string) => void;
};

export type Ledger<Name extends string = never> = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Of the faucet over TCP, where one is wanted. */
  readonly faucetPort: number | undefined;
  readonly genesisHash: string;
  /** The faucet's, and those that the genesis asks for. */
  readonly keypairs: LedgerKeypairs<Name>;
  readonly dataDir: string;
  /** Stops serving and releases the data folder; everything is on disk by then. May be called again. */
  close(): Promise<void>;
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts an embedded Solana: real programs and transactions, behind Solana's JSON-RPC and WebSocket, kept in a folder.
 *
 * @throws LedgerInUseError when another process has the data folder
 * @throws PortInUseError when a port is busy
 * @throws MalformedKeypairFileError when a keypair in the data folder cannot be read
 * @throws RemoteError when an account to clone cannot be copied
 * @throws FeaturesError when the features cannot be read, or are others than the folder's
 * @throws GivenFileError when a file of what it begins with cannot be read
 * @throws RangeError, TypeError for an option that cannot be
 */
export async function startLedger<Name extends string = never>(
  options: LedgerOptions<Name> = {},
): Promise<Ledger<Name>> {
  if (options.dataDir !== undefined) return startIn(options.dataDir, options, () => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'legwork-ledger-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return startIn(folder, { port: 0, testing: true, ...options }, remove);
}

/** @param afterwards the cleanup when the ledger is closed, or did not start */
async function startIn<Name extends string>(
  dataDir: string,
  options: LedgerOptions<Name>,
  afterwards: () => void,
): Promise<Ledger<Name>> {
  const store = new Store(dataDir);
  const signatures = new Signatures();
  const release = async (): Promise<void> => {
    await signatures.close();
    await store.close();
    afterwards();
  };
  try {
    return await open(store, signatures, options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function open<Name extends string>(
  store: Store,
  signatures: Signatures,
  options: LedgerOptions<Name>,
  release: () => Promise<void>,
): Promise<Ledger<Name>> {
  const { slotMs = 400, finality = 'delayed', testing = false, log = () => undefined, genesis } = options;
  const { reset = false, warpSlot, slotsPerEpoch } = options;
  requireWhole('slotMs', slotMs, 1, 60_000);
  requireWhole('warpSlot', warpSlot, 0, Math.floor(MAX_SLOTS_MS / slotMs));
  requireWhole('slotsPerEpoch', slotsPerEpoch, LEAST_SLOTS_PER_EPOCH, 2 ** 32);
  const funds = genesis?.funds ?? ({} as Genesis<Name>['funds']);
  const keypairs = await loadKeypairs(store.dataDir, Object.keys(funds) as Name[]);
  const { bank, ...node } = await openBank(store, signatures, keypairs, funds, {
    ...options,
    slotMs,
    finality,
    reset,
    warpSlot,
    slotsPerEpoch,
    features: options.features,
    log,
  });
  const fork = options.fork === undefined ? undefined : new Fork(options.fork, bank, store);
  if (options.clone !== undefined) await clone(options.clone, bank, store);
  const endpoints: Endpoints = {};
  const context = { bank, store, ...node, performance: new Performance(bank), endpoints, fork };
  const methods = allMethods(testing);
  const nextSlot = (): Promise<void> => bank.advance(bank.clock.slotMs);
  if (genesis !== undefined) {
    const rpc = await inProcessRpc(new Dispatcher(methods, context, log));
    // Transactions may wait for the next slot.
    const stopTicking = tickEachSlot(bank);
    await genesis.prepare({ rpc, keypairs, nextSlot, log }).finally(stopTicking);
  }
  await bank.advance(bank.clock.behindMs);
  // To which `relay_reset` goes back.
  if (testing && bank.edits.snapshots.length === 0) bank.edits.takeSnapshot();
  const dispatcher = new Dispatcher(fork === undefined ? methods : forkedMethods(methods, fork), context, log);
  const faucet = await faucetOf(node.faucet, options);
  const { stop, ...urls } = await serve(bank, store, dispatcher, options).catch(async (error: unknown) => {
    await faucet?.close();
    throw error;
  });
  Object.assign(endpoints, socketAddresses(urls));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing ??= Promise.all([stop(), faucet?.close()]).then(release);
    return closing;
  };
  return {
    ...urls,
    faucetPort: faucet?.port,
    genesisHash: node.genesisHash,
    keypairs,
    dataDir: store.dataDir,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @throws RemoteError when one of the accounts cannot be copied */
async function clone(
  { from, addresses, upgradeablePrograms = [] }: NonNullable<LedgerOptions['clone']>,
  bank: Bank,
  store: Store,
): Promise<void> {
  const [accounts, programs] = [addresses, upgradeablePrograms].map((list) =>
    list.map((one) => addressOf(one, 'an account to clone')),
  );
  await new Fork(from, bank, store).clone([...(accounts ?? []), ...(programs ?? [])], programs);
  await bank.durable();
}

/** JSON-RPC without a socket, for a ledger that does not serve yet. Kit is loaded only where somebody needs it. */
async function inProcessRpc(dispatcher: Dispatcher): Promise<Rpc<SolanaRpcApi>> {
  const { createSolanaRpcFromTransport } = await import('@solana/kit');
  const transport = async ({ payload }: Parameters<RpcTransport>[0]): Promise<unknown> =>
    decodeJson(await dispatcher.answer(encodeJson(payload)));
  return createSolanaRpcFromTransport(transport as RpcTransport);
}

async function faucetOf(
  faucet: Faucet,
  { host = '127.0.0.1', faucetPort }: Pick<LedgerOptions, 'host' | 'faucetPort'>,
): Promise<FaucetServer | undefined> {
  return faucetPort === undefined ? undefined : serveFaucet(faucet, host, faucetPort);
}

/** A century: slots and their times stay exact. */
const MAX_SLOTS_MS = 3_155_760_000_000;
/** Of a cluster, too. */
const LEAST_SLOTS_PER_EPOCH = 32;

function requireWhole(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
  throw new RangeError(`${name} is ${value}, expected a whole number from ${least} to ${most}`);
}
