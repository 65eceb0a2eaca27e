import { readFile } from 'node:fs/promises';
import { isSignature, isUuid } from '@legwork/protocol/contract';
import { UserError } from '../screen.js';

/** A claim and the transaction on mainnet that paid it. */
export interface Payout {
  readonly claimId: string;
  readonly signature: string;
}

/** Reports whether the text is a UUID, in either case. */
export function isClaimId(text: string): boolean {
  return isUuid(text.toLowerCase());
}

/**
 * Reads payouts from a file: lines of a claim id, a comma and a signature.
 *
 * @throws UserError with the number of the first bad line
 */
export async function readPayouts(file: string): Promise<Payout[]> {
  const text = await readFile(file, 'utf8');
  const payouts = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [claimId = '', signature = '', ...more] = line.split(',').map((part) => part.trim());
    if (isClaimId(claimId) && isSignature(signature) && more.length === 0) return [{ claimId, signature }];
    throw new UserError(`Line ${index + 1} is not a claim id, a comma and a signature. Nothing was marked.`);
  });
  if (payouts.length === 0) throw new UserError('The file holds no line.');
  return payouts;
}
