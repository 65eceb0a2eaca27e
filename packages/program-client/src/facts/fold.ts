import type { RelayInstruction } from '../decodeRelayInstruction.js';
import { isAboutPackage, isAboutTask, listingAccount } from '../instructions.js';
import type { Listing } from './listing.js';
import { applyToPackage, listPackage } from './package.js';
import { applyToTask, listTask } from './task.js';
import { Landing, misfit, type Misfit, MisfitFound, type Transaction } from './transaction.js';

/** The listing at an address before and after a transaction; undefined: none there. */
type Found = Listing | undefined;

export function isMisfit(found: Found | Misfit): found is Misfit {
  return found !== undefined && 'misfit' in found;
}

/**
 * Applies a transaction to the package or the digital task at an address. The listing before it stays as it is.
 *
 * @param account where it is on the ledger; what the transaction does to others does not count
 */
export function applyTo(before: Found, account: string, transaction: Transaction): Found | Misfit {
  const landing = new Landing(transaction);
  let listing: Found = structuredClone(before);
  try {
    for (const instruction of transaction.instructions) {
      if (listingAccount(instruction) === account) listing = apply(listing, account, instruction, landing);
    }
  } catch (error) {
    if (error instanceof MisfitFound) return { signature: transaction.signature, misfit: error.message };
    throw error;
  }
  landing.settle();
  return listing;
}

/** Folds all the transactions that name an address, in the order of the ledger; undefined: they list nothing. */
export function foldListing(account: string, history: Iterable<Transaction>): Found | Misfit {
  let listing: Found;
  for (const transaction of history) {
    const found = applyTo(listing, account, transaction);
    if (isMisfit(found)) return found;
    listing = found;
  }
  return listing;
}

function apply(listing: Found, account: string, instruction: RelayInstruction, landing: Landing): Listing {
  if (instruction.name === 'listPackage') return listPackage(listing, instruction, landing);
  if (instruction.name === 'listTask') return listTask(listing, instruction, landing);
  // Tokens that a wallet cannot receive go to its locker: none of them stay in the vault.
  if (listing && listing.asset !== null) landing.fill(listing.vault);
  if (listing?.kind === 'package' && isAboutPackage(instruction)) applyToPackage(listing, instruction, landing);
  else if (listing?.kind === 'digital task' && isAboutTask(instruction)) applyToTask(listing, instruction, landing);
  else misfit(`${instruction.name} found ${account} never listed`);
  return listing;
}
