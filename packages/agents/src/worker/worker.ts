import { createUuid } from '@legwork/protocol/contract';
import { formatSol, LegworkApiError } from '@legwork/sdk';
import type { LegworkEvent } from '@legwork/sdk';
import { hasReputation, requireFunds, termsRulesOf } from '../engine/agreement.js';
import type { TermsRules } from '../engine/agreement.js';
import { FOR_GOOD } from '../engine/calls.js';
import type { Desk } from '../engine/desk.js';
import { LaterError } from '../engine/move.js';
import type { LegalMoves, Move, Role } from '../engine/move.js';
import { legalClaims } from './legalClaims.js';
import type { LegalClaim } from './legalClaims.js';
import { TaskTurns } from './taskTurns.js';
import { Workbench } from './workbench.js';
import type { DigitalLeg, Runner } from './workbench.js';

const ASSIGNED_AGAIN_MS = 1_000;

/** The worker's rules: what it claims, works on, hands in and gives back. Rules. */
export class Worker implements Role {
  readonly #desk: Desk;
  readonly #bench: Workbench;
  readonly #turns: TaskTurns;
  readonly #terms: TermsRules;
  /** Tasks of which no leg is given to this agent: it left one, or one of its results was rejected. */
  readonly #barred = new Set<string>();

  constructor(desk: Desk, run: Runner) {
    this.#desk = desk;
    this.#bench = new Workbench(run);
    this.#turns = new TaskTurns(desk, this.#bench);
    this.#terms = termsRulesOf(desk);
  }

  async look(): Promise<LegalMoves> {
    const { commitments, reputation } = this.#desk;
    const legs = commitments.legs.filter((leg): leg is DigitalLeg => leg.kind === 'digital');
    this.#bench.keep(new Set(legs.map(({ id }) => id)));
    const [turns, open] = [await this.#turns.look(), this.#claims()];
    const opening = reputation.hasToPay ? [reputation.opening(this.#desk)] : [];
    return { due: [...opening, ...turns, ...legs.flatMap((leg) => this.#duty(leg))], open };
  }

  choose(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  hear(event: LegworkEvent): void {
    this.#desk.turns.hear(event);
  }

  #claims(): Move[] {
    const { market, session, commitments, rests, reasons } = this.#desk;
    const { legsAtOnce } = session.policy.limits;
    const nowMs = Date.now();
    if (this.#bench.isPausing(nowMs)) return [];
    const looker = { pubkey: session.signer.address, policy: session.policy, terms: this.#terms };
    return (
      [...market.tasks.known.values()]
        .filter(({ id }) => !this.#barred.has(id))
        .flatMap((task) => legalClaims(task, looker, nowMs, reasons.about(`task ${task.id}`)))
        .filter(({ task, leg }) => {
          const hasRoom = commitments.hasRoom(leg.id, legsAtOnce);
          if (!hasRoom) reasons.about(`task ${task.id}`)('room', `limits.legsAtOnce is ${legsAtOnce}`);
          return hasRoom;
        })
        .filter(({ leg }) => !commitments.taskLegIds.has(leg.id) && !rests.isResting(keyOf('claim', leg.id), nowMs))
        // What was handed in and is open again was rejected.
        .filter(({ leg }) => commitments.resultHashOf(leg.id) === undefined)
        .filter(({ task }) => task.terms === null || hasReputation(this.#desk))
        .sort((a, b) => Number(b.task.paymentPerLegLamports - a.task.paymentPerLegLamports))
        .map((claim) => this.#claim(claim))
    );
  }

  #claim({ task, leg }: LegalClaim): Move {
    const { session, calls, commitments } = this.#desk;
    const ours = { taskId: task.id, legId: leg.id, agentPubkey: session.signer.address };
    const stakeLamports = task.terms?.stakeLamports;
    const { legsAtOnce, stakeInAll } = session.policy.limits;
    const allow = () => {
      commitments.requireRoom(leg.id, legsAtOnce);
      if (stakeLamports !== undefined) commitments.requireStake(leg.id, stakeLamports, stakeInAll);
    };
    const carryOut = () => this.#desk.reasons.orTold(`task ${task.id}`, make);
    const make = async () => {
      const input = { ...ours, bidSol: task.paymentPerLegSol };
      const call = { call: 'bidDigitalLeg', subject: leg.id, key: createUuid(), input, stakeLamports };
      if (stakeLamports !== undefined) await requireFunds(this.#desk, leg.id, stakeLamports);
      await calls.make(session.journal, call, allow).catch((error: unknown) => {
        if (error instanceof LegworkApiError && FOR_GOOD.has(error.code)) this.#barred.add(task.id);
        throw error;
      });
      return `claimed leg ${leg.legIndex + 1} of task ${task.id}, which pays ${formatSol(task.paymentPerLegLamports)} SOL`;
    };
    return { key: keyOf('claim', leg.id), deadlineMs: task.deadline.getTime(), costLamports: 0n, carryOut };
  }

  /** What is to be done for a leg of ours: nothing before its turn, or once its result is on its way. */
  #duty(leg: DigitalLeg): Move[] {
    const { calls, commitments } = this.#desk;
    const isOurTurn = leg.status === 'in_progress' || (leg.status === 'pending' && leg.isWorkable);
    if (!isOurTurn || leg.stage !== null || leg.hasResult || leg.finality === 'reverted') return [];
    if (commitments.hasEnded(leg.id) || calls.isOpen('completeDigitalLeg', leg.id)) return [];
    if (!this.#bench.hasFailed(leg.id)) return [this.#work(leg)];
    return calls.isOpen('releaseDigitalLeg', leg.id) ? [] : [this.#release(leg)];
  }

  #work(leg: DigitalLeg): Move {
    const { session, calls } = this.#desk;
    const carryOut = async (signal: AbortSignal) => {
      const task = await session.client.getDigitalTask({ taskId: leg.taskId });
      if (task.terms !== null) throw new LaterError(`leg ${leg.id} is not assigned yet`, ASSIGNED_AGAIN_MS);
      const input = { ...this.#ours(leg), ...(await this.#bench.result(session.client, leg, task, signal)) };
      // In the journal first: after a crash the same text is handed in, and the work is not done again.
      await calls.make(session.journal, { call: 'completeDigitalLeg', subject: leg.id, key: createUuid(), input });
      return `handed in leg ${leg.legIndex + 1} of task ${leg.taskId}`;
    };
    const deadlineMs = (leg.dueAt ?? leg.deadline).getTime();
    return { key: keyOf('work', leg.id), deadlineMs, costLamports: 0n, carryOut };
  }

  #release(leg: DigitalLeg): Move {
    const { session, calls } = this.#desk;
    const carryOut = async () => {
      const call = { call: 'releaseDigitalLeg', subject: leg.id, key: createUuid(), input: this.#ours(leg) };
      await calls.make(session.journal, call);
      return `gave back leg ${leg.legIndex + 1} of task ${leg.taskId}: ${this.#bench.gaveBack()}`;
    };
    return { key: keyOf('release', leg.id), deadlineMs: leg.deadline.getTime(), costLamports: 0n, carryOut };
  }

  #ours({ taskId, id }: DigitalLeg) {
    return { taskId, legId: id, agentPubkey: this.#desk.session.signer.address };
  }
}

const keyOf = (what: 'claim' | 'work' | 'release', legId: string) => `${what}:${legId}`;
