import type { EventType, PackageTurnView } from '@legwork/protocol/contract';
import { createSolanaRpc } from '@solana/kit';
import type { RelayClient } from '../client.js';
import { followEvents } from '../followEvents.js';
import { pause } from '../pause.js';
import { serviceConfig } from '../serviceConfig.js';
import type { RelaySigner } from '../signer.js';
import type { SocketConstructor } from '../socket.js';
import { ledgerNowMs } from './readLeg.js';
import type { TurnRpc } from './readLeg.js';
import { msToNotice, nextStep } from './nextStep.js';
import type { TurnAtHand } from './nextStep.js';
import { doStep } from './doStep.js';
import type { Follower, TurnPolicy } from './doStep.js';

/** How turns are followed. */
export interface FollowTurnsOptions {
  /** Where the ledger is read; default: where the service says. */
  readonly rpc?: TurnRpc;
  /** Ends it quietly; a move under way is finished. */
  readonly signal?: AbortSignal;
  /** How often the policy is asked when nothing happens, milliseconds; default 10,000. */
  readonly everyMs?: number;
  /** A WebSocket constructor, as for `followEvents`. */
  readonly WebSocket?: SocketConstructor;
}

const USUAL_PAUSE_MS = 10_000;
/** A stream of events that ended badly is opened again after so long. */
const REOPEN_MS = 5_000;

/** What can bring a turn. */
const WAKING = [
  'BID_RECEIVED',
  'LEG_ACCEPTED',
  'LEG_CARRIED',
  'LEG_VACATED',
  'LEG_REPLACED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
  'LEG_CONFIRMED',
] as const satisfies readonly EventType[];

/**
 * Keeps the legs with terms of a key going until the signal ends it: accepts what it bid for, picks up or takes over when its turn has
 * come and the parcel is there, claims with the policy's evidence, gives notice two minutes before a clock ends that it cannot meet,
 * begins nothing that would end after the deadline, and carries out what silence has decided. What it knows is what the service and
 * the ledger say, so it can be stopped at any instant and started again.
 *
 * A parcel is carried from when the policy is told `carried`, not before: then the ledger shows that it was picked up.
 *
 * @param client must have the signer
 * @param policy is asked again and again: it answers at once, not when something has happened
 * @throws {RelayNetworkError} when the service cannot be reached at the start; later it is waited for
 */
export async function followTurns(
  client: RelayClient,
  signer: RelaySigner,
  policy: TurnPolicy,
  options: FollowTurnsOptions = {},
): Promise<void> {
  const { signal, everyMs = USUAL_PAUSE_MS } = options;
  const rpc = options.rpc ?? createSolanaRpc((await serviceConfig(client)).rpcUrl);
  const follower: Follower = { client, signer, policy, rpc, told: new Set(), packages: new Set() };
  const bell = new Bell();
  void ringAtEvents(follower, bell, options);
  while (!isAborted(signal)) {
    const rung = bell.next();
    const waitMs = await oneRound(follower, signal).catch((error: unknown) => {
      policy.failed?.(error, undefined);
      return undefined;
    });
    await Promise.race([rung, pause(Math.min(waitMs ?? everyMs, everyMs), signal)]).catch(() => undefined);
  }
}

/** Does what is to do about every turn. @returns milliseconds until something is to do about one again; undefined: never */
async function oneRound(follower: Follower, signal: AbortSignal | undefined): Promise<number | undefined> {
  const { client, signer, policy, rpc } = follower;
  const { items: turns } = await client.listTurns({ pubkey: signer.address });
  if (turns.length === 0) return undefined;
  const now = new Date(await ledgerNowMs(rpc));
  const waits: number[] = [];
  for (const turn of turns) {
    if (isAborted(signal)) break;
    if (turn.kind !== 'package') continue;
    follower.packages.add(turn.packageId);
    try {
      const at = await atHand(client, signer.address, turn, now);
      const step = nextStep(at, signer.address);
      if (step !== undefined) await doStep(follower, at, step);
      waits.push(msToNotice(at) ?? Infinity);
    } catch (error) {
      policy.failed?.(error, turn);
    }
  }
  return waits.length === 0 ? undefined : Math.min(...waits);
}

async function atHand(client: RelayClient, pubkey: string, turn: PackageTurnView, now: Date): Promise<TurnAtHand> {
  const { packageId, legId, legIndex } = turn;
  const parcel = await client.getPackage({ packageId });
  const legs = parcel.swarm?.legs ?? [];
  const own = legs.find((leg) => leg.agentPubkey === pubkey && (leg.id === legId || leg.legIndex === legIndex + 1));
  return { turn, parcel, own, now };
}

/** Rings when something happens. */
class Bell {
  #ring = () => {};

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
    });
  }

  ring(): void {
    this.#ring();
  }
}

/** Events only wake: what is missed here is found by asking again. */
async function ringAtEvents(follower: Follower, bell: Bell, options: FollowTurnsOptions): Promise<void> {
  const { signal, WebSocket } = options;
  const { signer, packages, client } = follower;
  const given = { ...(signal && { signal }), ...(WebSocket && { WebSocket }) };
  while (!isAborted(signal)) {
    try {
      for await (const event of followEvents({ url: client.url, topics: WAKING, ...given })) {
        const isOurs = event.packageId !== undefined && packages.has(event.packageId);
        if (event.agentPubkey === signer.address || isOurs) bell.ring();
      }
    } catch {
      await pause(REOPEN_MS, signal).catch(() => undefined);
    }
  }
}

/** Asked through a function, because the signal changes while the code waits. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
