import { randomUUID } from 'node:crypto';
import { createUuid, LegworkError, type WebhookView } from '@legwork/protocol/contract';
import { clientKey } from '../api/limits.js';
import type { AppContext } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { lastEventSeq } from '../db/events.js';
import type { WebhookRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import { requireReached } from '../events/filter.js';
import type { Caller, In, Out } from '../operations/run.js';
import { CHANGED } from './deliver.js';
import { type Delivery, newSecret, open, type Private, publicKeyOf, seal, signedMessage } from './signing.js';
import type { Answer } from './targets.js';
import {
  changeWebhook,
  countWebhooks,
  deleteWebhookRow,
  findWebhook,
  insertWebhook,
  webhooksOf,
} from './webhookRows.js';

/** Receivers that are asked at the same time; each may take its five seconds. */
const ASKED_AT_ONCE = 32;
/** A former secret signs for so long beside the new one, milliseconds. */
const OVERLAP_MS = 24 * 3_600_000;

let asked = 0;

export const ownerOf = ({ pubkey }: Caller): string => {
  if (pubkey === undefined) throw new Error('webhooks are for keys that sign');
  return pubkey;
};

function view({ ledger }: Pick<AppContext, 'ledger'>, row: WebhookRow, kept: Private | undefined): WebhookView {
  const isDisabled = row.disabled_at !== null || kept === undefined;
  const status = isDisabled ? 'disabled' : row.attempts > 0 ? 'failing' : 'active';
  return {
    id: row.id,
    url: kept?.url ?? '',
    filter: kept?.filter ?? {},
    status,
    ackedSeq: Number(row.acked_seq),
    attempts: row.attempts,
    failingSince: row.failing_since,
    nextTryAt: status === 'failing' ? row.available_at : null,
    lastError:
      kept === undefined ? 'the key of this service has changed: delete it and register it again' : row.last_error,
    deliveredAt: row.delivered_at,
    disabledAt: row.disabled_at,
    publicKey: publicKeyOf(ledger.decisionKey, row.id),
    createdAt: row.created_at,
  };
}

/** Refuses one more than a key, or an address, may have. Rule S-188. @throws LegworkError `too_many_webhooks` */
export async function requireRoom(
  db: Db | Trx,
  { webhooks }: AppContext['config'],
  who: { owner: string; client: string },
  field = 'url',
): Promise<void> {
  const { ofKey, ofClient } = await countWebhooks(db, who);
  const full =
    webhooks.perKey > 0 && ofKey >= webhooks.perKey
      ? `a key has at most ${webhooks.perKey} webhooks here`
      : webhooks.perAddress > 0 && ofClient >= webhooks.perAddress
        ? `at most ${webhooks.perAddress} webhooks are registered from one address here`
        : undefined;
  if (full === undefined) return;
  throw LegworkError.field('too_many_webhooks', field, `${full}; delete one of them first`);
}

async function postNow(
  { clock, ledger, targets }: AppContext,
  webhookId: string,
  kept: Private,
  delivery: Delivery,
): Promise<Answer> {
  if (asked >= ASKED_AT_ONCE)
    throw new LegworkError('not_ready', 'Many receivers are asked at this moment; try again in a few seconds.');
  asked += 1;
  try {
    return await targets.post(kept.url, signedMessage(ledger.decisionKey, webhookId, kept, delivery, clock()));
  } finally {
    asked -= 1;
  }
}

function delivery(type: 'WEBHOOK_CHALLENGE' | 'WEBHOOK_TEST', data: object, now: Date): Delivery {
  const id = `${type === 'WEBHOOK_TEST' ? 'test' : 'challenge'}_${randomUUID()}`;
  return { id, body: JSON.stringify({ type, timestamp: now.toISOString(), data }) };
}

/**
 * Has the receiver say that it wants to be sent events: a stranger's server would not, and one that sends back what it gets does not
 * either, as the answer has another name. Rule S-183.
 *
 * @throws LegworkError `webhook_refused`
 */
async function requireConsent(context: AppContext, webhookId: string, kept: Private): Promise<void> {
  const challenge = randomUUID();
  const asking = delivery('WEBHOOK_CHALLENGE', { webhookId, challenge }, context.clock());
  const { error, text } = await postNow(context, webhookId, kept, asking);
  if (error !== null) throw LegworkError.field('webhook_refused', 'url', `the receiver: ${error}`);
  if (answerIn(text) === challenge) return;
  const message = 'the receiver did not answer the challenge with {"answer": "<data.challenge of the request>"}';
  throw LegworkError.field('webhook_refused', 'url', message);
}

function answerIn(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && 'answer' in json ? json.answer : undefined;
  } catch {
    return undefined;
  }
}

