import {
  bySignedText,
  decodeLeg,
  decodePackage,
  decodeRelayInstruction,
  decodeTask,
  decodeTaskLeg,
  type Handoff,
  handoffText,
  type RelayInstruction,
  type SignedText,
} from '@legwork/program-client';
import { type Address, type Instruction, isKeyPairSigner, type KeyPairSigner, signBytes } from '@solana/kit';
import { isTask, listingOf, type Escrow } from './escrow.js';
import type { Relay } from './relay.js';

/** When the texts of tests are signed: long before the time of their ledger. */
const SIGNED_AT = new Date('2026-01-01T00:00:00Z');

/** The handoff of the first leg of a package as described, or what it says otherwise. */
export async function handoffOf(
  relay: Relay,
  escrow: Escrow,
  { said = 'received', noted, ...otherwise }: Partial<Exclude<Handoff, { said: 'accepted' }>> = {},
): Promise<Handoff> {
  const where = { listing: listingOf(escrow), legIndex: 0, formation: 1, signedAt: SIGNED_AT };
  return { ...where, nonce: await nonceOf(relay, escrow), said, noted, ...otherwise };
}

/** The nonce of a listing, as its account has it. */
export async function nonceOf(relay: Relay, escrow: Escrow): Promise<Uint8Array> {
  const encoded = await relay.encoded(listingOf(escrow));
  return Uint8Array.from(isTask(escrow) ? decodeTask(encoded).data.nonce : decodePackage(encoded).data.nonce);
}

export async function signText(signer: KeyPairSigner, text: string): Promise<SignedText> {
  const signature = await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(text));
  return { signer: signer.address, signature, text };
}

/** The instruction with a signed text in place of the signature; as it is where no text can stand, or what it names is not there. */
export async function saidByText(relay: Relay, instruction: Instruction): Promise<readonly Instruction[]> {
  const decoded = decodeRelayInstruction(relay.programAddress, instruction);
  const said = decoded && (await readHandoff(relay, decoded).catch(() => undefined));
  const places = instruction.accounts?.filter(({ address }) => address === said?.signer) ?? [];
  // A key in two places signs for both, and a text stands in for one.
  const [account] = places.length === 1 ? places : [];
  const signer = account && 'signer' in account ? account.signer : undefined;
  if (!said || !isKeyPair(signer)) return [instruction];
  return bySignedText(instruction, await signText(signer, handoffText(said.handoff)));
}

const isKeyPair = (signer: unknown): signer is KeyPairSigner =>
  typeof signer === 'object' && signer !== null && isKeyPairSigner(signer as { address: Address });

/** The handoff that an instruction is about, and the key whose text it needs. */
async function readHandoff(
  relay: Relay,
  instruction: RelayInstruction,
): Promise<{ handoff: Handoff; signer: Address } | undefined> {
  if (instruction.name === 'confirmTaskLeg') {
    const { accounts, data } = instruction;
    const { nonce } = decodeTask(await relay.encoded(accounts.task.address)).data;
    const { turn } = decodeTaskLeg(await relay.encoded(accounts.taskLeg.address)).data;
    if (turn.__option === 'None') return undefined;
    const where = { listing: accounts.task.address, legIndex: data.index, formation: turn.value.formation, nonce };
    const handoff = { ...where, signedAt: SIGNED_AT, said: 'accepted' as const, resultHash: data.resultHash };
    return { handoff, signer: accounts.signer.address };
  }
  if (instruction.name !== 'confirmLeg' && !(instruction.name === 'accept' && instruction.data.take)) return undefined;
  const isPickup = instruction.name === 'accept';
  const listing = isPickup ? instruction.accounts.listing.address : instruction.accounts.package.address;
  const { nonce } = decodePackage(await relay.encoded(listing)).data;
  const { index } = decodeLeg(await relay.encoded(instruction.accounts.leg.address)).data;
  const received = !isPickup && instruction.accounts.nextLeg === undefined;
  const said = isPickup ? ('picked up' as const) : received ? ('received' as const) : ('taken over' as const);
  const where = { listing, legIndex: index, formation: instruction.data.formation, nonce };
  const signer = isPickup ? instruction.accounts.lister.address : instruction.accounts.recipient.address;
  return { handoff: { ...where, signedAt: SIGNED_AT, said, noted: undefined }, signer };
}
