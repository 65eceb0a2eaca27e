import * as agents from './agents.js';
import * as artifacts from './artifacts.js';
import * as bids from './bids.js';
import * as decisions from './packages.js';
import * as did from './did.js';
import * as digitalLegs from './digitalLegs.js';
import * as digitalTasks from './digitalTasks.js';
import * as events from './market.js';
import * as fees from './fees.js';
import * as lookups from './market.js';
import * as meta from './meta.js';
import * as money from './money.js';
import * as operator from './operator.js';
import * as packages from './packages.js';
import * as personalData from './personalData.js';
import * as quotes from './quotes.js';
import * as receipts from './receipts.js';
import * as relays from './market.js';
import * as rewards from './rewards.js';
import * as stats from './market.js';
import * as swarms from './swarms.js';
import * as turns from './turns.js';
import * as push from './push.js';
import * as webhooks from './webhooks.js';
import * as work from './work.js';

export { BODY_LIMIT_BYTES, JSON_FORMAT, RESULT_BODY_LIMIT_BYTES } from './operation.js';
export type {
  AnswerOf,
  Auth,
  CallOf,
  Format,
  InputOf,
  LimitName,
  Operation,
} from './operation.js';
export { ARTIFACT_PART_BYTES } from './artifacts.js';
export { OWN_KEY_FIELDS, refusalsOf } from './refusals.js';
export {
  isTool,
  shortArguments,
  TOLD_IN_WORDS,
  MOST_COUNTED,
  toolAnswer,
  toolInput,
  type ToolOperation,
  toolPageSize,
  UNITS,
} from './tool.js';
export { MAX_BID_EXPIRY_SEC, MIN_BID_EXPIRY_SEC } from './bids.js';
export { MAX_BIDDING_WINDOW_SEC } from './packages.js';
export { type LookupMatch, MAX_LOOKUP_MATCHES, readLookup } from './market.js';
export {
  PRIVATE_MIN_COMPLETED,
  type PrivatePartName,
  type PrivateParts,
  type PrivateReader,
  privateParts,
  WHO_READS_PRIVATE,
} from './personalData.js';
export type { Relay } from './market.js';
export { LEADERBOARD_SIZE } from './market.js';
export { type WebhookFilter, type WebhookView } from './webhooks.js';
export type { OpenWork, WorkKind } from './work.js';
export { type LegTurnView, MAX_EVIDENCE_BYTES, type MoveAction, type PackageTurnView } from './turns.js';

/** Every operation of the service by name. */
export const operations = {
  getConfig: meta.getConfig,
  givePapers: meta.givePapers,
  getHealth: meta.getHealth,
  getReadiness: meta.getReadiness,
  getOperations: operator.getOperations,
  actAsOperator: operator.actAsOperator,
  listOperatorActs: operator.listOperatorActs,
  registerAgent: agents.registerAgent,
  listAgents: agents.listAgents,
  getAgent: agents.getAgent,
  listAgentLegs: agents.listAgentLegs,
  updateAgent: agents.updateAgent,
  getReputation: agents.getReputation,
  buildOpenReputationTx: agents.buildOpenReputationTx,
  getLeaderboard: stats.getLeaderboard,
  getStats: stats.getStats,
  listEvents: events.listEvents,
  registerWebhook: webhooks.registerWebhook,
  listWebhooks: webhooks.listWebhooks,
  testWebhook: webhooks.testWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  redeliverWebhook: webhooks.redeliverWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  subscribePush: push.subscribePush,
  unsubscribePush: push.unsubscribePush,
  lookup: lookups.lookup,
  buildListTx: packages.buildListTx,
  postSponsored: packages.postSponsored,
  submitPackage: packages.submitPackage,
  listPackages: packages.listPackages,
  getPackage: packages.getPackage,
  getPrivateParts: personalData.getPrivateParts,
  listPrivateReadings: personalData.listPrivateReadings,
  erasePackageData: personalData.erasePackageData,
  eraseTaskData: personalData.eraseTaskData,
  listRelays: relays.listRelays,
  getPackageMoney: money.getPackageMoney,
  getPackageReceipts: receipts.getPackageReceipts,
  getPackageCustody: receipts.getPackageCustody,
  getDecision: decisions.getDecision,
  buildCancelTx: packages.buildCancelTx,
  buildReclaimTx: packages.buildReclaimTx,
  buildCloseTx: packages.buildCloseTx,
  submitBid: bids.submitBid,
  listBids: bids.listBids,
  listAgentBids: bids.listAgentBids,
  withdrawBid: bids.withdrawBid,
  buildConfirmTx: swarms.buildConfirmTx,
  confirmLeg: swarms.confirmLeg,
  getSwarm: swarms.getSwarm,
  mirrorLeg: swarms.mirrorLeg,
  listTurns: turns.listTurns,
  buildTurnTx: turns.buildTurnTx,
  submitTurn: turns.submitTurn,
  relayTransaction: fees.relayTransaction,
  putEvidence: turns.putEvidence,
  listEvidence: turns.listEvidence,
  listOpenings: turns.listOpenings,
  moveOpening: turns.moveOpening,
  getArbiter: turns.getArbiter,
  findWork: work.findWork,
  quote: quotes.quote,
  buildListDigitalTaskTx: digitalTasks.buildListDigitalTaskTx,
  submitDigitalTask: digitalTasks.submitDigitalTask,
  postSponsoredDigitalTask: digitalTasks.postSponsoredDigitalTask,
  listDigitalTasks: digitalTasks.listDigitalTasks,
  getDigitalTask: digitalTasks.getDigitalTask,
  getTaskMoney: money.getTaskMoney,
  getTaskReceipts: receipts.getTaskReceipts,
  buildCancelDigitalTaskTx: digitalTasks.buildCancelDigitalTaskTx,
  buildReclaimDigitalTaskTx: digitalTasks.buildReclaimDigitalTaskTx,
  buildCloseDigitalTaskTx: digitalTasks.buildCloseDigitalTaskTx,
  bidDigitalLeg: digitalLegs.bidDigitalLeg,
  completeDigitalLeg: digitalLegs.completeDigitalLeg,
  releaseDigitalLeg: digitalLegs.releaseDigitalLeg,
  startArtifact: artifacts.startArtifact,
  getDid: did.getDid,
  getReputationCredential: did.getReputationCredential,
  verifyCredential: did.verifyCredential,
  previewRewardClaim: rewards.previewRewardClaim,
  registerRewardClaim: rewards.registerRewardClaim,
  getMyRewardClaim: rewards.getMyRewardClaim,
  listRewardClaims: rewards.listRewardClaims,
  exportRewardClaims: rewards.exportRewardClaims,
  markRewardClaimPaid: rewards.markRewardClaimPaid,
} as const;

export type OperationName = keyof typeof operations;

/** Operations whose body or answer is a stream: not for the generic client, which speaks JSON. */
export const byteOperations = {
  putArtifactPart: artifacts.putArtifactPart,
  getArtifact: artifacts.getArtifact,
} as const;
