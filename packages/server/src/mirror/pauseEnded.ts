import type { Trx } from '../db/connect.js';
import { tryAgainNow } from '../db/outbox.js';
import { evaluateNow } from '../db/packages.js';

/**
 * Projects that the program is not paused any more: what it refused meanwhile is tried again at once. False when nothing
 * waits. Rules M-42, M-59, M-61.
 */
export async function recordPauseEnded(trx: Trx): Promise<boolean> {
  const hasPackages = await evaluateNow(trx);
  const hasIntents = await tryAgainNow(trx, ['assign_task_leg', 'confirm_task_leg']);
  return hasPackages || hasIntents;
}
