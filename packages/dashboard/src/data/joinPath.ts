import { PAGES } from '@legwork/protocol/contract';
import type { MoveOffer } from '@legwork/sdk';

/** Where somebody adds a signature to a move that two sign. @param percent of an agreement */
export function joinPath(
  packageId: string,
  legId: string,
  { action, percent }: Pick<MoveOffer, 'action' | 'percent'>,
): string {
  const asked = new URLSearchParams({ package: packageId, leg: legId, action });
  if (percent !== undefined) asked.set('percent', String(percent));
  return `${PAGES.turns}?${asked}`;
}
