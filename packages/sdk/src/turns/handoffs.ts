import { decodeRelayInstruction, LegStatus } from '@legwork/program-client';
import type { Handoff, HandoffAhead } from '@legwork/program-client';
import { address } from '@solana/kit';
import { ledgerRpc } from '../ledgerRpc.js';
import type { Address, Instruction } from '@solana/kit';
import { numberOf } from '../assets.js';
import { type LegworkClient, serviceConfig } from '../client.js';
import { TransactionRefusedError } from '../errors.js';
import { bytesToHex } from '../hex.js';
import { expectedConfirmation, expectedMove, type MoveDetails } from './expectedMoves.js';
import { readLegOf, readSpokenLeg } from './readLeg.js';
import type { AccountRpc, AnyLeg, ListingOf, SpokenListing } from './readLeg.js';

/** Which handoff is meant. */
export type HandoffMeant = ListingOf & {
  /** Of the leg that ends, or of the first one that is picked up. */
  readonly legIndex: number;
  /** `picked up`: by the shipper, for the first courier; else the leg is confirmed: taken over, received, or its result accepted. */
  readonly pickup?: boolean | undefined;
} & Pick<MoveDetails, 'claimedHash' | 'evenBeforePickup'>;

/**
 * Reads what the text of a handoff says, ahead of time and with a network: at the door {@link signHandoff}
 * needs none. The facts come from the ledger; the service says only whose listing it is. Rule A-118.
 *
 * @param pubkey the key that will sign: the next courier; of the last leg or a task, lister or receiver; of a pickup, the shipper
 * @throws {TransactionRefusedError} when the ledger would not take the text, or it would pay for what nobody has picked up
 */
export async function readHandoff(
  client: LegworkClient,
  pubkey: string,
  meant: HandoffMeant,
  { rpc: given }: { readonly rpc?: AccountRpc } = {},
): Promise<HandoffAhead> {
  const config = await serviceConfig(client);
  const { programId, rpcUrl } = config;
  const { packageId, taskId } = meant;
  const listing =
    taskId === undefined ? await client.getPackage({ packageId }) : await client.getDigitalTask({ taskId });
  const { shipperPubkey, terms } = listing;
  const assetNumber = await numberOf(config, listing.asset);
  const said = { ...(taskId === undefined ? { packageId } : { taskId }), shipperPubkey, terms, assetNumber };
  return handoffAhead(given ?? ledgerRpc(rpcUrl), { programId: address(programId), said }, pubkey, meant);
}

/** The same, of a listing that was read already: {@link readHandoff}. */
export async function handoffAhead(
  rpc: AccountRpc,
  { programId, said }: { readonly programId: Address; readonly said: SpokenListing },
  pubkey: string,
  meant: Omit<HandoffMeant, keyof ListingOf>,
): Promise<HandoffAhead> {
  const at = await readSpokenLeg(rpc, programId, said, meant.legIndex);
  if (at === undefined) throw new TransactionRefusedError(`the ledger has no leg ${meant.legIndex + 1} of it`);
  const { ahead, signer } = handoffAt(at, address(pubkey), meant);
  if (signer !== pubkey) {
    throw new TransactionRefusedError(`the text of this handoff is signed by ${signer}, not by ${pubkey}`);
  }
  return ahead;
}

/** A handoff as the ledger would take it now: the instruction, whose signature a text stands in for, and what the text says. */
interface HandoffNow {
  readonly ahead: HandoffAhead;
  readonly signer: Address;
  readonly instruction: Instruction;
}

/** @throws {TransactionRefusedError} when the ledger takes no text about the leg as it stands */
export function handoffAt(
  at: AnyLeg,
  pubkey: Address,
  { pickup = false, ...details }: Omit<HandoffMeant, keyof ListingOf | 'legIndex'>,
): HandoffNow {
  const [instruction, signer] = pickup ? pickupAt(at) : confirmationAt(at, pubkey, details);
  const decoded = decodeRelayInstruction(at.programId, instruction);
  const where = { listing: at.listing, legIndex: at.index, nonce: at.nonce };
  if (!takesTexts(at)) {
    throw new TransactionRefusedError('this was listed before handoffs were texts: it goes on by transactions');
  }
  if (decoded?.name === 'accept') {
    return { ahead: { ...where, formation: decoded.data.formation, said: 'picked up' }, signer, instruction };
  }
  if (decoded?.name === 'confirmLeg') {
    const said = decoded.accounts.nextLeg === undefined ? ('received' as const) : ('taken over' as const);
    requireSigner(at, signer);
    return { ahead: { ...where, formation: decoded.data.formation, said }, signer, instruction };
  }
  if (at.terms === null || at.resultHash === undefined) {
    throw new TransactionRefusedError('the coordinator alone confirms this result');
  }
  requireSigner(at, signer);
  const { formation } = at.turn;
  return { ahead: { ...where, formation, said: 'accepted', resultHash: at.resultHash }, signer, instruction };
}

