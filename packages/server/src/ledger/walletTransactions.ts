import {
  getConfirmLegInstruction,
  getListPackageInstruction,
  getOpenReputationInstruction,
  reputationAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { type Address, address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import type { LegRow, PackageRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../db/swarms.js';
import type { Ledger } from './ledger.js';
import { compileForWallet, type UnsignedTransaction } from './compile.js';

/** Unix seconds, as the program counts time. */
export function unixSeconds(instant: Date): bigint {
  return BigInt(Math.floor(instant.getTime() / 1000));
}

type Listing = Pick<
  PackageRow,
  'id' | 'shipper_pubkey' | 'max_budget_lamports' | 'deadline' | 'terms_hash' | 'on_chain_package' | 'on_chain_vault'
>;

/** list_package: the budget from the funder into escrow. The shipper signs unless the funder is the coordinator. Rule P-15. */
export function listInstruction(
  ledger: Ledger,
  draft: Listing,
  funder: TransactionSigner,
  shipper: Address | TransactionSigner,
): Instruction {
  return getListPackageInstruction(
    {
      funder,
      shipper,
      config: ledger.configAddress,
      package: address(draft.on_chain_package),
      vault: address(draft.on_chain_vault),
      packageId: uuidToBytes(draft.id),
      maxBudget: draft.max_budget_lamports,
      deadline: unixSeconds(draft.deadline),
      termsHash: Buffer.from(draft.terms_hash, 'hex'),
    },
    { programAddress: ledger.programAddress },
  );
}

/** The list_package transaction of a draft, for the shipper's wallet. */
export async function buildListPackage(ledger: Ledger, draft: Listing): Promise<UnsignedTransaction> {
  const shipper = createNoopSigner(address(draft.shipper_pubkey));
  return compileForWallet(ledger.rpc, shipper.address, [listInstruction(ledger, draft, shipper, shipper)]);
}

/** Who has to confirm the leg: the next courier, who takes the package over; the shipper for the last leg. */
export function recipientOf(swarm: SwarmWithLegs, leg: LegRow, item: Pick<PackageRow, 'shipper_pubkey'>): string {
  return swarm.legs[leg.leg_index + 1]?.agent_pubkey ?? item.shipper_pubkey;
}

/** The confirm_leg transaction of a leg, for its recipient's wallet. */
export async function buildConfirmLeg(
  ledger: Ledger,
  item: Pick<PackageRow, 'shipper_pubkey' | 'on_chain_package' | 'on_chain_vault'>,
  swarm: SwarmWithLegs,
  leg: LegRow,
): Promise<UnsignedTransaction> {
  const recipient = createNoopSigner(address(recipientOf(swarm, leg, item)));
  const nextLeg = swarm.legs[leg.leg_index + 1];
  const courier = address(leg.agent_pubkey);
  const instruction = getConfirmLegInstruction(
    {
      recipient,
      package: address(item.on_chain_package),
      swarm: address(swarm.on_chain_swarm),
      leg: address(leg.on_chain_leg),
      vault: address(item.on_chain_vault),
      courier,
      reputation: await reputationAddress(ledger.programAddress, courier),
      ...(nextLeg && { nextLeg: address(nextLeg.on_chain_leg) }),
      formation: swarm.formation,
    },
    { programAddress: ledger.programAddress },
  );
  return compileForWallet(ledger.rpc, recipient.address, [instruction]);
}

/** open_reputation of the agent, for whoever pays. Rule P-98. */
export async function openReputationInstruction(
  { programAddress }: Ledger,
  agentPubkey: string,
): Promise<(payer: TransactionSigner) => Instruction> {
  const agent = address(agentPubkey);
  const reputation = await reputationAddress(programAddress, agent);
  return (payer) => getOpenReputationInstruction({ payer, agent, reputation }, { programAddress });
}
