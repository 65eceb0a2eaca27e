import type { EventType, LegTurnView } from '@legwork/protocol/contract';
import { everyItem } from '../client.js';
import type { LegworkClient } from '../client.js';
import { followEvents } from '../followEvents.js';
import { pause } from '../pause.js';
import type { SocketConstructor } from '../connection.js';
import { ledgerNowMs } from './readLeg.js';
import type { TurnRpc } from './readLeg.js';

/** How turns are followed. */
export interface FollowTurnsOptions {
  /** Where the ledger is read; default: where the service says. */
  readonly rpc?: TurnRpc;
  /** Ends it quietly; a move under way is finished. */
  readonly signal?: AbortSignal;
  /** How often it looks when nothing happens, milliseconds; default 10,000. */
  readonly everyMs?: number;
  /** A WebSocket constructor, as for `followEvents`. */
  readonly WebSocket?: SocketConstructor;
}

/** The attendant of a key's turns. */
export interface Attendant {
  readonly client: LegworkClient;
  readonly pubkey: string;
  readonly rpc: TurnRpc;
  /**
   * Looks at a turn.
   *
   * @param now by the ledger
   * @param ring makes the next look come at once
   * @returns milliseconds until something is to do about it even if nothing happens; undefined: it does not matter
   */
  look(turn: LegTurnView, now: Date, ring: () => void): Promise<number | undefined>;
  /** @param turn undefined: the turns could not be listed */
  failed(error: unknown, turn: LegTurnView | undefined): void;
}

const USUAL_PAUSE_MS = 10_000;
/** A stream of events that ended badly is opened again after so long. */
const REOPEN_MS = 5_000;

/** The events that can bring a turn. */
const WAKING = [
  'BID_RECEIVED',
  'TASK_LEG_ASSIGNED',
  'LEG_ACCEPTED',
  'LEG_CARRIED',
  'LEG_VACATED',
  'LEG_REPLACED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
  'LEG_CONFIRMED',
  'TASK_LEG_COMPLETED',
] as const satisfies readonly EventType[];

/** Looks at every turn of a key, in the order of the service, whenever something happens and every few seconds, until the signal ends it. */
export async function attendTurns(attendant: Attendant, options: FollowTurnsOptions): Promise<void> {
  const { signal, everyMs = USUAL_PAUSE_MS } = options;
  const bell = new Bell();
  const listings = new Set<string>();
  void ringAtEvents(attendant, listings, bell, options);
  while (!isAborted(signal)) {
    const rung = bell.next();
    const waitMs = await oneRound(attendant, listings, bell, signal).catch((error: unknown) => {
      attendant.failed(error, undefined);
      return undefined;
    });
    await Promise.race([rung, pause(Math.min(waitMs ?? everyMs, everyMs), signal)]).catch(() => undefined);
  }
}

/** @param listings packages and tasks in which it had a turn @returns milliseconds until the next look; undefined: any */
async function oneRound(
  attendant: Attendant,
  listings: Set<string>,
  bell: Bell,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { client, pubkey, rpc } = attendant;
  let now: Date | undefined;
  const waits: number[] = [];
  // Page by page: what others name the key in, however much it is, delays nothing of its own.
  for await (const turn of everyItem(client.listTurns, { pubkey })) {
    if (isAborted(signal)) break;
    now ??= new Date(await ledgerNowMs(rpc));
    listings.add(turn.kind === 'package' ? turn.packageId : turn.taskId);
    try {
      waits.push((await attendant.look(turn, now, () => bell.ring())) ?? Infinity);
    } catch (error) {
      attendant.failed(error, turn);
    }
  }
  return waits.length === 0 ? undefined : Math.min(...waits);
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
async function ringAtEvents(
  { client, pubkey }: Attendant,
  listings: ReadonlySet<string>,
  bell: Bell,
  { signal, WebSocket }: FollowTurnsOptions,
): Promise<void> {
  const given = { ...(signal && { signal }), ...(WebSocket && { WebSocket }) };
  while (!isAborted(signal)) {
    try {
      for await (const event of followEvents({ url: client.url, topics: WAKING, ...given })) {
        const listing = 'packageId' in event ? event.packageId : event.taskId;
        if (event.agentPubkey === pubkey || (listing !== undefined && listings.has(listing))) bell.ring();
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
