import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  ED25519_PROGRAM_ADDRESS,
  payableBy,
  readMessage,
  rentMinimum,
  TOKEN_ACCOUNT_RENT,
} from '@legwork/program-client';
import { isSignedBy } from '@legwork/protocol/contract';
import { address, getBase64Decoder, getBase64EncodedWireTransaction } from '@solana/kit';
import { ledgerRpc } from './ledgerRpc.js';
import type { Address, GetBalanceApi, Rpc, Signature, Transaction } from '@solana/kit';
import { serviceConfig } from './client.js';
import type { LegworkClient } from './client.js';
import { LegworkNetworkError, LegworkProtocolError, TransactionRefusedError } from './errors.js';
import { landsWithin } from './landed.js';
import { pause } from './pause.js';
import type { LedgerSigner } from './signer.js';
import { decodeWire, priorityFeeLamports, signatureOf } from './transactions/readTransaction.js';
import { sendTransaction } from './transactions/sendTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { signWith } from './transactions/signTransaction.js';

/** The RPC method that tells whether a wallet can pay. */
export type BalanceRpc = Rpc<GetBalanceApi>;

const SIGNATURE_LAMPORTS = 5_000n;
/** So long the ledger may take to show what the service says is there, milliseconds. */
const SHOWN_WITHIN_MS = 30_000;
const RELAY_ATTEMPTS = 3;
const RELAY_PAUSE_MS = 500;
/** So long a balance that was enough is remembered, milliseconds. */
const KNOWN_MS = 600_000;

/** The balances of wallets that could pay, less the most that their transactions have taken since. */
const KNOWN = new WeakMap<LegworkClient, Map<string, { readonly lamports: bigint; readonly atMs: number }>>();

/** A transaction that is to be signed, and what it takes. */
export interface Payment {
  readonly client: LegworkClient;
  /** Default: where the service says. */
  readonly rpc?: BalanceRpc | undefined;
  readonly transaction: Transaction;
  /** The amount that it takes from its fee payer beside fee and rents, lamports: a stake. */
  readonly takes?: bigint | undefined;
  /** The part of that which the service lends, lamports: the rent of a listing that is paid in a token. */
  readonly lends?: bigint | undefined;
}

/**
 * The transaction as it is to be signed: with the service's fee payer in place of a wallet that has what the transaction takes, and too
 * little SOL for fee and rents. Whoever has enough pays as ever; that is asked once in a while, and not before each transaction. Rule A-148.
 */
export async function affordable({ client, rpc, transaction, takes = 0n, lends = 0n }: Payment): Promise<Transaction> {
  const { feePayerPubkey, rpcUrl } = await serviceConfig(client);
  if (feePayerPubkey === null) return transaction;
  const { feePayer } = readMessage(transaction);
  // The runtime lets no wallet keep less than that, which would else have too much to be paid for and too little to pay.
  const needs = takes + lends + feesOf(transaction) + rentMinimum(0);
  if (await hasEnough(client, rpc ?? ledgerRpc(rpcUrl), { wallet: feePayer, needs, takes })) return transaction;
  return payableBy(transaction, address(feePayerPubkey), { lends });
}

/** Of its signatures and a signed text, for priority, and for token accounts, as if none of them were there. */
function feesOf(transaction: Transaction): bigint {
  const { instructions } = readMessage(transaction);
  const countOf = (program: Address) => instructions.filter(({ programAddress }) => programAddress === program).length;
  const signatures = Object.keys(transaction.signatures).length + countOf(ED25519_PROGRAM_ADDRESS);
  const rents = BigInt(countOf(ASSOCIATED_TOKEN_PROGRAM_ADDRESS)) * TOKEN_ACCOUNT_RENT;
  return BigInt(signatures) * SIGNATURE_LAMPORTS + priorityFeeLamports(instructions) + rents;
}

