import type { Signature } from '@solana/kit';
import type { RelayClient } from './client.js';
import { RelayNetworkError, TransactionRefusedError } from './errors.js';
import { pause } from './pause.js';
import { serviceConfig } from './serviceConfig.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import { sendTransaction } from './transactions/sendTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { signTransaction } from './transactions/signTransaction.js';

/**
 * Pays for an agent's reputation, by default for the signer's own, so that its first leg costs nobody else the rent. Signs,
 * sends, and waits until the ledger has confirmed it.
 *
 * @param rpc of the service's ledger, `createSolanaRpc((await client.getConfig()).rpcUrl)`
 * @returns the signature of the transaction
 * @throws {RelayApiError} `invalid_status` when the agent has a reputation already
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export async function openReputation(
  client: RelayClient,
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
 * Opens the signer's own reputation unless the service knows one, and waits until it does: who has none cannot bid on packages with
 * terms. Safe to repeat.
 *
 * @returns whether it was opened now
 * @throws as {@link openReputation}; {@link RelayNetworkError} when the service does not show it within a minute
 */
export async function ensureReputation(client: RelayClient, rpc: SendRpc, signer: LedgerSigner): Promise<boolean> {
  const agentPubkey = signer.address;
  const isShown = async () => (await client.getReputation({ agentPubkey })).mirroredAt !== null;
  if (await isShown()) return false;
  await openReputation(client, rpc, signer);
  for (const until = Date.now() + SHOWN_WITHIN_MS; !(await isShown()); await pause(LOOK_EVERY_MS)) {
    if (Date.now() > until) throw new RelayNetworkError(`the service does not show the reputation of ${agentPubkey}`);
  }
  return true;
}
