import type { SignedText } from '@legwork/program-client';
import { createUuid } from '@legwork/protocol/contract';
import type { Step } from '@legwork/protocol/rules';
import {
  affordable,
  allTurns,
  buildHandoff,
  buildMove,
  formatAmount,
  ledgerNowMs,
  signMove,
  stakeOf,
  takeStep,
  withEvidence,
} from '@legwork/sdk';
import type { LegTurnView, MoveAction, MoveWithText, LegworkEvent, StepTaker } from '@legwork/sdk';
import type { Desk } from './desk.js';
import { FEE_LAMPORTS, LaterError } from './move.js';
import type { Move } from './move.js';

/** The legs with terms whose clock runs for this agent. */
interface KnownTurns {
  readonly turns: readonly LegTurnView[];
  /** The time by the ledger, when it is asked. */
  readonly now: () => Date;
}

/** A role says how it takes a step: it answers what the step asks, and makes the moves by {@link OwnTurns.make}. */
interface Taking {
  /** Names the step. One whose question changes is another step: that which waits for an answer is given up. */
  readonly what: string;
  readonly taker: (
    signal: AbortSignal,
  ) => Omit<StepTaker, 'client' | 'signer' | 'rpc' | 'send'> & Partial<Pick<StepTaker, 'send'>>;
  /** Tells why the leg was left, once it was; undefined: for no reason of the role's. */
  readonly whyLeft?: () => string | undefined;
}

const LASTS_MS = 10_000;
const MOVE_AGAIN_MS = 1_000;
const COSIGNED_AGAIN_MS = 10_000;

/**
 * The turns of an agent in packages and tasks with terms: the steps of the SDK's loop as moves that this engine ranks, and that its
 * journal has before they are handed in. Rule A-36.
 */
export class OwnTurns {
  readonly #desk: Pick<Desk, 'session' | 'calls' | 'commitments'>;
  #known: (KnownTurns & { readonly readMs: number }) | undefined;
  /** Legs of which a move is being signed and handed in: one at a time, and to its end. */
  readonly #making = new Set<string>();
  /** The move that is under way about a leg. */
  readonly #underWay = new Map<string, Move>();

  constructor(desk: Pick<Desk, 'session' | 'calls' | 'commitments'>) {
    this.#desk = desk;
  }

  hear(event: LegworkEvent): void {
    const { packageId, taskId } = { packageId: undefined, taskId: undefined, ...event };
    const { packageIds, taskIds } = this.#desk.commitments;
    const isOurs = packageId === undefined ? taskId !== undefined && taskIds.has(taskId) : packageIds.has(packageId);
    if (isOurs) this.#known = undefined;
  }

