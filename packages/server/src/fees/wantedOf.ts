import {
  lastBySignedText,
  compileLegacy,
  type Named,
  payableBy,
  readMessage,
  type RelayInstruction,
  SOL_ASSET,
} from '@legwork/program-client';
import { LegworkError, type MoveAction } from '@legwork/protocol/contract';
import { INCINERATOR_ADDRESS } from '@legwork/protocol/rules';
import { type Address, getBase64Encoder, getTransactionDecoder, type Transaction } from '@solana/kit';
import { sql } from 'kysely';
import type { AppContext } from '../context.js';
import type { Db } from '../db/connect.js';
import { assetOf } from '../ledger/assets.js';
import { paidIn } from '../ledger/tokens.js';
import { buildConfirmTx, confirmInstruction } from '../legs/confirm.js';
import { buildTurnTx, partiesOf, requireLiveLeg, turnInstruction } from '../legs/turns.js';
import { isPackage, type ListingRow } from '../db/listings.js';
import type { By } from '../listings/exits.js';
import { rentOf } from '../ledger/ledger.js';
import { buildListPackage } from '../ledger/packageInstructions.js';
import { buildListTask } from '../ledger/taskInstructions.js';
import { packageBytes, taskBytes } from '../ledger/terms.js';
import { findPackage } from '../packages/packageRows.js';
import { findTask } from '../tasks/taskRows.js';
import { buildCancelTx, buildCloseTx, buildReclaimTx } from '../packages/exits.js';
import { buildCancelDigitalTaskTx, buildCloseDigitalTaskTx, buildReclaimDigitalTaskTx } from '../tasks/exits.js';
import { type Relayed, refused } from './readRelayed.js';

/** The service's own build of the move that a transaction makes. */
export interface Wanted {
  /** The key whose move or listing it is. */
  key: string;
  /** As the coordinator is to pay for it: one for each of its signers that might have paid. */
  transactions: readonly Pick<Transaction, 'messageBytes'>[];
}

/** A move of a leg, as its builder takes it. */
interface Moved {
  leg: Address;
  action: MoveAction;
  key: Address;
  hash?: string;
  percent?: number;
}

const hex = (bytes: ArrayLike<number>) => Buffer.from(Uint8Array.from(bytes)).toString('hex');

type Reading = { [Name in RelayInstruction['name']]?: (of: Named<Name>) => Moved };

/** The moves that instructions make; a confirmation may also be what silence decided. */
const MOVES: Reading = {
  accept: ({ accounts: { leg, courier }, data: { take } }) => ({
    leg: leg.address,
    action: take ? 'take' : 'accept',
    key: courier.address,
  }),
  vacate: ({ accounts: { leg, signer, courier } }) => ({
    leg: leg.address,
    action: signer.address === courier.address ? 'vacate' : 'crank',
    key: signer.address,
  }),
  claim: ({ accounts: { leg, courier }, data }) => ({
    leg: leg.address,
    action: 'claim',
    key: courier.address,
    hash: hex(data.evidenceHash),
  }),
  dispute: ({ accounts: { leg, disputer }, data }) => ({
    leg: leg.address,
    action: 'dispute',
    key: disputer.address,
    hash: hex(data.reasonHash),
  }),
  rule: (instruction) => ruledBy(instruction),
  confirmLeg: ({ accounts: { leg, recipient } }) => ({
    leg: leg.address,
    action: 'confirm',
    key: recipient.address,
  }),
  confirmTaskLeg: ({ accounts: { taskLeg, signer } }) => ({
    leg: taskLeg.address,
    action: 'confirm',
    key: signer.address,
  }),
};

function movedBy(instruction: RelayInstruction, reasonHash: string | undefined): Moved | undefined {
  // Each name reads its own instruction: the table is made so.
  const read = MOVES[instruction.name] as ((of: RelayInstruction) => Moved) | undefined;
  const moved = read?.(instruction);
  return moved && reasonHash !== undefined ? { ...moved, hash: reasonHash } : moved;
}

/** The receiver of the fee tells who rules. */
function ruledBy({ accounts, data }: Named<'rule'>): Moved {
  const [leg, key, fee] = [accounts.leg.address, accounts.signer.address, accounts.fee.address];
  if (fee === INCINERATOR_ADDRESS) return { leg, action: 'crank', key };
  return { leg, action: key === fee ? 'rule' : 'agree', key, percent: data.percent };
}

type Exit = (
  context: AppContext,
  id: string,
  by: By,
) => Promise<{ answer: { signerPubkey: string; transaction: string } }>;

