import type { AppContext } from '../context.js';
import { lastEventSeq } from '../db/events.js';
import { type Private, signedMessage } from '../webhooks/signing.js';
import type { Answer } from '../webhooks/targets.js';
import { isGone } from '../webhooks/tell.js';
import {
  deleteWebhookRow,
  type LeasedWebhook,
  noteFailure,
  noteTold,
  releaseWebhook,
} from '../webhooks/webhookRows.js';
import { A2aError } from './errors.js';
import { changes, type Shown, type Update } from './follow.js';
import { hasEnded, readA2aTask } from './taskView.js';

type Context = Pick<
  AppContext,
  'clock' | 'db' | 'ledger' | 'log' | 'metrics' | 'publicUrl' | 'shownLedger' | 'targets'
>;

/** What all notifications are signed as: the card tells the key, so that a receiver needs no other answer. */
export const SIGNED_AS = 'a2a';

/**
 * Posts what is new of a task to its follower, one update after another: what a stream would tell. Rule S-287.
 *
 * @returns whether there is nothing more to tell: the task is over, or its receiver wants nothing
 */
export async function tellTask(
  context: Context,
  webhook: LeasedWebhook,
  kept: Private,
  leaseSec: number,
): Promise<boolean> {
  const { db, log } = context;
  // Before the task is read: what happens meanwhile makes it due again.
  const reached = await lastEventSeq(db);
  const task = await readA2aTask(context, kept.filter.task ?? '').catch(unlessGone);
  const told = webhook.told ?? {};
  const before = 'status' in told ? (told as Shown) : undefined;
  for (const { update, shown } of task === undefined ? [] : changes(before, task)) {
    const answer = await post(context, kept, { id: idOf(update, shown), update });
    if (answer.error !== null) {
      const failure = { error: answer.error, isGone: isGone(answer) };
      const isOver = await noteFailure(db, webhook, failure);
      if (isOver) log.info({ webhook: webhook.id, reason: answer.error }, 'a follower over A2A is told nothing more');
      return isOver;
    }
    await noteTold(db, webhook, { told: shown }, leaseSec);
    webhook.attempts = 0;
  }
  if (task !== undefined && hasEnded(task)) {
    await deleteWebhookRow(db, webhook.id);
    return true;
  }
  await releaseWebhook(db, webhook, reached);
  return false;
}

/** A listing that the ledger took back may come again. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof A2aError)) throw error;
}

/** The same however often an update is sent. */
function idOf(update: Update, { status }: Shown): string {
  if ('artifactUpdate' in update) return `artifact_${update.artifactUpdate.artifact.artifactId}`;
  return `${'task' in update ? 'task' : 'status'}_${status.replace(' TASK_STATE_', '_').toLowerCase()}`;
}

async function post(
  { clock, ledger, metrics, targets }: Context,
  { url, a2a }: Private,
  { id, update }: { id: string; update: Update },
): Promise<Answer> {
  const signed = signedMessage(
    ledger.decisionKey,
    SIGNED_AS,
    { secret: '' },
    { id, body: JSON.stringify(update) },
    clock(),
  );
  const headers = { ...signed.headers, ...a2a?.headers };
  const answer = await targets.post(url, { ...signed, headers });
  metrics.webhookDeliveries.inc({ outcome: answer.error === null ? 'delivered' : 'failed' });
  return answer;
}
