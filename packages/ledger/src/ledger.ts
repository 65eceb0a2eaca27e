import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bank } from './bank/bank.js';
import type { Rpc, RpcTransport, SolanaRpcApi } from '@solana/kit';
import { fromBase58 } from './bank/keys.js';
import { Signatures } from './bank/signatures.js';
import { Fork } from './fork/fork.js';
import { openBank, type Genesis } from './genesis/genesis.js';
import { decodeJson, encodeJson } from './json.js';
import { loadKeypairs, type LedgerKeypairs } from './keypairs.js';
import { Subscriptions } from './pubsub/subscriptions.js';
import type { SubscriptionServer } from './pubsub/webSocketServer.js';
import type { Endpoints } from './rpc/context.js';
import { Dispatcher } from './rpc/dispatcher.js';
import { forkedMethods } from './rpc/forkedMethods.js';
import { createRpcServer, createWebSocketOnlyServer } from './rpc/httpServer.js';
import { listenOnPair, type Ports } from './rpc/listen.js';
import { allMethods } from './rpc/methods/index.js';
import { Performance } from './rpc/performance.js';
import { Store } from './store/store.js';

export type LedgerOptions<Name extends string = never> = {
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
  /** When the ports are busy, take the next free pair instead of failing. */
  readonly portFallback?: boolean;
  /** The content of the ledger, apart from its faucet. Funds are given when the data folder is made, never later. */
  readonly genesis?: Genesis<Name>;
  /** Length of a slot in milliseconds. Default 400. */
  readonly slotMs?: number;
  /** `immediate`: a transaction is final at once, not 32 slots later. Default `delayed`. */
  readonly finality?: 'delayed' | 'immediate';
  /**
   * Adds methods that set accounts and move time: `relay_…`, and `surfnet_…` as Surfpool has them. Default: in a
   * temporary folder.
   */
  readonly testing?: boolean;
  /** Accounts of another cluster to begin with, programs with their code; what the folder has already stays. */
  readonly clone?: { /** JSON-RPC of a node. */ readonly from: string; readonly addresses: readonly string[] };
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
  readonly genesisHash: string;
  /** The faucet's, and those that the genesis asks for. */
  readonly keypairs: LedgerKeypairs<Name>;
  readonly dataDir: string;
  /** Stops serving and releases the data folder; everything is on disk by then. May be called again. */
  close(): Promise<void>;
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** Room for the largest account in hex, on a ledger for tests. */
const TESTING_BODY_BYTES = 24 * 1024 * 1024;

const LIMITS = {
  bodyBytes: 50 * 1024,
  connections: 2_000,
  subscriptionsPerConnection: 2_000,
  subscriptions: 50_000,
  backlogBytes: 16 * 1024 * 1024,
} as const;

/**
 * Starts an embedded Solana: real programs and transactions, behind Solana's JSON-RPC and WebSocket, kept in a folder.
 *
 * @throws LedgerInUseError when another process has the data folder
 * @throws PortInUseError when a port is busy
 * @throws MalformedKeypairFileError when a keypair in the data folder cannot be read
 * @throws RemoteError when an account to clone cannot be copied
 * @throws FeaturesError when the features cannot be read, or are others than the folder's
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
  requireSlotMs(slotMs);
  const funds = genesis?.funds ?? ({} as Genesis<Name>['funds']);
  const keypairs = await loadKeypairs(store.dataDir, Object.keys(funds) as Name[]);
  const settings = { slotMs, finality, features: options.features };
  const { bank, ...node } = await openBank(store, signatures, keypairs, funds, settings);
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
  const { stop, ...urls } = await serve(bank, store, dispatcher, options);
  Object.assign(endpoints, socketAddresses(urls));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing ??= stop().then(release);
    return closing;
  };
  return {
    ...urls,
    genesisHash: node.genesisHash,
    keypairs,
    dataDir: store.dataDir,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @throws RemoteError when one of the accounts cannot be copied */
async function clone(
  { from, addresses }: NonNullable<LedgerOptions['clone']>,
  bank: Bank,
  store: Store,
): Promise<void> {
  const keys = addresses.map((address) => {
    const key = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) ? fromBase58(address) : new Uint8Array();
    if (key.length !== 32) throw new TypeError(`clone.addresses has "${address}", expected addresses in base58`);
    return key;
  });
  await new Fork(from, bank, store).clone(keys);
  await bank.durable();
}

