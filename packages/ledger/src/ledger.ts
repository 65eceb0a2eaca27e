import type { Server } from 'node:http';
import type { Address } from '@solana/kit';
import type { Chain } from './chain/chain.js';
import { keypairPath, loadKeys, openChain } from './genesis/genesis.js';
import { ensureProgram } from './genesis/program.js';
import { Subscriptions } from './pubsub/subscriptions.js';
import { SubscriptionServer } from './pubsub/webSocketServer.js';
import { Dispatcher } from './rpc/dispatcher.js';
import { createRpcServer, createWebSocketOnlyServer } from './rpc/httpServer.js';
import { listenOnPair, type Ports } from './rpc/listen.js';
import { allMethods } from './rpc/methods/index.js';
import { Store } from './store/store.js';

export type LedgerOptions = {
  /** Where everything is kept; made when missing. One process at a time may use it. */
  readonly dataDir: string;
  /** Address to listen on. Default 127.0.0.1: whoever reaches the port may do anything. */
  readonly host?: string;
  /** Port of the JSON-RPC (and of WebSocket upgrades). Default 8899; 0 takes any free one. */
  readonly port?: number;
  /** Port of the WebSocket alone. Default the one after `port`. */
  readonly wsPort?: number;
  /** When the ports are busy, take the next free pair instead of failing. */
  readonly portFallback?: boolean;
  /** The relay program to deploy and initialise, unless it is there already. */
  readonly program?: { readonly soPath: string };
  /** Length of a slot in milliseconds. Default 400. */
  readonly slotMs?: number;
  /** `immediate`: a transaction is final at once, not 32 slots later. Default `delayed`. */
  readonly finality?: 'delayed' | 'immediate';
  /** Adds the method `relay_advanceTime`. */
  readonly testing?: boolean;
  /** Gets the ledger's log, a line at a time. */
  readonly log?: (line: string) => void;
};

export type Ledger = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly genesisHash: string;
  /** The relay program, when one was given. */
  readonly programAddress?: Address;
  readonly coordinatorKeypairPath?: string;
  readonly authorityKeypairPath?: string;
  /** Stops serving and lets go of the data folder; everything is on disk by then. May be called again. */
  close(): Promise<void>;
};

const LIMITS = {
  bodyBytes: 2 * 1024 * 1024,
  connections: 2_000,
  subscriptionsPerConnection: 2_000,
  subscriptions: 50_000,
  backlogBytes: 16 * 1024 * 1024,
} as const;

/**
 * Starts an embedded Solana: the real program with real transactions, behind Solana's JSON-RPC and WebSocket, kept in
 * a folder.
 *
 * @throws LedgerInUse when another process has the data folder
 * @throws PortInUse when a port is busy
 * @throws MalformedKeypairFile when a keypair in the data folder cannot be read
 */
export async function startLedger(options: LedgerOptions): Promise<Ledger> {
  const store = new Store(options.dataDir);
  try {
    return await serve(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(store: Store, options: LedgerOptions): Promise<Ledger> {
  const { host = '127.0.0.1', port = 8899, slotMs = 400, finality = 'delayed', testing = false } = options;
  const log = options.log ?? (() => undefined);
  requireSlotMs(slotMs);
  const { dataDir } = store;
  const keys = await loadKeys(dataDir);
  const { chain, faucet, genesisHash, identity } = await openChain(store, keys, { slotMs, finality });
  const dispatcher = new Dispatcher(allMethods(testing), { chain, store, faucet, genesisHash, identity }, log);
  const programAddress =
    options.program === undefined
      ? undefined
      : await ensureProgram(options.program.soPath, keys, dispatcher, chain, log);
  await chain.advance(chain.clock.behindMs);
  const pubsub = new SubscriptionServer(new Subscriptions(chain, store), LIMITS);
  const upgrade: SubscriptionServer['upgrade'] = (request, socket, head) => pubsub.upgrade(request, socket, head);
  const http = createRpcServer(dispatcher, upgrade, LIMITS);
  const webSocket = createWebSocketOnlyServer(upgrade, LIMITS);
  const choice = { host, port, wsPort: options.wsPort, fallback: options.portFallback ?? false };
  const ports = await listenOnPair(http, webSocket, choice).catch((error: unknown) => {
    pubsub.close();
    throw error;
  });
  const stopTicking = tickEachSlot(chain);
  const close = async (): Promise<void> => {
    stopTicking();
    pubsub.close();
    await Promise.all([stop(http), stop(webSocket)]);
    await store.close();
  };
  let closing: Promise<void> | undefined;
  return {
    ...urls(host, ports),
    genesisHash,
    ...(programAddress === undefined ? {} : { programAddress }),
    coordinatorKeypairPath: keypairPath(dataDir, 'coordinator'),
    authorityKeypairPath: keypairPath(dataDir, 'authority'),
    close: async () => {
      closing ??= close();
      return closing;
    },
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

/** Lets slots begin on time even when nobody asks for anything. */
function tickEachSlot(chain: Chain): () => void {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    const slot = chain.slotAt('processed');
    const wait = chain.clock.slotStartMs(slot + 1) - chain.clock.nowMs();
    timer = setTimeout(
      () => {
        chain.tick();
        schedule();
      },
      Math.max(1, wait),
    );
  };
  schedule();
  return () => clearTimeout(timer);
}

async function stop(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
