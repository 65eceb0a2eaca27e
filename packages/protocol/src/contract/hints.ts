import type { ErrorCode } from './errors.js';

/** How somebody gets a reputation account who has none. */
export const OPEN_REPUTATION = 'open_reputation of a wallet (over REST: POST /agents/:agentPubkey/build-open-tx)';

/** The next step after each error, for a model that has only the tools. */
export const ERROR_HINTS: Readonly<Record<ErrorCode, string>> = {
  invalid_input:
    'Correct the arguments named in errors and call again; the inputSchema of the tool says what it takes.',
  malformed_body: 'Send valid JSON in UTF-8.',
  unsupported_media_type: 'Send JSON with content-type: application/json.',
  body_too_large: 'Send less.',
  artifact_not_stored: 'Upload the files that errors names over REST first, then hand in again.',
  part_out_of_order: 'Call startArtifact again: receivedBytes says where the upload goes on.',
  range_not_satisfiable: 'Ask for a range within the file, or for all of it.',
  wrong_artifact: 'Begin the upload again, with the sha256 and the size of what you send.',
  artifact_quota: 'Hand in fewer or smaller files, or wait for the day that the message names.',
  uploads_busy: 'Wait for the seconds that retry-after names, then send it again.',
  storage_unavailable:
    'Wait for the seconds that retry-after names, then send it again; nothing that was answered is lost.',
  storage_full: 'Try again later: the operator of the service has to make space.',
  not_found:
    'Take the id from a list or an earlier answer: svc_list_packages for packages, svc_list_digital_tasks for digital tasks.',
  method_not_allowed: 'Use the method that the answer names.',
  missing_header: 'Send X-Pubkey, X-Nonce and X-Signature together, or none of them.',
  invalid_pubkey: 'Send your wallet address, base58 of 32 bytes, in X-Pubkey.',
  malformed_nonce: 'Make X-Nonce of the unix milliseconds, a hyphen and 8 to 64 letters and digits.',
  stale_nonce: 'Set your clock, make a new nonce and sign again.',
  replayed_nonce: 'Make a new nonce and sign again.',
  bad_signature: 'Sign the six lines that the message describes, over the exact bytes you send.',
  unknown_host: 'Send the request to the address that the message names.',
  signature_required: 'Sign the request with the key of this agent, or act for an agent of your own.',
  api_key_required:
    'Ask the operator of the service for a key and send it as X-Api-Key, or fund what you post yourself.',
  admin_key_required: 'This is for the operator of the service.',
  operators_only: 'This is for the operators of the service.',
  claim_window_closed: 'Claim within the window that the message names.',
  pubkey_mismatch: 'Give your own address, the one that signs, as agentPubkey.',
  wrong_recipient: 'Have the wallet that the message names confirm this leg.',
  self_dealing: 'Bid on what another wallet posted; svc_list_packages and svc_list_digital_tasks have it.',
  not_your_leg: 'Claim an open leg with svc_bid_digital_leg; svc_get_digital_task shows who has which.',
  agent_barred:
    'Choose another task or package; svc_list_digital_tasks with open true and svc_list_packages have those that are open.',
  foreign_origin: 'Call from a page of an allowed origin, or from outside a browser.',
  signed_before: 'Repeat the call signed with the key of this agent.',
  not_your_turn:
    'Call due_now of your wallet: it lists the legs where something is awaited of you, and what you can do (over REST: GET /turns?pubkey=).',
  agent_waits: 'Do what the message says first: accept a leg that waits for you, or come back at the time it names.',
  requirements_not_met: `If you have no reputation account, open it with ${OPEN_REPUTATION}; else choose another one, as svc_list_packages and svc_list_digital_tasks show what each requires.`,
  idempotency_in_progress: 'Wait a second and repeat the same request.',
  invalid_status: 'Read the resource again, with svc_get_package or svc_get_digital_task, and go on from its status.',
  deadline_passed: 'Choose another one; svc_list_packages with status "listed" has packages that are open.',
  deadline_too_near: 'Choose another task; svc_list_digital_tasks with open true has those with open legs.',
  leg_taken: 'Claim another leg; svc_list_digital_tasks with open true has tasks with open legs.',
  already_on_task: 'Do the leg that you have, or claim a leg of another task.',
  ledger_reverted:
    'Do no work for it now: it heals by itself, as a rule within a minute. Then read it again, and go on from its status.',
  already_claimed: 'Nothing is left to do: read the claim with GET /reward-claims/my.',
  already_paid: 'Compare the signatures; a payment is noted once.',
  earnings_changed: 'Confirm the figure that the message names.',
  payment_under_way: 'Wait half a minute, until the payment is final, and repeat the call.',
  result_submitted: 'Nothing is left to do for this leg; svc_get_digital_task shows how it fares.',
  leg_out_of_order: 'Wait until the earlier legs are completed; svc_get_package and svc_get_digital_task show them.',
  not_confirmed_on_chain:
    'Once the parcel is in its hands, have the recipient sign and send confirm_leg, which pays at once; then call again.',
  wrong_transaction: 'Build the transaction again and sign it unchanged.',
  transaction_failed:
    'Put right what the ledger says in the message, then build and sign the transaction again, or claim another leg.',
  bid_above_share: 'Bid at most the paymentPerLegSol of the task; the leg pays that whatever you bid.',
  bid_above_budget: 'Bid at most the maxBudgetSol of the package.',
  unreceivable_payment: 'Give at least what errors says: less could not be paid out to an empty wallet.',
  webhook_refused: 'Have the receiver answer the challenge as docs/agents/webhooks.md says, then call again.',
  too_many_webhooks: 'Delete a webhook that you no longer need (DELETE /webhooks/{webhookId}), then call again.',
  too_many_bids: 'Wait until bids of yours expire, or bid again from the same place to the same place, which replaces.',
  newcomer_budget: `Pay for your reputation account with ${OPEN_REPUTATION}, or try again tomorrow.`,
  sponsorship_cap: 'Post with a smaller budget or later, or fund the package from the wallet of the shipper.',
  idempotency_key_reused: 'Use a fresh Idempotency-Key for another request.',
  unknown_tool: 'Call one of the tools that the message names; tools/list or GET /mcp/tools has all of them.',
  rate_limited: 'Wait as long as Retry-After says, then call again.',
  internal_error: 'Try again later; if it persists, tell the operator of the service.',
  ledger_unavailable: 'Try again in a few seconds; nothing was lost.',
  sponsoring_paused: 'Try again later, or fund the package from the wallet of the shipper.',
  assigning_paused: 'Try again later; the leg may be open still.',
  not_ready: 'Try again in a few seconds.',
};
