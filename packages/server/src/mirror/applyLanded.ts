/*
 * The mirror writes what the ledger shows, and nothing else writes that.
 *
 * Everything that learns of a transaction comes here: the outbox with its own, the follower with everybody's, a call that names one as
 * its proof. One database transaction applies one ledger transaction, whole and once among all replicas, under the locks of its listings.
 *
 *   landed → claimed by its signature → instruction by instruction → rows, moves, events, intents → subscribers woken
 *
 * - What an instruction makes of a leg with terms is not decided here: rows are read as facts, the program client folds the instruction
 *   onto them, and the difference is written. The audit folds the same way, and compares with the accounts on the ledger (decision 0037).
 * - What the ledger does not know is added here: events, the intent that follows, bids that may win now, openings.
 * - Transactions may arrive in any order. One that does not fit what is mirrored is judged again after everything that the ledger shows
 *   before it; only what is final and still does not fit counts for nothing. A party's move that later ones were applied without has its listing
 *   written again (heal.ts).
 * - A transaction that nobody here decided is mirrored like any other, or, where it is of no listing of ours, passed.
 *
 * Invariants: one writer, one transaction for one transaction, and nothing that is skipped in silence.
 */
import {
  type InstructionName,
  INSTRUCTIONS,
  isAboutPackage,
  isAboutTask,
  listingAccount,
  listingAccounts,
  type RelayInstruction,
} from '@legwork/program-client';
import { findLanded, signaturePages, type SucceededTransaction } from '@legwork/program-client/history';
import { LegworkError } from '@legwork/protocol/contract';
import type { AppContext, Wakers } from '../context.js';
import type { Trx } from '../db/connect.js';
import {
  appliedAmong,
  claimTransaction,
  type HistoryPosition,
  isBeforeApplied,
  type KeptBytes,
  noteUnreadable,
} from '../db/ledgerTransactions.js';
import { haveTerms } from '../legs/moveRows.js';
import { mirrorReputations } from '../agents/reputationRows.js';
import { accountOf, isPackage, type ListingRow } from '../db/listings.js';
import { atEnd, inTransaction } from '../db/transaction.js';
import { type Ledger, readBlockTime } from '../ledger/ledger.js';
import { readCounted } from '../ledger/reputation.js';
import { projectPackageInstruction } from '../packages/mirrorPackage.js';
import { type Listings, lockListings } from './lockListings.js';
import { MisfitError, MisplacedError } from './misfit.js';
import { inBlockOrder } from './history.js';
import { projectProgramInstruction } from './program.js';
import { type Applying, hasAllBefore, type Projection, type Shown } from './projection.js';
import { projectTaskInstruction } from '../tasks/mirrorTask.js';

/** A transaction that the ledger shows as successful. */
export interface Landed extends HistoryPosition {
  /** All of the program's in it, inner ones included, in the order they ran. */
  instructions: readonly RelayInstruction[];
  /** True if the ledger can no longer take it back. */
  isFinal: boolean;
  /** To send it again should the ledger lose it. */
  kept: KeptBytes;
  /** As the ledger shows it; undefined: it is known by our own bytes. */
  found?: SucceededTransaction;
}

/** Done in the database transaction that applies a ledger transaction, under the locks of its listings; also when somebody else applied that before. */
export type Also = (trx: Trx) => Promise<void>;

/**
 * Writes what the ledger shows. Nothing else does: the outbox, the follower and calls that name a transaction all come here.
 * One database transaction applies one ledger transaction, whole and once among all replicas. What does not fit yet is judged
 * again after everything that the ledger shows before it. Rule S-51.
 *
 * @throws MisfitError when it does not fit even then: a node may lag, so only what is final may count for nothing
 * @throws LegworkError `ledger_unavailable`
 */
export async function applyLanded(context: AppContext, landed: Landed, also?: Also): Promise<void> {
  try {
    await apply(context, landed, { isInOrder: false, also });
  } catch (error) {
    if (!(error instanceof MisfitError)) throw error;
    for (const account of listingAccounts(landed.instructions)) await catchUp(context, account);
    await apply(context, landed, { isInOrder: true, also });
  }
}

