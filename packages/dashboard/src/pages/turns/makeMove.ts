import { joinMove, joinOffered, makeMove, type MoveOffer, offerMove, offerText, readOffer } from '@legwork/sdk';
import type { MoveAction } from '@legwork/protocol/contract';
import { keyOf, queries } from '../../data/service.js';
import { actingFor, type Session } from '../../wallet/session.js';
import type { Subject } from './subject.js';

/** What a person says with a move. */
export interface Said {
  readonly action: MoveAction;
  /** Why, or what shows it: only its hash goes onto the ledger. */
  readonly text: string;
  readonly percent: number;
}

/** A move that two sign. */
export type Shared = Pick<MoveOffer, 'action' | 'percent'>;

/** One half of it. */
export interface Begun {
  readonly shared: Shared;
  /** For who is sent it; the service has it too, if the leg has room for it. */
  readonly offer: string;
}

/** These post a stake, whose size is in no transaction but the one that listed the package or the task. */
const POSTS_STAKE: readonly MoveAction[] = ['accept', 'take', 'dispute'];

/**
 * Makes a move with the account's signature. The SDK reads the leg from the ledger, and has nothing signed but this move of it. Rule D-17.
 *
 * @returns what the other side has to sign; undefined: it is done
 * @throws Error in words for people
 */
export async function move(session: Session, subject: Subject, said: Said): Promise<Begun | undefined> {
  const { action, text, percent } = said;
  const { leg, isCosigned } = subject;
  if (POSTS_STAKE.includes(action)) await requireTerms(subject);
  const { client, signer } = actingFor(session);
  const at = { ...ofListing(subject), legId: leg.id, onChainLeg: leg.onChainLeg };
  const isShared = action === 'agree' || (action === 'take' && leg.legIndex === 0 && isCosigned);
  if (isShared) {
    const shared = action === 'agree' ? { action, percent } : { action };
    const offer = offerText(await offerMove(client, signer, { ...at, ...shared }));
    await client.putEvidence({ legId: leg.id, text: offer }).catch(() => undefined);
    return { shared, offer };
  }
  const isSaid = action === 'claim' || action === 'dispute';
  if (isSaid && text === '') throw new Error('Say what it rests on.');
  await makeMove(client, signer, { ...at, action, ...(isSaid && { text }), ...(action === 'rule' && { percent }) });
  await reread(subject);
  return undefined;
}

/**
 * Signs what the other side has signed, and hands it in.
 *
 * @param text the other half, where it was sent; else the newest that the service has
 * @throws Error in words for people
 */
export async function join(session: Session, subject: Subject, shared: Shared, text: string): Promise<void> {
  const { client, signer } = actingFor(session);
  // What is signed is what the page says, whatever the other half says that it is.
  const asked = { ...ofListing(subject), legId: subject.leg.id, ...shared };
  const offer = readOffer(text);
  const made = offer
    ? await joinMove(client, signer, { ...asked, transaction: offer.transaction })
    : await joinOffered(client, signer, asked);
  if (made === undefined) {
    throw new Error('The other side has not signed it in the last minute. Ask them to sign it again.');
  }
  await reread(subject);
}

const ofListing = ({ kind, id }: Subject) => (kind === 'package' ? { packageId: id } : { taskId: id });

/** @throws Error when the ledger holds other terms than this page shows */
async function requireTerms({ check }: Subject): Promise<void> {
  const outcome = await check();
  if (!outcome.holds) throw new Error(`Not signed: the ledger holds other terms than this page. ${outcome.difference}`);
}

/** What the move changed is shown at once. */
async function reread(subject: Subject): Promise<void> {
  const read = subject.kind === 'package' ? 'getPackage' : 'getDigitalTask';
  const keys = [keyOf('listTurns'), [read, ofListing(subject)]];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
