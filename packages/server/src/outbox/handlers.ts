import type { IntentKind } from '../db/schema.js';
import {
  cancelPackageIntent,
  cancelTaskIntent,
  closePackageIntent,
  closeTaskIntent,
  reclaimPackageIntent,
  reclaimTaskIntent,
  settleIntent,
  settleTaskIntent,
} from './exits.js';
import { formSwarmIntent } from './formSwarm.js';
import type { IntentHandler } from './intentHandler.js';
import { assignLegIntent, crankLegIntent } from './legMoves.js';
import { listPackageIntent, listTaskIntent } from './listing.js';
import { assignTaskLegIntent, confirmTaskLegIntent, releaseTaskLegIntent } from './taskLegs.js';

/** The handler of each kind of intent. */
export const HANDLERS: Record<IntentKind, IntentHandler> = {
  form_swarm: formSwarmIntent,
  assign_leg: assignLegIntent,
  crank_leg: crankLegIntent,
  settle: settleIntent,
  list_package: listPackageIntent,
  cancel_package: cancelPackageIntent,
  reclaim_package: reclaimPackageIntent,
  close_package: closePackageIntent,
  list_task: listTaskIntent,
  assign_task_leg: assignTaskLegIntent,
  release_task_leg: releaseTaskLegIntent,
  confirm_task_leg: confirmTaskLegIntent,
  settle_task: settleTaskIntent,
  cancel_task: cancelTaskIntent,
  reclaim_task: reclaimTaskIntent,
  close_task: closeTaskIntent,
};
