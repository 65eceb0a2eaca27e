import type { Signature } from '@solana/kit';
import type { RelayClient } from './client.js';
import { TransactionRefusedError } from './errors.js';
import { serviceConfig } from './serviceConfig.js';
import type { RelaySigner } from './signer.js';
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
  signer: RelaySigner,
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
