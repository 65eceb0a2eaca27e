import {
  getAcceptInstruction,
  getAssignLegInstruction,
  getClaimInstruction,
  getConfirmLegInstruction,
  getDisputeInstruction,
  getRuleInstruction,
  getVacateInstruction,
  reputationAddress,
} from '@legwork/program-client';
import { INCINERATOR_ADDRESS } from '@legwork/protocol/rules';
import { type Address, address, type Instruction, type TransactionSigner } from '@solana/kit';
import { type HeldLegRow, type LegToMove } from '../legs/moveRows.js';
import { accountOf, isPackage } from '../db/listings.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../packages/swarmRows.js';
import type { Ledger } from './ledger.js';
import { confirmTaskLegInstruction } from './taskInstructions.js';
import { termsOf } from './terms.js';

function accountsOf({ listing, onChainSwarm, leg }: LegToMove) {
  return {
    listing: address(accountOf(listing)),
    ...(onChainSwarm !== null && { swarm: address(onChainSwarm) }),
    leg: address(leg.on_chain_leg),
    formation: leg.formation,
  };
}

/** Where the reputation of this worker lies, which counts the leg from now on. Rule T-100. */
async function countedBy({ programAddress }: Ledger, worker: string): Promise<Address[]> {
  return [await reputationAddress(programAddress, address(worker))];
}

/** accept: the stake from the courier to the leg; with `take` the parcel is picked up, with the shipper's signature if it is a signer. */
export async function acceptInstruction(
  ledger: Ledger,
  of: LegToMove,
  move: { courier: TransactionSigner; take: boolean; lister: Address | TransactionSigner },
): Promise<Instruction> {
  const counted = move.take ? await countedBy(ledger, move.courier.address) : [];
  return getAcceptInstruction({ ...accountsOf(of), ...move, counted }, { programAddress: ledger.programAddress });
}

/** vacate: by its courier in time, or by others late. The leg before is shown where there is one. Rule T-11. */
export async function vacateInstruction(
  ledger: Ledger,
  of: LegToMove,
  signer: TransactionSigner,
): Promise<Instruction> {
  const worker = of.leg.agent_pubkey;
  const before = of.legs[of.leg.leg_index - 1];
  const accounts = {
    ...accountsOf(of),
    signer,
    courier: address(worker),
    vault: address(of.listing.on_chain_vault),
    counted: signer.address === worker ? [] : await countedBy(ledger, worker),
    ...(of.onChainSwarm !== null && before && { previousLeg: address(before.on_chain_leg) }),
  };
  return getVacateInstruction(accounts, { programAddress: ledger.programAddress });
}

/** claim: the courier says where the parcel is; the hash is of its evidence. */
export async function claimInstruction(
  ledger: Ledger,
  of: LegToMove,
  { courier, evidenceHash }: { courier: TransactionSigner; evidenceHash: Uint8Array },
): Promise<Instruction> {
  const counted = isPackage(of.listing) ? [] : await countedBy(ledger, courier.address);
  return getClaimInstruction(
    { ...accountsOf(of), courier, evidenceHash, counted },
    { programAddress: ledger.programAddress },
  );
}

/** dispute: shipper or receiver disputes a claim with a stake; the hash is of the reason. */
export function disputeInstruction(
  { programAddress }: Ledger,
  of: LegToMove,
  { disputer, reasonHash }: { disputer: TransactionSigner; reasonHash: Uint8Array },
): Instruction {
  return getDisputeInstruction({ ...accountsOf(of), disputer, reasonHash }, { programAddress });
}

/** The signer and share of a ruling: the arbiter, anybody once it was silent, or shipper and courier as they agree. */
export interface Ruling {
  signer: TransactionSigner;
  percent: number;
  by: 'arbiter' | 'silence' | 'agreement';
  /** Signs an agreement. */
  worker?: TransactionSigner;
}

