import type { RelayInstruction } from '@legwork/program-client';
import { findLanded, type SucceededTransaction } from '@legwork/program-client/history';
import { LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { Ledger } from '../ledger/ledger.js';
import {
  decodeWalletTransaction,
  submitAndConfirm,
  type WalletTransaction,
  describeTransactionError,
} from '../ledger/submitTransaction.js';
import type { Landed } from '../mirror/applyLanded.js';
import { applyOrHeal } from '../mirror/heal.js';

/** The caller's proof: a signed transaction, or the signature of one that was sent. The contract takes exactly one of them. */
export interface GivenProof {
  signature?: string | undefined;
  transaction?: string | undefined;
}

/** A proof, decoded. */
export interface Proof {
  signature: string;
  /** The field that it was given in. */
  field: keyof GivenProof;
  /** The transaction to send; undefined: the caller sent it. */
  transaction?: WalletTransaction;
}

/** Decodes a proof. @throws LegworkError `wrong_transaction` when it holds no signed transaction */
export function readProof(ledger: Ledger, given: GivenProof): Proof {
  if (given.transaction !== undefined) {
    const transaction = decodeWalletTransaction(ledger, given.transaction);
    return { signature: transaction.signature, field: 'transaction', transaction };
  }
  if (given.signature === undefined) throw new Error('the schema lets one of signature and transaction through');
  return { signature: given.signature, field: 'signature' };
}

/** The field that a proof is given in. */
export const fieldOf = ({ transaction }: GivenProof): keyof GivenProof =>
  transaction === undefined ? 'signature' : 'transaction';

/** The demands of a call on its proof. */
interface Demands {
  /** The route that builds such a transaction. */
  builtBy: string;
  /** Throws unless the instructions are the right ones; called before anything is sent. */
  judge: (instructions: readonly RelayInstruction[], field: keyof GivenProof) => void;
  /** Throws unless what the transaction did still stands; called once it has landed, before it is mirrored. */
  requireStanding?: (landed: Landed) => Promise<void>;
}

/**
 * Mirrors the transaction of a proof, and sends it first when the caller gave the transaction itself. Meanwhile the follower
 * leaves it to this call; one that the follower is applying is left to it.
 *
 * @throws LegworkError `transaction_failed`, `not_confirmed_on_chain`, `wrong_transaction`
 */
export async function landProof(context: AppContext, proof: Proof, demands: Demands): Promise<void> {
  context.landing.add(proof.signature);
  try {
    const applied = await context.following.get(proof.signature);
    if (applied !== undefined) demands.judge(applied.instructions, proof.field);
    const landed = applied ?? (await readProven(context.ledger, proof, demands));
    await demands.requireStanding?.(landed);
    if (applied === undefined) await applyOrHeal(context, landed);
  } finally {
    context.landing.delete(proof.signature);
  }
}

async function readProven(
  ledger: Ledger,
  { signature, field, transaction }: Proof,
  { judge, builtBy }: Demands,
): Promise<Landed> {
  if (transaction !== undefined) {
    judge(transaction.instructions, field);
    await submitAndConfirm(ledger, transaction);
  }
  const found = await requireLanded(ledger, signature, builtBy);
  const { slot, instructions, bytes } = found;
  judge(instructions, field);
  return { signature, slot, instructions, kept: { bytes: Buffer.from(bytes) }, isFinal: false, found };
}

/**
 * Returns the confirmed transaction that the caller names by its signature.
 *
 * @param builtBy the route that builds such a transaction, for a caller who needs another one
 * @throws LegworkError `not_confirmed_on_chain`, `transaction_failed` when it is confirmed to have failed, or `wrong_transaction`
 * when it cannot be read
 */
async function requireLanded(ledger: Ledger, signature: string, builtBy: string): Promise<SucceededTransaction> {
  const landed = await findLanded(ledger, signature);
  if (!landed) {
    throw LegworkError.field(
      'not_confirmed_on_chain',
      'signature',
      `the ledger does not show this transaction as confirmed; wait until it is and repeat the call, or build a new one with ${builtBy} when its lastValidBlockHeight has passed`,
    );
  }
  if (landed.kind === 'unreadable') {
    throw LegworkError.field(
      'wrong_transaction',
      'signature',
      `is of a transaction that cannot be read here (${landed.reason}); build one with ${builtBy}`,
    );
  }
  if (landed.error !== null) {
    throw LegworkError.field(
      'transaction_failed',
      'signature',
      `is of a transaction that failed on the ledger (${describeTransactionError(landed.error).reason}); build a new one with ${builtBy}`,
    );
  }
  return landed;
}
