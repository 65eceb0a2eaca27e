import { randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { Told, ToldOfTask, WebhookRow, WebhooksTable } from '../db/schema.js';
import { deleteInBatches } from '../db/transaction.js';

/** A receiver that fails is tried for so long, and then no more. */
export const GIVEN_UP_AFTER = '3 days';

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

/** A webhook that this process holds the lease of. */
export type LeasedWebhook = WebhookRow & { lease_token: string };

/** The lease ran out, or its owner changed something: whatever this process was about to write is void. */
export class WebhookLostError extends Error {
  override readonly name = 'WebhookLostError';
}

export async function insertWebhook(trx: Trx, webhook: Insertable<WebhooksTable>): Promise<WebhookRow> {
  return trx.insertInto('webhooks').values(webhook).returningAll().executeTakeFirstOrThrow();
}

export async function webhooksOf(db: Db, ownerPubkey: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('owner_pubkey', '=', ownerPubkey)
    .where('told', 'is', null)
    .orderBy('id')
    .execute();
}

/** Undefined where there is none of this owner: others learn nothing of it. */
export async function findWebhook(db: Db | Trx, id: string, ownerPubkey: string): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('owner_pubkey', '=', ownerPubkey)
    .where('told', 'is', null)
    .executeTakeFirst();
}

const REGISTERING = 0x77656268;

/** Who looks what there is and adds one does so alone. */
export const lockRegistering = (trx: Db | Trx) => sql`select pg_advisory_xact_lock(${REGISTERING})`.execute(trx);

/** How many there are, of a key and from an address. In a transaction, who asks and adds one does so alone. */
export async function countWebhooks(
  db: Db | Trx,
  { owner, client }: { owner: string; client: string },
): Promise<{ ofKey: number; ofClient: number }> {
  if (db.isTransaction) await lockRegistering(db);
  const { rows } = await sql<{ ofKey: number; ofClient: number }>`select
    (select count(*)::int4 from webhooks where owner_pubkey = ${owner}) as "ofKey",
    (select count(*)::int4 from webhooks where client = ${client}) as "ofClient"`.execute(db);
  return rows[0] ?? { ofKey: 0, ofClient: 0 };
}

