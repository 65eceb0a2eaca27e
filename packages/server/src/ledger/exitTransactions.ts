import {
  getCancelPackageInstruction,
  getClosePackageInstruction,
  getReclaimPackageInstruction,
} from '@legwork/program-client';
import { address, type Instruction, type TransactionSigner } from '@solana/kit';
import type { PackageRow } from '../db/schema.js';
import type { FormedSwarm } from './accounts.js';
import type { Ledger } from './ledger.js';

type Exiting = Pick<PackageRow, 'on_chain_package' | 'on_chain_vault' | 'funder_pubkey'>;

function accountsOf(ledger: Ledger, item: Exiting, signer: TransactionSigner) {
  return {
    signer,
    config: ledger.configAddress,
    package: address(item.on_chain_package),
    funder: address(item.funder_pubkey),
  };
}

/** cancel_package: the whole vault of a listed package to its funder. Signed by shipper, funder or coordinator. Rule P-21. */
export function cancelInstruction(ledger: Ledger, item: Exiting, signer: TransactionSigner): Instruction {
  return getCancelPackageInstruction(
    { ...accountsOf(ledger, item, signer), vault: address(item.on_chain_vault) },
    { programAddress: ledger.programAddress },
  );
}

/**
 * reclaim_package: what is left in the vault to the funder, the rent of swarm and legs to its payer. Signed by shipper, funder
 * or coordinator. Rule P-56.
 */
export function reclaimInstruction(
  ledger: Ledger,
  item: Exiting,
  swarm: FormedSwarm,
  signer: TransactionSigner,
): Instruction {
  return getReclaimPackageInstruction(
    {
      ...accountsOf(ledger, item, signer),
      vault: address(item.on_chain_vault),
      swarm: swarm.address,
      rentPayer: swarm.rentPayer,
      legs: swarm.legs,
    },
    { programAddress: ledger.programAddress },
  );
}

/** close_package: the rent of an ended package's account to its funder. Signed by funder or coordinator. Rule P-67. */
export function closeInstruction(ledger: Ledger, item: Exiting, signer: TransactionSigner): Instruction {
  return getClosePackageInstruction(accountsOf(ledger, item, signer), { programAddress: ledger.programAddress });
}
