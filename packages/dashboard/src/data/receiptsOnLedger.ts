import { type Receipt, ReceiptError, verifyReceipts } from '@legwork/sdk';
import type { LedgerTransaction } from '../checks/ledgerTransaction.js';
import type { Outcome } from '../checks/outcome.js';
import { ledgerRpc, readTransaction } from './ledger.js';
import { t } from '../language.js';

/** The package or task whose receipts they should be, as its page shows it. */
export interface ReceiptsOf {
  /** Its account. */
  readonly listing: string;
  readonly termsHash: string;
  readonly shipperPubkey: string;
  readonly receiverPubkey: string | null;
  readonly legs: readonly {
    readonly agentPubkey: string | null;
    readonly confirmSignature: string | null;
    /** What a ruling left of its payment; null: none. */
    readonly percent: number | null;
  }[];
}

/**
 * Checks a chain of receipts in this browser, against its own node of the ledger: signatures, texts, order and hands, that each landed as
 * it says, that they are about this listing, and that no confirmed leg lacks its own. Rule D-52.
 *
 * @throws Error when the node does not answer
 */
export async function receiptsOnLedger(chain: readonly Receipt[], of: ReceiptsOf): Promise<Outcome> {
  const { rpc, programId } = await ledgerRpc();
  const other = otherListing(chain, of, programId);
  if (other !== undefined) return { holds: false, difference: other };
  try {
    const { paid, unproven } = await verifyReceipts(chain, { rpc });
    const missing = await missingIn(chain, of);
    if (missing !== undefined) return { holds: false, difference: missing };
    const signed = chain.filter((receipt) => receipt.signed !== null).length;
    const seen = t('{signed} of {all} signed, {paid} on the ledger{unproven, plural, =0 {} other {, # not proven}}', {
      signed,
      all: chain.length,
      paid: paid.length,
      unproven: unproven.length,
    });
    return { holds: true, seen };
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    return { holds: false, difference: t('Receipt {fault}.', { fault: error.message.slice('receipt '.length) }) };
  }
}

/** A chain may hold and be about something else. */
function otherListing(chain: readonly Receipt[], of: ReceiptsOf, programId: string): string | undefined {
  const place = chain.findIndex(
    ({ program, listing, document }) => program !== programId || listing !== of.listing || document !== of.termsHash,
  );
  if (place !== -1) return t('Receipt {number} is about another listing than this page.', { number: place + 1 });
  const [first] = chain;
  const isFromElsewhere = first?.said === 'picked up' && first.from !== of.shipperPubkey;
  return isFromElsewhere
    ? t('Receipt 1 says that it came from {from}, who is not the shipper.', { from: first.from })
    : undefined;
}

/** A leg that somebody confirmed to have received, by a transaction that no receipt names. */
async function missingIn(chain: readonly Receipt[], of: ReceiptsOf): Promise<string | undefined> {
  const told = new Set(chain.map(({ landed }) => landed?.transaction));
  const parties = new Set([of.shipperPubkey, of.receiverPubkey, ...of.legs.map(({ agentPubkey }) => agentPubkey)]);
  for (const [legIndex, { confirmSignature, percent }] of of.legs.entries()) {
    // Who sends what ends a ruled leg says nothing of a parcel by it.
    if (confirmSignature === null || percent !== null || told.has(confirmSignature)) continue;
    const transaction = await readTransaction(confirmSignature);
    const taker = transaction && takerIn(transaction);
    if (taker !== undefined && parties.has(taker))
      return t('Leg {number} was confirmed but has no receipt.', { number: legIndex + 1 });
  }
  return undefined;
}

/** Who confirms in a transaction that it took a parcel or accepts a result; what silence or a ruling ends, nobody does. */
function takerIn({ instructions }: LedgerTransaction): string | undefined {
  for (const { relay } of instructions) {
    if (relay?.name === 'confirmLeg') return relay.accounts.recipient.address;
    if (relay?.name === 'confirmTaskLeg') return relay.accounts.signer.address;
  }
  return undefined;
}
