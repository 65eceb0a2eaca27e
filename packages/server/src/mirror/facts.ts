import { assetOf, type Assets } from '../ledger/assets.js';
import type { LegWithoutResult } from '../db/schema/tasks.js';
import { INSTRUCTIONS, type RelayInstruction, type Terms } from '@legwork/program-client';
import {
  applyTo,
  type AssignmentFacts,
  heldLegs,
  isMisfit,
  type LegFacts,
  type Listing,
  type ListingFacts,
  type PackageFacts,
  type TaskFacts,
  type TurnFacts,
} from '@legwork/program-client/facts';
import { legsOf } from '../tasks/taskLegRows.js';
import { agreedOf, type ClockedLeg, isClocked } from '../legs/moveRows.js';
import { accountOf, isPackage, type ListingRow } from '../db/listings.js';
import type { DigitalTaskRow, LegRow, PackageRow } from '../db/schema.js';
import { unixSeconds } from '../ledger/ledger.js';
import { ledgerTerms } from '../ledger/terms.js';
import { type Applying, formedIn, landedAt } from './projection.js';

/** A listing with terms as facts, and the rows of the legs that somebody has, in order. */
interface Held {
  facts: Listing;
  rows: readonly ClockedLeg[];
}

/** The result of an instruction for a listing with terms; the rows are still as they were. */
export interface Folded {
  applying: Applying;
  listing: ListingRow;
  rows: readonly ClockedLeg[];
  after: Listing;
}

/**
 * Folds an instruction onto the rows of a listing with terms.
 *
 * @returns undefined when it does not fit them; there are no terms; or it moves no clock, and so does nothing to the legs
 */
export async function foldOnto(
  applying: Applying,
  listing: ListingRow,
  instruction: RelayInstruction,
): Promise<Folded | undefined> {
  if (listing.terms === null || !INSTRUCTIONS[instruction.name].isTimed) return undefined;
  const held = await readHeld(applying, listing);
  if (held === undefined) return undefined;
  const after = applyTo(held.facts, accountOf(listing), {
    signature: applying.signature,
    instructions: [instruction],
    at: unixSeconds(landedAt(applying)),
    gained: gainedIn(applying, listing.on_chain_vault),
    reasonHash: applying.shown?.reasonHash,
  });
  return after === undefined || isMisfit(after) ? undefined : { applying, listing, rows: held.rows, after };
}

/**
 * The lamports that the accounts of the transaction gained. If several of its instructions pay out of the vault they do not tell what wallets
 * could not receive, and all counts as received.
 */
function gainedIn({ shown, instructions }: Applying, vault: string): ReadonlyMap<string, bigint> {
  const gained = new Map(shown?.gained);
  const paying = instructions.filter((one) => INSTRUCTIONS[one.name].paysForLeg && vaultOf(one) === vault);
  if (paying.length > 1) gained.delete(vault);
  return gained;
}

const vaultOf = ({ accounts }: RelayInstruction) => ('vault' in accounts ? accounts.vault.address : undefined);

/** The legs that somebody has, in order. */
export const legsIn = (listing: Listing): readonly LegFacts[] =>
  listing.kind === 'package' ? (listing.formation?.legs ?? []) : heldLegs(listing);

/**
 * The rows as facts, for what follows to be folded onto them. What was done before is left out, and so is what reputations count,
 * which is read from the ledger itself.
 */
async function readHeld(applying: Applying, listing: ListingRow): Promise<Held | undefined> {
  const { trx, assets } = applying;
  if (!isPackage(listing)) {
    const rows = clockedOf(await legsOf(trx, listing.id));
    return { facts: taskFacts(assets, listing, rows), rows };
  }
  const swarm = await formedIn(applying, listing.id);
  if (swarm === undefined) return undefined;
  const formSignature = swarm.form_signature ?? '';
  const rows = clockedOf(swarm.legs);
  const legs = rows.map((row) => legFacts(listing, row, formSignature));
  const facts: PackageFacts = {
    ...listingFacts(assets, listing),
    kind: 'package',
    address: listing.on_chain_package,
    status: swarm.status === 'active' ? 'in_transit' : swarm.status === 'settled' ? 'delivered' : 'reclaimed',
    formation: {
      number: swarm.formation,
      latestNumber: listing.formation,
      swarm: swarm.on_chain_swarm,
      formSignature,
      totalLegs: swarm.total_legs,
      reservedLamports: swarm.total_lamports,
      assignedLamports: legs.reduce((sum, leg) => sum + leg.paymentLamports, 0n),
      legs,
      formerLegs: [],
    },
  };
  return { facts, rows };
}

const clockedOf = (legs: readonly (LegRow | LegWithoutResult)[]) => legs.filter(isClocked);

function taskFacts(assets: Assets, task: DigitalTaskRow, rows: readonly ClockedLeg[]): TaskFacts {
  const unread = { rentPayer: '', releaseSignature: null, resultHash: null };
  const assignments = rows.map((row): AssignmentFacts => ({ ...legFacts(task, row, ''), ...unread }));
  const status = rows.length > 0 ? 'in_progress' : 'listed';
  return {
    ...listingFacts(assets, task),
    kind: 'digital task',
    address: task.on_chain_task,
    status: task.status === 'failed' ? 'reclaimed' : task.status === 'completed' ? 'completed' : status,
    numLegs: task.num_legs,
    assignments,
  };
}

type Common = Omit<ListingFacts, 'kind' | 'address' | 'status'>;

function listingFacts(assets: Assets, row: PackageRow | DigitalTaskRow): Common {
  const listSignature = row.list_signature ?? '';
  return {
    vault: row.on_chain_vault,
    id: row.id,
    poster: row.shipper_pubkey,
    funder: row.funder_pubkey,
    asset: assetOf(assets, row).token?.account ?? null,
    budgetLamports: row.max_budget_lamports,
    deadline: unixSeconds(row.deadline),
    termsHash: row.terms_hash,
    terms: row.terms && shownTerms(row.terms),
    listSignature,
    statusSignature: row.end_signature ?? row.settle_signature ?? listSignature,
    paidLamports: 0n,
    gainedLamports: 0n,
    closeSignature: row.close_signature,
    latestSignature: listSignature,
    steps: [],
    counts: [],
  };
}

function shownTerms(terms: NonNullable<PackageRow['terms']>): Terms {
  const { stake, ...others } = ledgerTerms(terms);
  return { ...others, stake: BigInt(stake) };
}

function legFacts(listing: ListingRow, row: ClockedLeg, assignSignature: string): LegFacts {
  return {
    index: row.leg_index,
    address: row.on_chain_leg,
    courier: row.agent_pubkey,
    paymentLamports: agreedOf(listing, row),
    formation: row.formation,
    assignSignature: row.assign_signature ?? assignSignature,
    isReplacement: 'swarm_id' in row && row.assign_signature !== null,
    confirmSignature: row.confirm_signature,
    paidLamports: 'paid_lamports' in row ? row.paid_lamports : row.payment_lamports,
    turn: turnFacts(row),
  };
}

function turnFacts(row: ClockedLeg): TurnFacts {
  return {
    stage: row.stage,
    since: unixSeconds(row.since),
    sinceSignature: row.since_signature ?? '',
    isCounted: true,
    disputer: row.disputer_pubkey,
    percent: row.percent,
    evidenceHash: row.evidence_hash,
    reasonHash: row.reason_hash,
    forfeitedLamports: row.forfeited_lamports,
    endedAt: undefined,
  };
}
