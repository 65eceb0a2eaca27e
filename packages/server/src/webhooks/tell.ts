import type { AppContext } from '../context.js';
import { type LoggedEvent, readEvents } from '../db/events.js';
import { positionsOfParty } from '../legs/turnRows.js';
import { turnsAmong } from '../legs/read.js';
import { CHOSEN, type Step, tellingOf } from './notices.js';
import { pushMessage } from './push.js';
import type { Told } from '../db/schema.js';
import type { Private } from './signing.js';
import type { Answer } from './targets.js';
import { deleteWebhookRow, type LeasedWebhook, noteFailure, noteTold, releaseTold } from './webhookRows.js';

/** Listings of a key that are looked at, those that it listed or works in first; a page of turns has as many. */
const MOST_LISTINGS = 100;
/** Events of the log that are read at a time. */
const PAGE = 50;
/** True if the answer is of somebody who wants nothing: of no push service, or of one that knows the browser no more. */
export const isGone = ({ status }: Answer) =>
  status !== null && status >= 400 && status < 500 && ![408, 413, 429].includes(status);

type Context = Pick<AppContext, 'clock' | 'config' | 'db' | 'ledger' | 'log' | 'metrics' | 'publicUrl' | 'targets'>;

/** The newest events that may have made a leg this key's. */
async function newsFor({ db }: Context, { owner_pubkey: agent, acked_seq: acked }: LeasedWebhook) {
  let [after, events]: [bigint, LoggedEvent[]] = [acked, []];
  for (;;) {
    const read = await readEvents(db, { after, limit: PAGE, agent, topics: CHOSEN });
    events = [...events, ...read].slice(-PAGE);
    after = read.at(-1)?.seq ?? after;
    if (read.length < PAGE) return { events, reached: after };
  }
}

/**
 * Sends a browser what its key is to know, one notice after another, and no more than once what a push service took.
 *
 * @returns whether the subscription is gone
 */
export async function tell(
  context: Context,
  webhook: LeasedWebhook,
  kept: Private,
  leaseSec: number,
): Promise<boolean> {
  const { clock, db } = context;
  const { owner_pubkey: pubkey } = webhook;
  const { events, reached } = await newsFor(context, webhook);
  const positions = await positionsOfParty(db, pubkey, { after: undefined, limit: MOST_LISTINGS });
  const ids = positions.map(({ id }) => id);
  const { turns, ledgerMs } = ids.length === 0 ? { turns: [], ledgerMs: 0 } : await turnsAmong(context, ids, pubkey);
  const times = { now: clock(), ledgerMs };
  const { steps, told, lookInMs } = tellingOf({ pubkey, before: (webhook.told ?? {}) as Told, events, turns }, times);
  for (const step of steps) {
    const answer = await post(context, kept, step);
    if (answer.error !== null) return failed(context, webhook, answer);
    await noteTold(db, webhook, step, leaseSec);
    webhook.attempts = 0;
  }
  await releaseTold(db, webhook, { told, reached, lookInMs });
  return false;
}

async function post(context: Context, { url: endpoint, push: keys }: Private, { notice }: Step): Promise<Answer> {
  const { clock, config, ledger, metrics, publicUrl, targets } = context;
  if (keys === undefined) throw new Error('a webhook is no subscription to notices');
  const from = { securityContact: config.securityContact, publicUrl };
  const message = await pushMessage(ledger.decisionKey, { endpoint, keys, now: clock() }, notice, from);
  const answer = await targets.post(endpoint, message);
  metrics.webhookDeliveries.inc({ outcome: answer.error === null ? 'delivered' : 'failed' });
  return answer;
}

/** Notes a failed delivery. The next try works the notices out anew: by then they may be no news. */
async function failed({ db, log }: Context, webhook: LeasedWebhook, answer: Answer) {
  const error = answer.error ?? '';
  const failure = { error, isGone: isGone(answer) };
  if (!(await noteFailure(db, webhook, failure))) return false;
  log.info({ subscription: webhook.id, reason: error }, 'a subscription to notices is gone');
  await deleteWebhookRow(db, webhook.id);
  return true;
}
