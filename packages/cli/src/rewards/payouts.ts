import { readFile } from 'node:fs/promises';
import { isUuid } from '@legwork/protocol/contract';
import { isSignature } from '@solana/kit';
import { UserError } from '../screen.js';

/** Which transaction on mainnet paid which claim. */
export interface Payout {
  readonly claimId: string;
  readonly signature: string;
}

/** Whether the text is a UUID, in either case. */
export function isClaimId(text: string): boolean {
  return isUuid(text.toLowerCase());
}

/** Whether the text is a transaction's signature in base58. */
export function isPayoutSignature(text: string): boolean {
  try {
    return isSignature(text);
  } catch {
    // Where a character is not of base58, kit does not answer.
    return false;
  }
}

/**
 * The payouts of a file: lines of a claim id, a comma and a signature.
 *
 * @throws UserError with the number of the first line that is none
 */
export async function readPayouts(file: string): Promise<Payout[]> {
  const text = await readFile(file, 'utf8');
  const payouts = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [claimId = '', signature = '', ...more] = line.split(',').map((part) => part.trim());
    if (isClaimId(claimId) && isPayoutSignature(signature) && more.length === 0) return [{ claimId, signature }];
    throw new UserError(`Line ${index + 1} is not a claim id, a comma and a signature. Nothing was marked.`);
  });
  if (payouts.length === 0) throw new UserError('The file holds no line.');
  return payouts;
}
