import { readFile } from 'node:fs/promises';
import { isUuid } from '@agent-relay/protocol';
import { RelayApiError, type RelayClient } from '@agent-relay/sdk';
import { isSignature } from '@solana/kit';
import { print } from '../print.js';
import { UserError } from '../userError.js';
import { adminClient } from './adminClient.js';

export interface MarkPaidOptions {
  readonly url: string;
  readonly file?: string;
  readonly claimId?: string | undefined;
  readonly signature?: string | undefined;
}

interface Payout {
  readonly claimId: string;
  readonly signature: string;
}

const REFUSED = 1;

/**
 * Marks claims as paid, one after another; goes on after one that is refused. What was marked before stays as it was.
 *
 * @returns the exit code: 1 when some were refused
 * @throws UserError before anything is marked when the payouts cannot be read; what ended it otherwise
 */
export async function markPaid(options: MarkPaidOptions, env: Record<string, string | undefined>): Promise<number> {
  const payouts = await readPayouts(options);
  const client = adminClient(options.url, env);
  let refused = 0;
  for (const payout of payouts) {
    const refusal = await mark(client, payout);
    await print(`${payout.claimId}: ${refusal ?? `paid with ${payout.signature}`}\n`);
    if (refusal !== undefined) refused += 1;
  }
  await print(`${payouts.length - refused} paid, ${refused} refused\n`);
  return refused === 0 ? 0 : REFUSED;
}

/** Why this claim cannot be marked; undefined: it is. @throws what would refuse every claim alike */
async function mark(client: RelayClient, payout: Payout): Promise<string | undefined> {
  try {
    await client.markRewardClaimPaid({ ...payout });
    return undefined;
  } catch (error) {
    if (error instanceof RelayApiError && (error.status === 404 || error.status === 409)) return error.detail;
    throw error;
  }
}

async function readPayouts({ file, claimId, signature }: MarkPaidOptions): Promise<Payout[]> {
  if (file !== undefined && claimId === undefined) return parsePayouts(await readFile(file, 'utf8'));
  if (file === undefined && claimId !== undefined && signature !== undefined) return [{ claimId, signature }];
  throw new UserError('Give a claim id and a signature, or --file with lines of them.');
}

function parsePayouts(text: string): Payout[] {
  const payouts = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [claimId = '', signature = '', ...more] = line.split(',').map((part) => part.trim());
    if (isUuid(claimId.toLowerCase()) && isSignature(signature) && more.length === 0) return [{ claimId, signature }];
    throw new UserError(`Line ${index + 1} is not a claim id, a comma and a signature. Nothing was marked.`);
  });
  if (payouts.length === 0) throw new UserError('The file holds no line.');
  return payouts;
}
