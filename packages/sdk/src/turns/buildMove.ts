import { numberOf } from '../assets.js';
import { decodeRelayInstruction } from '@legwork/program-client';
import type { RelayInstruction } from '@legwork/program-client';
import type { Terms } from '@legwork/protocol/contract';
import { address, getBase64Decoder } from '@solana/kit';
import { ledgerRpc } from '../ledgerRpc.js';
import type { Address, Instruction, Transaction } from '@solana/kit';
import { serviceConfig } from '../client.js';
import type { LegworkClient } from '../client.js';
import { TransactionRefusedError } from '../errors.js';
import { bytesToHex } from '../hex.js';
import { decodeWire, readRelayTransaction } from '../transactions/readTransaction.js';
import { listingOfLeg } from './allTurns.js';
import { expectedMove } from './expectedMoves.js';
import type { ExpectedMove, MoveDetails } from './expectedMoves.js';
import { readLeg } from './readLeg.js';
import type { LegOnLedger, ListingOf, SpokenListing, TurnRpc } from './readLeg.js';

/** A move of a leg with terms. */
export interface Move extends MoveDetails {
  readonly legId: string;
  /** Of which package or digital task the leg is; both left out, it is looked up among the turns and legs of the key. */
  readonly packageId?: string | undefined;
  readonly taskId?: string | undefined;
  /** The leg's account, where the caller knows it by itself: another one is refused. */
  readonly onChainLeg?: string | undefined;
  /** The terms by which the caller has decided: a leg that is bound by others is refused, whatever the service says by now. Rule A-106. */
  readonly terms?: Terms | null | undefined;
}

/** Which leg is meant, and what the caller knows of it. */
export type LegMeant = Pick<Move, 'legId' | 'packageId' | 'taskId' | 'onChainLeg' | 'terms'>;

/** How a move is made. */
export interface MoveOptions {
  /** Where the ledger is read; default: where the service says. A caller that does not trust the service names its own. */
  readonly rpc?: TurnRpc | undefined;
  /** Pays the fee, and signs too; default: who makes the move. */
  readonly payerPubkey?: string | undefined;
}

/** The transaction of a move: unsigned, and checked to be that and nothing else. */
export interface BuiltMove {
  readonly legId: string;
  readonly transaction: Transaction;
  /** Wire form, base64. */
  readonly base64: string;
  /** All who have to sign; the first pays the fee. */
  readonly signers: readonly Address[];
  readonly lastValidBlockHeight: number;
  /** The leg as the ledger has it. */
  readonly leg: LegOnLedger;
}

/**
 * Lets the service build the transaction of a move, and makes sure that it is this move: of this leg, of its courier or agent of today, with this
 * hash and percentage, signed by nobody else, and nothing beside it. The instruction that it has to hold is made from the ledger, so a
 * service that lies gets neither another move signed nor a transaction that could land much later.
 *
 * @param pubkey the key that makes the move
 * @throws {LegworkApiError} `invalid_status`, `not_your_turn`, `not_found`
 * @throws {TransactionRefusedError} when the service built another transaction, or says otherwise than the ledger
 */
export async function buildMove(
  client: LegworkClient,
  pubkey: string,
  move: Move,
  options: MoveOptions = {},
): Promise<BuiltMove> {
  const { legId, action, hash, percent, evenBeforePickup } = move;
  const { payerPubkey = pubkey } = options;
  const call = {
    legId,
    action,
    pubkey,
    hash,
    percent,
    ...(evenBeforePickup && { evenBeforePickup }),
    ...(payerPubkey !== pubkey && { payerPubkey }),
  };
  const leg = await legOnLedger(client, pubkey, move, options).catch(async (error: unknown) => {
    // Of a leg that is over the ledger has nothing any more: the service says how it ended, where it refuses the move.
    await client.buildTurnTx(call);
    throw error;
  });
  const expected = expectedMove(leg, address(pubkey), move);
  const { transaction: base64, lastValidBlockHeight } = await client.buildTurnTx(call);
  const signers = [...new Set([address(payerPubkey), address(pubkey), ...expected.cosigners])];
  const transaction = requireMove(base64, leg, { ...expected, signers });
  return { legId, transaction, base64, signers, lastValidBlockHeight, leg };
}

/**
 * Reads the leg that a move is of from the ledger; the service only says of which package or task it is, and where in it.
 *
 * @throws as {@link buildMove}
 */
export async function legOnLedger(
  client: LegworkClient,
  pubkey: string,
  { legId, packageId, taskId, onChainLeg, terms }: LegMeant,
  { rpc }: Pick<MoveOptions, 'rpc'> = {},
): Promise<LegOnLedger> {
  const { programId, rpcUrl } = await serviceConfig(client);
  const asked = askedFor(packageId, taskId) ?? (await listingOfLeg(client, pubkey, legId));
  if (asked === undefined) {
    throw new TransactionRefusedError(`no turn of ${pubkey} is about leg ${legId}: say of which package or task it is`);
  }
  const { said: answer, legIndex } = await spokenLeg(client, asked, legId);
  const said = terms === undefined ? answer : { ...answer, terms };
  const leg = await readLeg(rpc ?? ledgerRpc(rpcUrl), address(programId), said, legIndex);
  if (onChainLeg !== undefined && leg.address !== onChainLeg) {
    throw new TransactionRefusedError(`leg ${legId} is at ${leg.address}, not at ${onChainLeg}`);
  }
  return leg;
}

