import { createRelayClient, type Leg, type PackageDetail } from '@legwork/sdk';
import { resultHash } from '@legwork/protocol/rules';
import { type Move, wantedOf } from '../../checks/moves.js';
import { checkTerms } from '../../checks/terms.js';
import { keyOf, queries, service } from '../../data/service.js';
import { serviceUrl } from '../../data/shell.js';
import type { Session } from '../../wallet/session.js';
import { type Signed, signChecked } from '../../wallet/signChecked.js';
import { messageSigner } from '../../wallet/signer.js';

/** A leg of a package that somebody makes a move of. */
export interface Subject {
  readonly parcel: PackageDetail;
  readonly leg: Leg;
}

/** What a person says with a move. */
export interface Said {
  readonly action: Move['action'];
  /** Why, or what shows it: only its hash goes onto the ledger. */
  readonly text: string;
  readonly percent: number;
}

/** These post a stake, whose size is in no transaction but the one that listed the package. */
const POSTS_STAKE: readonly Move['action'][] = ['accept', 'take', 'dispute'];

/**
 * Builds a move, checks it, lets the account sign it, and hands it in, unless somebody else has to sign it too.
 *
 * @throws Error in words for people
 */
export async function makeMove(session: Session, { parcel, leg }: Subject, said: Said): Promise<Signed> {
  const { action } = said;
  const pubkey = session.account.address;
  if (POSTS_STAKE.includes(action)) await requireTerms(parcel);
  const hash = action === 'claim' || action === 'dispute' ? await storeEvidence(session, leg, said.text) : undefined;
  const percent = action === 'rule' || action === 'agree' ? said.percent : undefined;
  const move = { action, pubkey, ...(hash !== undefined && { hash }), ...(percent !== undefined && { percent }) };
  const { transaction } = await service.buildTurnTx({ legId: leg.id, ...move });
  return handIn(leg, await signChecked(session, transaction, wantedOf(parcel, leg, move)));
}

/** Signs a move that somebody else began, and hands it in. */
export async function signBegun(session: Session, { parcel, leg }: Subject, begun: Begun): Promise<Signed> {
  if (POSTS_STAKE.includes(begun.action)) await requireTerms(parcel);
  const move = { ...begun, pubkey: session.account.address };
  return handIn(leg, await signChecked(session, begun.transaction, wantedOf(parcel, leg, move)));
}

/** A move that its first signer passes on. */
export interface Begun {
  readonly action: Move['action'];
  readonly percent: number;
  readonly transaction: string;
}

async function handIn({ id }: Leg, signed: Signed): Promise<Signed> {
  if (signed.missing.length === 0) await service.submitTurn({ legId: id, transaction: signed.transaction });
  return signed;
}

/** @throws Error when the ledger holds other terms than this page shows */
async function requireTerms(parcel: PackageDetail): Promise<void> {
  const { readListing } = await import('../package/readListing.js');
  const outcome = checkTerms(parcel, await readListing(parcel));
  if (!outcome.holds) throw new Error(`Not signed: the ledger holds other terms than this page. ${outcome.difference}`);
}

/** @returns the hash of the text, made here */
async function storeEvidence({ wallet, account }: Session, { id }: Leg, text: string): Promise<string> {
  if (text === '') throw new Error('Say what it rests on.');
  const client = createRelayClient({ url: serviceUrl, signer: messageSigner(wallet, account), patienceMs: 0 });
  await client.putEvidence({ legId: id, text });
  return resultHash(text).hex;
}

/** What the move changed is shown at once. */
export async function reread(packageId: string): Promise<void> {
  const keys = [keyOf('listTurns'), keyOf('getPackage', { packageId })];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