/** Writes a change of its owner's; who delivers to it now loses the lease. @returns undefined: it was deleted meanwhile */
export async function changeWebhook(
  db: Db,
  id: string,
  change: Partial<Pick<Insertable<WebhooksTable>, 'sealed' | 'acked_seq' | 'told'>>,
): Promise<WebhookRow | undefined> {
  const afresh = { attempts: 0, failing_since: null, last_error: null, disabled_at: null };
  return db
    .updateTable('webhooks')
    .set({
      ...change,
      ...(change.acked_seq !== undefined && { ...afresh, available_at: sql<Date>`now()` }),
      lease_token: null,
      leased_until: null,
      changed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteWebhookRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute();
}

/** How far behind a reading looks for what was written by transactions that took long, seconds. */
const OVERLAP_SEC = 30;

/** Those that changed since, some of them again; the instant is the database's. Undefined: all that are active. */
export async function changedWebhooks(db: Db, since: Date | undefined): Promise<{ rows: WebhookRow[]; at: Date }> {
  const { rows: clock } = await sql<{ at: Date }>`select now() as at`.execute(db);
  let query = db.selectFrom('webhooks').selectAll();
  if (since === undefined) query = query.where('disabled_at', 'is', null);
  else query = query.where('changed_at', '>', sql<Date>`${since}::timestamptz - make_interval(secs => ${OVERLAP_SEC})`);
  return { rows: await query.execute(), at: clock[0]?.at ?? new Date(0) };
}

/** Those whose next try is due, or that it is time to look at. */
export async function dueRetries(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where((due) => due.or([due('attempts', '>', 0), due('look_at', '<=', sql<Date>`now()`)]))
    .where('disabled_at', 'is', null)
    .where('available_at', '<=', sql<Date>`now()`)
    .orderBy('available_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Why a webhook is not to be delivered to now. */
export type NotNow = 'deleted' | 'disabled' | 'done' | 'later' | 'held';

/**
 * Takes a webhook for this process alone, if something up to the number may wait for it. Rule S-187.
 *
 * @returns the webhook; or that it is deleted or disabled, has all up to the number, waits for its next try, or is another's
 */
export async function leaseWebhook(
  db: Db,
  id: string,
  upTo: bigint,
  leaseSec: number,
): Promise<LeasedWebhook | NotNow> {
  const token = randomUUID();
  const row = await db
    .updateTable('webhooks')
    .set({ lease_token: token, leased_until: inSeconds(leaseSec) })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .where('available_at', '<=', sql<Date>`now()`)
    .where('acked_seq', '<', upTo)
    .where((free) => free.or([free('leased_until', 'is', null), free('leased_until', '<', sql<Date>`now()`)]))
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return { ...row, lease_token: token };
  const { rows } = await sql<{ why: NotNow }>`
    select case when disabled_at is not null then 'disabled' when acked_seq >= ${upTo}::int8 then 'done'
      when available_at > now() then 'later' else 'held' end as why
    from webhooks where id = ${id}`.execute(db);
  return rows[0]?.why ?? 'deleted';
}

/** @throws WebhookLostError */
async function progress(db: Db, { id, lease_token: token }: LeasedWebhook, set: ReturnType<typeof sql>): Promise<void> {
  const { numAffectedRows } = await sql`update webhooks set ${set} where id = ${id} and lease_token = ${token}`.execute(
    db,
  );
  if (numAffectedRows !== 1n) throw new WebhookLostError(`webhook ${id} is held by another worker`);
}

/** Its receiver took the event, and the lease goes on. */
export async function ackEvent(db: Db, webhook: LeasedWebhook, seq: bigint, leaseSec: number): Promise<void> {
  const set = sql`acked_seq = ${seq}, attempts = 0, failing_since = null, last_error = null, delivered_at = now(),
    leased_until = ${inSeconds(leaseSec)}`;
  await progress(db, webhook, set);
}

/** Notes that up to the number the log has nothing for it, and keeps the lease. */
export async function passEvents(db: Db, webhook: LeasedWebhook, reached: bigint, leaseSec: number): Promise<void> {
  await progress(db, webhook, sql`acked_seq = ${reached}, leased_until = ${inSeconds(leaseSec)}`);
}

/** Gives the lease back; up to the number the log has nothing more for it. */
export async function releaseWebhook(db: Db, webhook: LeasedWebhook, reached: bigint): Promise<void> {
  await progress(
    db,
    webhook,
    sql`acked_seq = greatest(acked_seq, ${reached}::int8), lease_token = null, leased_until = null`,
  );
}

const FIRST_PAUSE_SEC = 5;
const PAUSE_GROWTH = 3;
const LONGEST_PAUSE_SEC = 8 * 3600;

/** Seconds until the next try after so many: 5, 15, 45 and so on to eight hours, a fifth more or less, so that few come at once. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(LONGEST_PAUSE_SEC, FIRST_PAUSE_SEC * PAUSE_GROWTH ** (attempts - 1));
  return pause * (0.8 + 0.4 * Math.random());
}

/**
 * Notes a try that came to nothing, and when the next one is due; after three days of them there is none. Rule S-186.
 *
 * @param isGone its receiver asked to be sent nothing more
 * @returns whether it is disabled now
 */
export async function noteFailure(
  db: Db,
  webhook: LeasedWebhook,
  { error, isGone }: { error: string; isGone: boolean },
): Promise<boolean> {
  const isOver = sql`(${isGone}::boolean or coalesce(failing_since, now()) <= now() - ${GIVEN_UP_AFTER}::interval)`;
  await progress(
    db,
    webhook,
    sql`attempts = attempts + 1, failing_since = coalesce(failing_since, now()), last_error = ${error},
      available_at = ${inSeconds(pauseAfter(webhook.attempts + 1))}, lease_token = null, leased_until = null,
      disabled_at = case when ${isOver} then now() end, changed_at = case when ${isOver} then now() else changed_at end`,
  );
  const row = await db.selectFrom('webhooks').select('disabled_at').where('id', '=', webhook.id).executeTakeFirst();
  return row?.disabled_at != null;
}

/** What tells a key something and is no webhook: its subscriptions to notices, and its followers of tasks over A2A. */
export async function subscriptionsOf(db: Db | Trx, ownerPubkey: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('owner_pubkey', '=', ownerPubkey)
    .where('told', 'is not', null)
    .execute();
}

/** Deletes a subscription of this owner; nothing, where it has none of this id. */
export async function deleteSubscription(db: Db, id: string, ownerPubkey: string): Promise<void> {
  const own = db.deleteFrom('webhooks').where('id', '=', id).where('owner_pubkey', '=', ownerPubkey);
  await own.where('told', 'is not', null).execute();
}

/** Its receiver took what it was told, and the lease goes on. */
export async function noteTold(
  db: Db,
  webhook: LeasedWebhook,
  { told, seq }: { told: Told | ToldOfTask; seq?: bigint },
  leaseSec: number,
): Promise<void> {
  const set = sql`told = ${JSON.stringify(told)}, acked_seq = greatest(acked_seq, ${seq ?? 0n}::int8), attempts = 0,
    failing_since = null, last_error = null, delivered_at = now(), leased_until = ${inSeconds(leaseSec)}`;
  await progress(db, webhook, set);
}

/** Gives the lease of a subscription back, which has been told all. */
export async function releaseTold(
  db: Db,
  webhook: LeasedWebhook,
  { told, reached, lookInMs }: { told: Told | ToldOfTask; reached: bigint; lookInMs: number },
): Promise<void> {
  const set = sql`told = ${JSON.stringify(told)}, acked_seq = greatest(acked_seq, ${reached}::int8),
    look_at = ${inSeconds(lookInMs / 1000)}, lease_token = null, leased_until = null`;
  await progress(db, webhook, set);
}

/** Of browsers that have not subscribed anew for so long: pages do whenever they are open. */
const UNUSED = '180 days';

/** Deletes subscriptions that nobody uses any more, and followers that take nothing. Rules S-233, S-287. @returns how many */
export function sweepSubscriptions(db: Db): Promise<number> {
  const isOver = sql`changed_at < now() - ${UNUSED}::interval or disabled_at < now() - ${GIVEN_UP_AFTER}::interval`;
  return deleteInBatches(db, 'webhooks', sql`told is not null and (${isOver})`);
}

/** How many there are, and how they fare. */
export async function countByStatus(db: Db): Promise<Record<'active' | 'failing' | 'disabled', number>> {
  const { rows } = await sql<Record<'active' | 'failing' | 'disabled', number>>`select
    count(*) filter (where disabled_at is null and attempts = 0)::int4 as active,
    count(*) filter (where disabled_at is null and attempts > 0)::int4 as failing,
    count(*) filter (where disabled_at is not null)::int4 as disabled from webhooks`.execute(db);
  return rows[0] ?? { active: 0, failing: 0, disabled: 0 };
}
