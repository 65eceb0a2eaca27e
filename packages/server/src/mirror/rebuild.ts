/*
 * A database that begins on a ledger with listings gets them back from there: money, stages, who, clocks, stakes, rulings. What only the
 * database knew is lost: texts and places come back from who kept the papers (S-259), bids are made again.
 *
 * - Candidates are transactions that the follower has passed, since they list something that nobody drafted here. Their listing gets a
 *   draft of what the ledger says, and is then written by the mirror's own writers (replay).
 * - Each listing is one database transaction, so an interruption anywhere goes on where it was, and two replicas share the work.
 * - By default that is for what was listed before the database began: what somebody lists later past this service stays unknown (S-54).
 */
import { ask, findLanded, isForbidden } from '@legwork/program-client/history';
import { type Named, PACKAGE_KIND, TASK_KIND } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import { type Base58EncodedBytes, getBase58Decoder, isSignerRole } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { undraftedListings, unknownAccounts } from '../db/replays.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import { readMeta, setMeta, UNSEEN } from '../db/migrate.js';
import { inTransaction, lineUp } from '../db/transaction.js';
import { lockListing } from '../legs/moveRows.js';
import { isUnavailable } from '../ledger/ledger.js';
import { type Loop, startLoop, Waker } from '../loop.js';
import { insertSponsorship } from '../money/sponsorshipRows.js';
import { packageShown } from '../packages/replayed.js';
import { insertDraft } from '../packages/packageRows.js';
import { taskShown } from '../tasks/replayed.js';
import { insertTaskDraft } from '../tasks/taskRows.js';
import { CAUGHT_UP } from './follow.js';
import { isNewest, type ListingHistory, readHistory, replay } from './replay.js';

/** The interval at which the node is asked again for what it did not show. */
const POLL_MS = 60_000;
/** Rebuilt side by side. */
const AT_ONCE = 8;
const REBUILT = 'rebuilt';
const BEGAN = 'began_slot';
/** Tells a person in a sentence how far it is. */
export const REBUILDING = 'rebuilding';

type Listing = Named<'listPackage'> | Named<'listTask'>;