/** JSON-RPC without a socket, for a ledger that does not serve yet. Kit is loaded only where somebody needs it. */
async function inProcessRpc(dispatcher: Dispatcher): Promise<Rpc<SolanaRpcApi>> {
  const { createSolanaRpcFromTransport } = await import('@solana/kit');
  const transport = async ({ payload }: Parameters<RpcTransport>[0]): Promise<unknown> =>
    decodeJson(await dispatcher.answer(encodeJson(payload)));
  return createSolanaRpcFromTransport(transport as RpcTransport);
}

type Serving = { readonly rpcUrl: string; readonly wsUrl: string; readonly stop: () => Promise<void> };

async function serve(
  bank: Bank,
  store: Store,
  dispatcher: Dispatcher,
  {
    host = '127.0.0.1',
    port = 8899,
    wsPort,
    portFallback = false,
    testing = false,
  }: Pick<LedgerOptions, 'host' | 'port' | 'wsPort' | 'portFallback' | 'testing'>,
): Promise<Serving> {
  const pubsub = subscriptionServerOf(new Subscriptions(bank, store));
  const http = createRpcServer(
    dispatcher,
    pubsub.upgrade,
    testing ? { ...LIMITS, bodyBytes: TESTING_BODY_BYTES } : LIMITS,
  );
  const webSocket = createWebSocketOnlyServer(pubsub.upgrade, LIMITS);
  const choice = { host, port, wsPort, fallback: portFallback };
  const ports = await listenOnPair(http, webSocket, choice);
  const stopTicking = tickEachSlot(bank);
  const stop = async (): Promise<void> => {
    stopTicking();
    await pubsub.close();
    await Promise.all([stopServer(http), stopServer(webSocket)]);
  };
  return { ...urls(host, ports), stop };
}

/** Loads what serves WebSocket when the first client wants it: that takes a fifth of a ledger's start. */
function subscriptionServerOf(subscriptions: Subscriptions): {
  readonly upgrade: SubscriptionServer['upgrade'];
  readonly close: () => Promise<void>;
} {
  let server: Promise<SubscriptionServer> | undefined;
  const load = async (): Promise<SubscriptionServer> => {
    const { SubscriptionServer } = await import('./pubsub/webSocketServer.js');
    return new SubscriptionServer(subscriptions, LIMITS);
  };
  return {
    upgrade: (request, socket, head) => {
      // A client may leave meanwhile: without a listener its error would end the process.
      socket.on('error', () => socket.destroy());
      server ??= load();
      server.then(
        (loaded) => loaded.upgrade(request, socket, head),
        () => socket.destroy(),
      );
    },
    close: async () => (await server)?.close(),
  };
}

function requireSlotMs(slotMs: number): void {
  if (!Number.isInteger(slotMs) || slotMs < 1 || slotMs > 60_000) {
    throw new RangeError(`slotMs is ${slotMs}, expected a whole number of milliseconds from 1 to 60000`);
  }
}

function urls(host: string, { port, wsPort }: Ports): { rpcUrl: string; wsUrl: string } {
  const name = host.includes(':') ? `[${host}]` : host;
  return { rpcUrl: `http://${name}:${port}`, wsUrl: `ws://${name}:${wsPort}` };
}

/** As `ip:port`: clients in Rust refuse a name. */
function socketAddresses({ rpcUrl, wsUrl }: Pick<Serving, 'rpcUrl' | 'wsUrl'>): Endpoints {
  const { hostname, host } = new URL(rpcUrl);
  return isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? {} : { rpc: host, pubsub: new URL(wsUrl).host };
}

/** Begins each slot on time, even without requests. */
function tickEachSlot(bank: Bank): () => void {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    const slot = bank.slotAt('processed');
    const wait = bank.clock.slotStartMs(slot + 1) - bank.clock.nowMs();
    timer = setTimeout(
      () => {
        bank.tick();
        schedule();
      },
      Math.max(1, wait),
    );
  };
  schedule();
  return () => clearTimeout(timer);
}

async function stopServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
