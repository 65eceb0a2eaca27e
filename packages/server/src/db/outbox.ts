import { randomUUID } from 'node:crypto';
import type { Lamports } from '@legwork/protocol/contract';
import { sql, type UpdateObject } from 'kysely';
import { DatabaseError } from 'pg';
import { compiled, unseen } from './statements.js';
import type { Db, Trx } from './connect.js';
import { type DecisionJson, decisionOfIntent, insertingDecision } from './decisions.js';
import { isDoubted } from './finality.js';
import { tracedRow } from '../tracing/spans.js';
import type { Database, DecisionRow, IntentKind, IntentPayload, OutboxRow } from './schema.js';

/** An intent that this process holds the lease of. */
export type LeasedIntent = OutboxRow & { lease_token: string; decision: DecisionJson | null };

/** A signed transaction as it is persisted before it is sent. */
export interface SignedIntent {
  signature: string;
  transaction: Buffer;
  lastValidBlockHeight: bigint;
}

/** Seconds from now by the database's clock, the only one that all replicas share. */
const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

/** Something to do on the ledger. */
export type NewIntent = {
  kind: IntentKind;
  subject: string;
  /** Makes it happen once, however often it is decided. */
  key: string;
  /** The most that it costs the coordinator. The caller holds the lock of the funds; left out for what is owed anyway. */
  costLamports?: Lamports;
} & IntentPayload;

/**
 * Writes an intent in the transaction that decides it, with the decision that it carries out, if it takes one.
 *
 * @param leaseSec for so long the caller holds it at once: it has seen that it {@link isNext}
 * @returns the intent if it is leased to the caller; undefined as well when it was written before
 */
export async function addIntent(
  trx: Trx,
  { kind, subject, key, costLamports, ...payload }: NewIntent,
  { decision, leaseSec }: { decision?: DecisionRow | undefined; leaseSec?: number | undefined } = {},
): Promise<LeasedIntent | undefined> {
  const creator = decision === undefined ? trx : trx.with('decided', (decided) => insertingDecision(decided, decision));
  const token = randomUUID();
  const row = await creator
    .insertInto('outbox')
    .values({
      kind,
      subject,
      unique_key: key,
      payload: JSON.stringify(payload),
      ...tracedRow(),
      ...(costLamports !== undefined && { cost_lamports: costLamports }),
      ...(leaseSec !== undefined && { lease_token: token, leased_until: inSeconds(leaseSec) }),
    })
    .onConflict((conflict) => conflict.column('unique_key').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined || leaseSec === undefined) return undefined;
  const kept = decision && { ...decision, decided_at: decision.decided_at.toISOString() };
  return { ...row, lease_token: token, decision: kept ?? null };
}

/** Returns whether nothing of the subject is under way, and the ledger stands by it: what is decided next can be done at once. */
export async function isNext(db: Db | Trx, subject: string): Promise<boolean> {
  const { rows } = await sql<{ next: boolean }>`
    select not exists (select from outbox where subject = ${subject} and status in ('pending', 'sent'))
      and not ${isDoubted(sql`${subject}`)} as next`.execute(db);
  return rows[0]?.next === true;
}

/** Why the intent came to nothing, or what its last try said; undefined: neither. */
export async function findLastError(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('outbox').select('last_error').where('unique_key', '=', key).executeTakeFirst();
  return row?.last_error ?? undefined;
}

/** Returns whether an intent with this key was ever written. */
export async function isDecided(trx: Trx, key: string): Promise<boolean> {
  const row = await trx.selectFrom('outbox').select('id').where('unique_key', '=', key).executeTakeFirst();
  return row !== undefined;
}

const beingSent = compiled((db, { signatures }: { signatures: readonly string[] }) =>
  db
    .selectFrom('outbox')
    .select('signature')
    .where(sql<boolean>`signature = any (${unseen(signatures)})`)
    .where('status', '=', 'sent'),
);

/** Returns which of the transactions an outbox is sending: it applies them as soon as they have landed. */
export async function signaturesBeingSent(db: Db | Trx, signatures: readonly string[]): Promise<Set<string>> {
  if (signatures.length === 0) return new Set();
  const rows = await beingSent(db, { signatures });
  return new Set(rows.flatMap(({ signature }) => signature ?? []));
}

/** The swarm that the intent is about. */
export function swarmIdOf({ id, payload }: OutboxRow): string {
  if ('swarmId' in payload) return payload.swarmId;
  throw new Error(`intent ${id} is about no swarm`);
}

/** The claim of a digital leg that the intent is about. */
export function claimOf({ id, payload }: OutboxRow): { legId: string; claim: number } {
  if ('legId' in payload) return payload;
  throw new Error(`intent ${id} is about no digital leg`);
}