/** Rebuilds in the background, once the mirror has caught up, what the ledger has and the database has not. Rule S-258. */
export function startRebuild(context: AppContext): Loop {
  const ended = new AbortController();
  const waker = new Waker();
  let hasCaughtUp = false;
  let isDone = context.config.rebuild === 'none';
  context.mirrored.once(CAUGHT_UP, () => {
    hasCaughtUp = true;
    waker.wake();
  });
  const tell = tellChanges(context);
  const loop = startLoop({
    name: 'rebuild',
    log: context.log,
    pollMs: POLL_MS,
    waker,
    async round() {
      if (isDone || !hasCaughtUp) return false;
      isDone = await rebuild(context, ended.signal, tell);
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

type Tell = (line: string) => void;

/** Says a line to the log and to the person who started the service, unless it was the last one. */
function tellChanges({ log, mirrored }: AppContext): Tell {
  let last = '';
  return (line) => {
    if (line === last) return;
    last = line;
    log.warn(line);
    mirrored.emit(REBUILDING, line);
  };
}

/** @returns whether all is rebuilt that is to be */
async function rebuild(context: AppContext, ended: AbortSignal, tell: Tell): Promise<boolean> {
  const { db } = context;
  const upTo = await rebuiltUpTo(context);
  if (upTo === 0n) return true;
  const done: Rebuilt = { listings: 0, waiting: 0 };
  for (let after: string | undefined; ; ) {
    const page = await undraftedListings(db, { upTo, after, limit: AT_ONCE });
    if (page.length > 0 && after === undefined) {
      tell('Listings of this program are not in this database: they are rebuilt from the ledger.');
    }
    await Promise.all(page.map((signature) => rebuildListed(context, signature, done)));
    if (page.length < AT_ONCE) break;
    if (ended.aborted) return false;
    after = page.at(-1);
  }
  if (done.listings > 0) {
    const are = done.listings === 1 ? '1 listing is' : `${done.listings} listings are`;
    const what =
      done.listings === 1 ? 'its text comes back with its papers' : 'their texts come back with their papers';
    tell(`${are} rebuilt; ${what}: legwork papers give`);
  }
  const unseen = done.waiting + (await countUnseen(context, upTo));
  await setMeta(db, UNSEEN, String(unseen));
  if (unseen > 0) {
    const are = unseen === 1 ? '1 listing is' : `${unseen} listings are`;
    tell(`${are} on the ledger whose history this node does not show: name one in SOLANA_RPC_URL that has all of it.`);
    return false;
  }
  await setMeta(db, REBUILT, new Date().toISOString());
  return true;
}

/**
 * Counts the listings in whose stead nothing is here because the node does not show how they began. One that shows it now is rebuilt; one that
 * has shown none of several is not asked for all the others.
 *
 * @returns 0 also where the node does not list accounts
 */
async function countUnseen(context: AppContext, upTo: bigint | undefined): Promise<number> {
  const unknown = await unknownOnLedger(context);
  let unseen = 0;
  for (const [asked, account] of unknown.entries()) {
    if (unseen === AT_ONCE && asked === AT_ONCE) return unknown.length;
    try {
      const { landed } = await readHistory(context, account);
      const began = landed.find(({ instructions }) => instructions.some(isListing));
      const listing = began?.instructions.find(isListing);
      if (began === undefined || listing === undefined) unseen += 1;
      else if (upTo === undefined || began.slot <= upTo) await rebuildListing(context, listing);
    } catch (error) {
      if (isUnavailable(error)) unseen += 1;
      else context.log.error({ err: error, account }, 'a listing cannot be rebuilt');
    }
  }
  return unseen;
}

const isListing = (one: { readonly name: string }): one is Listing =>
  one.name === 'listPackage' || one.name === 'listTask';

/** Accounts of listings that the database has none of. */
async function unknownOnLedger({ db, ledger, log }: AppContext): Promise<string[]> {
  try {
    const kinds = await Promise.all([PACKAGE_KIND, TASK_KIND].map((kind) => accountsOf(ledger, kind)));
    return await unknownAccounts(db, kinds.flat());
  } catch (error) {
    if (isUnavailable(error) && !isForbidden(error.cause)) throw error;
    // Public nodes refuse to list accounts before they look at the question, or for who does not pay: that is no silence.
    log.warn({ err: error }, 'the node does not list accounts: listings whose history it has pruned stay unknown');
    return [];
  }
}

/** A closed listing leaves a marker of a byte, which is left out. */
async function accountsOf({ rpc, programAddress }: AppContext['ledger'], kind: number): Promise<string[]> {
  const bytes = getBase58Decoder().decode(Uint8Array.of(kind)) as Base58EncodedBytes;
  const found = await ask(
    rpc.getProgramAccounts(programAddress, {
      commitment: 'confirmed',
      encoding: 'base64',
      dataSlice: { offset: 0, length: 0 },
      filters: [{ memcmp: { offset: 0n, bytes, encoding: 'base58' } }],
    }),
  );
  return found.flatMap(({ pubkey, account }) => (account.space > 1n ? [pubkey] : []));
}

/** How many listings were rebuilt, and how many wait for a node that shows their history. */
interface Rebuilt {
  listings: number;
  waiting: number;
}

/** Rebuilds what a transaction lists. One that cannot be is told, and holds up no other. */
async function rebuildListed(context: AppContext, signature: string, done: Rebuilt): Promise<void> {
  try {
    const found = await findLanded(context.ledger, signature);
    if (found === undefined) done.waiting += 1;
    if (found?.kind !== 'landed' || found.error !== null) return;
    for (const instruction of found.instructions) {
      if (!isListing(instruction)) continue;
      if (await rebuildListing(context, instruction)) done.listings += 1;
    }
  } catch (error) {
    if (isUnavailable(error)) done.waiting += 1;
    else context.log.error({ err: error, transaction: signature }, 'a listing cannot be rebuilt');
  }
}

/** @returns false when it is here already: another service has rebuilt it */
async function rebuildListing(context: AppContext, instruction: Listing): Promise<boolean> {
  const account =
    instruction.name === 'listPackage' ? instruction.accounts.package.address : instruction.accounts.task.address;
  let history = await readHistory(context, account);
  const at = history.landed[0]?.shown.at ?? new Date();
  const slot = history.landed.at(-1)?.slot ?? 0n;
  const { id, subject, insert } = await draftOf(context, instruction, { at, slot });
  const isNew = await inTransaction(context.db, async (trx) => {
    await lineUp(trx, id);
    if ((await lockListing(trx, subject)) !== undefined) return false;
    await insert(trx);
    await insertAdvance(trx, id, instruction, history);
    await replay(context, trx, { subject, history, isNew: true });
    return true;
  });
  // The follower passed over what landed meanwhile, since it knew of no listing.
  while (isNew && !(await isNewest(context, account, history))) {
    history = await readHistory(context, account);
    const latest = { subject, history };
    await inTransaction(context.db, (trx) => replay(context, trx, latest));
  }
  return isNew;
}

/** The draft of a listing, by the ledger. */
async function draftOf({ ledger }: AppContext, instruction: Listing, shown: { at: Date; slot: bigint }) {
  if (instruction.name === 'listPackage') {
    const draft = await packageShown(ledger, instruction, shown.slot);
    const insert = (trx: Trx) => insertDraft(trx, draft);
    return { id: draft.id, subject: packageSubject(draft.id), insert };
  }
  const { task, legs } = await taskShown(ledger, instruction, shown);
  const insert = (trx: Trx) => insertTaskDraft(trx, task, legs);
  return { id: task.id, subject: taskSubject(task.id), insert };
}

/**
 * Notes what a coordinator advanced for a listing, which its lister then did not sign (P-15): whoever is coordinator now sees to it that
 * the money returns to who paid.
 */
async function insertAdvance(
  trx: Trx,
  id: string,
  { accounts, data }: Listing,
  history: ListingHistory,
): Promise<void> {
  const lister = 'poster' in accounts ? accounts.poster : accounts.shipper;
  if (isSignerRole(lister.role)) return;
  const shown = history.landed[0]?.shown;
  const spent = -(shown?.gained.get(accounts.funder.address) ?? 0n);
  await insertSponsorship(trx, {
    subject_id: id,
    poster_pubkey: lister.address,
    signed: false,
    ip: '',
    // Not every node says what was spent.
    lamports: toLamports(spent > data.maxBudget ? spent : data.maxBudget),
    created_at: shown?.at,
  });
}

/** Notes when the database begins, which it does once: what was listed before is to be rebuilt. @param isNew it knows of no ledger yet */
export async function noteBeginning({ db, ledger }: Pick<AppContext, 'db' | 'ledger'>, isNew: boolean): Promise<void> {
  if ((await readMeta(db, BEGAN)) !== undefined) return;
  const slot = isNew ? await ask(ledger.rpc.getSlot({ commitment: 'confirmed' })) : 0n;
  await setMeta(db, BEGAN, String(slot));
}

/** Up to which slot listings are yet to be rebuilt; undefined: whatever is not here. */
async function rebuiltUpTo({ config, db }: Pick<AppContext, 'config' | 'db'>): Promise<bigint | undefined> {
  if (config.rebuild === 'all') return undefined;
  if (config.rebuild === 'none' || (await readMeta(db, REBUILT)) !== undefined) return 0n;
  return BigInt((await readMeta(db, BEGAN)) ?? 0);
}

/** Reports whether all listings of the ledger that belong here are here; with `all`, whether they ever were. */
export async function isRebuilt(context: Pick<AppContext, 'config' | 'db'>): Promise<boolean> {
  return (await rebuiltUpTo(context)) === 0n || (await readMeta(context.db, REBUILT)) !== undefined;
}
