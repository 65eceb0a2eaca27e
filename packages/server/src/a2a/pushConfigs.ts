import { createUuid, LegworkError } from '@legwork/protocol/contract';
import { z } from 'zod';
import { clientKey } from '../api/limits.js';
import { inTransaction } from '../db/transaction.js';
import { CHANGED } from '../webhooks/deliver.js';
import { requireRoom } from '../webhooks/manage.js';
import { open, type Private, seal } from '../webhooks/signing.js';
import {
  changeWebhook,
  deleteSubscription,
  insertWebhook,
  lockRegistering,
  subscriptionsOf,
} from '../webhooks/webhookRows.js';
import type { Db, Trx } from '../db/connect.js';
import { A2aError } from './errors.js';
import type { A2aCall } from './methods.js';
import { readA2aTask } from './taskView.js';

/** A header's value: nothing that ends a line. */
const headerValue = z
  .string()
  .max(2_000)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII characters');
const id = z.string().max(200);

/** What the configuration of a message and the call that adds one have in common. Empty text is what ProtoJSON writes for nothing. */
export const pushConfig = z.object({
  id: id.optional(),
  url: z
    .url({ protocol: /^https?$/, error: 'must be the address of the receiver, such as https://agent.example/events' })
    .max(2_000),
  token: headerValue.nullish(),
  authentication: z
    .object({
      scheme: z
        .string()
        .max(100)
        .regex(/^[!#$%&'*+.^_`|~\w-]*$/, 'must be the name of a scheme, such as Bearer'),
      credentials: headerValue.nullish(),
    })
    .nullish(),
});
export const createPushParams = pushConfig.extend({ taskId: z.string() });
export const pushParams = z.object({ taskId: z.string(), id });
export const listPushParams = z.object({ taskId: z.string() });
type Config = z.output<typeof pushConfig>;

/** A follower that is kept. */
interface Kept {
  rowId: string;
  kept: Private & Required<Pick<Private, 'a2a'>>;
}

/** Who follows: the key that signs, and where it calls from. @throws A2aError, LegworkError `signature_required` */
export function follower({ context, identity }: A2aCall): { owner: string; client: string } {
  if (context.config.webhooks.targets === 'none')
    throw new A2aError(
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      'This service posts nothing; follow the task with SubscribeToTask.',
    );
  const { signer, ip } = identity;
  if (signer !== undefined) return { owner: signer.pubkey, client: clientKey(ip) };
  throw new LegworkError(
    'signature_required',
    'Notifications are for keys that sign: send X-Pubkey, X-Nonce and X-Signature with the request; any key will do.',
  );
}

/**
 * Refuses a config that could not be kept, before anything is posted.
 *
 * @param field where it is in the request
 * @throws A2aError `PUSH_NOTIFICATION_NOT_SUPPORTED`; LegworkError `signature_required`, `invalid_input`, `too_many_webhooks`
 */
export async function requirePush(call: A2aCall, { url }: Config, field: string): Promise<void> {
  const { config, db, targets } = call.context;
  const who = follower(call);
  const refusal = targets.refusal(url);
  if (refusal !== undefined) throw LegworkError.field('invalid_input', field, refusal);
  await requireRoom(db, config, who, field);
}

/**
 * Has a task told to its follower from the beginning. One of the same id is replaced: so a request that comes again adds nothing.
 *
 * @param isCounted whether one more than a key may have is refused; a task that was posted keeps its follower
 * @throws LegworkError `too_many_webhooks`
 */
export async function keepPush(call: A2aCall, taskId: string, given: Config, isCounted: boolean): Promise<object> {
  const { config, db, ledger, wakers } = call.context;
  const who = follower(call);
  const kept = privateOf(taskId, given);
  await inTransaction(db, async (trx) => {
    await lockRegistering(trx);
    const same = (await followersOf(call, trx, taskId)).find((one) => one.kept.a2a.configId === kept.a2a.configId);
    if (
      same &&
      (await changeWebhook(trx, same.rowId, {
        sealed: seal(ledger.decisionKey, same.rowId, kept),
        acked_seq: 0n,
        told: '{}',
      }))
    )
      return;
    if (isCounted) await requireRoom(trx, config, who);
    const rowId = createUuid();
    const row = {
      id: rowId,
      owner_pubkey: who.owner,
      client: who.client,
      sealed: seal(ledger.decisionKey, rowId, kept),
    };
    await insertWebhook(trx, { ...row, acked_seq: 0n, told: '{}' });
  });
  wakers.webhooks.wake(CHANGED);
  return viewOf(kept);
}

function privateOf(taskId: string, { id: named, url, token, authentication }: Config): Kept['kept'] {
  const { scheme = '', credentials } = authentication ?? {};
  const headers = {
    ...(scheme && { authorization: `${scheme} ${credentials ?? ''}`.trim() }),
    ...(token && { 'x-a2a-notification-token': token }),
  };
  const a2a = { configId: named || taskId, headers, ...(scheme && { scheme }) };
  return { url, filter: { task: taskId }, secret: '', a2a };
}

/** Without what shows the receiver who sends: that is told to nobody again. */
const viewOf = ({ url, filter, a2a: { configId, scheme } }: Kept['kept']) => ({
  id: configId,
  taskId: filter.task,
  url,
  ...(scheme !== undefined && { authentication: { scheme } }),
});

/** The followers of a task that are the caller's; others learn nothing of them. */
async function followersOf(call: A2aCall, db: Db | Trx, taskId: string): Promise<Kept[]> {
  const rows = await subscriptionsOf(db, follower(call).owner);
  return rows.flatMap(({ id: rowId, sealed }) => {
    const kept = open(call.context.ledger.decisionKey, rowId, sealed);
    return kept?.a2a !== undefined && kept.filter.task === taskId ? [{ rowId, kept: { ...kept, a2a: kept.a2a } }] : [];
  });
}

/** @throws A2aError `TASK_NOT_FOUND`, and what {@link requirePush} throws */
export async function createPush(
  call: A2aCall,
  { taskId, ...given }: z.output<typeof createPushParams>,
): Promise<object> {
  follower(call);
  await call.identity.spendNonce();
  await readA2aTask(call.context, taskId);
  const refusal = call.context.targets.refusal(given.url);
  if (refusal !== undefined) throw LegworkError.field('invalid_input', 'url', refusal);
  return keepPush(call, taskId, given, true);
}

/** @throws A2aError `TASK_NOT_FOUND`, also for another key's */
export async function getPush(call: A2aCall, { taskId, id: named }: z.output<typeof pushParams>): Promise<object> {
  const { configs } = await listPush(call, { taskId });
  const found = configs.find((one) => one.id === named);
  if (found !== undefined) return found;
  throw new A2aError('TASK_NOT_FOUND', 'The key that signs has no such config for this task; they end with the task.');
}

export async function listPush(call: A2aCall, { taskId }: z.output<typeof listPushParams>) {
  follower(call);
  await call.identity.spendNonce();
  await readA2aTask(call.context, taskId);
  const followers = await followersOf(call, call.context.db, taskId);
  return { configs: followers.map(({ kept }) => viewOf(kept)), nextPageToken: '' };
}

/** Deletes one of the caller's; nothing, where it has none of this id. */
export async function deletePush(call: A2aCall, { taskId, id: named }: z.output<typeof pushParams>): Promise<object> {
  const { owner } = follower(call);
  await call.identity.spendNonce();
  await readA2aTask(call.context, taskId);
  const { db } = call.context;
  for (const { rowId, kept } of await followersOf(call, db, taskId))
    if (kept.a2a.configId === named) await deleteSubscription(db, rowId, owner);
  return {};
}
