import { createUuid, LegworkError } from '@legwork/protocol/contract';
import { clientKey } from '../api/limits.js';
import type { AppContext } from '../context.js';
import { lastEventSeq } from '../db/events.js';
import type { WebhookRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import type { Caller, In, Out } from '../operations/run.js';
import { CHANGED } from './deliver.js';
import { ownerOf, requireRoom } from './manage.js';
import { isPoint } from './push.js';
import { open, seal } from './signing.js';
import { changeWebhook, deleteSubscription, insertWebhook, subscriptionsOf } from './webhookRows.js';

/** Has notices sent to a browser. What another subscription of the key leads to as well is that subscription, with these keys. Rule S-233. */
export async function subscribePush(
  context: AppContext,
  { endpoint, keys }: In<'subscribePush'>,
  caller: Caller,
): Out<'subscribePush'> {
  const { config, db, ledger, targets, wakers } = context;
  const refusal = targets.refusal(endpoint);
  if (refusal !== undefined) throw LegworkError.field('invalid_input', 'endpoint', refusal);
  if (!isPoint(keys.p256dh))
    throw LegworkError.field(
      'invalid_input',
      'keys.p256dh',
      'must be a point of the curve prime256v1, 65 bytes in base64url',
    );
  const who = { owner: ownerOf(caller), client: clientKey(caller.ip) };
  const kept = { url: endpoint, filter: { agent: who.owner }, secret: '', push: keys };
  const { id, created_at: createdAt } = await inTransaction(db, async (trx): Promise<WebhookRow> => {
    const others = await subscriptionsOf(trx, who.owner);
    const same = others.find(({ id: other, sealed }) => {
      const { url, push } = open(ledger.decisionKey, other, sealed) ?? {};
      return push !== undefined && url === endpoint;
    });
    const again = same && (await changeWebhook(trx, same.id, { sealed: seal(ledger.decisionKey, same.id, kept) }));
    if (again !== undefined) return again;
    await requireRoom(trx, config, who, 'endpoint');
    const id = createUuid();
    const row = { id, owner_pubkey: who.owner, client: who.client, sealed: seal(ledger.decisionKey, id, kept) };
    return insertWebhook(trx, { ...row, acked_seq: await lastEventSeq(trx), told: '{}', look_at: context.clock() });
  });
  wakers.webhooks.wake(CHANGED);
  return { answer: { id, createdAt } };
}

export async function unsubscribePush(
  { db }: AppContext,
  { subscriptionId }: In<'unsubscribePush'>,
  caller: Caller,
): Out<'unsubscribePush'> {
  await deleteSubscription(db, subscriptionId, ownerOf(caller));
  return { answer: { id: subscriptionId } };
}
