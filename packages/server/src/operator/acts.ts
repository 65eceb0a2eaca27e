import { LegworkError } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { AppContext, Wakers } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { haltedListings } from '../db/finality.js';
import { findListingAccount, packageSubject, taskSubject } from '../db/listings.js';
import type { OperatorActsTable } from '../db/schema/service.js';
import { inTransaction } from '../db/transaction.js';
import { heal } from '../mirror/heal.js';
import { cutPage, readCursor, seqPosition } from '../operations/cursor.js';
import type { Caller, In, Out } from '../operations/run.js';
import { openedKey, type Operator, requireOperator } from './operators.js';

/** So many are healed by one act, which somebody waits for. */
const MOST_HEALED = 50;

type Input = In<'actAsOperator'>;
type Done = Awaited<Out<'actAsOperator'>>['answer'];
type Audited = NonNullable<Awaited<Out<'getOperations'>>['answer']['audited']>;
type Act = (context: AppContext, input: Input, operator: Operator) => Promise<Done>;

const ACTS: Readonly<Record<Input['act'], Act>> = {
  open: openKey,
  close: closeKey,
  retry: (context, input, operator) =>
    input.intentId === undefined ? retryKind(context, input, operator) : retry(context, input.intentId, operator),
  heal: (context, input, operator) =>
    input.listingId === undefined ? healAll(context, operator) : healOne(context, input.listingId, operator),
  sweep,
  audit,
};

/** Has the service try again what it does by itself, or lets another key ask for that, and keeps who asked. Rules S-261, S-262. */
export async function actAsOperator(context: AppContext, input: Input, caller: Caller): Out<'actAsOperator'> {
  const operator = await requireOperator(context, caller);
  return { answer: await ACTS[input.act](context, input, operator) };
}

async function openKey(context: AppContext, { key }: Input, operator: Operator): Promise<Done> {
  if (key === undefined) throw missing('key', 'is the key that may act for an hour');
  if (operator.openUntil !== null) {
    throw LegworkError.field('operators_only', 'X-Pubkey', 'is a key that an operator opened: it opens no other');
  }
  await inTransaction(context.db, (trx) => keep(trx, { act: 'open', target: openedKey(key) }, operator));
  return { isDone: true, outcome: `${key} may do what operators may, for an hour` };
}

/** Ends the hour of the key that asks, or of the one that it names. */
async function closeKey(context: AppContext, { key }: Input, operator: Operator): Promise<Done> {
  const own = operator.signer.pubkey;
  if (operator.openUntil !== null && (key ?? own) !== own)
    throw LegworkError.field('operators_only', 'X-Pubkey', 'is a key that an operator opened: it closes itself alone');
  await inTransaction(context.db, (trx) => keep(trx, { act: 'close', target: openedKey(key ?? own) }, operator));
  return { isDone: true, outcome: `${key ?? own} is closed` };
}

async function retry(context: AppContext, intentId: string, operator: Operator): Promise<Done> {
  const kind = await inTransaction(context.db, async (trx) => {
    const intent = await trx
      .selectFrom('outbox')
      .select(['kind', 'status'])
      .where('id', '=', BigInt(intentId))
      .forUpdate()
      .executeTakeFirst();
    if (intent === undefined) throw LegworkError.field('not_found', 'intentId', 'names no intent');
    if (intent.status === 'done')
      throw LegworkError.field('invalid_status', 'intentId', 'names an intent that is done');
    await makeDue(trx).where('id', '=', BigInt(intentId)).execute();
    await keep(trx, { act: 'retry', target: `intent:${intentId}` }, operator);
    return intent.kind;
  });
  context.wakers.outbox.wake();
  return { isDone: true, outcome: `${kind} is due now` };
}

async function retryKind(context: AppContext, { kind }: Input, operator: Operator): Promise<Done> {
  if (kind === undefined) throw missing('intentId', 'or kind says what to try again (getOperations names both)');
  const intents = await inTransaction(context.db, async (trx) => {
    const { numUpdatedRows } = await makeDue(trx)
      .where('status', 'in', ['pending', 'sent', 'failed'])
      .where(sql<boolean>`kind = ${kind}`)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw LegworkError.field('not_found', 'kind', 'names no intents that wait or were given up');
    await keep(trx, { act: 'retry', target: `intents:${kind}` }, operator);
    return numUpdatedRows;
  });
  context.wakers.outbox.wake();
  return { isDone: true, outcome: `${intents} of ${kind} are due now` };
}

/** Begins intents that were given up anew. */
const makeDue = (trx: Trx) =>
  trx.updateTable('outbox').set({
    status: sql`case status when 'failed' then 'pending' else status end`,
    attempts: sql<number>`case status when 'failed' then 0 else attempts end`,
    available_at: sql<Date>`now()`,
    updated_at: sql<Date>`now()`,
  });

