import {
  getAssignLegInstruction,
  getCancelPackageInstruction,
  getClosePackageInstruction,
  getFormSwarmInstruction,
  getListPackageInstruction,
  getReclaimPackageInstruction,
  getSettleInstruction,
  reputationAddress,
  type Returning,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { type Address, address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import { ofPackage } from '../legs/moveRows.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../packages/swarmRows.js';
import type { FormedSwarm } from './accounts.js';
import { compileForWallet, type UnsignedTransaction } from './compile.js';
import { type Ledger, unixSeconds } from './ledger.js';
import { confirmLegInstruction } from './moveInstructions.js';
import { ledgerTerms } from './terms.js';

type Listing = Pick<
  PackageRow,
  | 'id'
  | 'shipper_pubkey'
  | 'max_budget_lamports'
  | 'deadline'
  | 'terms_hash'
  | 'on_chain_package'
  | 'on_chain_vault'
  | 'terms'
  | 'asset'
>;

/** list_package: the budget from the funder into escrow. The shipper signs unless the funder is the coordinator. Rule P-15. */
export function listPackageInstruction(
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
      terms: draft.terms && ledgerTerms(draft.terms),
    },
    { programAddress: ledger.programAddress },
  );
}

/** The list_package transaction of a draft, for the shipper's wallet. */
export async function buildListPackage(ledger: Ledger, draft: Listing): Promise<UnsignedTransaction> {
  const shipper = createNoopSigner(address(draft.shipper_pubkey));
  return compileForWallet(ledger, shipper.address, draft, [listPackageInstruction(ledger, draft, shipper, shipper)]);
}

/**
 * Returns who may confirm the leg, who is expected to first: the next courier, who takes the package over; of the last leg the
 * receiver that the terms name, and the shipper. Rule T-60.
 */
export function recipientsOf(
  swarm: SwarmWithLegs,
  leg: LegRow,
  { terms, shipper_pubkey }: Pick<PackageRow, 'shipper_pubkey' | 'terms'>,
): readonly [string, ...string[]] {
  const next = swarm.legs[leg.leg_index + 1]?.agent_pubkey;
  if (next !== undefined) return [next];
  const receiver = terms?.receiverPubkey ?? null;
  return receiver === null ? [shipper_pubkey] : [receiver, shipper_pubkey];
}

/** The confirm_leg transaction of a leg, for its recipient's wallet. */
export async function buildConfirmLeg(
  ledger: Ledger,
  of: { parcel: PackageRow; swarm: SwarmWithLegs; leg: LegRow },
): Promise<UnsignedTransaction> {
  const [first] = recipientsOf(of.swarm, of.leg, of.parcel);
  const recipient = createNoopSigner(address(first));
  const instruction = await confirmLegInstruction(ledger, ofPackage(of), recipient);
  return compileForWallet(ledger, recipient.address, of.parcel, [instruction]);
}

/** form_swarm, then assign_leg for each leg: together they commit a swarm. */
export async function formSwarmInstructions(
  ledger: Ledger,
  parcel: PackageRow,
  swarm: SwarmWithLegs,
): Promise<Instruction[]> {
  const { programAddress, coordinator } = ledger;
  const shared = {
    coordinator,
    config: ledger.configAddress,
    package: address(parcel.on_chain_package),
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
        countedLater: parcel.terms === null ? null : true,
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
 * settle: the rest of the vault to the funder, the rent of swarm and legs to `rentPayer`.
 *
 * @param rentPayer the coordinator that formed the swarm, which need not be today's
 */
export function settleInstruction(
  ledger: Ledger,
  parcel: PackageRow,
  swarm: SwarmWithLegs,
  rentPayer: Address,
): Instruction {
  return getSettleInstruction(
    {
      signer: ledger.coordinator,
      config: ledger.configAddress,
      package: address(parcel.on_chain_package),
      vault: address(parcel.on_chain_vault),
      funder: address(parcel.funder_pubkey),
      swarm: address(swarm.on_chain_swarm),
      rentPayer,
      legs: swarm.legs.map((leg) => address(leg.on_chain_leg)),
    },
    { programAddress: ledger.programAddress },
  );
}

type Exiting = Pick<PackageRow, 'on_chain_package' | 'on_chain_vault' | 'funder_pubkey'>;

function accountsOf(ledger: Ledger, parcel: Exiting, signer: TransactionSigner) {
  return {
    signer,
    config: ledger.configAddress,
    package: address(parcel.on_chain_package),
    funder: address(parcel.funder_pubkey),
  };
}

/** cancel_package: the whole vault of a listed package to its funder. Signed by shipper, funder or coordinator. Rule P-21. */
export function cancelPackageInstruction(ledger: Ledger, parcel: Exiting, signer: TransactionSigner): Instruction {
  return getCancelPackageInstruction(
    { ...accountsOf(ledger, parcel, signer), vault: address(parcel.on_chain_vault) },
    { programAddress: ledger.programAddress },
  );
}

/**
 * reclaim_package: what is left in the vault to the funder, the rent of swarm and legs to its payer, stakes to the couriers of
 * accepted legs. Signed by shipper, funder or coordinator. Rules P-56, T-39.
 */
export function reclaimPackageInstruction(
  ledger: Ledger,
  parcel: Exiting,
  swarm: FormedSwarm,
  signer: TransactionSigner,
): Returning {
  const accounts = {
    ...accountsOf(ledger, parcel, signer),
    vault: address(parcel.on_chain_vault),
    swarm: swarm.address,
    rentPayer: swarm.rentPayer,
    legs: swarm.legs,
    couriers: swarm.acceptedBy,
  };
  const instruction = getReclaimPackageInstruction(accounts, { programAddress: ledger.programAddress });
  return { ...instruction, waiting: swarm.acceptedBy };
}

/** close_package: the rent of an ended package's account to its funder. Signed by funder or coordinator. Rule P-67. */
export function closePackageInstruction(ledger: Ledger, parcel: Exiting, signer: TransactionSigner): Instruction {
  return getClosePackageInstruction(accountsOf(ledger, parcel, signer), { programAddress: ledger.programAddress });
}
