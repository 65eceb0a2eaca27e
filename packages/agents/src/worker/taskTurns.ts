import { createUuid } from '@legwork/protocol/contract';
import { formatSol, nextTaskStep } from '@legwork/sdk';
import type { DigitalTaskDetail, TaskStep, TaskTurnView } from '@legwork/sdk';
import { termsRulesOf } from '../engine/agreement.js';
import type { Desk } from '../engine/desk.js';
import { FEE_LAMPORTS } from '../engine/move.js';
import type { Move } from '../engine/move.js';
import { deadlineMsOf, MOVE_WORDS } from '../engine/ownTurns.js';
import { disagreementToWork } from './legalClaims.js';
import type { DigitalLeg, Workbench } from './workbench.js';

interface AtHand {
  readonly turn: TaskTurnView;
  readonly leg: DigitalLeg;
}

/** The turns of a worker in tasks with terms: it accepts, works, claims, leaves in time and cranks. Rule A-45. */
export class TaskTurns {
  readonly #desk: Desk;
  readonly #bench: Workbench;
  /** What is under way about a leg. */
  readonly #underWay = new Map<string, Move>();

  constructor(desk: Desk, bench: Workbench) {
    this.#desk = desk;
    this.#bench = bench;
  }

  /** What is due about the legs of this worker. */
  async look(): Promise<Move[]> {
    const { commitments, turns: own } = this.#desk;
    const legs = new Map<string, DigitalLeg>();
    for (const leg of commitments.legs) if (leg.kind === 'digital' && leg.stage !== null) legs.set(leg.id, leg);
    if (legs.size === 0) return [];
    const { turns, now } = await own.read();
    return turns.flatMap((turn) => {
      const leg = legs.get(turn.legId);
      return turn.kind === 'task' && leg ? (this.#moveOf({ turn, leg }, now()) ?? []) : [];
    });
  }

  #moveOf(at: AtHand, now: Date): Move | undefined {
    const { session, calls, turns, commitments } = this.#desk;
    const { turn, leg } = at;
    if (turns.isMaking(leg.id)) return this.#underWay.get(leg.id);
    const step = nextTaskStep({ turn, task: leg, now }, session.signer.address);
    // A result is handed in first, so that a claim can name it.
    if (step === undefined || turns.isSigned(leg.id) || calls.isOpen('completeDigitalLeg', leg.id)) return undefined;
    const hash = commitments.resultHashOf(leg.id);
    const { what, carryOut } = this.#doing(at, step, hash);
    const move: Move = {
      key: `${what}:${leg.id}`,
      deadlineMs: deadlineMsOf(turn, now),
      costLamports: FEE_LAMPORTS,
      carryOut: (signal) => {
        this.#underWay.set(leg.id, move);
        return carryOut(signal);
      },
    };
    return move;
  }

  /** A step whose name changes is another one: work that is under way when the leg is to be left is given up. */
  #doing(at: AtHand, step: TaskStep, hash: string | undefined) {
    // Once the clock is over, to leave would cost the stake: a result is good as long as nobody took the leg.
    const isLeft = step.kind === 'work' && (step.elseVacate || this.#bench.hasFailed(at.leg.id));
    if (step.kind === 'move') return { what: step.action, carryOut: () => this.#make(at, step.action) };
    if (step.kind === 'accept') return { what: 'accept', carryOut: () => this.#acceptOrLeave(at) };
    if (hash !== undefined) return { what: 'claim', carryOut: () => this.#make(at, 'claim', hash) };
    if (isLeft && at.turn.actions.includes('vacate')) return { what: 'vacate', carryOut: () => this.#leave(at) };
    return { what: 'work', carryOut: (signal: AbortSignal) => this.#work(at, signal) };
  }

  async #acceptOrLeave(at: AtHand): Promise<string> {
    const { terms } = await this.#task(at);
    const { worker } = this.#desk.session.policy;
    const rules = termsRulesOf(this.#desk);
    const why = terms && worker ? disagreementToWork(terms, worker, rules)?.words : 'it has no terms';
    if (why === undefined) return this.#make(at, 'accept');
    return `${await this.#make(at, 'vacate')}: ${why}`;
  }

  async #leave(at: AtHand): Promise<string> {
    const words = await this.#make(at, 'vacate');
    return this.#bench.hasFailed(at.leg.id) ? `${words}: ${this.#bench.gaveBack()}` : words;
  }

  async #work(at: AtHand, signal: AbortSignal): Promise<string> {
    const { session, calls, turns } = this.#desk;
    const { id: legId, taskId } = at.leg;
    const made = await this.#bench.result(session.client, at.leg, await this.#task(at), signal);
    return turns.alone(legId, async () => {
      const input = { taskId, legId, agentPubkey: session.signer.address, ...made };
      // In the journal first: after a crash the same text is handed in, and claimed.
      await calls.make(session.journal, { call: 'completeDigitalLeg', subject: legId, key: createUuid(), input });
      return this.#handIn(at, 'claim', this.#desk.commitments.resultHashOf(legId));
    });
  }

  #make(at: AtHand, action: 'accept' | 'vacate' | 'claim' | 'crank', hash?: string): Promise<string> {
    return this.#desk.turns.alone(at.leg.id, () => this.#handIn(at, action, hash));
  }

  async #handIn(
    { turn, leg }: AtHand,
    action: 'accept' | 'vacate' | 'claim' | 'crank',
    hash?: string,
  ): Promise<string> {
    await this.#desk.turns.handIn({ legId: leg.id, taskId: leg.taskId, action, hash });
    const stake = action === 'accept' ? `, with a stake of ${formatSol(turn.stakeLamports)} SOL` : '';
    return `${MOVE_WORDS[action]} leg ${leg.legIndex + 1} of task ${leg.taskId}${stake}`;
  }

  #task({ leg }: AtHand): Promise<DigitalTaskDetail> {
    return this.#desk.session.client.getDigitalTask({ taskId: leg.taskId });
  }
}
