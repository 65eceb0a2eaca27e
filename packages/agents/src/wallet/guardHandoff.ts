import { type Handoff, LegStatus, parseHandoffText } from '@legwork/program-client';
import { type LegworkSigner, requireHandoff } from '@legwork/sdk';
import { address, getBase58Decoder, type SignableMessage, type SignatureDictionary } from '@solana/kit';
import type { Guard } from './guardSigner.js';
import { EarlyPaymentError } from './spending.js';

/** The handoff that a message says; undefined: it is another message. */
export function handoffIn({ content }: SignableMessage): Handoff | undefined {
  return parseHandoffText(new TextDecoder().decode(content));
}

const NOT_PICKED_UP: ReadonlySet<LegStatus> = new Set([LegStatus.Pending, LegStatus.Accepted]);

/**
 * Signs the text of a handoff that the ledger would take now from this key, and no other. It costs this wallet nothing, and pays the courier
 * or agent of the leg as soon as anybody sends it, so what nobody has picked up is asked for as with a transaction. Rule A-121.
 *
 * @throws {TransactionRefusedError} when the ledger would not take it
 * @throws {EarlyPaymentError} when nobody has picked up what it pays for, and no person allows it
 */
export async function signHandoffText(
  signer: LegworkSigner,
  { programId, rpc, journal, approve }: Guard,
  message: SignableMessage,
  handoff: Handoff,
): Promise<SignatureDictionary> {
  const at = await requireHandoff(rpc, address(programId), signer.address, handoff);
  const pays = handoff.said !== 'picked up';
  const entry = { instruction: 'handoff', subject: at.address, lamports: 0n };
  if (pays && at.terms !== null && NOT_PICKED_UP.has(at.status)) {
    const early = new EarlyPaymentError(
      `nobody has picked up the parcel of this leg, and this text pays ${at.worker} as soon as anybody sends it`,
    );
    const details = [`Wallet: ${signer.address}`, ...new TextDecoder().decode(message.content).split('\n')];
    if (!(await approve?.({ ...entry, why: early.message, isEarlyPayment: true, details }))) throw early;
  }
  const [signatures = {}] = await signer.signMessages([message]);
  const own = signatures[signer.address];
  if (own === undefined) throw new TypeError(`the signer of ${signer.address} gave no signature of its own`);
  await journal.append({ kind: 'signed', ...entry, signature: getBase58Decoder().decode(own) });
  return signatures;
}
