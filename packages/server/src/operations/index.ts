import type { OperationName, operations } from '@legwork/protocol/contract';
import { buildOpenReputationTx } from '../agents/register.js';
import { getAgent } from '../agents/read.js';
import { getReputation } from '../agents/read.js';
import { listAgentLegs } from '../agents/read.js';
import { listAgents } from '../agents/read.js';
import { registerAgent } from '../agents/register.js';
import { updateAgent } from '../agents/register.js';
import { listAgentBids } from '../bids/read.js';
import { listBids } from '../bids/read.js';
import { submitBid } from '../bids/submit.js';
import { withdrawBid } from '../bids/withdraw.js';
import { getDid } from '../identity/credentials.js';
import { getReputationCredential } from '../identity/credentials.js';
import { verifyCredential } from '../identity/credentials.js';
import { startArtifact } from '../artifacts/upload.js';
import { bidDigitalLeg } from '../tasks/claim.js';
import { buildCancelDigitalTaskTx } from '../tasks/exits.js';
import { buildCloseDigitalTaskTx } from '../tasks/exits.js';
import { buildListDigitalTaskTx } from '../tasks/post.js';
import { buildReclaimDigitalTaskTx } from '../tasks/exits.js';
import { completeDigitalLeg } from '../tasks/complete.js';
import { getDigitalTask } from '../tasks/read.js';
import { getTaskMoney } from '../tasks/read.js';
import { listDigitalTasks } from '../tasks/read.js';
import { postSponsoredDigitalTask } from '../tasks/post.js';
import { releaseDigitalLeg } from '../tasks/release.js';
import { submitDigitalTask } from '../tasks/post.js';
import { listEvents } from './market.js';
import { lookup } from './market.js';
import { getConfig } from './meta.js';
import { getHealth } from './meta.js';
import { getReadiness } from './meta.js';
import { buildCancelTx } from '../packages/exits.js';
import { buildCloseTx } from '../packages/exits.js';
import { buildListTx } from '../packages/post.js';
import { buildReclaimTx } from '../packages/exits.js';
import { getDecision } from '../packages/decision.js';
import { getPackage } from '../packages/read.js';
import { getPackageMoney } from '../packages/read.js';
import { listPackages } from '../packages/read.js';
import { postSponsored } from '../packages/post.js';
import { submitPackage } from '../packages/post.js';
import { erasePackageData, eraseTaskData } from '../personal/erase.js';
import { getPrivateParts, listPrivateReadings } from '../personal/privateParts.js';
import { listRelays } from './market.js';
import { exportRewardClaims } from '../money/rewards.js';
import { getMyRewardClaim } from '../money/rewards.js';
import { listRewardClaims } from '../money/rewards.js';
import { markRewardClaimPaid } from '../money/rewards.js';
import { previewRewardClaim } from '../money/rewards.js';
import { registerRewardClaim } from '../money/rewards.js';
import { actAsOperator, listOperatorActs } from '../operator/acts.js';
import { getOperations } from '../operator/operations.js';
import type { Run } from './run.js';
import { getLeaderboard } from './market.js';
import { getStats } from './market.js';
import { buildConfirmTx } from '../legs/confirm.js';
import { buildTurnTx } from '../legs/turns.js';
import { listEvidence, putEvidence } from '../legs/evidence.js';
import { getArbiter } from '../legs/read.js';
import { listTurns } from '../legs/read.js';
import { listOpenings, moveOpening } from '../legs/openings.js';
import { findWork } from '../work/find.js';
import { quote } from '../money/quotes.js';
import { submitTurn } from '../legs/turns.js';
import { relayTransaction } from '../fees/relay.js';
import { confirmLeg } from '../legs/confirm.js';
import { getSwarm } from '../legs/read.js';
import { mirrorLeg } from '../legs/confirm.js';
import { getPackageCustody, getPackageReceipts, getTaskReceipts } from '../legs/receipts.js';

import {
  deleteWebhook,
  listWebhooks,
  redeliverWebhook,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '../webhooks/manage.js';
import { givePapers } from '../listings/papers.js';
import { subscribePush, unsubscribePush } from '../webhooks/subscribe.js';

/** The implementation of each operation. */
export type Runs = { [Name in OperationName]: Run<(typeof operations)[Name]> };

export const runs: Runs = {
  getConfig,
  givePapers,
  getHealth,
  getReadiness,
  getOperations,
  actAsOperator,
  listOperatorActs,
  registerAgent,
  listAgents,
  getAgent,
  listAgentLegs,
  updateAgent,
  getReputation,
  buildOpenReputationTx,
  getLeaderboard,
  getStats,
  listEvents,
  registerWebhook,
  listWebhooks,
  testWebhook,
  rotateWebhookSecret,
  redeliverWebhook,
  deleteWebhook,
  subscribePush,
  unsubscribePush,
  lookup,
  buildListTx,
  postSponsored,
  submitPackage,
  listPackages,
  getPackage,
  getPrivateParts,
  listPrivateReadings,
  erasePackageData,
  eraseTaskData,
  listRelays,
  getPackageMoney,
  getPackageReceipts,
  getPackageCustody,
  getDecision,
  buildCancelTx,
  buildReclaimTx,
  buildCloseTx,
  submitBid,
  listBids,
  listAgentBids,
  withdrawBid,
  listTurns,
  buildTurnTx,
  submitTurn,
  relayTransaction,
  putEvidence,
  listEvidence,
  listOpenings,
  moveOpening,
  getArbiter,
  findWork,
  quote,
  buildConfirmTx,
  confirmLeg,
  getSwarm,
  mirrorLeg,
  buildListDigitalTaskTx,
  submitDigitalTask,
  postSponsoredDigitalTask,
  listDigitalTasks,
  getDigitalTask,
  getTaskMoney,
  getTaskReceipts,
  buildCancelDigitalTaskTx,
  buildReclaimDigitalTaskTx,
  buildCloseDigitalTaskTx,
  bidDigitalLeg,
  completeDigitalLeg,
  releaseDigitalLeg,
  startArtifact,
  getDid,
  getReputationCredential,
  verifyCredential,
  previewRewardClaim,
  registerRewardClaim,
  getMyRewardClaim,
  listRewardClaims,
  exportRewardClaims,
  markRewardClaimPaid,
};