async function healOne(context: AppContext, listingId: string, operator: Operator): Promise<Done> {
  const isPackage = (await findListingAccount(context.db, packageSubject(listingId))) !== undefined;
  const subject = isPackage ? packageSubject(listingId) : taskSubject(listingId);
  if (!isPackage && (await findListingAccount(context.db, subject)) === undefined) {
    throw LegworkError.field('not_found', 'listingId', 'names no package and no digital task');
  }
  await inTransaction(context.db, (trx) => keep(trx, { act: 'heal', target: subject }, operator));
  const why = await heal(context, subject);
  return why === undefined
    ? { isDone: true, outcome: 'it stands as the ledger has it' }
    : { isDone: false, outcome: why };
}

async function healAll(context: AppContext, operator: Operator): Promise<Done> {
  await inTransaction(context.db, (trx) => keep(trx, { act: 'heal', target: 'halted' }, operator));
  const halted = await haltedListings(context.db, 0);
  let healed = 0;
  for (const subject of halted.slice(0, MOST_HEALED)) if ((await heal(context, subject)) === undefined) healed += 1;
  const isDone = healed === halted.length;
  return { isDone, outcome: `${healed} of ${halted.length} stand as the ledger has them` };
}

/** Whatever is due is in the database: who looks again does it once. */
async function sweep(context: AppContext, _input: Input, operator: Operator): Promise<Done> {
  await inTransaction(context.db, (trx) => keep(trx, { act: 'sweep', target: 'service' }, operator));
  for (const waker of Object.values<Wakers[keyof Wakers]>(context.wakers)) waker.wake();
  return { isDone: true, outcome: 'every worker of this process looks now for what is due' };
}

/** Where the target of an audit says what it found. */
const FOUND = 'differences:';

/** Keeps what an audit found: it reads the database beside the service, and leaves no other trace. */
async function audit(context: AppContext, { differences }: Input, operator: Operator): Promise<Done> {
  if (differences === undefined) throw missing('differences', 'is how many the audit found');
  await inTransaction(context.db, (trx) => keep(trx, { act: 'audit', target: `${FOUND}${differences}` }, operator));
  return {
    isDone: true,
    outcome: `the last audit found ${differences === 1 ? '1 difference' : `${differences || 'no'} differences`}`,
  };
}

/** The audit that was told last. */
export async function lastAudit(db: Db): Promise<Audited | null> {
  const found = await db
    .selectFrom('operator_acts')
    .select(['at', 'target', 'operator_pubkey'])
    .where('act', '=', 'audit')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return null;
  const { at, target, operator_pubkey: operatorPubkey } = found;
  return { at, differences: Number(target.slice(FOUND.length)), operatorPubkey };
}

const missing = (field: string, what: string) => LegworkError.field('invalid_input', field, `${what}; it is not given`);

async function keep(trx: Trx, asked: Pick<OperatorActsTable, 'act' | 'target'>, { signer }: Operator): Promise<void> {
  const { pubkey, text, body, signature } = signer;
  await trx
    .insertInto('operator_acts')
    .values({
      ...asked,
      operator_pubkey: pubkey,
      signed_text: text,
      body: Buffer.from(body).toString('utf8'),
      signature,
    })
    .execute();
}

interface KeptAct {
  id: bigint;
  at: Date;
  operatorPubkey: string;
  openedBy: string | null;
  act: OperatorActsTable['act'];
  target: string;
  text: string;
  body: string | null;
  signature: string;
}

/** The acts of operators, newest first. */
export async function listOperatorActs(
  context: AppContext,
  { limit, cursor }: In<'listOperatorActs'>,
  caller: Caller,
): Out<'listOperatorActs'> {
  await requireOperator(context, caller);
  const [before] = readCursor(seqPosition, cursor) ?? [];
  const { rows } = await sql<KeptAct>`
    select id, at, operator_pubkey as "operatorPubkey", act, target, signed_text as text, body, signature, (
      select opener.operator_pubkey from operator_acts opener where opener.act = 'open'
        and opener.target = 'key:' || acts.operator_pubkey and opener.id < acts.id order by opener.id desc limit 1) as "openedBy"
    from operator_acts acts where ${before ?? null}::int8 is null or id < ${before ?? null}
    order by id desc limit ${limit + 1}`.execute(context.db);
  const { page, nextCursor } = cutPage(rows, limit, ({ id }) => [String(id)]);
  const answer = page.map((row) => {
    const { id: _, ...told } = row;
    return told;
  });
  return { answer, nextCursor };
}