/** Also where the wallet has too little for what nobody lends, and where nobody says what it has: then the ledger says why not. */
async function hasEnough(
  client: LegworkClient,
  rpc: BalanceRpc,
  { wallet, needs, takes }: { readonly wallet: Address; readonly needs: bigint; readonly takes: bigint },
): Promise<boolean> {
  const known = KNOWN.get(client) ?? new Map<string, { lamports: bigint; atMs: number }>();
  KNOWN.set(client, known);
  const before = known.get(wallet);
  const isFresh = before !== undefined && Date.now() - before.atMs < KNOWN_MS;
  if (isFresh && before.lamports >= needs) {
    known.set(wallet, { ...before, lamports: before.lamports - needs });
    return true;
  }
  const balance = await rpc
    .getBalance(wallet, { commitment: 'confirmed' })
    .send()
    .then(
      ({ value }) => BigInt(value),
      () => undefined,
    );
  if (balance === undefined || balance < takes) return true;
  if (balance < needs) return false;
  known.set(wallet, { lamports: balance - needs, atMs: Date.now() });
  return true;
}

/**
 * The transaction with these signatures, in base64, whoever pays for it: one that the service pays for has landed by then. Handed in or sent,
 * it is treated as one that the wallet paid for.
 *
 * @throws {LegworkApiError} `sponsorship_cap`, `sponsoring_paused`, `transaction_failed` and others of `relayTransaction`
 */
export async function signAffordably(payment: Payment, signers: readonly LedgerSigner[]): Promise<string> {
  const transaction = await affordable(payment);
  const signed = getBase64EncodedWireTransaction(await signWith(signers, transaction));
  return transaction === payment.transaction ? signed : relay(payment.client, signed);
}

/** Signs the transaction and sends it, or has the service pay for it, and waits until the ledger has confirmed it. @throws as both do */
export async function sendAffordably(
  payment: Payment & { readonly rpc: SendRpc },
  signer: LedgerSigner,
  lastValidBlockHeight: number,
): Promise<Signature> {
  const transaction = await affordable(payment);
  const signed = getBase64EncodedWireTransaction(await signWith([signer], transaction));
  if (transaction === payment.transaction) return sendTransaction(payment.rpc, signed, lastValidBlockHeight);
  const signature = signatureOf(await relay(payment.client, signed));
  // The word of the service is not enough.
  if (await landsWithin(payment.rpc, signature, SHOWN_WITHIN_MS)) return signature;
  throw new LegworkNetworkError(`the ledger does not show transaction ${signature}, which the service paid for`);
}

const messageIn = ({ messageBytes }: Transaction) => getBase64Decoder().decode(messageBytes);

/**
 * Reports whether it is the same transaction, and its fee payer has signed it. With the signature of another one in that place, which has
 * landed, the ledger would seem to show what never came there.
 */
function isPaidFor(base64: string, signed: string): boolean {
  const transaction = decodeWire(base64);
  const { feePayer } = readMessage(transaction);
  const signature = transaction.signatures[feePayer];
  const isSame = messageIn(transaction) === messageIn(decodeWire(signed));
  return isSame && signature != null && isSignedBy(feePayer, signature, Uint8Array.from(transaction.messageBytes));
}

/** Reports whether the fee payer, somebody else, has yet to sign the transaction. False for other texts; the service says so. */
export function isToBeRelayed(base64: string): boolean {
  try {
    const transaction = decodeWire(base64);
    return transaction.signatures[readMessage(transaction).feePayer] === null;
  } catch (error) {
    if (error instanceof TransactionRefusedError) return false;
    throw error;
  }
}

/**
 * Has the service complete and send a transaction. The same one is paid for once.
 *
 * @returns it with all its signatures, base64
 * @throws {LegworkProtocolError} when the service gives another one back
 */
export async function relay(client: LegworkClient, signed: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { transaction } = await client.relayTransaction({ transaction: signed });
      if (isPaidFor(transaction, signed)) return transaction;
      throw new LegworkProtocolError('the service answers with another transaction than it was to pay for');
    } catch (error) {
      if (!(error instanceof LegworkNetworkError) || attempt === RELAY_ATTEMPTS) throw error;
      await pause(RELAY_PAUSE_MS);
    }
  }
}