export async function registerWebhook(
  context: AppContext,
  { url, filter = {}, secret = newSecret(), since }: In<'registerWebhook'>,
  caller: Caller,
): Out<'registerWebhook'> {
  const { config, db, ledger, targets, wakers } = context;
  const refusal = targets.refusal(url);
  if (refusal !== undefined) throw LegworkError.field('invalid_input', 'url', refusal);
  const who = { owner: ownerOf(caller), client: clientKey(caller.ip) };
  await requireRoom(db, config, who);
  const last = await lastEventSeq(db);
  const from = since === undefined ? last : BigInt(since);
  await requireReached(db, from, last);
  const id = createUuid();
  const kept = { url, filter, secret };
  await requireConsent(context, id, kept);
  const row = await inTransaction(db, async (trx) => {
    await requireRoom(trx, config, who);
    const sealed = seal(ledger.decisionKey, id, kept);
    return insertWebhook(trx, { id, owner_pubkey: who.owner, client: who.client, sealed, acked_seq: from });
  });
  wakers.webhooks.wake(CHANGED);
  return { answer: { ...view(context, row, kept), secret } };
}

export async function listWebhooks(
  context: AppContext,
  _input: In<'listWebhooks'>,
  caller: Caller,
): Out<'listWebhooks'> {
  const rows = await webhooksOf(context.db, ownerOf(caller));
  return { answer: rows.map((row) => view(context, row, open(context.ledger.decisionKey, row.id, row.sealed))) };
}

/** @throws LegworkError `not_found`, also for another key's */
async function requireWebhook({ db }: AppContext, webhookId: string, caller: Caller): Promise<WebhookRow> {
  const row = await findWebhook(db, webhookId, ownerOf(caller));
  if (row !== undefined) return row;
  throw LegworkError.field('not_found', 'webhookId', 'is no webhook of the key that signs; GET /webhooks lists them');
}

/** @throws LegworkError `not_found`, `invalid_status` when the coordinator's key has changed since */
async function requireReadable(context: AppContext, webhookId: string, caller: Caller): Promise<Private> {
  const row = await requireWebhook(context, webhookId, caller);
  const kept = open(context.ledger.decisionKey, row.id, row.sealed);
  if (kept !== undefined) return kept;
  const message = 'cannot be read any more, since the key of this service has changed; delete it and register it again';
  throw LegworkError.field('invalid_status', 'webhookId', message);
}

/** Writes the change, unless the webhook was deleted meanwhile. @throws LegworkError `not_found` */
async function change(context: AppContext, webhookId: string, to: Parameters<typeof changeWebhook>[2]) {
  const row = await changeWebhook(context.db, webhookId, to);
  if (row === undefined) throw LegworkError.field('not_found', 'webhookId', 'was deleted meanwhile');
  context.wakers.webhooks.wake(CHANGED);
  return row;
}

export async function testWebhook(
  context: AppContext,
  { webhookId }: In<'testWebhook'>,
  caller: Caller,
): Out<'testWebhook'> {
  const kept = await requireReadable(context, webhookId, caller);
  const test = delivery('WEBHOOK_TEST', { webhookId }, context.clock());
  const { status, error } = await postNow(context, webhookId, kept, test);
  return { answer: { delivered: error === null, status, error } };
}

export async function rotateWebhookSecret(
  context: AppContext,
  { webhookId, secret = newSecret() }: In<'rotateWebhookSecret'>,
  caller: Caller,
): Out<'rotateWebhookSecret'> {
  const { secret: before, ...kept } = await requireReadable(context, webhookId, caller);
  const formerUntil = new Date(context.clock().getTime() + OVERLAP_MS);
  const former = { secret: before, until: formerUntil.toISOString() };
  await change(context, webhookId, {
    sealed: seal(context.ledger.decisionKey, webhookId, { ...kept, secret, former }),
  });
  return { answer: { id: webhookId, secret, formerUntil } };
}

export async function redeliverWebhook(
  context: AppContext,
  { webhookId, since }: In<'redeliverWebhook'>,
  caller: Caller,
): Out<'redeliverWebhook'> {
  const kept = await requireReadable(context, webhookId, caller);
  await requireReached(context.db, BigInt(since), 0n);
  await requireConsent(context, webhookId, kept);
  return { answer: view(context, await change(context, webhookId, { acked_seq: BigInt(since) }), kept) };
}

export async function deleteWebhook(
  context: AppContext,
  { webhookId }: In<'deleteWebhook'>,
  caller: Caller,
): Out<'deleteWebhook'> {
  await requireWebhook(context, webhookId, caller);
  await deleteWebhookRow(context.db, webhookId);
  return { answer: { id: webhookId } };
}
