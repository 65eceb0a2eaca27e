import type { LegTurnView } from '@legwork/protocol/contract';
import { msToJudge, NOTICE_MS } from '@legwork/protocol/rules';
import type { TaskTurnView } from '@legwork/protocol/rules';
import { serviceConfig } from '../client.js';
import type { LegworkClient } from '../client.js';
import { ledgerRpc } from '../ledgerRpc.js';
import type { LedgerSigner } from '../signer.js';
import { attendTurns } from './attendTurns.js';
import type { FollowTurnsOptions } from './attendTurns.js';
import { Reviewer } from './reviewer.js';
import type { DisputesRpc, Judge, TokenStakes, Verdict } from './reviewer.js';
import type { MadeMove } from './makeMove.js';
import type { TurnRpc } from './readLeg.js';

/** The powers of a verifier. */
export interface VerifyOptions extends FollowTurnsOptions {
  readonly rpc?: TurnRpc & DisputesRpc;
  /** The most lamports of stakes that this key has in disputes of tasks at a time. A dispute beyond it is left to the clock. */
  readonly maxStakesLamports: bigint;
  /** The same of tokens; where one is left out, what pays in it is confirmed and never disputed. */
  readonly maxStakesInTokens?: readonly TokenStakes[];
  /** The arbiters whose rulings it takes: it disputes under nobody else. Default: the arbiter that the service names. */
  readonly arbiters?: readonly string[];
  /** The posters whose tasks it verifies; default: everybody who names this key as the receiver. */
  readonly posters?: readonly string[];
  /** A move was made: it was confirmed or disputed, as the verdict says. */
  readonly made?: (move: MadeMove, turn: TaskTurnView, verdict: Verdict) => void;
  /** Something could not be done; it is tried again until the review nears its end. Turn undefined: the turns could not be listed. */
  readonly failed?: (error: unknown, turn: LegTurnView | undefined) => void;
}

/** How many results are judged at a time: one that takes long must not hold the others up until their reviews are over. */
const AT_ONCE = 4;
const AGAIN_MS = 30_000;
/** A timer of the platform runs no longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Verifies results until the signal ends it: for each leg that is claimed in a digital task with terms whose poster or receiver this
 * key is, reads the result, makes sure that it matches the ledger's claim, lets it be judged, and confirms or disputes it within the
 * review. Where no text with the claimed sha256 is to be had, it disputes once a third of the review is over. It knows only what the
 * service and the ledger say, so it can be stopped at any instant and started again; where it is silent, the clock pays. Rule A-94.
 *
 * @param client must have the signer
 * @throws {LegworkNetworkError} when the service cannot be reached at the start; later it is waited for
 */
export async function verify(
  client: LegworkClient,
  signer: LedgerSigner,
  judge: Judge,
  options: VerifyOptions,
): Promise<void> {
  const { rpcUrl, arbiterPubkey } = await serviceConfig(client);
  const rpc = options.rpc ?? ledgerRpc(rpcUrl);
  const { arbiters = arbiterPubkey === null ? [] : [arbiterPubkey], maxStakesInTokens = [], posters } = options;
  const limits = { maxStakesLamports: options.maxStakesLamports, maxStakesInTokens, arbiters, posters };
  const reviewer = new Reviewer({ client, signer, judge, rpc, limits });
  const reviews = new Reviews(reviewer, options);
  const failed = (error: unknown, turn: LegTurnView | undefined) => options.failed?.(error, turn);
  const look = (turn: LegTurnView, now: Date, ring: () => void) => Promise.resolve(reviews.look(turn, now, ring));
  await attendTurns({ client, pubkey: signer.address, rpc, look, failed }, options);
  await reviews.ended();
}

/** The reviews under way, side by side. */
class Reviews {
  readonly #reviewer: Reviewer;
  readonly #options: VerifyOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  /** When a claim is looked at again, milliseconds since 1970. */
  readonly #restUntil = new Map<string, number>();

  constructor(reviewer: Reviewer, options: VerifyOptions) {
    this.#reviewer = reviewer;
    this.#options = options;
  }

  /** Begins what is to be reviewed and does not wait for it. */
  look(turn: LegTurnView, now: Date, ring: () => void): undefined {
    const leftMs = msToJudge(turn, now);
    if (turn.kind === 'task' && leftMs !== undefined) this.#begin(turn, leftMs, ring);
  }

  /** Waits for the reviews under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #begin(turn: TaskTurnView, leftMs: number, ring: () => void): void {
    // Another claim of the same leg has another clock.
    const key = `${turn.legId} ${turn.until?.getTime()}`;
    for (const [other, atMs] of this.#restUntil) if (atMs <= Date.now()) this.#restUntil.delete(other);
    if (this.#restUntil.has(key) || this.#underWay.has(key) || this.#underWay.size >= AT_ONCE) return;
    const review = async () => {
      const isMade = await this.#review(turn, leftMs);
      this.#underWay.delete(key);
      this.#restUntil.set(key, Date.now() + (isMade ? leftMs + NOTICE_MS : AGAIN_MS));
      ring();
    };
    this.#underWay.set(key, review());
  }

  /** @returns true if a move was made */
  async #review(turn: TaskTurnView, leftMs: number): Promise<boolean> {
    const { signal, made, failed } = this.#options;
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    const late = new Error('no verdict came before the review neared its end');
    const timer = setTimeout(() => ending.abort(late), Math.min(leftMs, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', end, { once: true });
    try {
      const reviewed = await this.#reviewer.review(turn, ending.signal);
      if (reviewed !== undefined) made?.(reviewed.move, turn, reviewed.verdict);
      return reviewed !== undefined;
    } catch (error) {
      if (signal?.aborted !== true) failed?.(error, turn);
      return false;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}
