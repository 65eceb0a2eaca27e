import { decodeRelayInstruction, LegStatus } from '@legwork/program-client';
import type { RelayInstruction } from '@legwork/program-client';
import { resultHash } from '@legwork/protocol/rules';
import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { address, getBase64EncodedWireTransaction } from '@solana/kit';
import { ledgerRpc } from '../ledgerRpc.js';
import { serviceConfig } from '../client.js';
import type { LegworkClient } from '../client.js';
import { LegworkApiError, LegworkNetworkError, LegworkProtocolError, TransactionRefusedError } from '../errors.js';
import { signAffordably } from '../feePayer.js';
import { landedOn, landsWithin } from '../landed.js';
import type { Landed } from '../landed.js';
import { submitSigned } from '../signedListing.js';
import type { LedgerSigner } from '../signer.js';
import { decodeWire, readRelayTransaction, signatureOf } from '../transactions/readTransaction.js';
import { signWith } from '../transactions/signTransaction.js';
import { buildMove, legOnLedger } from './buildMove.js';
import type { BuiltMove, Move, MoveOptions } from './buildMove.js';
import { expectedMove } from './expectedMoves.js';
import { stageOnLedger } from './readLeg.js';
import type { LegOnLedger } from './readLeg.js';

/** A move whose evidence may be given as text. */
export interface MoveWithText extends Move {
  /** claim, dispute: the evidence, rule: the reason, 1 byte to 256 KiB of UTF-8; it is stored first, and the move names its sha256. */
  readonly text?: string | undefined;
}

/** The service's record of a move, and the transaction that proves it on the ledger. */
export type MadeMove = AnswerOf<(typeof operations)['submitTurn']> & Landed;

/** With these the service refuses a move whose turn has passed. */
const TURN_PASSED: ReadonlySet<string> = new Set(['invalid_status', 'not_your_turn', 'result_submitted']);

/** How long the ledger may take to show what the service says is there, milliseconds. */
const SHOWN_WITHIN_MS = 30_000;

/**
 * Makes a move of a leg with terms: lets the service build it, checks it against the ledger, signs it,
 * hands it in, and waits until the ledger has confirmed it. Its evidence, or its reason, is stored first.
 *
 * A landed move is never reported as failed: when the service does not say what came of it and the ledger shows it, `open` says so; `until`
 * is null then. Safe to repeat while nothing else has happened to the leg: the same move is found on the ledger, and not made twice.
 *
 * @param client for evidence it must have the signer
 * @throws {LegworkApiError} `invalid_status`, `not_your_turn`, `transaction_failed` and others of the three operations
 * @throws {TransactionRefusedError} when the service built another transaction, or somebody else has to sign too: {@link offerMove}
 * @throws {LedgerRefusedError} when the ledger shows that it failed
 * @throws {LegworkNetworkError} when no answer came, or the ledger does not show the move within half a minute
 */
export async function makeMove(
  client: LegworkClient,
  signer: LedgerSigner,
  move: MoveWithText,
  options: Omit<MoveOptions, 'payerPubkey'> = {},
): Promise<MadeMove> {
  let built: BuiltMove;
  try {
    built = await buildMove(client, signer.address, await withEvidence(client, move), options);
  } catch (error) {
    const turnPassed = error instanceof LegworkApiError && TURN_PASSED.has(error.code);
    const { text, ...rest } = move;
    const named: Move = text === undefined ? rest : { ...rest, hash: resultHash(text).hex };
    // Throws the refusal of the move now, whatever fails while an earlier one is looked for.
    const made = turnPassed && (await madeBefore(client, signer, named, options).catch(() => undefined));
    if (!made) throw error;
    return made;
  }
  const other = built.signers.find((one) => one !== signer.address);
  if (other !== undefined) throw new TransactionRefusedError(`this move needs the signature of ${other} too`);
  const payment = { client, rpc: options.rpc, transaction: built.transaction, takes: stakeOf(built.leg, move) };
  return submitMove(client, built, await signAffordably(payment, [signer]), options);
}

