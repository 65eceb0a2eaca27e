import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DigitalLegDetail,
  LedgerRefusedError,
  type Leg,
  makeMove,
  type MoveWithText,
  TransactionRefusedError,
} from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from '../agent.js';
import type { Refusal } from '../refusals.js';

const DAY_SEC = 86_400;
/** In seconds: how long after a worker's clock the service takes its leg away. */
const GRACE_SEC = 120;
const PAUSE_MS = 100;

/** The clocks of terms, in seconds. */
export type Clocks = Readonly<Record<'carrySec' | 'handoffSec' | 'reviewSec' | 'arbitrationSec', number>>;

/** Clocks of so many days each: none runs out because others let deadlines pass. */
export const patientFor = (days: number): Clocks => ({
  carrySec: days * DAY_SEC,
  handoffSec: days * DAY_SEC,
  reviewSec: days * DAY_SEC,
  arbitrationSec: days * DAY_SEC,
});

/** The fields that a leg of a package and of a task have in common. */
export type LegShown = Pick<Leg | DigitalLegDetail, 'id' | 'agentPubkey' | 'stage' | 'until'>;
export type Stage = NonNullable<LegShown['stage']>;
type Action = MoveWithText['action'];

/** The stages in which a move has been made, or is not needed any more. */
const AFTER: Readonly<Partial<Record<Action, readonly Stage[]>>> = {
  accept: ['accepted', 'carried', 'claimed', 'disputed', 'ruled', 'completed'],
  take: ['carried', 'claimed', 'disputed', 'ruled', 'completed'],
  claim: ['claimed', 'disputed', 'ruled', 'completed'],
  dispute: ['disputed', 'ruled', 'completed'],
  rule: ['ruled', 'completed'],
  confirm: ['completed'],
};

/** Reports whether the leg shows the move. */
export const isAfter =
  (action: Action) =>
  ({ stage }: LegShown): boolean =>
    stage !== null && (AFTER[action] ?? []).includes(stage);

/** Reports whether somebody has no part in the leg any more. */
export const isLeftBy =
  ({ address }: KeyPairSigner) =>
  ({ agentPubkey, stage }: LegShown): boolean =>
    stage === 'vacant' || agentPubkey !== address;

/** When the service takes the leg away from a worker whose clock has run out. */
export const afterGrace = ({ until }: LegShown) => until && new Date(until.getTime() + GRACE_SEC * 1000);

/** The service does not show yet what was done before, shows it already, or the transaction expired: the leg itself tells. */
export const LOOK_AGAIN: readonly Refusal[] = [
  'not_your_turn',
  'invalid_status',
  'transaction_failed',
  'ledger_reverted',
];

/** The legs and their people, and how they are read. */
export interface Turning<Shown extends LegShown> {
  readonly world: World;
  readonly agent: Agent;
  readonly of: { readonly packageId: string } | { readonly taskId: string };
  /** Undefined: there is no such leg yet. For one call. */
  readonly read: (index: number) => Promise<Shown | undefined>;
  /** True if nobody else moves time. */
  readonly isAlone: boolean;
}

/** The moves of people on the legs of a listing with terms, each until the leg shows it. */
export class Turns<Shown extends LegShown> {
  readonly #turning: Turning<Shown>;
  readonly #id: string;

  constructor(turning: Turning<Shown>) {
    this.#turning = turning;
    this.#id = 'taskId' in turning.of ? turning.of.taskId : turning.of.packageId;
  }

  leg(index: number): Promise<Shown> {
    const { agent, read } = this.#turning;
    return agent.poll(`${this.#id}: read leg ${index}`, () => read(index), 'it has no such leg');
  }

  /** Makes the move until the service shows that it was made. */
  move(
    index: number,
    by: KeyPairSigner,
    action: Action,
    what: Pick<MoveWithText, 'text' | 'percent'> = {},
    isMade: (leg: Shown) => boolean = isAfter(action),
  ): Promise<void> {
    const { agent, world, of } = this.#turning;
    return this.until(`${action} leg ${index}`, index, isMade, LOOK_AGAIN, async ({ id: legId }) => {
      await makeMove(agent.clientOf(by), by, { legId, ...of, action, ...what }, { rpc: world.rpc });
    });
  }

  /**
   * Does it until the leg shows that it is done. A move that was built for another
   * state of the leg, or came too late for this one, is no error: the leg itself tells.
   */
  async until(
    what: string,
    index: number,
    isDone: (leg: Shown) => boolean,
    refusals: readonly Refusal[],
    act: (leg: Shown) => Promise<unknown>,
  ): Promise<void> {
    const { agent } = this.#turning;
    for (;;) {
      const leg = await this.leg(index);
      if (isDone(leg)) return;
      await agent.ask(`${this.#id}: ${what}`, refusals, () => act(leg).catch(requireOutdated));
      await this.pause(`${what} is not to be seen`);
    }
  }

  /** Lets time pass until the moment that the leg says, and waits for what that brings. */
  async untilTime(index: number, isDone: (leg: Shown) => boolean, end: (leg: Shown) => Date | null): Promise<void> {
    for (;;) {
      const leg = await this.leg(index);
      if (isDone(leg)) return;
      const moment = end(leg);
      if (moment) await this.#pass(`${this.#id}: let the clock of leg ${index} run out`, moment);
      await this.pause(`time brings nothing for leg ${index}, which is ${leg.stage}`);
    }
  }

  #pass(name: string, moment: Date): Promise<void> {
    const { agent, world, isAlone } = this.#turning;
    const pass = () => agent.step(name, () => world.time.passUntil(moment.getTime() / 1000));
    return isAlone ? pass() : world.time.alone(pass);
  }

  async pause(missing: string): Promise<void> {
    this.#turning.agent.requireTime(missing);
    await sleep(PAUSE_MS);
  }
}

/** @throws the error, unless it is about a state of the leg that is over */
export function requireOutdated(error: unknown): void {
  const isRefused = error instanceof LedgerRefusedError && error.programError !== undefined;
  if (!isRefused && !(error instanceof TransactionRefusedError)) throw error;
}
