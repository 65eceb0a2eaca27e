import { LegworkError, toLamports } from '@legwork/protocol/contract';
import { TOKEN_ACCOUNT_BYTES } from '@legwork/program-client';
import { ask } from '@legwork/program-client/history';
import {
  type Base64EncodedWireTransaction,
  getBase64EncodedWireTransaction,
  signature as asSignature,
  type Transaction,
} from '@solana/kit';
import type { AppContext } from '../context.js';
import { type Ledger, rentOf } from '../ledger/ledger.js';
import { decodeWalletTransaction, describeTransactionError, submitAndConfirm } from '../ledger/submitTransaction.js';
import type { Caller, In, Out } from '../operations/run.js';
import { charge, chargeId, correctCharge, isCharged, paysFees } from './budget.js';
import { differenceOf } from './difference.js';
import { readRelayed, refused, type Relayed } from './readRelayed.js';
import { messagesOf, wantedOf } from './wantedOf.js';

/**
 * Pays the fee of a transaction that the service built itself for a key whose move it is. What is refused is not signed, and no budget is
 * charged for it. Rule M-97.
 */
export async function relayTransaction(
  context: AppContext,
  { transaction: base64 }: In<'relayTransaction'>,
  caller: Caller,
): Out<'relayTransaction'> {
  if (!paysFees(context.config)) {
    throw LegworkError.field('sponsorship_cap', 'transaction', 'is paid for by nobody here: pay from your own wallet');
  }
  const relayed = await readRelayed(context.ledger, base64);
  const id = chargeId(context.ledger, relayed.transaction);
  const isRepeated = await isCharged(context.db, id);
  if (!isRepeated) await admit(context, relayed, { id, ip: caller.ip });
  const completed = await complete(context.ledger, relayed.transaction);
  const signature = await submitAndConfirm(context.ledger, decodeWalletTransaction(context.ledger, completed));
  if (!isRepeated && relayed.tokenAccounts > 0) await correct(context, id, signature);
  return { answer: { signature, transaction: completed } };
}

/** Compares, simulates and charges: after it the coordinator signs. */
async function admit(context: AppContext, relayed: Relayed, { id, ip }: { id: string; ip: string }): Promise<void> {
  const { ledger } = context;
  const wanted = await wantedOf(context, relayed);
  requireSame(relayed.transaction, messagesOf(context, relayed, wanted));
  const rents = rentOf(ledger, TOKEN_ACCOUNT_BYTES) * BigInt(relayed.tokenAccounts);
  const lamports = toLamports(relayed.fee + rents + relayed.lends);
  await requireCost(ledger, relayed.transaction, lamports);
  await charge(context, { id, key: wanted.key, ip, lamports });
}

/** Byte for byte. @throws LegworkError `wrong_transaction` that says what differs */
function requireSame(sent: Transaction, wanted: readonly Transaction[]): void {
  const [found, meant] = [Buffer.from(sent.messageBytes), wanted.map((one) => Buffer.from(one.messageBytes))];
  if (meant.some((one) => found.equals(one))) return;
  const [first = found] = meant;
  throw refused(`is not what this service builds for that move now: ${differenceOf(found, first)}`);
}

/** @throws LegworkError `transaction_failed` when it would fail; `wrong_transaction` when it would take more than it says */
async function requireCost({ rpc }: Ledger, transaction: Transaction, most: bigint): Promise<void> {
  const wire = getBase64EncodedWireTransaction(transaction);
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false } as const;
  const { value } = await ask(rpc.simulateTransaction(wire, options));
  if (value.err !== null) {
    throw LegworkError.field('transaction_failed', 'transaction', describeTransactionError(value.err).reason);
  }
  const [before, after] = [value.preBalances?.[0], value.postBalances?.[0]];
  if (before === undefined || after === undefined) {
    throw new LegworkError(
      'ledger_unavailable',
      'The ledger does not say what the transaction would cost; try again later.',
    );
  }
  if (before - after <= most) return;
  throw refused(`would take ${before - after} lamports of the coordinator, and its fee and rents are ${most}`);
}

/** With the coordinator's signature, the same each time. */
async function complete({ coordinator }: Ledger, transaction: Transaction): Promise<Base64EncodedWireTransaction> {
  const [signatures] = await coordinator.signTransactions([transaction as never]);
  return getBase64EncodedWireTransaction({
    ...transaction,
    signatures: { ...transaction.signatures, ...signatures },
  });
}

/** Where nothing was to be created the charge is lowered to what was taken. */
async function correct({ db, ledger }: AppContext, id: string, signature: string): Promise<void> {
  const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  const landed = await ask(ledger.rpc.getTransaction(asSignature(signature), options));
  const [before, after] = [landed?.meta?.preBalances[0], landed?.meta?.postBalances[0]];
  const fee = landed?.meta?.fee;
  if (before === undefined || after === undefined || fee === undefined) return;
  await correctCharge(db, id, before - after > fee ? before - after : fee);
}
