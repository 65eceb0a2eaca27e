import { LegworkError } from '@legwork/protocol/contract';
import {
  agentsCounted,
  type RelayInstruction,
  getOpenReputationInstruction,
  getReputationDecoder,
  reputationAddress,
} from '@legwork/program-client';
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

/**
 * Reads the reputations that a transaction counted for, as they are after it.
 *
 * @throws LegworkError `ledger_unavailable`, also when the node does not show the account of an agent that it says was assigned a leg: it
 * is behind itself
 */
export async function readCounted(
  ledger: Ledger,
  { signature, slot, instructions }: { signature: string; slot: bigint; instructions: readonly RelayInstruction[] },
): Promise<Omit<ReputationRow, 'mirrored_at'>[]> {
  const agents = agentsCounted(instructions);
  if (agents.length === 0) return [];
  const readings = await readReputations(ledger, agents, slot);
  const shown = new Set<string>(readings.map((reading) => reading.agent_pubkey));
  for (const { name, accounts } of instructions) {
    const assigned = name === 'assignLeg' ? accounts.courier : name === 'assignTaskLeg' ? accounts.agent : undefined;
    if (assigned === undefined || shown.has(assigned.address)) continue;
    throw new LegworkError(
      'ledger_unavailable',
      `The ledger confirms transaction ${signature} and not what it counted.`,
    );
  }
  return readings;
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
