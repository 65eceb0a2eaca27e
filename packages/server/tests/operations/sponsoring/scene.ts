import { getPackageSize } from '@legwork/program-client';
import type { Problem } from '@legwork/protocol/contract';
import { draft } from '../../support/market.js';
import { signatureHeaders } from '../../mcp/toolCalls.js';
import { post } from '../../support/refusal.js';
import type { Party, TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

/** The answer to a sponsored posting. */
export interface Posting {
  status: number;
  body: { id?: string; status?: string } & Partial<Problem>;
}

/** Posts a package at the coordinator's expense. */
export async function postSponsored(
  service: TestService,
  shipperPubkey: string,
  changes: Parameters<typeof draft>[0] = {},
  headers: Record<string, string> = {},
): Promise<Posting> {
  const response = await post(service, '/packages/sponsored', { ...draft(changes), shipperPubkey }, headers);
  return { status: response.status, body: (await response.json()) as Posting['body'] };
}

/** Posts a package at the coordinator's expense, signed by `signer`. */
export async function postSigned(
  service: TestService,
  { pubkey, signer }: Pick<Party, 'pubkey' | 'signer'>,
  changes: Parameters<typeof draft>[0] = {},
  headers: Record<string, string> = {},
): Promise<Posting> {
  const body = { ...draft(changes), shipperPubkey: pubkey };
  const signature = await signatureHeaders(service, signer, JSON.stringify(body), '/packages/sponsored');
  const response = await post(service, '/packages/sponsored', body, { ...headers, ...signature });
  return { status: response.status, body: (await response.json()) as Posting['body'] };
}

/** Moves everything that the coordinator advanced so far out of the last 24 hours. */
export async function passADay({ db }: TestService): Promise<void> {
  await db
    .updateTable('sponsorships')
    .set({ created_at: new Date(Date.now() - 86_401_000) })
    .execute();
}

/** Waits until the coordinator has the money of a listing back. */
export async function untilReturned({ db }: TestService, packageId: string): Promise<void> {
  await until(`package ${packageId} is closed`, async () => {
    const row = await db
      .selectFrom('packages')
      .select('close_signature')
      .where('id', '=', packageId)
      .executeTakeFirstOrThrow();
    return row.close_signature !== null;
  });
}

/** The coordinator's advance on top of the budget: rent of package and vault, and the largest fee. */
export async function overhead(service: TestService): Promise<bigint> {
  const [account, vault] = await Promise.all([
    service.rpc.getMinimumBalanceForRentExemption(BigInt(getPackageSize())).send(),
    service.rpc.getMinimumBalanceForRentExemption(0n).send(),
  ]);
  return account + vault + 10_000n;
}

/** The sum that the service counts as advanced, lamports. */
export async function advancedIn(service: TestService): Promise<bigint> {
  const rows = await service.db.selectFrom('sponsorships').select('lamports').execute();
  return rows.reduce((sum, row) => sum + row.lamports, 0n);
}
