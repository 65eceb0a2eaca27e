import type { OperationName, operations } from '@legwork/protocol/contract';
import { buildOpenReputationTx } from './agents/buildOpenReputationTx.js';
import { getAgent } from './agents/getAgent.js';
import { getReputation } from './agents/getReputation.js';
import { listAgentLegs } from './agents/listAgentLegs.js';
import { listAgents } from './agents/listAgents.js';
import { registerAgent } from './agents/registerAgent.js';
import { updateAgent } from './agents/updateAgent.js';
import { listAgentBids } from './bids/listAgentBids.js';
import { listBids } from './bids/listBids.js';
import { submitBid } from './bids/submitBid.js';
import { withdrawBid } from './bids/withdrawBid.js';
import { getDid } from './did/getDid.js';
import { getReputationCredential } from './did/getReputationCredential.js';
import { verifyCredential } from './did/verifyCredential.js';
import { startArtifact } from './artifacts/startArtifact.js';
import { bidDigitalLeg } from './digitalTasks/bidDigitalLeg.js';
import { buildCancelDigitalTaskTx } from './digitalTasks/buildCancelDigitalTaskTx.js';
import { buildCloseDigitalTaskTx } from './digitalTasks/buildCloseDigitalTaskTx.js';
import { buildListDigitalTaskTx } from './digitalTasks/buildListDigitalTaskTx.js';
import { buildReclaimDigitalTaskTx } from './digitalTasks/buildReclaimDigitalTaskTx.js';
import { completeDigitalLeg } from './digitalTasks/completeDigitalLeg.js';
import { getDigitalTask } from './digitalTasks/getDigitalTask.js';
import { getTaskMoney } from './digitalTasks/getTaskMoney.js';
import { listDigitalTasks } from './digitalTasks/listDigitalTasks.js';
import { postSponsoredDigitalTask } from './digitalTasks/postSponsoredDigitalTask.js';
import { releaseDigitalLeg } from './digitalTasks/releaseDigitalLeg.js';
import { submitDigitalTask } from './digitalTasks/submitDigitalTask.js';
import { listEvents } from './events/listEvents.js';
import { lookup } from './lookup/lookup.js';
import { getConfig } from './meta/getConfig.js';
import { getHealth } from './meta/getHealth.js';
import { getReadiness } from './meta/getReadiness.js';
import { buildCancelTx } from './packages/buildCancelTx.js';
import { buildCloseTx } from './packages/buildCloseTx.js';
import { buildListTx } from './packages/buildListTx.js';
import { buildReclaimTx } from './packages/buildReclaimTx.js';
import { getDecision } from './packages/getDecision.js';
import { getPackage } from './packages/getPackage.js';
import { getPackageMoney } from './packages/getPackageMoney.js';
import { listPackages } from './packages/listPackages.js';
import { postSponsored } from './packages/postSponsored.js';
import { submitPackage } from './packages/submitPackage.js';
import { erasePackageData, eraseTaskData } from './personalData/erase.js';
import { getPrivateParts, listPrivateReadings } from './personalData/privateParts.js';
import { listRelays } from './relays/listRelays.js';
import { exportRewardClaims } from './rewards/exportRewardClaims.js';
import { getMyRewardClaim } from './rewards/getMyRewardClaim.js';
import { listRewardClaims } from './rewards/listRewardClaims.js';
import { markRewardClaimPaid } from './rewards/markRewardClaimPaid.js';
import { previewRewardClaim } from './rewards/previewRewardClaim.js';
import { registerRewardClaim } from './rewards/registerRewardClaim.js';
import type { Run } from './run.js';
import { getLeaderboard } from './stats/getLeaderboard.js';
import { getStats } from './stats/getStats.js';
import { buildConfirmTx } from './swarms/buildConfirmTx.js';
import { buildTurnTx } from './turns/buildTurnTx.js';
import { listEvidence, putEvidence } from './turns/evidence.js';
import { getArbiter } from './turns/getArbiter.js';
import { listTurns } from './turns/listTurns.js';
import { listOpenings, moveOpening } from './turns/openings.js';
import { submitTurn } from './turns/submitTurn.js';
import { confirmLeg } from './swarms/confirmLeg.js';
import { getSwarm } from './swarms/getSwarm.js';
import { mirrorLeg } from './swarms/mirrorLeg.js';

/** What runs each operation. */
export type Runs = { [Name in OperationName]: Run<(typeof operations)[Name]> };

export const runs: Runs = {
  getConfig,
  getHealth,
  getReadiness,
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
  putEvidence,
  listEvidence,
  listOpenings,
  moveOpening,
  getArbiter,
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