const leasing = compiled((db, { token, leaseSec }: { token: string; leaseSec: number }) =>
  db
    .updateTable('outbox')
    .set({
      lease_token: token,
      leased_until: inSeconds(leaseSec),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('outbox as candidate')
        .select('candidate.id')
        .where('candidate.status', 'in', ['pending', 'sent'])
        .where('candidate.available_at', '<=', sql<Date>`now()`)
        .where((free) =>
          free.or([free('candidate.leased_until', 'is', null), free('candidate.leased_until', '<', sql<Date>`now()`)]),
        )
        .where((waiting) =>
          waiting.not(
            waiting.exists(
              waiting
                .selectFrom('outbox as earlier')
                .select('earlier.id')
                .whereRef('earlier.subject', '=', 'candidate.subject')
                .whereRef('earlier.id', '<', 'candidate.id')
                .where('earlier.status', 'in', ['pending', 'sent']),
            ),
          ),
        )
        .where((doubted) => doubted.not(isDoubted(sql.ref('candidate.subject'))))
        .orderBy('candidate.id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .returning(decisionOfIntent.as('decision')),
);

/**
 * Leases the oldest due intent that nobody holds and that no earlier intent of its subject waits before. While the ledger
 * may have taken back a transaction of its listing, it waits (rule S-107).
 * The token fences: a worker that lost the lease can no longer write.
 */
export async function leaseNext(db: Db, leaseSec: number): Promise<LeasedIntent | undefined> {
  const token = randomUUID();
  const [row] = await leasing(db, { token, leaseSec });
  return row && { ...row, lease_token: token };
}

/** The lease ran out and somebody else has the intent: whatever this process was about to write is void. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

type Change = UpdateObject<Database, 'outbox', 'outbox'>;

async function change(db: Db | Trx, intent: LeasedIntent, values: Change): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', intent.id)
    .where('lease_token', '=', intent.lease_token)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new LeaseLostError(`intent ${intent.id} is held by another worker`);
}

/** Keeps the lease for another `leaseSec` seconds. @throws LeaseLostError */
export async function renewLease(db: Db, intent: LeasedIntent, leaseSec: number): Promise<void> {
  await change(db, intent, { leased_until: inSeconds(leaseSec) });
}

/**
 * Persists the signed bytes: from here on only these bytes may be sent, until they have provably expired.
 *
 * @returns false when another intent has the same bytes, which land once: sign others. Rule S-100.
 * @throws LeaseLostError
 */
export async function persistSigned(db: Db, intent: LeasedIntent, signed: SignedIntent): Promise<boolean> {
  try {
    await change(db, intent, {
      status: 'sent',
      signature: signed.signature,
      transaction: signed.transaction,
      last_valid_block_height: signed.lastValidBlockHeight,
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'outbox_signatures') return false;
    throw error;
  }
}

/** The signed bytes can never land any more: sign again. @throws LeaseLostError */
export async function discardSigned(db: Db, intent: LeasedIntent, reason: string): Promise<void> {
  await change(db, intent, {
    status: 'pending',
    signature: null,
    transaction: null,
    last_valid_block_height: null,
    last_error: reason,
  });
}

/** Ends the intent in the transaction of its effects; with a reason when it came to nothing. @throws LeaseLostError */
export async function finishIntent(trx: Trx, intent: LeasedIntent, reason?: string): Promise<void> {
  await change(trx, intent, { status: 'done', lease_token: null, leased_until: null, last_error: reason ?? null });
}

/** Gives the intent up, visibly: an operator has to look. @throws LeaseLostError */
export async function failIntent(trx: Db | Trx, intent: LeasedIntent, reason: string): Promise<void> {
  await change(trx, intent, { status: 'failed', lease_token: null, leased_until: null, last_error: reason });
}

/** Puts the intent back, due after `pauseSec` seconds; signed bytes stay. @throws LeaseLostError */
export async function postponeIntent(
  db: Db,
  intent: LeasedIntent,
  postponement: { pauseSec: number; reason: string; attempts?: number },
): Promise<void> {
  await change(db, intent, {
    available_at: inSeconds(postponement.pauseSec),
    ...(postponement.attempts !== undefined && { attempts: postponement.attempts }),
    lease_token: null,
    leased_until: null,
    last_error: postponement.reason,
  });
}

/** Makes intents due that wait for another try, as if they had not been tried before. @returns whether any waited */
export async function tryAgainNow(trx: Trx, kinds: readonly IntentKind[]): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('outbox')
    .set({ available_at: sql<Date>`now()`, attempts: 0, updated_at: sql<Date>`now()` })
    .where('kind', 'in', kinds)
    .where('status', '=', 'pending')
    .where('available_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives the lease back, so that another worker goes on at once. Nothing happens when it was lost. */
export async function releaseLease(db: Db, intent: LeasedIntent): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ lease_token: null, leased_until: null })
    .where('id', '=', intent.id)
    .where('lease_token', '=', intent.lease_token)
    .execute();
}

/** Intents of one kind that are not done. */
export interface OutboxDepth {
  kind: IntentKind;
  status: OutboxRow['status'];
  intents: bigint;
  /** Seconds since the oldest of them was decided. */
  oldestSec: number;
  /** The error of the last try of that one. */
  lastError: string | null;
}

/** The intents in the outbox that are not done; ages by the database's clock. */
export async function readOutboxDepth(db: Db): Promise<OutboxDepth[]> {
  return (
    db
      .selectFrom('outbox')
      .select((select) => [
        'kind',
        'status',
        select.fn.countAll<bigint>().as('intents'),
        sql<number>`extract(epoch from now() - min(created_at))::float8`.as('oldestSec'),
        sql<string | null>`(array_agg(last_error order by id))[1]`.as('lastError'),
      ])
      // As the partial indexes have it; what is done is most of all there ever was.
      .where((undone) => undone.or([undone('status', 'in', ['pending', 'sent']), undone('status', '=', 'failed')]))
      .groupBy(['kind', 'status'])
      .execute()
  );
}
