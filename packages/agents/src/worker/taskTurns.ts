import { createUuid } from '@legwork/protocol/contract';
import { nextTaskStep } from '@legwork/protocol/rules';
import type { Step } from '@legwork/protocol/rules';
import type { TaskTurnView, Terms } from '@legwork/sdk';
import { termsRulesOf } from '../engine/agreement.js';
import type { Desk } from '../engine/desk.js';
import type { Move } from '../engine/move.js';
import { disagreementToWork } from './legalClaims.js';
import type { DigitalLeg, Workbench } from './workbench.js';

interface AtHand {
  readonly turn: TaskTurnView;
  readonly leg: DigitalLeg;
  readonly now: Date;
}

/** A worker answers the steps of its turns in tasks with terms by what it takes, and by what its work comes to. Rule A-45. */
export class TaskTurns {
  readonly #desk: Desk;
  readonly #bench: Workbench;

  constructor(desk: Desk, bench: Workbench) {
    this.#desk = desk;
    this.#bench = bench;
  }

  /** The moves that are due on the legs of this worker. */
  async look(): Promise<Move[]> {
    const { commitments, turns: own } = this.#desk;
    const legs = new Map<string, DigitalLeg>();
    for (const leg of commitments.legs) if (leg.kind === 'digital' && leg.stage !== null) legs.set(leg.id, leg);
    if (legs.size === 0) return [];
    const { turns, now } = await own.read();
    return turns.flatMap((turn) => {
      const leg = legs.get(turn.legId);
      return turn.kind === 'task' && leg ? (this.#moveOf({ turn, leg, now: now() }) ?? []) : [];
    });
  }

  #moveOf(at: AtHand): Move | undefined {
    const { session, calls, turns, commitments } = this.#desk;
    const { turn, leg, now } = at;
    const isGivenUp = this.#bench.hasFailed(leg.id);
    const step = nextTaskStep({ turn, task: leg, now }, session.signer.address, isGivenUp);
    // A result is handed in first, so that a claim can name it.
    const isHandingIn = calls.isOpen('completeDigitalLeg', leg.id);
    const hash = commitments.resultHashOf(leg.id);
    let unwanted: string | undefined;
    let decidedBy: Terms | null | undefined;
    const whyLeft = () => unwanted ?? (step?.kind === 'work' && isGivenUp ? this.#bench.gaveBack() : undefined);
    return turns.moveOf(at, isHandingIn ? undefined : step, {
      what: step === undefined ? '' : nameOf(step, hash !== undefined),
      whyLeft,
      taker: (signal) => ({
        make: (move) => turns.make({ ...move, terms: decidedBy }),
        accepts: async () => {
          decidedBy = (await session.client.getDigitalTask({ taskId: leg.taskId })).terms;
          unwanted = this.#disagreement(decidedBy);
          return unwanted === undefined;
        },
        result: (isLast) => this.#result(at, { hash, isLast, signal }),
      }),
    });
  }

  /** Tells why the leg is not wanted after all. */
  #disagreement(terms: Terms | null): string | undefined {
    const { policy } = this.#desk.session;
    if (terms === null || !policy.worker) return 'it has no terms';
    return disagreementToWork(terms, policy.worker, termsRulesOf(this.#desk))?.words;
  }

  /** Gives what hands in and claims: a result that the service has already, or else that of the work, which is done now. */
  async #result({ leg }: AtHand, { hash, isLast, signal }: Asked) {
    const { session, calls, turns, commitments } = this.#desk;
    const { id: legId, taskId } = leg;
    const claim = { legId, taskId, action: 'claim' } as const;
    if (hash !== undefined) return () => turns.make({ ...claim, hash });
    if (isLast) return undefined;
    const made = await this.#bench.result(session.client, leg, await session.client.getDigitalTask({ taskId }), signal);
    return () =>
      turns.alone(legId, async () => {
        const input = { taskId, legId, agentPubkey: session.signer.address, ...made };
        // In the journal first: after a crash the same text is handed in, and claimed.
        await calls.make(session.journal, { call: 'completeDigitalLeg', subject: legId, key: createUuid(), input });
        await turns.handIn({ ...claim, hash: commitments.resultHashOf(legId) });
      });
  }
}

interface Asked {
  /** sha256, hex, of the result that the service has; undefined: none yet. */
  readonly hash: string | undefined;
  readonly isLast: boolean;
  readonly signal: AbortSignal;
}

/** Work that is under way when the leg is to be left is another step, and given up. */
function nameOf(step: Step, isHandedIn: boolean): string {
  if (step.kind === 'move') return step.action;
  if (step.kind !== 'work') return step.kind;
  if (isHandedIn) return 'claim';
  return step.isLast ? 'vacate' : 'work';
}
