import { RelayApiError, type RelayClient } from '@legwork/sdk';
import { print } from '../print.js';
import { UserError } from '../userError.js';
import { adminClient } from './adminClient.js';
import { type Payout, readPayouts } from './payouts.js';

export interface MarkPaidOptions {
  readonly url: string;
  readonly file?: string;
  readonly claimId?: string | undefined;
  readonly signature?: string | undefined;
}

const REFUSED = 1;

/**
 * Marks claims as paid, one after another; goes on after one that is refused. What was marked before stays as it was.
 *
 * @returns the exit code: 1 when some were refused
 * @throws UserError before anything is marked when the payouts cannot be read; what ended it otherwise
 */
export async function markPaid(options: MarkPaidOptions, env: Record<string, string | undefined>): Promise<number> {
  const payouts = await choosePayouts(options);
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

async function choosePayouts({ file, claimId, signature }: MarkPaidOptions): Promise<Payout[]> {
  if (file !== undefined && claimId === undefined) return readPayouts(file);
  if (file === undefined && claimId !== undefined && signature !== undefined) return [{ claimId, signature }];
  throw new UserError('Give a claim id and a signature, or --file with lines of them.');
}
