import {
  joinMove,
  joinOffered,
  joinPickup,
  LegworkApiError,
  makeMove,
  type MoveOffer,
  readOffer,
  shareOffer,
  signPickup,
} from '@legwork/sdk';
import type { MoveAction } from '@legwork/protocol/contract';
import { isCosignedPickup } from '@legwork/protocol/rules';
import { keyOf, queries } from '../../data/service.js';
import { actingFor, type Session } from '../../wallet/session.js';
import type { Subject } from './subject.js';
import { m, t } from '../../language.js';

/** What a person says with a move. */
export interface Said {
  readonly action: MoveAction;
  /** Why, or what shows it: only its hash goes onto the ledger. */
  readonly text: string;
  /** Undefined: no whole number from 0 to 100. */
  readonly percent: number | undefined;
  /** The page has said that nobody has picked the parcel up, and was told to pay all the same. */
  readonly evenBeforePickup: boolean;
}

/** A move that two sign. */
export type Shared = Pick<MoveOffer, 'action' | 'percent'>;

/** One half of it: of an agreement a transaction, of a pickup the text that the shipper signed. */
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
  const { action, text, percent, evenBeforePickup } = said;
  const { leg, terms } = subject;
  if (POSTS_STAKE.includes(action)) await requireTerms(subject);
  const { client, signer } = actingFor(session);
  const at = { ...ofListing(subject), legId: leg.id, onChainLeg: leg.onChainLeg };
  if (action === 'take' && isCosignedPickup(leg.legIndex, terms)) return pickUp(session, subject, '');
  if (action === 'agree') {
    const shared = { action, percent };
    return { shared, offer: await shareOffer(client, signer, { ...at, ...shared }) };
  }
  const isSaid = action === 'claim' || action === 'dispute';
  if (isSaid && text === '') throw new Error(t('Give your evidence.'));
  await makeMove(client, signer, { ...at, action, ...(isSaid && { text }), evenBeforePickup });
  return reread(subject);
}

/**
 * Signs what the other side has signed, and hands it in.
 *
 * @param text the other half, where it was sent; else the newest that the service has
 * @returns what the courier has to send; undefined: it is done
 * @throws Error in words for people
 */
export async function join(
  session: Session,
  subject: Subject,
  shared: Shared,
  text: string,
): Promise<Begun | undefined> {
  const { client, signer } = actingFor(session);
  // What is signed is what the page says, whatever the other half says that it is.
  const asked = { ...ofListing(subject), legId: subject.leg.id, ...shared };
  if (shared.action === 'take') return pickUp(session, subject, text);
  // The newest half is the service's: what stands in an address is as old as the address.
  const made = (await joinOffered(client, signer, asked)) ?? (await joinSent(session, asked, text));
  if (made === undefined) throw new Error(t(NOT_SIGNED));
  return reread(subject);
}

const NOT_SIGNED = m(
  'The other side has not signed yet, or their signature has expired. Ask them to sign, then press this again.',
);

/**
 * A first pickup that the shipper signs too, by either side: the shipper signs a text, and the courier sends it. Rule D-60.
 *
 * @param code what the shipper sent; empty: it is looked for at the service
 */
async function pickUp(session: Session, subject: Subject, code: string): Promise<Begun | undefined> {
  await requireTerms(subject);
  const { client, signer } = actingFor(session);
  const { id: legId, onChainLeg, agentPubkey } = subject.leg;
  const at = { ...ofListing(subject), legId, onChainLeg };
  if (signer.address === agentPubkey) {
    const joined = await joinPickup(client, signer, { ...at, code: code || undefined });
    if (joined !== undefined) return reread(subject);
    throw new Error(t(NOT_SIGNED));
  }
  const { made, code: offer } = await signPickup(client, signer, at);
  if (offer !== undefined) return { shared: { action: 'take' }, offer };
  if (made !== undefined) return reread(subject);
  throw new Error(t(NOT_SIGNED));
}

/** Where the leg has no room for offers, the half that was sent. One that has expired is as good as none. */
async function joinSent(session: Session, asked: Parameters<typeof joinOffered>[2], text: string) {
  const offer = readOffer(text);
  if (offer === undefined) return undefined;
  const { client, signer } = actingFor(session);
  return joinMove(client, signer, { ...asked, transaction: offer.transaction }).catch((error: unknown) => {
    if (error instanceof LegworkApiError && error.code === 'transaction_failed') return undefined;
    throw error;
  });
}

const ofListing = ({ kind, id }: Subject) => (kind === 'package' ? { packageId: id } : { taskId: id });

/** @throws Error when the ledger holds other terms than this page shows */
async function requireTerms({ check }: Subject): Promise<void> {
  const outcome = await check();
  if (!outcome.holds)
    throw new Error(
      t('Not signed: the ledger holds different terms from this page. {difference}', {
        difference: outcome.difference,
      }),
    );
}

/** What the move changed is shown at once. */
async function reread(subject: Subject): Promise<undefined> {
  const read = subject.kind === 'package' ? 'getPackage' : 'getDigitalTask';
  const keys = [keyOf('listTurns'), [read, ofListing(subject)]];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return undefined;
}