/**
 * Reads a wire transaction and makes sure that it holds one of these instructions, names this reason, and has nothing else but a compute
 * budget, and that exactly these wallets sign it, the first of them paying.
 *
 * @throws {TransactionRefusedError} when it is anything else
 */
export function requireMove(
  base64: string,
  { programId, token }: Pick<LegOnLedger, 'programId' | 'token'>,
  { forms, reasonHash, signers }: Omit<ExpectedMove, 'cosigners'> & { readonly signers: readonly Address[] },
): Transaction {
  const read = readRelayTransaction(decodeWire(base64), programId, { token });
  if (!forms.some((form) => isSame(form, read.encoded))) {
    const { name } = read.instruction;
    const [form] = forms;
    const why = form ? differenceOf(read.instruction, decodeRelayInstruction(programId, form)) : TAKES_NONE;
    throw new TransactionRefusedError(`the transaction holds another ${name} than the move that was meant${why}`);
  }
  if (read.reasonHash !== reasonHash) {
    throw new TransactionRefusedError(
      `the reason that the transaction names is ${textOf(read.reasonHash)} and should be ${textOf(reasonHash)}`,
    );
  }
  if (read.feePayer !== signers[0]) {
    throw new TransactionRefusedError(`the fee of this transaction is paid by ${read.feePayer}, not by ${signers[0]}`);
  }
  const stranger = read.signers.find((signer) => !signers.includes(signer));
  if (stranger !== undefined || read.signers.length !== signers.length) {
    throw new TransactionRefusedError(
      `this move is signed by ${signers.join(', ')}, not by ${read.signers.join(', ')}`,
    );
  }
  return read.transaction;
}

const TAKES_NONE = ': the ledger takes none of this leg as it stands now';

/** The difference between what it says and what it should say, as the end of a sentence. */
function differenceOf(found: RelayInstruction, meant: RelayInstruction | undefined): string {
  if (meant === undefined) return '';
  if (found.name !== meant.name) return `: it should be ${meant.name}`;
  const named = ({ accounts, data }: RelayInstruction): [string, unknown][] => [
    ...Object.entries(accounts).map(([name, account]): [string, unknown] => [name, account?.address]),
    ...Object.entries(data),
  ];
  const wanted = new Map(named(meant));
  const [what, is] = named(found).find(([name, value]) => textOf(value) !== textOf(wanted.get(name))) ?? [];
  return what === undefined ? '' : `: its ${what} is ${textOf(is)} and should be ${textOf(wanted.get(what))}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return bytesToHex(value);
  if (value === undefined) return 'none';
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value);
}

/** Roles are left out: a transaction has one for each account, and not one for each instruction. */
function isSame(form: Instruction, found: Instruction): boolean {
  const base64 = getBase64Decoder();
  const accounts = ({ accounts: all = [] }: Instruction) => all.map(({ address: one }) => one).join(' ');
  const data = ({ data: bytes = new Uint8Array() }: Instruction) => base64.decode(bytes);
  return (
    form.programAddress === found.programAddress && accounts(form) === accounts(found) && data(form) === data(found)
  );
}

function askedFor(packageId: string | undefined, taskId: string | undefined): ListingOf | undefined {
  if (taskId !== undefined) return { taskId };
  return packageId === undefined ? undefined : { packageId };
}

/** The leg's listing by the service's word, and the leg's place in it. @throws {TransactionRefusedError} when it is not there */
export async function spokenLeg(
  client: LegworkClient,
  { packageId, taskId }: ListingOf,
  legId: string,
): Promise<{ said: SpokenListing; legIndex: number }> {
  const isTask = taskId !== undefined;
  const listing = isTask ? await client.getDigitalTask({ taskId }) : await client.getPackage({ packageId });
  const { id, shipperPubkey, terms } = listing;
  const asked = isTask ? taskId : packageId;
  if (id !== asked.toLowerCase()) {
    throw new TransactionRefusedError(
      `the service answers with ${isTask ? 'task' : 'package'} ${id} instead of ${asked}`,
    );
  }
  const legs = 'legs' in listing ? listing.legs : listing.swarm?.legs;
  const legIndex = legs?.find((leg) => leg.id === legId)?.legIndex;
  if (legIndex === undefined)
    throw new TransactionRefusedError(`${isTask ? 'task' : 'package'} ${id} has no leg ${legId}`);
  const assetNumber = await numberOf(await serviceConfig(client), listing.asset);
  return { said: { ...(isTask ? { taskId: id } : { packageId: id }), shipperPubkey, terms, assetNumber }, legIndex };
}
