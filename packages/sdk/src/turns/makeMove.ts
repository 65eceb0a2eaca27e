import { resultHash } from '@legwork/protocol/rules';
import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { createSolanaRpc, getBase64EncodedWireTransaction } from '@solana/kit';
import type { Signature } from '@solana/kit';
import type { RelayClient } from '../client.js';
import { LedgerRefusedError, RelayNetworkError, RelayProtocolError, TransactionRefusedError } from '../errors.js';
import { pause } from '../pause.js';
import { serviceConfig } from '../serviceConfig.js';
import { submitSigned } from '../signedListing.js';
import type { LedgerSigner } from '../signer.js';
import { signWith } from '../transactions/signTransaction.js';
import { signatureOf } from '../transactions/wire.js';
import { buildMove } from './buildMove.js';
import type { BuiltMove, Move, MoveOptions } from './buildMove.js';
import type { TurnRpc } from './readLeg.js';

/** A move whose evidence may be given as text. */
export interface MoveWithText extends Move {
  /** claim, dispute: the evidence, 1 byte to 256 KiB of UTF-8; it is stored first, and the move names its sha256. */
  readonly text?: string | undefined;
}

/** What the service recorded of a move, and the transaction that says so on the ledger. */
export type MadeMove = AnswerOf<(typeof operations)['submitTurn']>;

/** How long the ledger may take to show what the service says is there, milliseconds. */
const SHOWN_WITHIN_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Makes a move of a leg with terms: lets the service build it, checks it against the ledger, signs it, hands it in, and waits until
 * the ledger has confirmed it. A claim or a dispute first stores its evidence.
 *
 * Whether it is to be repeated after an interruption, the leg's stage tells: a move that landed cannot be made again.
 *
 * @param client for evidence it must have the signer
 * @throws {RelayApiError} `invalid_status`, `not_your_turn`, `transaction_failed` and others of the three operations
 * @throws {TransactionRefusedError} when the service built another transaction, or somebody else has to sign too: {@link offerMove}
 * @throws {LedgerRefusedError} when the ledger shows that it failed
 * @throws {RelayNetworkError} when no answer came, or the ledger does not show the move within half a minute
 */
export async function makeMove(
  client: RelayClient,
  signer: LedgerSigner,
  move: MoveWithText,
  options: Omit<MoveOptions, 'payerPubkey'> = {},
): Promise<MadeMove> {
  const built = await buildMove(client, signer.address, await withEvidence(client, move), options);
  const other = built.signers.find((one) => one !== signer.address);
  if (other !== undefined) throw new TransactionRefusedError(`this move needs the signature of ${other} too`);
  return submitMove(client, built.legId, await signMove(built, [signer]), options);
}

/** Stores a move's text as evidence. @returns the move with its hash */
export async function withEvidence(client: RelayClient, move: MoveWithText): Promise<Move> {
  const { text, ...rest } = move;
  if (text === undefined) return rest;
  const { hex } = resultHash(text);
  const { hash } = await client.putEvidence({ legId: move.legId, text });
  if (hash !== hex) throw new RelayProtocolError(`the service stored ${hash} as evidence instead of ${hex}`);
  return { ...rest, hash: hex };
}

/** The wire transaction with these signatures, base64. */
export async function signMove(
  built: Pick<BuiltMove, 'transaction'>,
  signers: readonly LedgerSigner[],
): Promise<string> {
  return getBase64EncodedWireTransaction(await signWith(signers, built.transaction));
}

/** Hands in a signed move, and waits until the ledger shows it. Safe to repeat. @throws as {@link makeMove} */
export async function submitMove(
  client: RelayClient,
  legId: string,
  transaction: string,
  { rpc }: MoveOptions,
): Promise<MadeMove> {
  const made = await submitSigned(transaction, (proof) => client.submitTurn({ legId, ...proof }));
  const ledger = rpc ?? createSolanaRpc((await serviceConfig(client)).rpcUrl);
  await untilLanded(ledger, signatureOf(transaction));
  return made;
}

/** The word of the service is not enough: who picks a parcel up relies on it. */
async function untilLanded(rpc: TurnRpc, signature: Signature): Promise<void> {
  const until = Date.now() + SHOWN_WITHIN_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    const status = value[0];
    if (status?.err) throw new LedgerRefusedError(`transaction ${signature} failed on the ledger`, undefined);
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return;
    if (Date.now() > until) throw new RelayNetworkError(`the ledger does not show the move ${signature}`);
    await pause(wait);
  }
}