/** The stake that the move posts, which the fee payer has to have beside the fee. */
export function stakeOf({ status, terms, token }: LegOnLedger, { action }: Pick<Move, 'action'>): bigint {
  const posts = action === 'dispute' || ((action === 'accept' || action === 'take') && status === LegStatus.Pending);
  // A stake in a token is no SOL.
  return posts && token === undefined ? terms.stake : 0n;
}

/** Stores a move's text as evidence. @returns the move with its hash */
export async function withEvidence(client: LegworkClient, move: MoveWithText): Promise<Move> {
  const { text, ...rest } = move;
  if (text === undefined) return rest;
  const { hex } = resultHash(text);
  const { hash } = await client.putEvidence({ legId: move.legId, text });
  if (hash !== hex) throw new LegworkProtocolError(`the service stored ${hash} as evidence instead of ${hex}`);
  return { ...rest, hash: hex };
}

/** The wire transaction with these signatures, base64. */
export async function signMove(
  built: Pick<BuiltMove, 'transaction'>,
  signers: readonly LedgerSigner[],
): Promise<string> {
  return getBase64EncodedWireTransaction(await signWith(signers, built.transaction));
}

/**
 * Hands in a signed move, and waits until the ledger shows it. Where the service does not say what came of it, and the ledger shows it,
 * the leg's stage is read there. Safe to repeat.
 *
 * @throws as {@link makeMove}
 */
export async function submitMove(
  client: LegworkClient,
  { legId, leg }: Pick<BuiltMove, 'legId' | 'leg'>,
  transaction: string,
  { rpc }: MoveOptions,
): Promise<MadeMove> {
  const ledger = rpc ?? ledgerRpc((await serviceConfig(client)).rpcUrl);
  const made = await submitSigned(client, {
    transaction,
    submit: (proof) => client.submitTurn({ legId, ...proof }),
    what: `wait until the service shows the move of leg ${legId}`,
    known: async () => {
      const ended = nameOf(transaction, leg) === 'vacate' ? 'vacant' : 'completed';
      return { legId, until: null, stage: (await stageOnLedger(ledger, leg)) ?? ended };
    },
    rpc: ledger,
  });
  // The word of the service is not enough: who picks a parcel up relies on it.
  const signature = signatureOf(transaction);
  if (made.open !== null || (await landsWithin(ledger, signature, SHOWN_WITHIN_MS))) return made;
  throw new LegworkNetworkError(`the ledger does not show the move ${signature}`);
}

const nameOf = (transaction: string, { programId, token }: LegOnLedger) =>
  readRelayTransaction(decodeWire(transaction), programId, { token }).instruction.name;

/** The same move made before, for one that is refused now: it is the newest one of its leg. */
async function madeBefore(
  client: LegworkClient,
  signer: LedgerSigner,
  move: Move,
  options: MoveOptions,
): Promise<MadeMove | undefined> {
  const rpc = options.rpc ?? ledgerRpc((await serviceConfig(client)).rpcUrl);
  const leg = await legOnLedger(client, signer.address, move, { rpc });
  const { forms, reasonHash } = expectedMove(leg, address(signer.address), move);
  for await (const { signature, instruction, reasonHash: named } of landedOn(rpc, leg.programId, leg.address)) {
    const isMove = forms.some((form) => isSame(instruction, decodeRelayInstruction(leg.programId, form)));
    if (!isMove || named !== reasonHash) return undefined;
    return { ...(await client.submitTurn({ legId: move.legId, signature })), open: null };
  }
  return undefined;
}

/** Roles and signers are left out: a transaction has a role for each account, and not one for each instruction. */
function isSame(landed: RelayInstruction, form: RelayInstruction | undefined): boolean {
  const text = (one: RelayInstruction | undefined) =>
    JSON.stringify(one, (key, value: unknown) => {
      if (key === 'role' || key === 'signer') return undefined;
      return typeof value === 'bigint' ? `${value}` : value;
    });
  return text(landed) === text(form);
}
