import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { createLegworkClient, LegworkApiError, type LegworkClient } from '@legwork/sdk';
import { print, printDone, UserError } from '../screen.js';
import { type Payout, readPayouts } from './payouts.js';

type Environment = Record<string, string | undefined>;

export interface ExportOptions {
  readonly url: string;
  readonly out: string;
  readonly json: boolean;
}

/**
 * Writes the service's export of all claims to a file, whole or not at all.
 *
 * @returns the exit code
 * @throws UserError, and what the service or the file system said
 */
export async function exportClaims({ url, out, json }: ExportOptions, env: Environment): Promise<number> {
  const { csv, sha256, claims } = await adminClient(url, env).exportRewardClaims();
  if (createHash('sha256').update(csv).digest('hex') !== sha256) {
    throw new UserError('What arrived is not what was sent: its sha256 differs. Export again.');
  }
  const unfinished = `${out}.${process.pid}.part`;
  await writeFile(unfinished, csv);
  await rename(unfinished, out);
  const text = `${claims} ${claims === 1 ? 'claim' : 'claims'} in ${out}\nsha256 ${sha256}\n`;
  await printDone(json, { file: out, claims, sha256 }, text);
  return 0;
}

export interface MarkPaidOptions {
  readonly url: string;
  readonly file?: string;
  readonly claimId?: string | undefined;
  readonly signature?: string | undefined;
  readonly json: boolean;
}

const REFUSED = 1;

/**
 * Marks claims as paid, one by one, and continues after a refused one.
 *
 * @returns the exit code: 1 when some were refused
 * @throws UserError before anything is marked when the payouts cannot be read; later, what stopped it
 */
export async function markPaid(options: MarkPaidOptions, env: Environment): Promise<number> {
  const payouts = await choosePayouts(options);
  const client = adminClient(options.url, env);
  const refused: object[] = [];
  for (const payout of payouts) {
    const refusal = await mark(client, payout);
    if (!options.json) await print(`${payout.claimId}: ${refusal ?? `paid with ${payout.signature}`}\n`);
    if (refusal !== undefined) refused.push({ ...payout, why: refusal });
  }
  const paid = payouts.length - refused.length;
  await printDone(options.json, { paid, refused }, `${paid} paid, ${refused.length} refused\n`);
  return refused.length === 0 ? 0 : REFUSED;
}

async function choosePayouts({ file, claimId, signature }: MarkPaidOptions): Promise<Payout[]> {
  if (file !== undefined && claimId === undefined) return readPayouts(file);
  if (file === undefined && claimId !== undefined && signature !== undefined) return [{ claimId, signature }];
  throw new UserError('Give a claim id and a signature, or --file with lines of them.');
}

/** Returns why this claim cannot be marked; undefined when it is. @throws errors that would refuse every claim alike */
async function mark(client: LegworkClient, payout: Payout): Promise<string | undefined> {
  try {
    await client.markRewardClaimPaid({ ...payout });
    return undefined;
  } catch (error) {
    if (error instanceof LegworkApiError && (error.status === 404 || error.status === 409)) return error.detail;
    throw error;
  }
}

/** A client with the operator's rights. @throws UserError when ADMIN_KEY is not set */
function adminClient(url: string, env: Environment): LegworkClient {
  const adminKey = env['ADMIN_KEY'];
  if (adminKey === undefined || adminKey === '') {
    throw new UserError('ADMIN_KEY is not set. Set it to the one that the service was started with.');
  }
  return createLegworkClient({ url, adminKey });
}
