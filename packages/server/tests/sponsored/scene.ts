import { getPackageSize } from '@agent-relay/program-client';
import type { Problem } from '@agent-relay/protocol';
import { draft } from '../support/market.js';
import { post } from '../support/refusal.js';
import type { TestService } from '../support/service.js';

/** What a sponsored posting was answered. */
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

/** What the coordinator advances beside the budget: rent of package and vault, and the fee at most. */
export async function overhead(service: TestService): Promise<bigint> {
  const [item, vault] = await Promise.all([
    service.rpc.getMinimumBalanceForRentExemption(BigInt(getPackageSize())).send(),
    service.rpc.getMinimumBalanceForRentExemption(0n).send(),
  ]);
  return item + vault + 10_000n;
}

/** What the service counts as advanced, in lamports. */
export async function advancedIn(service: TestService): Promise<bigint> {
  const rows = await service.db.selectFrom('sponsorships').select('lamports').execute();
  return rows.reduce((sum, row) => sum + row.lamports, 0n);
}
