import type { Server } from 'node:http';
import { isIP } from 'node:net';
import type { Bank } from './bank/bank.js';
import type { LedgerOptions } from './ledger.js';
import { Subscriptions } from './pubsub/subscriptions.js';
import type { SubscriptionServer } from './pubsub/webSocketServer.js';
import type { Endpoints } from './rpc/context.js';
import type { Dispatcher } from './rpc/dispatcher.js';
import { createRpcServer, createWebSocketOnlyServer } from './rpc/httpServer.js';
import { listenOnPair, type Ports } from './rpc/listen.js';
import type { Store } from './store/store.js';

/** Room for the largest account in hex, on a ledger for tests. */
const TESTING_BODY_BYTES = 24 * 1024 * 1024;

const LIMITS = {
  bodyBytes: 50 * 1024,
  connections: 2_000,
  subscriptionsPerConnection: 2_000,
  subscriptions: 50_000,
  backlogBytes: 16 * 1024 * 1024,
} as const;

type Serving = { readonly rpcUrl: string; readonly wsUrl: string; readonly stop: () => Promise<void> };

/** Serves a ledger over HTTP and WebSocket, and begins its slots on time. @throws PortInUseError */
export async function serve(
  bank: Bank,
  store: Store,
  dispatcher: Dispatcher,
  {
    host = '127.0.0.1',
    port = 8899,
    wsPort,
    portFallback = false,
    testing = false,
    rpcPubsubEnableVoteSubscription = false,
  }: Pick<LedgerOptions, 'host' | 'port' | 'wsPort' | 'portFallback' | 'testing' | 'rpcPubsubEnableVoteSubscription'>,
): Promise<Serving> {
  const pubsub = subscriptionServerOf(new Subscriptions(bank, store), rpcPubsubEnableVoteSubscription);
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
function subscriptionServerOf(
  subscriptions: Subscriptions,
  hasVotes: boolean,
): {
  readonly upgrade: SubscriptionServer['upgrade'];
  readonly close: () => Promise<void>;
} {
  let server: Promise<SubscriptionServer> | undefined;
  const load = async (): Promise<SubscriptionServer> => {
    const { SubscriptionServer } = await import('./pubsub/webSocketServer.js');
    return new SubscriptionServer(subscriptions, LIMITS, hasVotes);
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

function urls(host: string, { port, wsPort }: Ports): { rpcUrl: string; wsUrl: string } {
  const name = host.includes(':') ? `[${host}]` : host;
  return { rpcUrl: `http://${name}:${port}`, wsUrl: `ws://${name}:${wsPort}` };
}

/** As `ip:port`: clients in Rust refuse a name. */
export function socketAddresses({ rpcUrl, wsUrl }: Pick<Serving, 'rpcUrl' | 'wsUrl'>): Endpoints {
  const { hostname, host } = new URL(rpcUrl);
  return isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? {} : { rpc: host, pubsub: new URL(wsUrl).host };
}

/** Begins each slot on time, even without requests. */
export function tickEachSlot(bank: Bank): () => void {
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
