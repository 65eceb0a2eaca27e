import type { PackageDetail } from '@legwork/protocol/contract';
import type { Signature } from '@solana/kit';
import { serviceConfig } from './client.js';
import type { LegworkClient } from './client.js';
import { LegworkApiError, LegworkNetworkError, TransactionRefusedError } from './errors.js';
import { afterLanding } from './landed.js';
import type { Landed } from './landed.js';
import { pause } from './pause.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import { sendTransaction } from './transactions/sendTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { signTransaction } from './transactions/signTransaction.js';

/**
 * Pays for an agent's reputation, by default for the signer's own, so that its first leg costs nobody else the rent. Signs,
 * sends, and waits until the ledger has confirmed it.
 *
 * @param rpc of the service's ledger, `ledgerRpc((await client.getConfig()).rpcUrl)`
 * @returns the signature of the transaction
 * @throws {LegworkApiError} `invalid_status` when the agent has a reputation already
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export async function openReputation(
  client: LegworkClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  agentPubkey: string = signer.address,
): Promise<Signature> {
  const call = { agentPubkey, payerPubkey: signer.address };
  const { transaction, lastValidBlockHeight } = await client.buildOpenReputationTx(call);
  const { programId } = await serviceConfig(client);
  const expected = { programId, name: 'openReputation' } as const;
  const { agent } = readTransaction(transaction, expected).instruction.accounts;
  if (agent.address !== agentPubkey) {
    throw new TransactionRefusedError(
      `the transaction opens the reputation of ${agent.address}, not of ${agentPubkey}`,
    );
  }
  return sendTransaction(rpc, await signTransaction(transaction, signer, expected), lastValidBlockHeight);
}

/** How long the service may take to show what the ledger confirmed, milliseconds. */
const SHOWN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

/**
 * Opens the signer's own reputation unless it has one, and waits until the service shows it: a key without one cannot bid on packages
 * with terms. Safe to repeat. A landed transaction is never reported as failed: when the service does not show it, `open` says so.
 *
 * @param listing the listing that it is for: a key that it admits in no case, as its shipper, arbiter or receiver, pays for nothing
 * @returns null: it has one already
 * @throws {TransactionRefusedError} when the listing does not admit the signer
 * @throws as {@link openReputation}; {@link LegworkNetworkError} when one that was there before is not shown within a minute
 */
export async function ensureReputation(
  client: LegworkClient,
  rpc: SendRpc,
  signer: LedgerSigner,
  listing?: Pick<PackageDetail, 'shipperPubkey' | 'terms'>,
): Promise<Landed | null> {
  const agentPubkey = signer.address;
  const sides = [listing?.shipperPubkey, listing?.terms?.arbiterPubkey, listing?.terms?.receiverPubkey];
  if (sides.includes(agentPubkey)) {
    const why = 'who listed something, rules its disputes or receives it does not work on it';
    throw new TransactionRefusedError(`a reputation of ${agentPubkey} would be opened for nothing: ${why}`);
  }
  const isShown = async () => (await client.getReputation({ agentPubkey })).mirroredAt !== null;
  if (await isShown()) return null;
  const take = async () => {
    for (const until = Date.now() + SHOWN_WITHIN_MS; !(await isShown()); await pause(LOOK_EVERY_MS)) {
      if (Date.now() > until)
        throw new LegworkNetworkError(`the service does not show the reputation of ${agentPubkey}`);
    }
    return {};
  };
  const signature = await openReputation(client, rpc, signer).catch((error: unknown) => {
    // It was opened before, by another run or by somebody else, and is only to be shown.
    if (error instanceof LegworkApiError && error.code === 'invalid_status') return undefined;
    throw error;
  });
  if (signature !== undefined) {
    return afterLanding(signature, { what: 'wait until the service shows the reputation', take }, {});
  }
  await take();
  return null;
}
