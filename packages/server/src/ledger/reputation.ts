import { getOpenReputationInstruction, getReputationDecoder, reputationAddress } from '@legwork/program-client';
import { ask } from '@legwork/program-client/history';
import { address, getBase64Encoder, type Instruction, type TransactionSigner } from '@solana/kit';
import type { ReputationRow } from '../db/schema.js';
import type { Ledger } from './ledger.js';

/**
 * Reads the reputations of the agents; those without an account are left out.
 *
 * @param since a slot that the node must have reached; undefined: any will do
 * @throws LegworkError `ledger_unavailable`, also when the node is behind that slot
 */
export async function readReputations(
  ledger: Ledger,
  agents: readonly string[],
  since?: bigint,
): Promise<Omit<ReputationRow, 'mirrored_at'>[]> {
  const distinct = [...new Set(agents)];
  const addresses = await Promise.all(
    distinct.map((agent) => reputationAddress(ledger.programAddress, address(agent))),
  );
  const { context, value } = await ask(
    ledger.rpc.getMultipleAccounts(addresses, {
      commitment: 'confirmed',
      encoding: 'base64',
      ...(since !== undefined && { minContextSlot: since }),
    }),
  );
  return value.flatMap((account, index) => {
    const agent = distinct[index];
    const pda = addresses[index];
    if (account === null || account.owner !== ledger.programAddress || agent === undefined || pda === undefined)
      return [];
    const reputation = getReputationDecoder().decode(getBase64Encoder().encode(account.data[0]));
    return [
      {
        agent_pubkey: agent,
        on_chain_pda: pda,
        legs_accepted: reputation.legsAccepted,
        legs_completed: reputation.legsCompleted,
        reliability_score: reputation.reliabilityScore,
        slot: context.slot,
      },
    ];
  });
}

/** open_reputation of the agent, to be signed by the wallet that pays. Rule P-98. */
export async function openReputationInstruction(
  { programAddress }: Ledger,
  agentPubkey: string,
): Promise<(payer: TransactionSigner) => Instruction> {
  const agent = address(agentPubkey);
  const reputation = await reputationAddress(programAddress, agent);
  return (payer) => getOpenReputationInstruction({ payer, agent, reputation }, { programAddress });
}
