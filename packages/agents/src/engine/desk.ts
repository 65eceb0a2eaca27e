import type { Session } from '../wallet/session.js';
import type { Calls } from './calls.js';
import type { Commitments } from './commitments.js';
import type { Market } from './market.js';
import type { OwnReputation } from './ownReputation.js';
import type { OwnTurns } from './ownTurns.js';
import type { OwnWork } from './ownWork.js';
import type { Reasons } from './reasons.js';
import type { Rests } from './rests.js';

/** Asks the person at the terminal something to be answered with yes or no. */
export type Ask = (question: string, signal: AbortSignal) => Promise<boolean>;

/** The tools that an agent works with. */
export interface Desk {
  readonly session: Session;
  readonly market: Market;
  readonly work: OwnWork;
  readonly calls: Calls;
  readonly commitments: Commitments;
  readonly reputation: OwnReputation;
  readonly turns: OwnTurns;
  readonly rests: Rests;
  readonly reasons: Reasons;
  readonly log: Log;
  /** Undefined: there is nobody to ask. */
  readonly ask: Ask | undefined;
}

/** Where an agent tells what it does; a logger of pino is one. */
export interface Log {
  info(about: object, words: string): void;
  warn(about: object, words: string): void;
  error(about: object, words: string): void;
}

/** An error's message, without its class and stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