/**
 * Applies all that the ledger shows of a listing, in its order.
 *
 * @param account of the package or the digital task on the ledger
 * @throws MisfitError, LegworkError `ledger_unavailable`
 */
export async function catchUp(context: AppContext, account: string): Promise<void> {
  const missing: Listed[] = [];
  for await (const page of signaturePages(context.ledger, account)) {
    const succeeded = page.filter(({ err }) => err === null);
    const applied = await appliedAmong(
      context.db,
      succeeded.map(({ signature }) => signature),
    );
    for (const { signature, slot, confirmationStatus } of succeeded) {
      if (!applied.has(signature)) missing.push({ signature, slot, final: confirmationStatus === 'finalized' });
    }
    if (succeeded.length > 0 && succeeded.every(({ signature }) => applied.get(signature) === 'final')) break;
  }
  for (const listed of await inBlockOrder(context.ledger, missing.reverse())) {
    const landed = await readListed(context, listed);
    // The follower, or the call that reports it, writes its listing again; the rest of this list need not wait for that.
    if (landed !== undefined) await apply(context, landed, { isInOrder: true }).catch(unlessMisplaced);
  }
}

function unlessMisplaced(error: unknown): void {
  if (!(error instanceof MisplacedError)) throw error;
}

/** A transaction as the ledger lists it. */
export interface Listed extends HistoryPosition {
  /** Nothing can be listed before it any more. */
  final: boolean;
}

/**
 * Reads a transaction that the ledger lists as successful.
 *
 * @returns undefined when it cannot be read: that is kept, and told once. Rule S-52.
 * @throws LegworkError `ledger_unavailable` when this node lists it and does not show it so
 */
export async function readListed(context: AppContext, listed: Listed): Promise<Landed | undefined> {
  const { signature } = listed;
  const landed = await findLanded(context.ledger, signature);
  if (landed?.kind === 'unreadable') {
    await keepUnreadable(context, listed, landed.reason);
    return undefined;
  }
  if (!landed || landed.error !== null) {
    throw new LegworkError('ledger_unavailable', `The ledger lists transaction ${signature} and does not show it.`);
  }
  const { slot, instructions, bytes } = landed;
  return { signature, slot, instructions, isFinal: listed.final, kept: { bytes: Buffer.from(bytes) }, found: landed };
}

async function keepUnreadable(
  { db, log, metrics }: AppContext,
  { signature, slot }: HistoryPosition,
  reason: string,
): Promise<void> {
  if (!(await noteUnreadable(db, { signature, slot }, reason))) return;
  metrics.unreadableTransactions.inc();
  log.error({ transaction: signature, reason }, 'a transaction of the program cannot be read and is passed');
}

async function apply(
  context: AppContext,
  landed: Landed,
  { isInOrder, also }: { isInOrder: boolean; also?: Also | undefined },
): Promise<void> {
  const { db, ledger, log, handOff, metrics, wakers } = context;
  const [readings, shown] = await Promise.all([readCounted(ledger, landed), shownOf(context, landed)]);
  const { projected, subjects } = await inTransaction(db, async (trx) => {
    const listings = await lockListings(trx, landed.instructions);
    const applying = {
      trx,
      log,
      handOff,
      assets: ledger.assets,
      isInOrder,
      isReplay: false,
      ...landed,
      shown,
      seen: listings.seen,
    };
    // Last, as an agent's other legs wait for what is locked here.
    void atEnd(trx, () => mirrorReputations(trx, readings));
    const [done] = await Promise.all([claimAndProject(applying, listings, landed), also?.(trx)]);
    return done;
  });
  for (const subject of subjects) context.mirrored.emit(subject);
  for (const [{ name }, outcome] of projected) {
    metrics.mirroredInstructions.inc({ name, outcome });
    if (outcome === 'projected') wakeFor(name, wakers);
  }
}

/** The ledger-only facts of a transaction, if a listing with terms needs them. They are read even for our own bytes. */
async function shownOf({ db, ledger }: AppContext, landed: Landed): Promise<Shown | undefined> {
  const { signature, instructions } = landed;
  const clocked = instructions.filter(({ name }) => INSTRUCTIONS[name].isTimed);
  if (!(await haveTerms(db, listingAccounts(clocked)))) return undefined;
  const found = landed.found ?? (await findLanded(ledger, signature));
  if (found?.kind !== 'landed' || found.error !== null) {
    throw new LegworkError('ledger_unavailable', `The ledger confirms transaction ${signature} and does not show it.`);
  }
  return shownIn(ledger, found);
}