/** How a listing at its account is ended by its own wallet, or by the owner of the mandate that paid. */
const EXITS: Partial<Record<RelayInstruction['name'], Exit>> = {
  cancelPackage: (context, packageId, by) => buildCancelTx(context, { packageId, ...by }),
  reclaimPackage: (context, packageId, by) => buildReclaimTx(context, { packageId, ...by }),
  closePackage: (context, packageId, by) => buildCloseTx(context, { packageId, ...by }),
  cancelTask: (context, taskId, by) => buildCancelDigitalTaskTx(context, { taskId, ...by }),
  reclaimTask: (context, taskId, by) => buildReclaimDigitalTaskTx(context, { taskId, ...by }),
  closeTask: (context, taskId, by) => buildCloseDigitalTaskTx(context, { taskId, ...by }),
};

/**
 * The service's own build, now, of the move that the transaction makes: of a leg or a listing that it knows, by a key whose move it is.
 * The caller compares the two. Rule M-97.
 *
 * @throws LegworkError what the builder refuses; `wrong_transaction` when there is no such builder, leg or listing
 */
export async function wantedOf(context: AppContext, relayed: Relayed): Promise<Wanted> {
  try {
    return await build(context, relayed);
  } catch (error) {
    if (!(error instanceof LegworkError) || error.errors.length === 0) throw error;
    // The builder names fields of its own request.
    const why = error.errors.map(({ field, message }) =>
      field === 'transaction' ? message : `its ${field} ${message}`,
    );
    throw LegworkError.field(error.code, 'transaction', why.join('; '));
  }
}

async function build(context: AppContext, relayed: Relayed): Promise<Wanted> {
  const { instruction } = relayed;
  const exit = EXITS[instruction.name];
  if (exit !== undefined) return exitOf(context, relayed, exit);
  if (instruction.name === 'listPackage' || instruction.name === 'listTask') return listingOf(context, instruction);
  const moved = movedBy(instruction, relayed.reasonHash);
  if (moved === undefined) throw refused(`holds ${instruction.name}: its sender pays for that`);
  const leg = await findLiveLeg(context.db, moved.leg);
  if (leg === undefined) throw refused(`is about a leg at ${moved.leg}, which this service does not know or is over`);
  if (relayed.signedText !== undefined) return toldOf(context, relayed, moved, leg);
  if (!leg.hasTerms) return confirmationOf(context, instruction, leg.id);
  const payers = new Set<string>([moved.key, ...relayed.signers]);
  const built = await Promise.all([...payers].map((payer) => turnOf(context, moved, leg.id, payer)));
  return payable(context, moved.key, ...built);
}

async function exitOf(
  context: AppContext,
  { instruction: { name, accounts }, signers }: Relayed,
  exit: Exit,
): Promise<Wanted> {
  const at = 'package' in accounts ? accounts.package : 'task' in accounts ? accounts.task : undefined;
  const found = at && (await findListing(context.db, at.address));
  if (found === undefined) throw refused(`is a ${name} of a listing that this service does not know`);
  const { answer } = await exit(context, found.id, byWhom(context, found, signers));
  return payable(context, answer.signerPubkey, answer.transaction);
}

/** Where neither lister nor coordinator paid, somebody's mandate may have, and its owner signs. */
function byWhom(
  { ledger }: AppContext,
  { shipper_pubkey: lister, funder_pubkey: funder }: FoundListing,
  [signer]: readonly Address[],
): By {
  const isMandated = funder !== lister && funder !== ledger.coordinator.address;
  return isMandated && signer !== undefined && signer !== lister ? { mandateOwnerPubkey: signer } : {};
}

/**
 * The listing of a draft that is paid in a token: its budget is the wallet's own, and the rent of its accounts is lent. A listing in SOL
 * needs SOL, and pays for itself. Rule M-99.
 */
async function listingOf(context: AppContext, instruction: Named<'listPackage' | 'listTask'>): Promise<Wanted> {
  const { db, ledger } = context;
  const { accounts } = instruction;
  const at = 'package' in accounts ? accounts.package.address : accounts.task.address;
  const id = (await findListing(db, at))?.id;
  const draft = id && (instruction.name === 'listPackage' ? await findPackage(db, id) : await findTask(db, id));
  if (!draft || draft.status !== 'draft') throw refused('is the listing of no draft that this service knows');
  if (draft.asset === SOL_ASSET) {
    throw refused('lists what is paid in SOL: who has the budget has the fee, and budgets are not lent');
  }
  const [built, bytes] = isPackage(draft)
    ? [await buildListPackage(ledger, draft), packageBytes(draft.terms)]
    : [await buildListTask(ledger, draft), taskBytes(draft.terms)];
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(built.transaction));
  const lent = payableBy(transaction, ledger.coordinator.address, { lends: rentOf(ledger, bytes) });
  return { key: draft.shipper_pubkey, transactions: [lent] };
}