/** Reports whether a text can be about the listing: one from before there were texts goes on by transactions. Rule P-103. */
export const takesTexts = ({ nonce }: Pick<AnyLeg, 'nonce'>): boolean => nonce.some((byte) => byte !== 0);

/** The next courier takes a parcel over; at the end lister or receiver have it, or accept the result. */
function requireSigner({ next, lister, terms }: AnyLeg, signer: Address): void {
  const signers = next === undefined ? [lister, ...(terms === null ? [] : [terms.receiver])] : [next.worker];
  if (signers.includes(signer)) return;
  throw new TransactionRefusedError(`it is signed by somebody else: not by ${signer}, but by ${signers[0]}`);
}

/** Of the first leg, where shipper and courier both sign. */
function pickupAt(at: AnyLeg): [Instruction, Address] {
  const { terms } = at;
  const listingOf = { packageId: at.listing };
  const move = terms && expectedMove({ ...at, terms, listingOf }, at.worker, { action: 'take' });
  const [lister] = move?.cosigners ?? [];
  const instruction = move?.forms.at(-1);
  if (lister === undefined || instruction === undefined) {
    throw new TransactionRefusedError(`the pickup of the leg at ${at.address} is signed by its courier alone`);
  }
  if (at.status !== LegStatus.Pending && at.status !== LegStatus.Accepted) {
    throw new TransactionRefusedError('nobody waits to pick this parcel up');
  }
  return [instruction, lister];
}

function confirmationAt(at: AnyLeg, pubkey: Address, details: Omit<MoveDetails, 'action'>): [Instruction, Address] {
  // Where a leg begins to count, the form that names its worker's reputation comes last.
  const instruction = expectedConfirmation(at, pubkey, details).forms.at(-1);
  if (instruction === undefined) throw new TransactionRefusedError(`the leg at ${at.address} cannot be confirmed yet`);
  return [instruction, pubkey];
}

export const kindOf = ({ said }: Handoff) => (said === 'accepted' ? 'task' : 'package');

export async function readLegFor(rpc: AccountRpc, programId: Address, handoff: Handoff): Promise<AnyLeg> {
  const { listing, legIndex } = handoff;
  const at = await readLegOf(rpc, programId, listing, legIndex, kindOf(handoff));
  if (at === undefined) throw new TransactionRefusedError(`the ledger has no leg ${legIndex + 1} of ${listing}`);
  return at;
}

/**
 * Reads the leg that a handoff is about, and makes sure that the ledger would take the handoff's text now, signed by this key.
 *
 * @returns the leg as the ledger has it
 * @throws {TransactionRefusedError} that says what is otherwise
 */
export async function requireHandoff(
  rpc: AccountRpc,
  programId: Address,
  signer: Address,
  handoff: Handoff,
): Promise<AnyLeg> {
  const at = await readLegFor(rpc, programId, handoff);
  takenNow(at, signer, handoff);
  return at;
}

/** @throws {TransactionRefusedError} that says why the ledger does not take the text of this handoff by this key now */
export function takenNow(at: AnyLeg, signer: Address, handoff: Handoff): HandoffNow {
  const now = handoffAt(at, signer, {
    pickup: handoff.said === 'picked up',
    // The signer has seen the parcel, or was asked.
    evenBeforePickup: true,
    ...(handoff.said === 'accepted' && { claimedHash: bytesToHex(handoff.resultHash) }),
  });
  requireSame(handoff, now, signer);
  return now;
}

/** @throws {TransactionRefusedError} that says in which line the text is about something else than the ledger has now */
function requireSame(handoff: Handoff, { ahead, signer }: HandoffNow, by: Address): void {
  const differing = [
    ['nonce', bytesToHex(handoff.nonce), bytesToHex(ahead.nonce), 'it was signed on another cluster'],
    ['formation', handoff.formation, ahead.formation, 'it was signed for another courier of this leg'],
    ['word', handoff.said, ahead.said, 'it says another thing of this leg'],
    ['signer', by, signer, 'it is signed by somebody else'],
  ].find(([, is, wanted]) => is !== wanted);
  if (differing === undefined) return;
  const [what, is, wanted, why] = differing;
  throw new TransactionRefusedError(
    `the ledger does not take this handoff: its ${what} is ${is} instead of ${wanted}; ${why}`,
  );
}
