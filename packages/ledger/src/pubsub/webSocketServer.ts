import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { answerDocument, type GivenParams } from '../rpc/document.js';
import { VERSION } from '../rpc/methods/cluster.js';
import { invalidParams, methodNotFound, RPC_CODES, RpcError } from '../rpc/rpcError.js';
import { isInterestKind, readInterest, readSubscriptionId } from './interests.js';
import type { Interest, Subscription, Subscriptions } from './subscriptions.js';

export type WebSocketLimits = {
  readonly connections: number;
  readonly subscriptionsPerConnection: number;
  readonly subscriptions: number;
  /** Bytes that may queue for a slow client before it is disconnected. */
  readonly backlogBytes: number;
};

const MAX_FRAME_BYTES = 64 * 1024;
const HEARTBEAT_MS = 30_000;
const TRY_AGAIN_LATER = 1013;

/** Solana's subscriptions over WebSocket. */
export class SubscriptionServer {
  readonly #subscriptions: Subscriptions;
  readonly #limits: WebSocketLimits;
  readonly #hasVotes: boolean;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  readonly #heartbeat: NodeJS.Timeout;

  /** @param hasVotes serves `voteSubscribe`, which a validator does only when told to */
  constructor(subscriptions: Subscriptions, limits: WebSocketLimits, hasVotes: boolean) {
    this.#subscriptions = subscriptions;
    this.#limits = limits;
    this.#hasVotes = hasVotes;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** Upgrades a connection to WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (this.#sockets.clients.size > this.#limits.connections) {
        webSocket.close(TRY_AGAIN_LATER, 'too many connections');
        return;
      }
      this.#serve(webSocket);
    });
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const webSocket of this.#sockets.clients) webSocket.terminate();
    this.#sockets.close();
  }

  #serve(webSocket: WebSocket): void {
    const own = new Map<number, Subscription>();
    alive.add(webSocket);
    webSocket.on('pong', () => alive.add(webSocket));
    // A broken connection closes by itself, but without a listener its error would end the process.
    webSocket.on('error', () => undefined);
    webSocket.on('close', () => {
      for (const subscription of own.values()) this.#subscriptions.remove(subscription);
      own.clear();
    });
    webSocket.on('message', (data: Buffer) => {
      alive.add(webSocket);
      this.#answer(data.toString(), webSocket, own).catch(() => webSocket.terminate());
    });
  }

  async #answer(text: string, webSocket: WebSocket, own: Map<number, Subscription>): Promise<void> {
    const answer = await answerDocument(text, (method, params) => this.#run(method, params, webSocket, own));
    // Clients send notifications to keep connections open.
    if (answer !== '') this.#send(webSocket, answer);
  }

  #run(method: string, params: GivenParams, webSocket: WebSocket, own: Map<number, Subscription>): unknown {
    if (method === 'getVersion') return VERSION;
    const [, kind, verb] = /^([a-zA-Z]+)(Subscribe|Unsubscribe)$/.exec(method) ?? [];
    if (kind === undefined || !isInterestKind(kind) || (kind === 'vote' && !this.#hasVotes)) throw methodNotFound();
    return verb === 'Subscribe'
      ? this.#subscribe(readInterest(kind, params), webSocket, own)
      : this.#unsubscribe(readSubscriptionId(params), own);
  }

  #subscribe(interest: Interest, webSocket: WebSocket, own: Map<number, Subscription>): number {
    const { subscriptions, subscriptionsPerConnection } = this.#limits;
    if (own.size >= subscriptionsPerConnection || this.#subscriptions.count >= subscriptions) {
      throw new RpcError(RPC_CODES.internalError, 'Internal error: the ledger is at its maximum of subscriptions');
    }
    const subscription = this.#subscriptions.add(
      interest,
      (frame) => this.#send(webSocket, frame),
      () => own.delete(subscription.id),
    );
    own.set(subscription.id, subscription);
    // Later: the answer with the subscription's id goes first.
    setImmediate(() => {
      this.#subscriptions.tellIfLanded(subscription).catch(() => webSocket.terminate());
    });
    return subscription.id;
  }

  #unsubscribe(id: number, own: Map<number, Subscription>): boolean {
    const subscription = own.get(id);
    if (subscription === undefined) throw invalidParams('Invalid subscription id.');
    own.delete(subscription.id);
    this.#subscriptions.remove(subscription);
    return true;
  }

  #send(webSocket: WebSocket, frame: string): void {
    if (webSocket.bufferedAmount > this.#limits.backlogBytes) {
      webSocket.terminate();
      return;
    }
    if (webSocket.readyState === webSocket.OPEN) webSocket.send(frame);
  }

  #beat(): void {
    for (const webSocket of this.#sockets.clients) {
      if (!alive.delete(webSocket)) webSocket.terminate();
      else webSocket.ping();
    }
  }
}

/** Connections that sent something since the last heartbeat. */
const alive = new WeakSet<WebSocket>();