/** The ledger-only facts of a transaction, by the ledger's own record of it. */
export async function shownIn(ledger: Ledger, found: SucceededTransaction): Promise<Shown> {
  const { slot, blockTime, gained, reasonHash } = found;
  const at = blockTime === null ? await readBlockTime(ledger, slot) : new Date(Number(blockTime) * 1000);
  return { at, gained, reasonHash };
}

/** The workers to wake after an instruction, other than those that number its events. */
const WAKES: Partial<Record<InstructionName, readonly (keyof Wakers)[]>> = {
  // A vacant leg takes bids; one of a task is released.
  vacate: ['keeper', 'taskClaims'],
  rule: ['keeper', 'taskClaims'],
  // A reservation may be due.
  confirmTaskLeg: ['taskClaims'],
  // Both make packages due; a pause that ended lets intents go on.
  openReputation: ['evaluator'],
  setPaused: ['evaluator', 'outbox'],
};

function wakeFor(name: InstructionName, wakers: Wakers): void {
  wakers.sequencer.wake();
  for (const worker of WAKES[name] ?? []) wakers[worker].wake();
}

/** The coordinator decides none of these: where one does not fit, it is the mirror that is not as the ledger is. */
const OF_PARTIES: ReadonlySet<InstructionName> = new Set([
  'accept',
  'vacate',
  'claim',
  'dispute',
  'rule',
  'confirmLeg',
]);

type Projected = [instruction: RelayInstruction, outcome: Projection];

/** The outcome of the instructions; none when the transaction was applied before. */
interface Done {
  projected: Projected[];
  subjects: readonly string[];
}

async function claimAndProject(applying: Applying, listings: Listings, { kept }: Landed): Promise<Done> {
  const { trx, signature, slot, instructions } = applying;
  const { subjects } = listings;
  const claim = {
    signature,
    slot,
    kept,
    subjects,
    instructions: instructions.map(({ name }) => name),
  };
  const projected: Projected[] = [];
  if (!(await claimTransaction(trx, claim))) return { projected, subjects };
  for (const instruction of instructions) {
    const outcome = await project(applying, listings, instruction);
    // What was projected may be of the same listing.
    listings.seen.clear();
    if (outcome === 'misfit') {
      if (!hasAllBefore(applying)) throw new MisfitError(signature);
      const isLate = OF_PARTIES.has(instruction.name) && (await isBeforeApplied(trx, { signature, slot, subjects }));
      if (isLate) throw new MisplacedError(signature, subjects);
    }
    projected.push([instruction, outcome === 'misfit' ? 'foreign' : outcome]);
  }
  return { projected, subjects };
}

/** Projects one instruction; `misfit`: of a listing of ours, and not to be projected as things stand. */
async function project(
  applying: Applying,
  { packages, tasks }: Listings,
  instruction: RelayInstruction,
): Promise<Projection | 'misfit'> {
  const account = listingAccount(instruction);
  if (account === undefined) return projectProgramInstruction(applying.trx, instruction);
  const listing = packages.get(account) ?? tasks.get(account);
  return listing ? projectListed(applying, listing, instruction) : 'foreign';
}

/** Projects one instruction into a listing that is locked; one of another listing changes nothing. */
export async function projectListed(
  applying: Applying,
  listing: ListingRow,
  instruction: RelayInstruction,
): Promise<Projection | 'misfit'> {
  if (listingAccount(instruction) !== accountOf(listing)) return 'foreign';
  let outcome: Projection;
  if (isPackage(listing) && isAboutPackage(instruction)) {
    outcome = await projectPackageInstruction(applying, listing, instruction);
  } else if (!isPackage(listing) && isAboutTask(instruction)) {
    outcome = await projectTaskInstruction(applying, listing, instruction);
  } else return 'foreign';
  return outcome === 'foreign' ? 'misfit' : outcome;
}
