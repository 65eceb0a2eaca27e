import type { BidRow } from '@legwork/server/schema';
import { readFor, type Trx } from '../database.js';

/** A bid, with what its agent counted for when it was considered, in percent. */
export type ConsideredBid = BidRow & { rho: number };

/** The bids that were considered, as the database has them now; undefined: some are gone, or the text is none of ours. */
export async function readConsidered(trx: Trx, considered: string): Promise<ConsideredBid[] | undefined> {
  const rhos = rhosIn(considered);
  if (rhos === undefined) return undefined;
  const rows = await readFor<string, BidRow>([...rhos.keys()], (some) =>
    trx.selectFrom('bids').selectAll().where('id', 'in', some).execute(),
  );
  return rows.length < rhos.size ? undefined : rows.map((row) => ({ ...row, rho: rhos.get(row.id) ?? 0 }));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function rhosIn(considered: string): Map<string, number> | undefined {
  const entries = parsed(considered);
  const isOurs = Array.isArray(entries) && entries.every((entry) => isRho(entry));
  return isOurs ? new Map(entries) : undefined;
}

function isRho(entry: unknown): entry is [bidId: string, rho: number] {
  if (!Array.isArray(entry)) return false;
  const [id, rho] = entry as unknown[];
  return typeof id === 'string' && UUID.test(id) && Number.isInteger(rho) && Number(rho) >= 0 && Number(rho) <= 100;
}

/** The content of a decision's text; an empty object when it is none of ours. */
export function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return {};
  }
}
