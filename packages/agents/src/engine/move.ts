import type { LegworkEvent } from '@legwork/sdk';

/** A fee with room for a priority fee, lamports. */
export const FEE_LAMPORTS = 10_000n;

/** Something that an agent may do now, within its policy. */
export interface Move {
  /** Its action and object: two moves with one key are never under way together. */
  readonly key: string;
  /** Afterwards it is too late, milliseconds since 1970. */
  readonly deadlineMs: number;
  /** The most that it takes from the wallet, lamports. */
  readonly costLamports: bigint;
  /**
   * Does it.
   *
   * @param signal aborted when the move is no longer to be made, or the daemon stops
   * @returns the deed, in words for people
   * @throws {LaterError} when it is to be tried again after some time; any other error is tried again as well, later each time
   */
  carryOut(signal: AbortSignal): Promise<string>;
}

/** The moves that the rules allow. */
export interface LegalMoves {
  /** The moves that are due: each is carried out, those with the nearest deadline first. */
  readonly due: readonly Move[];
  /** The moves that are optional, best first: one at a time, because each changes which are legal after it. */
  readonly open: readonly Move[];
}

/** One of the two things that an agent can be: a courier or a worker. */
export interface Role {
  /** The legal moves, by what the service, the journal and the policy say now. */
  look(): Promise<LegalMoves>;
  /** Hears an event of the market; the next look comes after it. */
  hear?(event: LegworkEvent): void;
  /** Chooses among moves that are open; there is at least one. */
  choose(open: readonly Move[], signal: AbortSignal): Promise<Move | undefined>;
}

/** Not now. */
export class LaterError extends Error {
  override readonly name = 'LaterError';
  readonly waitMs: number;

  constructor(message: string, waitMs: number) {
    super(message);
    this.waitMs = waitMs;
  }
}