  async read(): Promise<KnownTurns> {
    if (this.#known && this.#known.readMs + LASTS_MS > Date.now()) return this.#known;
    const { client, signer, rpc } = this.#desk.session;
    const readMs = Date.now();
    const [turns, ledgerMs] = await Promise.all([allTurns(client, signer.address), ledgerNowMs(rpc)]);
    this.#known = { turns, now: () => new Date(ledgerMs + Date.now() - readMs), readMs };
    return this.#known;
  }

  /**
   * The move that takes the next step about a turn. While one is being made it is that one, and none as long as something that was signed
   * about the leg may still land: first its end has to be known.
   */
  moveOf(
    { turn, now }: { readonly turn: LegTurnView; readonly now: Date },
    step: Step | undefined,
    { what, taker, whyLeft }: Taking,
  ): Move | undefined {
    const { legId } = turn;
    if (this.#making.has(legId)) return this.#underWay.get(legId);
    if (step === undefined || this.#desk.calls.isOpen('submitTurn', legId)) return undefined;
    const { client, signer, rpc } = this.#desk.session;
    const move: Move = {
      key: `${what}:${legId}`,
      deadlineMs: deadlineMsOf(turn, now),
      costLamports: FEE_LAMPORTS,
      carryOut: async (signal) => {
        this.#underWay.set(legId, move);
        const send: StepTaker['send'] = (signed) => this.send(legId, signed);
        const made = await takeStep({ client, signer, rpc, send, ...taker(signal) }, turn, step);
        if (made === undefined)
          throw new LaterError(`the shipper has to sign the pickup of ${of(turn)} too`, COSIGNED_AGAIN_MS);
        const why = made === 'vacate' ? whyLeft?.() : undefined;
        return `${wordsOf(turn, made)}${why === undefined ? '' : `: ${why}`}`;
      },
    };
    return move;
  }

  /** Makes a move of a leg, and nothing else about it meanwhile. @throws as {@link alone} */
  make(asked: MoveWithText): Promise<void> {
    return this.alone(asked.legId, () => this.handIn(asked));
  }

  /** Does what ends in a move of the leg, and nothing else about it meanwhile. @throws {LaterError} while another one does */
  async alone<T>(legId: string, act: () => Promise<T>): Promise<T> {
    if (this.#making.has(legId)) throw new LaterError(`a move of leg ${legId} is being made`, MOVE_AGAIN_MS);
    this.#making.add(legId);
    try {
      return await act();
    } finally {
      this.#making.delete(legId);
      this.#known = undefined;
    }
  }

  /**
   * Signs a move and hands it in. It signs the move of the ledger's leg, whatever the service builds; from
   * then on the same bytes are handed in until the ledger says what became of them, also after a restart.
   */
  async handIn(asked: MoveWithText): Promise<void> {
    const { session, calls } = this.#desk;
    const { client, signer, rpc, journal } = session;
    const { legId, action } = asked;
    const built = await buildMove(client, signer.address, await withEvidence(client, asked), { rpc });
    const other = built.signers.find((one) => one !== signer.address);
    if (other !== undefined) throw new LaterError(`${other} has to sign this ${action} too`, COSIGNED_AGAIN_MS);
    const takes = stakeOf(built.leg, asked);
    const transaction = await affordable({ client, rpc, transaction: built.transaction, takes });
    const input = { legId, transaction: await signMove({ transaction }, [signer]) };
    await calls.make(journal, { call: 'submitTurn', subject: legId, key: createUuid(), input });
  }

  /** Sends a handoff that the other side signed as a text, in the same way. Rule A-134. */
  send(legId: string, signed: SignedText): Promise<void> {
    const { session, calls } = this.#desk;
    const { client, signer, rpc, journal } = session;
    return this.alone(legId, async () => {
      const built = await buildHandoff(client, signer.address, signed, { rpc });
      const transaction = await affordable({ client, rpc, ...built });
      const input = { legId, transaction: await signMove({ transaction }, [signer]) };
      await calls.make(journal, { call: 'submitTurn', subject: legId, key: createUuid(), input });
    });
  }
}

/** Until when a move about the turn is worth trying, milliseconds since 1970: what is late is still good as long as nobody used it. */
function deadlineMsOf({ until }: Pick<LegTurnView, 'until'>, now: Date): number {
  const leftMs = until === null ? 0 : until.getTime() - now.getTime();
  return leftMs > 0 ? Date.now() + leftMs : Infinity;
}

const of = (turn: LegTurnView) => (turn.kind === 'package' ? `package ${turn.packageId}` : `task ${turn.taskId}`);

/** The move that was made, for people. */
function wordsOf(turn: LegTurnView, action: MoveAction): string {
  const stake = action === 'accept' ? `, with a stake of ${formatAmount(turn.stake, turn)}` : '';
  return `${MOVE_WORDS[action]} leg ${turn.legIndex + 1} of ${of(turn)}${stake}`;
}

const MOVE_WORDS: Readonly<Record<MoveAction, string>> = {
  accept: 'accepted',
  take: 'took the parcel of',
  vacate: 'left',
  claim: 'claimed',
  confirm: 'took over at the end of',
  dispute: 'disputed',
  rule: 'ruled',
  agree: 'agreed about',
  crank: 'carried out what silence decided of',
};
