import { createUuid } from '@legwork/protocol/contract';
import { asked, formatAmount, isInSol, LegworkApiError } from '@legwork/sdk';
import type { LegworkEvent } from '@legwork/sdk';
import { hasReputation, requireFunds, termsRulesOf } from '../engine/agreement.js';
import { FOR_GOOD } from '../engine/calls.js';
import type { Desk } from '../engine/desk.js';
import { LaterError } from '../engine/move.js';
import type { LegalMoves, Move, Role } from '../engine/move.js';
import type { TaskLeg } from '../engine/search.js';
import { rulesFor } from '../wallet/assetRules.js';
import type { AssetRules } from '../wallet/assetRules.js';
import { mayClaim } from './legalClaims.js';
import { TaskTurns } from './taskTurns.js';
import { Workbench } from './workbench.js';
import type { DigitalLeg, Runner } from './workbench.js';

const ASSIGNED_AGAIN_MS = 1_000;

/** The worker's rules: what it claims, works on, hands in and gives back. Rules. */
export class Worker implements Role {
  readonly #desk: Desk;
  readonly #bench: Workbench;
  readonly #turns: TaskTurns;
  /** Tasks of which no leg is given to this agent: it left one, or one of its results was rejected. */
  readonly #barred = new Set<string>();

  constructor(desk: Desk, run: Runner) {
    this.#desk = desk;
    this.#bench = new Workbench(run);
    this.#turns = new TaskTurns(desk, this.#bench);
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
    const { work, session, commitments, rests, reasons } = this.#desk;
    const { legsAtOnce } = session.policy.limits;
    const nowMs = Date.now();
    if (this.#bench.isPausing(nowMs)) return [];
    const hasHad = (taskId: string) => commitments.hasHad(taskId);
    const { policy, assets, signer } = session;
    const termsIn = (of: AssetRules) => termsRulesOf(this.#desk, of);
    const looker = { pubkey: signer.address, policy, assets, termsIn, hasHad };
    return (
      work.taskLegs
        .filter(({ taskId }) => !this.#barred.has(taskId))
        .filter((leg) => mayClaim(leg, looker, nowMs, reasons.about(`task ${leg.taskId}`)))
        .filter(({ taskId, legId }) => {
          const hasRoom = commitments.hasRoom(legId, legsAtOnce);
          if (!hasRoom) reasons.about(`task ${taskId}`)('room', `limits.legsAtOnce is ${legsAtOnce}`);
          return hasRoom;
        })
        .filter(({ legId }) => !commitments.taskLegIds.has(legId) && !rests.isResting(keyOf('claim', legId), nowMs))
        .filter(({ terms }) => terms === null || hasReputation(this.#desk))
        // Amounts of different assets are on no common scale: SOL comes first.
        .sort((a, b) => rankOf(a) - rankOf(b) || Number(b.maxPay - a.maxPay))
        .flatMap((leg) => {
          const of = rulesFor(assets, leg);
          return of ? [this.#claim(leg, of)] : [];
        })
    );
  }

  #claim({ taskId, legId, legIndex, maxPay, terms, deadline }: TaskLeg, of: AssetRules): Move {
    const { session, calls, commitments } = this.#desk;
    const ours = { taskId, legId, agentPubkey: session.signer.address };
    const stakeLamports = terms?.stake;
    const { legsAtOnce } = session.policy.limits;
    const allow = () => {
      commitments.requireRoom(legId, legsAtOnce);
      if (stakeLamports !== undefined) commitments.requireStake(legId, stakeLamports, of);
    };
    const carryOut = () => this.#desk.reasons.orTold(`task ${taskId}`, make);
    const make = async () => {
      const input = { ...ours, ...asked('bid', maxPay, of) };
      const call = {
        call: 'bidDigitalLeg',
        subject: legId,
        key: createUuid(),
        input,
        stakeLamports,
        stakeMint: of.token?.mint,
      };
      if (stakeLamports !== undefined) await requireFunds(this.#desk, legId, stakeLamports, of);
      await calls.make(session.journal, call, allow).catch((error: unknown) => {
        if (error instanceof LegworkApiError && FOR_GOOD.has(error.code)) this.#barred.add(taskId);
        throw error;
      });
      return `claimed leg ${legIndex + 1} of task ${taskId}, which pays ${formatAmount(maxPay, of)}`;
    };
    return { key: keyOf('claim', legId), deadlineMs: deadline.getTime(), costLamports: 0n, carryOut };
  }

  /** The moves due on a leg of ours: none before its turn, or once its result is on its way. */
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

const rankOf = (leg: TaskLeg) => (isInSol(leg) ? 0 : 1);
const keyOf = (what: 'claim' | 'work' | 'release', legId: string) => `${what}:${legId}`;
