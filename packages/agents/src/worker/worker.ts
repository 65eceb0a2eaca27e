import { createUuid, operations } from '@legwork/protocol/contract';
import { formatSol } from '@legwork/sdk';
import type { QueuedLeg } from '@legwork/sdk';
import type { Desk } from '../engine/desk.js';
import type { LegalMoves, Move, Role } from '../engine/move.js';
import { legalClaims } from './legalClaims.js';
import type { LegalClaim } from './legalClaims.js';
import { WorkError } from './runner.js';
import type { Runner, Work } from './runner.js';

type DigitalLeg = Extract<QueuedLeg, { kind: 'digital' }>;

/** A leg is given back when its work has failed so often. */
const MOST_TRIES = 3;
/** After that nothing is claimed for so long, twice as long each time until something succeeds, milliseconds. */
const FIRST_PAUSE_MS = 600_000;
const LONGEST_PAUSE_MS = 3_600_000;
const resultText = operations.completeDigitalLeg.body.shape.result;

/** The worker's rules: what it claims, works on, hands in and gives back. Rules. */
export class Worker implements Role {
  readonly #desk: Desk;
  readonly #run: Runner;
  /** How often the work of a leg failed, by leg. */
  readonly #failures = new Map<string, number>();
  /** Legs that were given back since work last succeeded: what fails is likely to be here, and each costs reputation. */
  #givenBack = 0;
  #claimsAgainMs = 0;

  constructor(desk: Desk, run: Runner) {
    this.#desk = desk;
    this.#run = run;
  }

  look(): Promise<LegalMoves> {
    const { commitments } = this.#desk;
    const legs = commitments.legs.filter((leg): leg is DigitalLeg => leg.kind === 'digital');
    const ids = new Set(legs.map(({ id }) => id));
    for (const id of this.#failures.keys()) if (!ids.has(id)) this.#failures.delete(id);
    return Promise.resolve({ due: legs.flatMap((leg) => this.#duty(leg)), open: this.#claims() });
  }

  choose(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #claims(): Move[] {
    const { market, session, commitments, rests } = this.#desk;
    const nowMs = Date.now();
    if (nowMs < this.#claimsAgainMs) return [];
    return [...market.tasks.known.values()]
      .flatMap((task) => legalClaims(task, session.signer.address, session.policy, nowMs))
      .filter(({ leg }) => commitments.hasRoom(leg.id, session.policy.limits.legsAtOnce))
      .filter(({ leg }) => !commitments.taskLegIds.has(leg.id) && !rests.isResting(keyOf('claim', leg.id), nowMs))
      .sort((a, b) => Number(b.task.paymentPerLegLamports - a.task.paymentPerLegLamports))
      .map((claim) => this.#claim(claim));
  }

  #claim({ task, leg }: LegalClaim): Move {
    const { session, calls, commitments } = this.#desk;
    const ours = { taskId: task.id, legId: leg.id, agentPubkey: session.signer.address };
    const carryOut = async () => {
      const input = { ...ours, bidSol: task.paymentPerLegSol };
      const call = { call: 'bidDigitalLeg', subject: leg.id, key: createUuid(), input };
      const { legsAtOnce } = session.policy.limits;
      await calls.make(session.journal, call, () => commitments.requireRoom(leg.id, legsAtOnce));
      return `claimed leg ${leg.legIndex + 1} of task ${task.id}, which pays ${formatSol(task.paymentPerLegLamports)} SOL`;
    };
    return { key: keyOf('claim', leg.id), deadlineMs: task.deadline.getTime(), costLamports: 0n, carryOut };
  }

  /** What is to be done for a leg of ours: nothing before its turn, or once its result is on its way. */
  #duty(leg: DigitalLeg): Move[] {
    const { calls, commitments } = this.#desk;
    const isOurTurn = leg.status === 'in_progress' || (leg.status === 'pending' && leg.isWorkable);
    if (!isOurTurn || leg.hasResult || leg.finality === 'reverted') return [];
    if (commitments.hasEnded(leg.id) || calls.isOpen('completeDigitalLeg', leg.id)) return [];
    if ((this.#failures.get(leg.id) ?? 0) < MOST_TRIES) return [this.#work(leg)];
    return calls.isOpen('releaseDigitalLeg', leg.id) ? [] : [this.#release(leg)];
  }

  #work(leg: DigitalLeg): Move {
    const { session, calls } = this.#desk;
    const carryOut = async (signal: AbortSignal) => {
      const { title, description, legs } = await session.client.getDigitalTask({ taskId: leg.taskId });
      const previousResult = legs[leg.legIndex - 1]?.result ?? null;
      const result = await this.#result(
        leg.id,
        { instruction: leg.instruction, previousResult, title, description },
        signal,
      );
      const input = { ...this.#ours(leg), result };
      // In the journal first: after a crash the same text is handed in, and the work is not done again.
      await calls.make(session.journal, { call: 'completeDigitalLeg', subject: leg.id, key: createUuid(), input });
      return `handed in leg ${leg.legIndex + 1} of task ${leg.taskId}`;
    };
    const deadlineMs = (leg.dueAt ?? leg.deadline).getTime();
    return { key: keyOf('work', leg.id), deadlineMs, costLamports: 0n, carryOut };
  }

  /** @throws {WorkError} when there is none that the service would take */
  async #result(legId: string, work: Work, signal: AbortSignal): Promise<string> {
    try {
      const made = await this.#run(work, signal);
      const { error } = resultText.safeParse(made);
      if (error || made.trim() === '')
        throw new WorkError(`that is no result: it ${error?.issues[0]?.message ?? 'is blank'}`);
      this.#givenBack = 0;
      return made;
    } catch (error) {
      if (!signal.aborted) this.#failures.set(legId, (this.#failures.get(legId) ?? 0) + 1);
      throw error;
    }
  }

  #release(leg: DigitalLeg): Move {
    const { session, calls } = this.#desk;
    const carryOut = async () => {
      const call = { call: 'releaseDigitalLeg', subject: leg.id, key: createUuid(), input: this.#ours(leg) };
      await calls.make(session.journal, call);
      this.#claimsAgainMs = Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.#givenBack, LONGEST_PAUSE_MS);
      this.#givenBack += 1;
      return `gave back leg ${leg.legIndex + 1} of task ${leg.taskId}: its work failed ${MOST_TRIES} times`;
    };
    return { key: keyOf('release', leg.id), deadlineMs: leg.deadline.getTime(), costLamports: 0n, carryOut };
  }

  #ours({ taskId, id }: DigitalLeg) {
    return { taskId, legId: id, agentPubkey: this.#desk.session.signer.address };
  }
}

const keyOf = (what: 'claim' | 'work' | 'release', legId: string) => `${what}:${legId}`;
