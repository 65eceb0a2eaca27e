export { artifactUrl, downloadArtifact, uploadArtifact } from './artifacts.js';
export type { ArtifactToUpload, DownloadOptions, UploadOptions } from './artifacts.js';
export { asked, paidIn } from './assets.js';
export type { PaidIn, PaidToken } from './assets.js';
export { createLegworkClient, everyItem, serviceConfig } from './client.js';
export type { CallOptions, Page, LegworkClient, LegworkClientOptions, ResultOf, ServiceConfig } from './client.js';
export type { Socket, SocketConstructor } from './connection.js';
export {
  cancelDigitalTask,
  cancelPackage,
  closeDigitalTask,
  closePackage,
  reclaimDigitalTask,
  reclaimPackage,
} from './ending.js';
export {
  LedgerRefusedError,
  LegworkApiError,
  LegworkNetworkError,
  LegworkProtocolError,
  OtherAssetError,
  TransactionRefusedError,
} from './errors.js';
export type { ApiErrorDetails } from './errors.js';
export { followEvents } from './followEvents.js';
export type { FollowOptions } from './followEvents.js';
export { openField, stillOpen } from './landed.js';
export { ledgerRpc } from './ledgerRpc.js';
export type { Landed, OpenStep } from './landed.js';
export { listDigitalTask, signDigitalTask, submitDigitalTask } from './listDigitalTask.js';
export type { DigitalTaskDraft, SignedDigitalTask } from './listDigitalTask.js';
export { listPackage, signListing, submitListing } from './listPackage.js';
export type { PackageDraft, SignedListing } from './listPackage.js';
export { ensureReputation, openReputation } from './openReputation.js';
export { type Papers, papersOf, papersOfAnswer } from './papers.js';
export { verifyReceipts } from './receipts.js';
export type { VerifiedReceipts } from './receipts.js';
export { receiptHash, ReceiptError, verifyChain } from '@legwork/program-client/receipts';
export type { Custody, Receipt } from '@legwork/program-client/receipts';
export { confirmLeg, NoParcelError, receive } from './receive.js';
export { confirmWithCode, RECEIVER_WORDS, receiverCode, receiverOfWords } from './receiverCode.js';
export type { ConfirmedLeg, ConfirmRpc, ReceivedParcel } from './receive.js';
export type { ReceiverCode } from './receiverCode.js';
export { decodeRelayAccount, fetchRelayAccounts } from './relayAccounts.js';
export type { AccountsRpc, RelayAccount, RelayAccountData } from './relayAccounts.js';
export { checkAgainstLedger, svcDidResolver, verifyReputationCredential } from './reputationCredential.js';
export type { CredentialTrust, LedgerComparison, LedgerReputation } from './reputationCredential.js';
export type { Posted } from './signedListing.js';
export { inItsTime } from './serviceClock.js';
export { toRequestSigner } from './signer.js';
export type { CallSigner, LedgerSigner, LegworkSigner } from './signer.js';
export { affordable, isToBeRelayed, relay } from './feePayer.js';
export type { BalanceRpc, Payment } from './feePayer.js';
export type { Fetch } from './transport.js';
export {
  MAX_PRIORITY_FEE_LAMPORTS,
  priorityFeeLamports,
  readRelayTransaction,
  readTransaction,
} from './transactions/readTransaction.js';
export type { ExpectedInstruction, ReadTransaction } from './transactions/readTransaction.js';
export { sayInstruction } from './transactions/sayInstruction.js';
export type { NameAsset } from './transactions/sayInstruction.js';
export { sendTransaction } from './transactions/sendTransaction.js';
export type { SendRpc } from './transactions/sendTransaction.js';
export { signTransaction, signWith } from './transactions/signTransaction.js';
export { allTurns, listingOfLeg } from './turns/allTurns.js';
export type { FollowTurnsOptions } from './turns/attendTurns.js';
export { buildMove, legOnLedger } from './turns/buildMove.js';
export type { BuiltMove, Move, MoveOptions } from './turns/buildMove.js';
export { placesSaid } from './turns/legPlaces.js';
export { namedAs, namedHashes } from './turns/claimedResult.js';
export type { ClaimedResult, NamedAs, NamedHashes } from './turns/claimedResult.js';
export { completeDigitalLeg, requireNothingToClaim } from './turns/completeDigitalLeg.js';
export type { CompletedDigitalLeg } from './turns/completeDigitalLeg.js';
export { followTurns } from './turns/followTurns.js';
export type { TurnPolicy } from './turns/followTurns.js';
export { makeMove, signMove, stakeOf, withEvidence } from './turns/makeMove.js';
export type { MadeMove, MoveWithText } from './turns/makeMove.js';
export { joinMove, joinOffered, offerMove, offerText, readOffer, shareOffer } from './turns/offers.js';
export type { MoveOffer } from './turns/offers.js';
export { handoffAhead, readHandoff, requireHandoff } from './turns/handoffs.js';
export type { HandoffMeant } from './turns/handoffs.js';
export { buildHandoff, submitHandoff } from './turns/sendHandoff.js';
export type { BuiltHandoff, SubmittedHandoff } from './turns/sendHandoff.js';
export { findHandoff, isPassedOn, joinPickup, makeHandoff, shareHandoff, signPickup } from './turns/pickups.js';
export type { LegHandoff, SignedPickup } from './turns/pickups.js';
export { ledgerNowMs } from './turns/readLeg.js';
export type { LegOnLedger, TurnRpc } from './turns/readLeg.js';
export type { Judge, TokenStakes, Verdict } from './turns/reviewer.js';
export { handoffCode, isHandoffCode, readHandoffCode, signHandoff } from './turns/signedHandoff.js';
export type { SaidAtTheDoor } from './turns/signedHandoff.js';
export { takeStep } from './turns/takeStep.js';
export type { StepTaker } from './turns/takeStep.js';
export { verify } from './turns/verify.js';
export type { VerifyOptions } from './turns/verify.js';

// The rules that an agent computes with: the same that the service applies.
export {
  amountTold,
  formatAmount,
  formatSol,
  formatUnits,
  isInSol,
  keysOfDocument,
  LAMPORTS_PER_SOL,
  lamportsToSolNumber,
  pagePath,
  parseAmount,
  parseKeypairFile,
  parseSol,
  sayTold,
  SOL,
  toLamports,
} from '@legwork/protocol/contract';
export {
  estimatedDurationMin,
  greatCircleKm,
  HANDOFF_RADIUS_KM,
  isWithinHandoff,
  minimumDistanceKm,
  readResultDocument,
  resultHash,
  sayMove,
} from '@legwork/protocol/rules';
export type {
  Agent,
  AgentProfile,
  Artifact,
  Asset,
  Bid,
  CheckedCredential,
  CredentialPayload,
  CredentialRefusal,
  DidDocument,
  DidResolution,
  DigitalLegDetail,
  DigitalLegView,
  DigitalTaskDetail,
  DigitalTaskView,
  ErrorCode,
  EventType,
  FieldError,
  Lamports,
  Leg,
  LegTurnView,
  PackageTurnView,
  MoveAction,
  OperationName,
  PackageDetail,
  OpenWork,
  PackageView,
  ProblemExtension,
  QueuedLeg,
  LegworkEvent,
  Reputation,
  Requirements,
  RewardClaim,
  Swarm,
  Terms,
  TermsChoice,
} from '@legwork/protocol/contract';
export type { Coordinate, TaskAtHand, TaskTurnView, TurnAtHand } from '@legwork/protocol/rules';
