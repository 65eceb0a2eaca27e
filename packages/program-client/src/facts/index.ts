/**
 * The sum of the program's transactions, as the ledger shows them: the facts of a package or a digital task, its legs,
 * the moves on them, the stakes that moved and the counts of reputations. Each listing is folded by itself, since no
 * instruction changes two. Nothing here reads anything, so that service, audit and pages come to the same facts.
 */
export { applyTo, foldListing, isMisfit } from './fold.js';
export {
  addTo,
  type AssetFacts,
  type LedgerFacts,
  type MandateFacts,
  noFacts,
  type ReputationFacts,
  type TransactionFacts,
} from './ledger.js';
export {
  type AssignmentFacts,
  completedOf,
  couriersOf,
  formationOf,
  hasTerms,
  heldLegs,
  type LegFacts,
  type Movement,
  poolOf,
  stakesHeld,
  type StepFacts,
  stepsOf,
  type TermsLeg,
  type TurnFacts,
} from './legs.js';
export {
  endSignatureOf,
  type FormationFacts,
  isOver,
  leftInVault,
  type Listing,
  type ListingFacts,
  type PackageFacts,
  type PackageLedgerStatus,
  refundOf,
  ruleKind,
  settleSignatureOf,
  type TaskFacts,
  type TaskLedgerStatus,
} from './listing.js';
export type { Misfit, Transaction } from './transaction.js';
