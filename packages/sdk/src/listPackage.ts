import { packageTermsHash, parseSol, uuidToBytes } from '@agent-relay/protocol';
import type { CallOf, operations, PackageDetail } from '@agent-relay/protocol';
import { bytesToHex } from './hex.js';
import type { RelayClient } from './client.js';
import { RelayApiError, RelayNetworkError, TransactionRefusedError } from './errors.js';
import { pause } from './pause.js';
import { serviceConfig } from './serviceConfig.js';
import type { RelaySigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import { signTransaction } from './transactions/signTransaction.js';
import { signatureOf } from './transactions/wire.js';

/** What a shipper wants carried; its own wallet is the signer's. */
export type PackageDraft = Omit<CallOf<(typeof operations)['buildListTx']>, 'shipperPubkey'>;

/**
 * A listing that is signed but perhaps not submitted yet. Keep it until the package is listed: submitting it again lists
 * the same package, never a second one.
 */
export interface SignedListing {
  readonly packageId: string;
  /** Signed wire transaction, base64. */
  readonly transaction: string;
}

const SUBMIT_ATTEMPTS = 3;
const SUBMIT_PAUSE_MS = 500;

/**
 * Lets the service build the listing of a package, checks that it locks exactly the draft's budget for exactly the
 * draft's terms, and signs it. Nothing is locked yet: `submitListing` does that.
 *
 * @throws {TransactionRefusedError} when the transaction is not the draft's
 */
export async function signListing(
  client: RelayClient,
  signer: RelaySigner,
  draft: PackageDraft,
): Promise<SignedListing> {
  const { programId } = await serviceConfig(client);
  const built = await client.buildListTx({ ...draft, shipperPubkey: signer.address });
  const { instruction } = readTransaction(built.transaction, { programId, name: 'listPackage' });
  const { packageId, maxBudget, deadline, termsHash } = instruction.data;
  const wantedDeadline =
    draft.deadline === undefined ? deadline : BigInt(Math.floor(Date.parse(draft.deadline) / 1000));
  for (const [name, found, wanted] of [
    ['package id', bytesToHex(packageId), bytesToHex(uuidToBytes(built.packageId))],
    ['shipper', instruction.accounts.shipper.address, signer.address],
    ['funder', instruction.accounts.funder.address, signer.address],
    ['budget (lamports)', maxBudget, parseSol(draft.maxBudgetSol)],
    ['terms hash', bytesToHex(termsHash), termsHashOf(draft)],
    ['deadline (unix seconds)', deadline, wantedDeadline],
  ] as const) {
    if (found !== wanted) {
      throw new TransactionRefusedError(`the ${name} of the listing is ${found}, but the draft's is ${wanted}`);
    }
  }
  const transaction = await signTransaction(built.transaction, signer, { programId, name: 'listPackage' });
  return { packageId: built.packageId, transaction };
}

/**
 * Submits a signed listing, the same bytes up to three times when no answer comes. Safe to repeat: a package already
 * listed is answered as it is, and a listing that reached the ledger long ago is found there.
 *
 * @throws {RelayApiError} `transaction_failed` when the ledger refuses it; nothing is locked then
 * @throws {RelayNetworkError} when no answer came; whether the package is listed is unknown, so submit it again
 */
export async function submitListing(client: RelayClient, listing: SignedListing): Promise<PackageDetail> {
  try {
    return await submitTransaction(client, listing);
  } catch (error) {
    if (!(error instanceof RelayApiError) || error.code !== 'transaction_failed') throw error;
    // An expired transaction is refused also when it landed in its time: then its signature tells.
    const { packageId, transaction } = listing;
    return client.submitPackage({ packageId, signature: signatureOf(transaction) }).catch(() => {
      throw error;
    });
  }
}

async function submitTransaction(client: RelayClient, listing: SignedListing): Promise<PackageDetail> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.submitPackage({ packageId: listing.packageId, transaction: listing.transaction });
    } catch (error) {
      if (!(error instanceof RelayNetworkError) || attempt === SUBMIT_ATTEMPTS) throw error;
      await pause(SUBMIT_PAUSE_MS * attempt);
    }
  }
}

/**
 * Lists a package: {@link signListing}, then {@link submitListing}. A program that may be killed between the two keeps
 * the signed listing itself and submits it again; calling this function again would list a second package.
 */
export async function listPackage(
  client: RelayClient,
  signer: RelaySigner,
  draft: PackageDraft,
): Promise<PackageDetail> {
  return submitListing(client, await signListing(client, signer, draft));
}

function termsHashOf(draft: PackageDraft): string {
  return packageTermsHash({
    description: draft.description,
    origin: { lat: draft.originLat, lng: draft.originLng },
    destination: { lat: draft.destLat, lng: draft.destLng },
    weightKg: draft.weightKg,
    volumeLitres: draft.volumeLitres,
  }).hex;
}
