import { LegworkError } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Signer } from '../api/signedRequest.js';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { findListingAccount, packageSubject, taskSubject } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import { heal } from '../mirror/heal.js';
import type { Caller, In, Out } from '../operations/run.js';
import { requireOperator } from './operators.js';

const MOST = 200;

/** Has the service try again what it does by itself, and keeps who asked. Rule S-261. */
export async function actAsOperator(
  context: AppContext,
  input: In<'actAsOperator'>,
  caller: Caller,
): Out<'actAsOperator'> {
  const signer = await requireOperator(context, caller);
  return { answer: await (input.act === 'retry' ? retry : healNow)(context, input, signer) };
}

type Done = Awaited<Out<'actAsOperator'>>['answer'];

async function retry(context: AppContext, { intentId }: In<'actAsOperator'>, signer: Signer): Promise<Done> {
  if (intentId === undefined) throw missing('intentId', 'is the intent to try again (getOperations names them)');
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
    const afresh = intent.status === 'failed' ? { status: 'pending' as const, attempts: 0 } : {};
    await trx
      .updateTable('outbox')
      .set({ ...afresh, available_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
      .where('id', '=', BigInt(intentId))
      .execute();
    await keep(trx, { act: 'retry', target: `intent:${intentId}` }, signer);
    return intent.kind;
  });
  context.wakers.outbox.wake();
  return { isDone: true, outcome: `${kind} is due now` };
}

async function healNow(context: AppContext, { listingId }: In<'actAsOperator'>, signer: Signer): Promise<Done> {
  if (listingId === undefined) throw missing('listingId', 'is the halted listing');
  const isPackage = (await findListingAccount(context.db, packageSubject(listingId))) !== undefined;
  const subject = isPackage ? packageSubject(listingId) : taskSubject(listingId);
  if (!isPackage && (await findListingAccount(context.db, subject)) === undefined) {
    throw LegworkError.field('not_found', 'listingId', 'names no package and no digital task');
  }
  await inTransaction(context.db, (trx) => keep(trx, { act: 'heal', target: subject }, signer));
  const why = await heal(context, subject);
  return why === undefined
    ? { isDone: true, outcome: 'it stands as the ledger has it' }
    : { isDone: false, outcome: why };
}

const missing = (field: string, what: string) => LegworkError.field('invalid_input', field, `${what}; it is not given`);

interface Asked {
  act: 'retry' | 'heal';
  target: string;
}

async function keep(trx: Trx, asked: Asked, { pubkey, text, signature }: Signer): Promise<void> {
  await trx
    .insertInto('operator_acts')
    .values({ ...asked, operator_pubkey: pubkey, signed_text: text, signature })
    .execute();
}

/** What operators had done, newest first. */
export async function listOperatorActs(
  context: AppContext,
  _input: In<'listOperatorActs'>,
  caller: Caller,
): Out<'listOperatorActs'> {
  await requireOperator(context, caller);
  const rows = await context.db.selectFrom('operator_acts').selectAll().orderBy('id', 'desc').limit(MOST).execute();
  const answer = rows.map(({ at, operator_pubkey: operatorPubkey, act, target, signed_text: text, signature }) => ({
    at,
    operatorPubkey,
    act,
    target,
    text,
    signature,
  }));
  return { answer };
}
