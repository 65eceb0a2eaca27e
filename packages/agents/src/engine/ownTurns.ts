import { createUuid } from '@legwork/protocol/contract';
import { allTurns, buildMove, ledgerNowMs, signMove, withEvidence } from '@legwork/sdk';
import type { LegTurnView, MoveAction, MoveWithText, RelayEvent } from '@legwork/sdk';
import type { Desk } from './desk.js';
import { LaterError } from './move.js';

/** The legs with terms whose clock runs for this agent. */
interface KnownTurns {
  readonly turns: readonly LegTurnView[];
  /** The time by the ledger, when it is asked. */
  readonly now: () => Date;
}

const LASTS_MS = 10_000;
const MOVE_AGAIN_MS = 1_000;
const COSIGNED_AGAIN_MS = 10_000;

/** The turns of an agent in packages and tasks with terms, and how it makes its moves. Rule A-36. */
export class OwnTurns {
  readonly #desk: Pick<Desk, 'session' | 'calls' | 'commitments'>;
  #known: (KnownTurns & { readonly readMs: number }) | undefined;
  /** Legs of which a move is being signed and handed in: one at a time, and to its end. */
  readonly #making = new Set<string>();

  constructor(desk: Pick<Desk, 'session' | 'calls' | 'commitments'>) {
    this.#desk = desk;
  }

  hear(event: RelayEvent): void {
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

  /** Whether a move of the leg is being made by this process. */
  isMaking(legId: string): boolean {
    return this.#making.has(legId);
  }

  /** What was signed about the leg may still land: first its end has to be known. */
  isSigned(legId: string): boolean {
    return this.#desk.calls.isOpen('submitTurn', legId);
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
   * Signs a move and hands it in. What is signed is the move of the ledger's leg, whatever the service builds; from then on the same bytes
   * are handed in until the ledger says what became of them, also after a restart.
   */
  async handIn(asked: MoveWithText): Promise<void> {
    const { session, calls } = this.#desk;
    const { client, signer, rpc, journal } = session;
    const { legId, action } = asked;
    const built = await buildMove(client, signer.address, await withEvidence(client, asked), { rpc });
    const other = built.signers.find((one) => one !== signer.address);
    if (other !== undefined) throw new LaterError(`${other} has to sign this ${action} too`, COSIGNED_AGAIN_MS);
    const input = { legId, transaction: await signMove(built, [signer]) };
    await calls.make(journal, { call: 'submitTurn', subject: legId, key: createUuid(), input });
  }
}

/** Until when a move about the turn is worth trying, milliseconds since 1970: what is late is still good as long as nobody used it. */
export function deadlineMsOf({ until }: Pick<LegTurnView, 'until'>, now: Date): number {
  const leftMs = until === null ? 0 : until.getTime() - now.getTime();
  return leftMs > 0 ? Date.now() + leftMs : Infinity;
}

/** What was done, for people. */
export const MOVE_WORDS: Readonly<Record<MoveAction, string>> = {
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
