import type { LegworkClient } from '../client.js';
import { LegworkApiError, TransactionRefusedError } from '../errors.js';
import type { LedgerSigner } from '../signer.js';
import { buildMove, legOnLedger, requireMove } from './buildMove.js';
import type { Move, MoveOptions } from './buildMove.js';
import { expectedMove } from './expectedMoves.js';
import { signMove, submitMove } from './makeMove.js';
import type { MadeMove } from './makeMove.js';

/** A move that needs two signatures, with the first of them. It can be joined for about a minute. */
export interface MoveOffer {
  readonly legId: string;
  readonly packageId?: string | undefined;
  readonly taskId?: string | undefined;
  /**
   * `agree`: lister and worker rule the leg together. `take`: a first pickup, of what was listed before
   * `signPickup` signed it as a text.
   */
  readonly action: 'take' | 'agree';
  /** agree: what the worker gets of its payment. */
  readonly percent?: number | undefined;
  /** Signed by the offering key, which pays the fee; wire form, base64. */
  readonly transaction: string;
}

type Offered = Pick<MoveOffer, 'legId' | 'packageId' | 'taskId' | 'action' | 'percent'> & Pick<Move, 'terms'>;

const PREFIX = 'legwork-offer:';

/**
 * Signs one's own half of a move that two wallets sign: either side's of an
 * agreement. The other side adds its half with {@link joinMove}. It travels
 * as {@link offerText}, from screen to screen or as evidence of the leg.
 *
 * @throws {TransactionRefusedError} when the service built another transaction, or nobody else has to sign
 */
export async function offerMove(
  client: LegworkClient,
  signer: LedgerSigner,
  { legId, packageId, taskId, action, percent, terms }: Offered,
  options: Pick<MoveOptions, 'rpc'> = {},
): Promise<MoveOffer> {
  const move: Move = { legId, packageId, taskId, action, percent, terms };
  const built = await buildMove(client, signer.address, move, options);
  if (built.signers.length === 1) throw new TransactionRefusedError(`to ${action} this leg needs no other signature`);
  const transaction = await signMove(built, [signer]);
  return { legId, ...built.leg.listingOf, action, percent, transaction };
}

/**
 * Signs one's own half, and puts it among the evidence of the leg, where {@link joinOffered} of the other
 * side finds it. There is room for a few: then it only travels from screen to screen.
 *
 * @returns the offer as text
 * @throws as {@link offerMove}
 */
export async function shareOffer(
  client: LegworkClient,
  signer: LedgerSigner,
  move: Offered,
  options: Pick<MoveOptions, 'rpc'> = {},
): Promise<string> {
  const text = offerText(await offerMove(client, signer, move, options));
  await client.putEvidence({ legId: move.legId, text }).catch((error: unknown) => {
    if (!(error instanceof LegworkApiError) || error.code !== 'invalid_status') throw error;
  });
  return text;
}

/**
 * Adds the other half to an offer that was read and is agreed to, and hands the move in.
 * The transaction has to be the move that the offer says it is, paid by the offering key.
 *
 * @throws {TransactionRefusedError} when it is another one, or has no place for this signature
 * @throws as `makeMove` what handing in throws; `transaction_failed` when the offer is too old
 */
export async function joinMove(
  client: LegworkClient,
  signer: LedgerSigner,
  offer: MoveOffer,
  options: Pick<MoveOptions, 'rpc'> = {},
): Promise<MadeMove> {
  const leg = await legOnLedger(client, signer.address, offer, options);
  const offering = signer.address === leg.worker ? leg.lister : leg.worker;
  const { forms, cosigners } = expectedMove(leg, offering, offer);
  if (!cosigners.includes(signer.address)) {
    throw new TransactionRefusedError(`to ${offer.action} this leg does not need the signature of ${signer.address}`);
  }
  const transaction = requireMove(offer.transaction, leg, { forms, signers: [offering, signer.address] });
  return submitMove(client, { legId: offer.legId, leg }, await signMove({ transaction }, [signer]), options);
}

/** An offer that is older cannot be joined any more, milliseconds. */
const OFFER_LIVES_MS = 90_000;

/**
 * Joins the newest offer of this move that the other side put
 * among the evidence of its leg. The caller agrees to the move.
 *
 * @returns undefined when there is none, or it is too old
 * @throws as {@link joinMove}
 */
export async function joinOffered(
  client: LegworkClient,
  signer: LedgerSigner,
  { legId, packageId, taskId, action, percent }: Offered,
  options: Pick<MoveOptions, 'rpc'> = {},
): Promise<MadeMove | undefined> {
  const { items } = await client.listEvidence({ legId });
  const newest = offerAmong(items, signer.address, { action, percent });
  if (newest === undefined) return undefined;
  const of = packageId === undefined && taskId === undefined ? newest : { packageId, taskId };
  return joinMove(client, signer, { ...newest, packageId: of.packageId, taskId: of.taskId, legId }, options);
}

type Stored = Awaited<ReturnType<LegworkClient['listEvidence']>>['items'];

/**
 * The newest offer of this move that another key put among the evidence of its leg; undefined: none, or it is
 * too old.
 */
export function offerAmong(
  items: Stored,
  own: string,
  { action, percent }: Pick<MoveOffer, 'action' | 'percent'>,
): MoveOffer | undefined {
  const living = items.filter(({ createdAt }) => Date.now() - createdAt.getTime() < OFFER_LIVES_MS);
  const offers = living.flatMap(({ authorPubkey, text }) => {
    const offer = authorPubkey === own ? undefined : readOffer(text);
    return offer?.action === action && offer.percent === percent ? [offer] : [];
  });
  return offers.at(-1);
}

/** An offer as text, for a QR code or as evidence of its leg. */
export function offerText(offer: MoveOffer): string {
  return PREFIX + JSON.stringify(offer);
}

/** Reads {@link offerText}; undefined: the text is no offer. Its content is checked when it is joined. */
export function readOffer(text: string): MoveOffer | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  try {
    const { legId, packageId, taskId, action, percent, transaction } = JSON.parse(
      text.slice(PREFIX.length),
    ) as MoveOffer;
    const isWhole = typeof legId === 'string' && typeof transaction === 'string';
    if (!isWhole || (action !== 'take' && action !== 'agree')) return undefined;
    return { legId, packageId, taskId, action, percent, transaction };
  } catch {
    return undefined;
  }
}
