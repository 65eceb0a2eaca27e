import {
  getAssignLegInstruction,
  getFormSwarmInstruction,
  getSettleInstruction,
  reputationAddress,
} from '@legwork/program-client';
import { address, type Address, type Instruction } from '@solana/kit';
import type { PackageRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../db/swarms.js';
import type { Ledger } from './ledger.js';

/** form_swarm and one assign_leg a leg: together the commitment of a swarm. */
export async function formSwarmInstructions(
  ledger: Ledger,
  item: PackageRow,
  swarm: SwarmWithLegs,
): Promise<Instruction[]> {
  const { programAddress, coordinator } = ledger;
  const shared = {
    coordinator,
    config: ledger.configAddress,
    package: address(item.on_chain_package),
    swarm: address(swarm.on_chain_swarm),
  };
  const assignments = swarm.legs.map(async (leg) => {
    const courier = address(leg.agent_pubkey);
    return getAssignLegInstruction(
      {
        ...shared,
        leg: address(leg.on_chain_leg),
        courier,
        reputation: await reputationAddress(programAddress, courier),
        index: leg.leg_index,
        paymentLamports: leg.agreed_payment_lamports,
      },
      { programAddress },
    );
  });
  return [
    getFormSwarmInstruction(
      { ...shared, totalLegs: swarm.total_legs, totalLamports: swarm.total_lamports },
      { programAddress },
    ),
    ...(await Promise.all(assignments)),
  ];
}

/** Index of the first assign_leg among the instructions of a formation. */
export const FIRST_ASSIGN_LEG = 1;

/**
 * settle: the rest of the vault to the funder, the rent of swarm and legs to `rentPayer`, who advanced it.
 * That is the coordinator of the formation, which need not be today's.
 */
export function settleInstruction(
  ledger: Ledger,
  item: PackageRow,
  swarm: SwarmWithLegs,
  rentPayer: Address,
): Instruction {
  return getSettleInstruction(
    {
      signer: ledger.coordinator,
      config: ledger.configAddress,
      package: address(item.on_chain_package),
      vault: address(item.on_chain_vault),
      funder: address(item.funder_pubkey),
      swarm: address(swarm.on_chain_swarm),
      rentPayer,
      legs: swarm.legs.map((leg) => address(leg.on_chain_leg)),
    },
    { programAddress: ledger.programAddress },
  );
}