/** Without terms there is one recipient, and nothing else to do. */
async function confirmationOf(context: AppContext, { name }: RelayInstruction, legId: string): Promise<Wanted> {
  if (name !== 'confirmLeg') throw refused(`holds ${name} of a leg without terms, which its wallets do not sign`);
  const { answer } = await buildConfirmTx(context, { legId });
  return payable(context, answer.recipientPubkey, answer.transaction);
}

const inputOf = ({ action, key, hash, percent }: Moved, legId: string) => ({
  legId,
  action,
  pubkey: key,
  // The signature was checked already.
  evenBeforePickup: true,
  ...(hash !== undefined && { hash }),
  ...(percent !== undefined && { percent }),
});

async function turnOf(context: AppContext, moved: Moved, legId: string, payerPubkey: string): Promise<string> {
  try {
    if (moved.action === 'crank') await requireParty(context, moved, legId);
    return (await buildTurnTx(context, { ...inputOf(moved, legId), payerPubkey })).answer.transaction;
  } catch (error) {
    const isNotReview = error instanceof LegworkError && error.code === 'not_your_turn' && moved.action === 'confirm';
    if (!isNotReview) throw error;
    return turnOf(context, { ...moved, action: 'crank' }, legId, payerPubkey);
  }
}

/** Anybody may crank what silence has decided; the coordinator pays for no strangers. @throws LegworkError `not_your_turn` */
async function requireParty({ db }: AppContext, { key }: Moved, legId: string): Promise<void> {
  if (partiesOf(await requireLiveLeg(db, legId)).includes(key)) return;
  throw LegworkError.field(
    'not_your_turn',
    'transaction',
    `is of ${key}, which has no part in this leg: it pays itself`,
  );
}

/** A handoff by a text: whoever sends it pays, and its signer's turn it is. */
async function toldOf(
  context: AppContext,
  { signedText, signers, blockhash }: Relayed,
  moved: Moved,
  leg: LiveLeg,
): Promise<Wanted> {
  if (signedText === undefined) throw new Error('a handoff by a text without the text');
  const { about, instruction } = leg.hasTerms
    ? await turnInstruction(context, inputOf(moved, leg.id))
    : await confirmInstruction(context, leg.id);
  const { ledger } = context;
  const { address: coordinator } = ledger.coordinator;
  const [payer = coordinator] = signers;
  const paying = await paidIn(ledger, payer, assetOf(ledger.assets, about), [instruction]);
  const sent = compileLegacy(payer, blockhash, lastBySignedText(paying, signedText));
  return { key: moved.key, transactions: [payableBy(sent, coordinator)] };
}

function payable({ ledger }: AppContext, key: string, ...built: readonly string[]): Wanted {
  const transactions = built.map((base64) => {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    return payableBy(transaction, ledger.coordinator.address);
  });
  return { key, transactions };
}

/** The messages that the coordinator signs: what the service builds, behind the budget and with the blockhash that were sent. */
export function messagesOf({ ledger }: AppContext, { budget, blockhash }: Relayed, wanted: Wanted): Transaction[] {
  return wanted.transactions.map((transaction) =>
    compileLegacy(ledger.coordinator.address, blockhash, [...budget, ...readMessage(transaction).instructions]),
  );
}

interface LiveLeg {
  id: string;
  hasTerms: boolean;
}

/** The leg that somebody has at this account, and that is not over. */
async function findLiveLeg(db: Db, at: string): Promise<LiveLeg | undefined> {
  const { rows } = await sql<LiveLeg>`
    select legs.id, packages.terms is not null as "hasTerms" from legs join swarms on swarms.id = legs.swarm_id
      join packages on packages.id = swarms.package_id
      where legs.on_chain_leg = ${at} and legs.ended_at is null and swarms.status = 'active'
    union all select digital_legs.id, digital_tasks.terms is not null from digital_legs
      join digital_tasks on digital_tasks.id = digital_legs.task_id
      where digital_legs.on_chain_leg = ${at} and digital_legs.status = 'in_progress'
    limit 1`.execute(db);
  return rows[0];
}

type FoundListing = Pick<ListingRow, 'id' | 'shipper_pubkey' | 'funder_pubkey'>;

async function findListing(db: Db, at: string): Promise<FoundListing | undefined> {
  const { rows } = await sql<FoundListing>`
    select id, shipper_pubkey, funder_pubkey from packages where on_chain_package = ${at}
    union all select id, shipper_pubkey, funder_pubkey from digital_tasks where on_chain_task = ${at}
    limit 1`.execute(db);
  return rows[0];
}
