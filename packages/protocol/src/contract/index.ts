export { CARD, CARD_TOOLS, cardOf, declaresCards } from './card.js';
export { bytesToSign } from './carrier.js';
export * from './errors.js';
export * from './events.js';
export * from './pages.js';
export * from './hints.js';
export * from './identity/credential.js';
export * from './identity/custody.js';
export * from './identity/did.js';
export * from './identity/didDocument.js';
export { signingInputOf } from './identity/jws.js';
export * from './identity/verification.js';
export * from './documents.js';
export * from './ids.js';
export * from './keypairFile.js';
export * from './money.js';
export * from './nonce.js';
export * from './operations/index.js';
export * from './pages.js';
export * from './payoutProof.js';
export * from './pubkey.js';
export type {
  Agent,
  AgentOrder,
  /** @public The SDK hands it on. */
  AgentProfile,
  ListedAgent,
  QueuedLeg,
  Reputation,
} from './resources/agent.js';
export type { Artifact } from './resources/artifact.js';
export type { AgentBid, Bid } from './resources/bid.js';
export {
  type DigitalLegDetail,
  type DigitalLegView,
  type DigitalTaskDetail,
  type DigitalTaskView,
  MAX_TASK_LEGS,
} from './resources/digitalTask.js';
export type { Movement } from './resources/money.js';
export type { PackageDetail, PackageView } from './resources/package.js';
export type { RewardClaim } from './resources/rewardClaim.js';
export { type Leg, MAX_CHAIN_LEGS, type Swarm } from './resources/swarm.js';
export { checkAmount } from './amounts.js';
export { MAX_RESULT_BYTES, parseBox, parsePlace } from './schemas.js';
export * from './signedCall.js';
export * from './signing.js';
export * from './statuses.js';
export * from './terms.js';
