import type { Trx } from '../db/connect.js';
import { markReleased } from '../db/digitalClaims.js';
import { bar, findDigitalLeg, type LegWithoutResult } from '../db/digitalLegs.js';
import { lockTask, markTaskListedAgain } from '../db/digitalTasks.js';
import { announceReleased } from '../coordinator/taskWork.js';

/**
 * Projects that the ledger shows the claim released: the leg is open again, its agent is barred from the task, and a task of
 * which nothing is left is listed again. False when the mirror has it already. Rules M-57, M-60.
 */
export async function recordTaskLegReleased(trx: Trx, claimed: LegWithoutResult, signature: string): Promise<boolean> {
  await lockTask(trx, claimed.task_id);
  const leg = await findDigitalLeg(trx, claimed.id);
  if (leg?.agent_pubkey == null || leg.claim !== claimed.claim || !(await markReleased(trx, leg))) return false;
  const reason = leg.release_reason ?? 'released';
  await bar(trx, {
    task_id: leg.task_id,
    agent_pubkey: leg.agent_pubkey,
    leg_id: leg.id,
    reason,
    release_signature: signature,
  });
  await markTaskListedAgain(trx, leg.task_id);
  await announceReleased(trx, leg, reason, signature);
  return true;
}
