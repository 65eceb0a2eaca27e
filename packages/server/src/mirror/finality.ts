/*
 * A transaction that the ledger shows as confirmed is answered at once, and may, rarely, be taken back: by a fork, a restarted cluster, or
 * a node that lies. This loop watches over it until it is final.
 *
 * - Every transaction about a listing is kept with its signed bytes until it is final, no matter who sent it. One that goes missing is sent
 *   again: if it lands after all, nothing happened.
 * - One is taken back only on evidence: the node has finalized slots far enough above it, its history reaches far enough below it, and
 *   its blockhash has expired. A node that does not answer, lags, has pruned or has holes changes nothing, however long (unknown is
 *   not vanished).
 * - From the first look that did not find it, nothing is signed for its listing. A listing of which something was certainly taken
 *   back halts, and says so everywhere: later transactions built on what is gone, and guessing would pay somebody twice.
 * - A node that is behind what was final here is judged by nobody until it has caught up.
 * - What becomes final in another slot than was confirmed gets the instants of the final one.
 *
 * Idle, it asks for one status in half a minute.
 *
 * Invariants: the bytes are kept until the end, a halt is visible, and no absence counts as evidence on its own.
 */
import { ask, type ReadLedger, signaturePages } from '@legwork/program-client/history';
import { isSignature } from '@legwork/protocol/contract';
import type { GetSignatureStatusesApi, Signature } from '@solana/kit';
import type { AppContext } from '../context.js';
import { latelyApplied, noteMissing, noteShown, type OpenTransaction, openTransactions } from '../db/finality.js';
import {
  type HistoryPosition,
  lastPlaced,
  type Placed,
  placeMissed,
  readCursor,
  takePlacesBack,
} from '../db/ledgerTransactions.js';
import { findListingAccount } from '../db/listings.js';
import { isUnavailable } from '../ledger/ledger.js';
import { inTransaction } from '../db/transaction.js';
import { type Loop, startLoop } from '../loop.js';
import { healHalted } from './heal.js';
import { takeFinalSlots } from './finalSlots.js';
import { sendAgain } from './sendAgain.js';
import { takeBack } from './takeBack.js';

const POLL_MS = 2_000;
/**
 * The newest final transaction, and what was taken back, are asked for so often. What is not final is asked for at
 * every poll by the leader, and as seldom by the others.
 */
const LOOK_EVERY_MS = 30_000;
/** Statuses that a node gives at once at most. */
const BATCH = 256;
/** A node must know what lies so many slots below its finalized one. */
const DEPTH_SLOTS = 32n;
/** So long after its transaction a blockhash has expired, no matter which was chosen. */
const EXPIRY_SLOTS = 300n;

/** Starts watching over what the ledger has shown and may still take back. Idle, it asks for one status in 30 seconds. */
export function startFinality(context: AppContext): Loop {
  const watch = new FinalityWatch(context);
  return startLoop({
    name: 'finality',
    log: context.log,
    pollMs: POLL_MS,
    async round() {
      await watch.round();
      return false;
    },
  });
}

/** Reports whether the ledger lacks now something that was applied of the listing: a refusal about it may then be temporary. */
export async function isForgotten({ db, ledger }: AppContext, subject: string): Promise<boolean> {
  const { statuses } = await recentStatusesOf(ledger, await latelyApplied(db, subject));
  return [...statuses.values()].includes(null);
}

/** How far a node sees, and how far back. */
interface Sight {
  finalizedSlot: bigint;
  finalizedHeight: bigint;
  firstSlot: bigint;
}

/**
 * Sends again what went missing (rule S-105), halts the listings of what is certainly taken back (S-106), and notices a ledger
 * that has lost what was final (S-108). What a node cannot know, or does not answer, is unknown: it changes nothing.
 */
export class FinalityWatch {
  readonly #context: AppContext;
  #lookAt = 0;
  #isBehind = false;

  constructor(context: AppContext) {
    this.#context = context;
  }

