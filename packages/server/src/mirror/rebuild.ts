/*
 * A database that begins on a ledger with listings gets them back from there: money, stages, who, clocks, stakes, rulings. What only the
 * database knew is lost: texts and places come back from who kept the papers (S-259), bids are made again.
 *
 * - Candidates are transactions that the follower has passed, since they list something that nobody drafted here. Their listing gets a
 *   draft of what the ledger says, and is then written by the mirror's own writers (replay).
 * - Each listing is one database transaction, so an interruption anywhere goes on where it was, and two replicas share the work.
 * - By default that is for what was listed before the database began: what somebody lists later past this service stays unknown (S-54).
 */
import { ask, findLanded } from '@legwork/program-client/history';
import type { Named } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { countCovered, undraftedListings } from '../db/covered.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import { readMeta, setMeta } from '../db/migrate.js';
import { inTransaction, lineUp } from '../db/transaction.js';
import { lockListing } from '../legs/moveRows.js';
import { type Loop, startLoop } from '../loop.js';
import { packageShown } from '../packages/replayed.js';
import { insertDraft } from '../packages/packageRows.js';
import { taskShown } from '../tasks/replayed.js';
import { insertTaskDraft } from '../tasks/taskRows.js';
import { HistoryFollower } from './follow.js';
import { readHistory, replay } from './replay.js';

const POLL_MS = 5_000;
/** Rebuilt side by side. */
const AT_ONCE = 8;
const REBUILT = 'rebuilt';
const BEGAN = 'began_slot';

type Listing = Named<'listPackage'> | Named<'listTask'>;

/** Rebuilds in the background what the ledger has and the database has not; then it rests. Rule S-258. */
export function startRebuild(context: AppContext): Loop {
  const ended = new AbortController();
  let isDone = false;
  const loop = startLoop({
    name: 'rebuild',
    log: context.log,
    pollMs: POLL_MS,
    async round() {
      isDone ||= await rebuild(context, ended.signal);
      return false;
    },
  });
  return {
    async stop() {
      ended.abort();
      await loop.stop();
    },
  };
}

/** @returns whether all is rebuilt that is to be */
export async function rebuild(context: AppContext, ended: AbortSignal): Promise<boolean> {
  const { config, db, log } = context;
  if (config.rebuild === 'none') return true;
  if (config.rebuild === 'before' && (await readMeta(db, REBUILT)) !== undefined) return true;
  const before = config.rebuild === 'all' ? undefined : BigInt((await readMeta(db, BEGAN)) ?? 0);
  if (before !== 0n) {
    await new HistoryFollower(context, ended).catchUp(Date.now());
    let count = 0;
    for (let after: string | undefined; !ended.aborted; ) {
      const page = await undraftedListings(db, { before, after, limit: AT_ONCE });
      if (page.length > 0 && count === 0) {
        log.info('listings of this program are not in this database: they are rebuilt from the ledger');
      }
      const rebuilt = await Promise.all(page.map((signature) => rebuildListed(context, signature)));
      count += rebuilt.reduce((sum, more) => sum + more, 0);
      after = page.at(-1);
      if (page.length < AT_ONCE) break;
    }
    if (ended.aborted) return false;
    if (count > 0) log.info({ listings: count }, 'listings are rebuilt from the ledger');
  }
  await setMeta(db, REBUILT, new Date().toISOString());
  return true;
}

/** Rebuilds what a transaction lists. One that cannot be is told, and holds up no other. @returns how many are rebuilt */
async function rebuildListed(context: AppContext, signature: string): Promise<number> {
  const found = await findLanded(context.ledger, signature);
  if (found?.kind !== 'landed' || found.error !== null) return 0;
  let count = 0;
  for (const instruction of found.instructions) {
    if (instruction.name !== 'listPackage' && instruction.name !== 'listTask') continue;
    try {
      await rebuildListing(context, instruction);
      count += 1;
    } catch (error) {
      context.log.error({ err: error, transaction: signature }, 'a listing cannot be rebuilt');
    }
  }
  return count;
}

async function rebuildListing(context: AppContext, instruction: Listing): Promise<void> {
  const account =
    instruction.name === 'listPackage' ? instruction.accounts.package.address : instruction.accounts.task.address;
  // Whatever lands meanwhile is passed by the follower, which knows of no listing yet.
  for (;;) {
    const history = await readHistory(context, account);
    const at = history.landed[0]?.shown.at ?? new Date();
    const slot = history.landed.at(-1)?.slot ?? 0n;
    const draft = await draftOf(context, instruction, { at, slot });
    const { id, subject } = draft;
    await inTransaction(context.db, async (trx) => {
      await lineUp(trx, id);
      if ((await lockListing(trx, subject)) === undefined) await draft.insert(trx);
      await replay(context, trx, { subject, history });
    });
    const latest = await readHistory(context, account);
    if ((await countCovered(context.db, subject)) >= latest.landed.length) {
      context.log.debug({ id }, 'a listing is rebuilt');
      return;
    }
  }
}

/** What a listing is before it is listed, from what the ledger says. */
async function draftOf({ ledger }: AppContext, instruction: Listing, shown: { at: Date; slot: bigint }) {
  if (instruction.name === 'listPackage') {
    const draft = await packageShown(ledger, instruction, shown.slot);
    const insert = (trx: Parameters<typeof insertDraft>[0]) => insertDraft(trx, draft);
    return { id: draft.id, subject: packageSubject(draft.id), insert };
  }
  const { task, legs } = await taskShown(ledger, instruction, shown);
  const insert = (trx: Parameters<typeof insertTaskDraft>[0]) => insertTaskDraft(trx, task, legs);
  return { id: task.id, subject: taskSubject(task.id), insert };
}

/** Notes when the database begins, which it does once: what was listed before is to be rebuilt. @param isNew it knows of no ledger yet */
export async function noteBeginning({ db, ledger }: Pick<AppContext, 'db' | 'ledger'>, isNew: boolean): Promise<void> {
  if ((await readMeta(db, BEGAN)) !== undefined) return;
  const slot = isNew ? await ask(ledger.rpc.getSlot({ commitment: 'confirmed' })) : 0n;
  await setMeta(db, BEGAN, String(slot));
}