/** rule: what its payment and its stakes come to. Rule T-24. */
export function ruleInstruction(ledger: Ledger, of: LegToMove, { signer, percent, by, worker }: Ruling): Instruction {
  const { listing, leg } = of;
  const accounts = {
    ...accountsOf(of),
    signer,
    worker: worker ?? address(leg.agent_pubkey),
    other: address(leg.disputer_pubkey ?? listing.shipper_pubkey),
    config: ledger.configAddress,
    fee: address(by === 'silence' ? INCINERATOR_ADDRESS : termsOf(listing).arbiterPubkey),
    vault: address(listing.on_chain_vault),
  };
  return getRuleInstruction({ ...accounts, percent }, { programAddress: ledger.programAddress });
}

/**
 * Returns the number that a confirmation names: the leg's own; of a takeover, which only the next courier signs, the larger of both
 * legs'. Rule T-35.
 */
export function confirmedFormation(of: LegToMove, recipient: string): number {
  return Math.max(of.leg.formation, takenOverBy(of, recipient)?.formation ?? 0);
}

/** The next leg, if its courier says by a confirmation that it has the parcel now. Rule T-32. */
function takenOverBy({ legs, leg }: LegToMove, recipient: string): HeldLegRow | undefined {
  const next = legs[leg.leg_index + 1];
  const takesOver = leg.stage !== 'ruled' && next?.stage === 'accepted' && next.agent_pubkey === recipient;
  return takesOver ? next : undefined;
}

/**
 * confirm_leg: who takes the parcel over, or receives it, pays the leg; of a leg that silence or a ruling has ended, anybody. Of a task,
 * confirm_task_leg: poster or receiver, or anybody in the same way.
 */
export async function confirmLegInstruction(
  ledger: Ledger,
  of: LegToMove,
  recipient: TransactionSigner,
  formation = confirmedFormation(of, recipient.address),
): Promise<Instruction> {
  const { listing, onChainSwarm, legs, leg } = of;
  const { programAddress } = ledger;
  if (!isPackage(listing) || onChainSwarm === null) {
    if (isPackage(listing) || leg.evidence_hash === null)
      throw new Error(`leg ${leg.id} is of no task, or not claimed`);
    return confirmTaskLegInstruction(ledger, listing, { ...leg, result_hash: leg.evidence_hash }, recipient);
  }
  const nextLeg = legs[leg.leg_index + 1];
  const courier = address(leg.agent_pubkey);
  return getConfirmLegInstruction(
    {
      recipient,
      package: address(listing.on_chain_package),
      swarm: address(onChainSwarm),
      leg: address(leg.on_chain_leg),
      vault: address(listing.on_chain_vault),
      courier,
      reputation: await reputationAddress(programAddress, courier),
      ...(nextLeg && { nextLeg: address(nextLeg.on_chain_leg) }),
      counted: takenOverBy(of, recipient.address) ? await countedBy(ledger, recipient.address) : [],
      formation,
    },
    { programAddress },
  );
}

/** assign_leg on a vacant leg: another courier, at another price. The program's own address stands for no leg. Rule T-28. */
export async function replaceCourierInstruction(
  ledger: Ledger,
  { parcel, swarm, leg }: { parcel: PackageRow; swarm: SwarmWithLegs; leg: LegRow },
  bid: { agent_pubkey: string; cost_lamports: bigint },
): Promise<Instruction> {
  const { programAddress } = ledger;
  const courier = address(bid.agent_pubkey);
  const at = (index: number) => address(swarm.legs[index]?.on_chain_leg ?? programAddress);
  return getAssignLegInstruction(
    {
      coordinator: ledger.coordinator,
      config: ledger.configAddress,
      package: address(parcel.on_chain_package),
      swarm: address(swarm.on_chain_swarm),
      leg: address(leg.on_chain_leg),
      courier,
      reputation: await reputationAddress(programAddress, courier),
      index: leg.leg_index,
      paymentLamports: bid.cost_lamports,
      neighbours: [at(leg.leg_index - 1), at(leg.leg_index + 1)],
      countedLater: true,
    },
    { programAddress },
  );
}
