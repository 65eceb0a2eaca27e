import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { ListedPackageRow } from '../packages/packageRows.js';
import type { BidRow } from '../db/schema.js';

/** The leg that was made of a bid. */
export interface ChosenAs {
  swarmId: string;
  legId: string;
  legIndex: number;
  payment: string;
}

/** The chain that was chosen instead of a bid. */
export interface LostTo {
  swarmId: string;
  totalLegs: number;
  cost: string;
  total: string;
}

/** A bid with what became of it, and of its package. Amounts in JSON are text: they are exact. */
export interface AgentBidRow extends BidRow {
  package_status: ListedPackageRow['status'];
  package_description: string;
  bidding_closes_at: Date | null;
  is_expired: boolean;
  chosen_as: ChosenAs | null;
  /** The chain that was chosen, of whatever bids; null: none that still forms, or was ever formed. */
  winner: LostTo | null;
  /** Of its package. */
  asset: number;
  /** True if it was live when that chain was chosen, or when the package ended without one. */
  stood_at_end: boolean;
}

/** A page of the bids of an agent, newest first; `before` is the last id of the page before. */
export async function pageOfAgentBids(
  db: Db,
  { agentPubkey, before, limit }: { agentPubkey: string; before: string | undefined; limit: number },
): Promise<AgentBidRow[]> {
  const earlier: RawBuilder<unknown> = before === undefined ? sql`` : sql`and bids.id < ${before}::uuid`;
  const { rows } = await sql<AgentBidRow>`
    with page as materialized (
      select * from bids where agent_pubkey = ${agentPubkey} ${earlier} order by id desc limit ${limit})
    select page.*, packages.status as package_status, packages.description as package_description, packages.asset,
      packages.bidding_closes_at, page.expires_at <= now() as is_expired,
      case when leg.id is not null then json_build_object('swarmId', swarm.id, 'legId', leg.id, 'legIndex', leg.leg_index,
        'payment', leg.agreed_payment_lamports::text) end as chosen_as,
      case when swarm.id is not null then json_build_object('swarmId', swarm.id, 'totalLegs', swarm.total_legs,
        'cost', (select sum(cost_lamports)::text from legs where swarm_id = swarm.id and assign_signature is null), 'total', swarm.total_lamports::text)
        end as winner,
      coalesce(ends.at < page.expires_at and (page.ended_at is null or ends.at < page.ended_at), false) as stood_at_end
    from page join packages on packages.id = page.package_id
    left join swarms as swarm on swarm.package_id = page.package_id
      and (swarm.status <> 'failed' or swarm.form_signature is not null)
    left join legs as leg on leg.swarm_id = swarm.id and leg.bid_id = page.id
    left join ledger_transactions as ended on ended.signature = packages.end_signature
    left join legs as vacant on vacant.id = page.leg_id
    cross join lateral (select case when page.leg_id is null then coalesce(swarm.created_at, ended.applied_at)
      else coalesce(vacant.ended_at, ended.applied_at) end as at) as ends
    order by page.id desc`.execute(db);
  return rows;
}
