import { PAGES } from '@legwork/protocol/contract';
import type { MoveOffer } from '@legwork/sdk';
import type { Kind } from './legWords.js';

/** What the page of turns can be asked to do for one leg: to sign a move that two sign, or to show its evidence. */
type Asked = Pick<MoveOffer, 'percent'> & { readonly action: MoveOffer['action'] | 'read' };

/** Where somebody does it. @param id of the package or the task @param percent of an agreement */
export function joinPath(kind: Kind, id: string, legId: string, { action, percent }: Asked): string {
  const asked = new URLSearchParams({ [kind]: id, leg: legId, action });
  if (percent !== undefined) asked.set('percent', String(percent));
  return `${PAGES.turns}?${asked}`;
}
