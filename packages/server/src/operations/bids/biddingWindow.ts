import type { PackageRow } from '../../db/schema.js';

/** Whether bids are gathered still, their costs hidden from each other. Rule M-35. */
export function isBiddingOpen(
  { bidding_closes_at: closesAt }: Pick<PackageRow, 'bidding_closes_at'>,
  now: Date,
): boolean {
  return closesAt !== null && now < closesAt;
}