  async round(): Promise<void> {
    const isLook = Date.now() >= this.#lookAt;
    try {
      if (isLook) await this.#checkCursor();
      if (isLook || this.#context.lead.isOurs) await this.#checkOpen(isLook);
      if (isLook && !this.#isBehind) await healHalted(this.#context);
    } catch (error) {
      // The follower tells that the ledger is silent.
      if (isUnavailable(error)) return;
      throw error;
    }
    if (isLook) this.#lookAt = Date.now() + LOOK_EVERY_MS;
  }

  /** The newest final transaction has vanished when the ledger was put back to an earlier state: those after it have, too. */
  async #checkCursor(): Promise<void> {
    const { db, ledger, log } = this.#context;
    const cursor = await readCursor(db);
    if (!cursor) return;
    const { statuses, slot } = await statusesOf(ledger, [cursor]);
    const isKnown = statuses.get(cursor.signature) !== null;
    const sight = isKnown ? undefined : await readSight(ledger, slot);
    if (this.#noteSight(cursor, sight) || !sight || cursor.slot < sight.firstSlot) return;
    const standing = await this.#lastStanding(sight);
    if (!(await inTransaction(db, (trx) => takePlacesBack(trx, cursor, standing)))) return;
    log.error(
      { transaction: cursor.signature, standing: standing?.signature },
      'the ledger no longer knows the newest final transaction: what is newer than the standing one is not final any more',
    );
  }

  /** The newest transaction with a place that the ledger knows, or that is older than its history. */
  async #lastStanding({ firstSlot }: Sight): Promise<Placed | undefined> {
    for (let before: Placed | undefined; ; ) {
      const page = await lastPlaced(this.#context.db, before, BATCH);
      const { statuses } = await statusesOf(this.#context.ledger, page);
      const standing = page.find(({ signature, slot }) => statuses.get(signature) !== null || slot < firstSlot);
      if (standing || page.length < BATCH) return standing;
      before = page.at(-1);
    }
  }

  async #checkOpen(reverted: boolean): Promise<void> {
    const { db } = this.#context;
    for (let after: HistoryPosition | undefined; ; ) {
      const page = await openTransactions(db, { reverted, after, limit: BATCH });
      if (page.length > 0) await this.#checkPage(page);
      if (page.length < BATCH) return;
      after = page.at(-1);
    }
  }

  async #checkPage(page: readonly OpenTransaction[]): Promise<void> {
    const { db, ledger } = this.#context;
    const cursor = await readCursor(db);
    const { statuses, slot } = await recentStatusesOf(ledger, page);
    const shown: string[] = [];
    const passed: HistoryPosition[] = [];
    const failed: OpenTransaction[] = [];
    const missing: OpenTransaction[] = [];
    for (const row of page.toSorted(asApplied)) {
      const status = statuses.get(row.signature);
      const isFinal = status?.confirmationStatus === 'finalized';
      if (status === null && !row.is_reverted) missing.push(row);
      else if (!status) continue;
      else if (status.err === null) {
        if (row.missing !== 'no') shown.push(row.signature);
        const isPassed = isFinal && cursor !== undefined && status.slot < cursor.slot;
        if (isPassed) passed.push({ signature: row.signature, slot: status.slot });
      } else if (isFinal && !row.is_reverted) failed.push(row);
    }
    await noteShown(db, shown);
    if (cursor && passed.length > 0) await this.#placePassed(cursor, passed);
    for (const row of failed) await this.#carefully(row, () => takeBack(this.#context, row));
    if (missing.length > 0) await this.#judge(missing, await readSight(ledger, slot), cursor);
  }

  /** A node with holes did not list them when the cursor passed them, or did not know for a while what was taken back. */
  async #placePassed(cursor: HistoryPosition, passed: readonly HistoryPosition[]): Promise<void> {
    const inOrder = [...passed].sort((one, other) => (one.slot < other.slot ? -1 : 1));
    await takeFinalSlots(this.#context, inOrder);
    await inTransaction(this.#context.db, (trx) => placeMissed(trx, cursor, inOrder));
  }

  /** Without a status: sent again while that can help, taken back once all the evidence is there. */
  async #judge(missing: readonly OpenTransaction[], sight: Sight, cursor: HistoryPosition | undefined): Promise<void> {
    const { db } = this.#context;
    for (const row of missing) {
      if (row.bytes === null || isExpired(row, sight)) continue;
      await sendAgain(this.#context, { ...row, bytes: row.bytes });
    }
    if (cursor && this.#noteSight(cursor, sight)) return;
    const known = missing.filter(({ slot }) => sight.firstSlot <= slot && slot + DEPTH_SLOTS <= sight.finalizedSlot);
    await noteMissing(
      db,
      known.map(({ signature }) => signature),
    );
    for (const row of known) {
      if (row.missing !== 'long' || !isExpired(row, sight)) continue;
      await this.#carefully(row, async () => {
        if (await this.#isListed(row, sight)) await noteShown(db, [row.signature]);
        else await takeBack(this.#context, row);
      });
    }
  }

  /** A row that nothing can be made of holds up no other. */
  async #carefully({ signature }: OpenTransaction, judge: () => Promise<void>): Promise<void> {
    try {
      await judge();
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.#context.log.error({ err: error, transaction: signature }, 'a missing transaction could not be judged');
    }
  }

  /** Returns whether the history of the listing's account, or of the program, has the transaction. */
  async #isListed({ signature, slot, subjects }: OpenTransaction, { finalizedSlot }: Sight): Promise<boolean> {
    const { db, ledger } = this.#context;
    const accounts = await Promise.all(subjects.map((subject) => findListingAccount(db, subject)));
    for (const account of accounts.length > 0 ? accounts : [ledger.programAddress]) {
      if (account === undefined) throw new Error(`there is no listing of ${subjects.join(', ')}`);
      for await (const page of signaturePages(ledger, account, { minContextSlot: finalizedSlot })) {
        if (page.some((entry) => entry.signature === signature)) return true;
        const last = page.at(-1);
        if (last && last.slot < slot) break;
      }
    }
    return false;
  }

  /** Tells once when the node is behind what was final here: it can know nothing of that. @returns whether it is */
  #noteSight(cursor: HistoryPosition, sight: Sight | undefined): boolean {
    const { log, metrics } = this.#context;
    const slots = sight ? cursor.slot - sight.finalizedSlot : 0n;
    const isBehind = slots > 0n;
    metrics.ledgerSlotsBehind.set(isBehind ? Number(slots) : 0);
    if (isBehind && !this.#isBehind) {
      const message = 'the ledger is behind what was final: nothing is signed until it has caught up';
      log.error({ slots: Number(slots) }, message);
    }
    if (!isBehind && this.#isBehind) log.info('the ledger has caught up with what was final');
    this.#isBehind = isBehind;
    return isBehind;
  }
}

/** In one slot too, what is about one listing is sent again, and gets its place, in the order in which it was applied. */
function asApplied(one: OpenTransaction, other: OpenTransaction): number {
  if (one.slot !== other.slot) return one.slot < other.slot ? -1 : 1;
  return one.applied_at.getTime() - other.applied_at.getTime();
}

/** True if no node takes the bytes any more, and none that has taken them can still count. */
function isExpired({ slot, last_valid_block_height: last }: OpenTransaction, sight: Sight): boolean {
  return last === null ? sight.finalizedSlot > slot + EXPIRY_SLOTS : sight.finalizedHeight > last;
}

type Status = ReturnType<GetSignatureStatusesApi['getSignatureStatuses']>['value'][number];

/** A node's answer about transactions. */
interface Statuses {
  /** By signature; null: the node does not know it in its whole history. Those that it says nothing about are left out. */
  statuses: Map<string, Status>;
  /** That the node has reached. */
  slot: bigint;
}

async function statusesOf(
  { rpc }: ReadLedger,
  transactions: readonly HistoryPosition[],
  { searchTransactionHistory } = { searchTransactionHistory: true },
): Promise<Statuses> {
  const signatures = transactions.map(({ signature }) => signature).filter((one): one is Signature => isSignature(one));
  if (signatures.length === 0) return { statuses: new Map(), slot: 0n };
  const { context, value } = await ask(rpc.getSignatureStatuses(signatures, { searchTransactionHistory }));
  const statuses = new Map<string, Status>();
  for (const [index, signature] of signatures.entries()) {
    const status = value[index];
    if (status !== undefined) statuses.set(signature, status);
  }
  return { statuses, slot: context.slot };
}

/** The same for what should be recent: searching its history costs a node much more than what it remembers. Rule S-114. */
async function recentStatusesOf(ledger: ReadLedger, transactions: readonly HistoryPosition[]): Promise<Statuses> {
  const recent = await statusesOf(ledger, transactions, { searchTransactionHistory: false });
  const unknown = transactions.filter(({ signature }) => recent.statuses.get(signature) === null);
  if (unknown.length === 0) return recent;
  for (const { signature } of unknown) recent.statuses.delete(signature);
  const searched = await statusesOf(ledger, unknown);
  return { statuses: new Map([...recent.statuses, ...searched.statuses]), slot: searched.slot };
}

/** @param reached slot of the node that gave the statuses: behind one address there may be several nodes */
async function readSight({ rpc }: ReadLedger, reached: bigint): Promise<Sight> {
  const [finalizedSlot, finalizedHeight, firstSlot] = await Promise.all([
    ask(rpc.getSlot({ commitment: 'finalized' })),
    ask(rpc.getBlockHeight({ commitment: 'finalized' })),
    ask(rpc.getFirstAvailableBlock()),
  ]);
  return { finalizedSlot: finalizedSlot < reached ? finalizedSlot : reached, finalizedHeight, firstSlot };
}
