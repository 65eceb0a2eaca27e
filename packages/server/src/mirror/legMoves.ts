import type { MoveInstruction, Named } from '@legwork/program-client';
import { type EventPayload, type LegMove, toLamports } from '@legwork/protocol/contract';
import {
  FREE_WAITING_LEGS,
  INCINERATOR_ADDRESS,
  isLapse,
  type Ruler,
  STAKES_HELD,
  stageAfter,
  stakeShares,
} from '@legwork/protocol/rules';
import { appendEvent } from '../db/events.js';
import {
  type ClockedLeg,
  type HeldLegRow,
  insertMove,
  isClocked,
  isPackage,
  kindOf,
  legsNow,
  type ListingRow,
  type NewMove,
  openingOf,
  openLeg,
  setClocks,
  setStage,
  type StageColumns,
  subjectOf,
} from '../db/legMoves.js';
import type { LegRow, MovedLamports, PackageRow } from '../db/schema.js';
import { evaluateBidsOf } from '../db/packages.js';
import { formedSwarm } from '../db/swarms.js';
import { countWaiting, noteLapse } from '../db/waiting.js';
import { termsOf } from '../ledger/terms.js';
import { type Applying, beganBy, keptOf, landedAt, type Projection } from './projection.js';

/** A leg whose turn somebody takes. */
export interface MovedLeg {
  applying: Applying;
  listing: ListingRow;
  leg: ClockedLeg;
}

/** What a move did, in the words of the row. */
interface Made {
  move: LegMove;
  signer: string;
  columns?: StageColumns;
  told?: Partial<Pick<NewMove, 'by_whom' | 'percent' | 'hash'>>;
  movements?: readonly MovedLamports[];
}

/**
 * Projects a move of a leg with terms into the mirror. A move whose meaning depends on what came before it is applied in the
 * ledger's order only. Rule T-66.
 */
export async function projectMove(
  applying: Applying,
  listing: ListingRow,
  instruction: MoveInstruction,
): Promise<Projection> {
  const { trx } = applying;
  if (listing.terms === null || (isPackage(listing) && !(await formedSwarm(trx, listing.id)))) return 'foreign';
  const legs = await legsNow(trx, listing);
  const leg = legs.find((one) => one.on_chain_leg === instruction.accounts.leg.address);
  if (!leg || !isClocked(leg) || leg.formation !== instruction.data.formation) return 'foreign';
  const moved = { applying, listing, leg };
  switch (instruction.name) {
    case 'accept':
      return projectAccept(moved, instruction);
    case 'vacate':
      return projectVacate(moved, instruction);
    case 'claim':
      return projectClaim(moved, instruction);
    case 'dispute':
      return projectDispute(moved, instruction);
    case 'rule':
      break;
  }
  return projectRule(moved, instruction);
}

const posted = (leg: HeldLegRow, from: string, lamports: bigint): MovedLamports => ({
  what: 'stake',
  from,
  to: leg.on_chain_leg,
  lamports: Number(lamports),
});

/** Lamports that leave the account of a leg; none where there are none. */
export function paidOut(leg: HeldLegRow, what: MovedLamports['what'], to: string, lamports: bigint): MovedLamports[] {
  return lamports === 0n ? [] : [{ what, from: leg.on_chain_leg, to, lamports: Number(lamports) }];
}

/** Writes the move and the stage it leads to, and tells; `foreign` when it cannot be made where the mirror is. */
async function make<
  Type extends 'LEG_ACCEPTED' | 'LEG_CARRIED' | 'LEG_VACATED' | 'LEG_CLAIMED' | 'LEG_DISPUTED' | 'LEG_RULED',
>(
  { applying, listing, leg }: MovedLeg,
  { move, signer, columns, told, movements = [] }: Made,
  type: Type,
  payload: (until: Date) => Omit<EventPayload<Type>, keyof ReturnType<typeof legIn> | 'signature'>,
): Promise<Projection> {
  const { trx, signature } = applying;
  const stage = stageAfter(kindOf(listing), leg.stage, move);
  if (stage === undefined) return 'foreign';
  const at = landedAt(applying);
  await setStage(trx, listing, leg.id, { ...columns, stage, ...beganBy(applying) });
  const moved = received(applying, listing, movements);
  await insertMove(trx, { leg_id: leg.id, move, signer_pubkey: signer, ...told, movements: moved, signature, at });
  const legs = await setClocks(trx, listing);
  const until = legs.find(({ id }) => id === leg.id)?.until ?? listing.deadline;
  const event = { ...legIn(listing, leg), signature, ...payload(until) };
  await appendEvent(trx, type, subjectOf(listing), event as unknown as EventPayload<Type>);
  if (stage === 'vacant' && isPackage(listing) && 'swarm_id' in leg) await openVacant(applying, listing, leg);
  if (leg.stage === 'pending') await noLongerWaits(trx, leg);
  return 'projected';
}

/** Bids of the agent that were passed over while it had no room for another leg may win now. Rule T-110. */
async function noLongerWaits(trx: Applying['trx'], { agent_pubkey: agent }: ClockedLeg): Promise<void> {
  if ((await countWaiting(trx, agent)) + 1 >= FREE_WAITING_LEGS) await evaluateBidsOf(trx, agent);
}

/** The movements as they happened: what a wallet could not receive went to the vault. */
export function received(
  applying: Applying,
  { on_chain_vault: vault }: ListingRow,
  movements: readonly MovedLamports[],
): MovedLamports[] {
  const toVault = movements.filter(({ to }) => to === vault).reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
  const due = movements.map(({ what, lamports }) => (PAID_OUT.has(what) ? BigInt(lamports) : 0n));
  const kept = keptOf(applying, vault, toVault, due);
  return movements.map((one, index) => (kept[index] ? { ...one, to: vault } : one));
}

const PAID_OUT: ReadonlySet<string> = new Set(['stake_returned', 'arbiter_fee']);

/** What every event of a leg with terms says. */
export const legIn = (listing: ListingRow, leg: HeldLegRow) => ({
  ...('swarm_id' in leg
    ? { kind: 'package' as const, packageId: listing.id, swarmId: leg.swarm_id }
    : { kind: 'task' as const, taskId: listing.id }),
  legId: leg.id,
  legIndex: leg.leg_index,
  agentPubkey: leg.agent_pubkey,
});

/** A vacant leg takes bids, as long as another courier can be assigned. Rule T-56. */
async function openVacant(applying: Applying, parcel: PackageRow, leg: LegRow): Promise<void> {
  const at = landedAt(applying);
  if (at >= parcel.deadline) return;
  const { trx } = applying;
  const closesAt = await openLeg(trx, leg.id, at);
  const opening = await openingOf(trx, parcel.id, leg);
  await appendEvent(trx, 'LEG_OPENED', subjectOf(parcel), { ...opening, closesAt });
}

async function projectAccept(moved: MovedLeg, { accounts, data }: Named<'accept'>): Promise<Projection> {
  const { leg, listing, applying } = moved;
  const signer = accounts.courier.address;
  if (signer !== leg.agent_pubkey) return 'foreign';
  const { stakeLamports } = termsOf(listing);
  const isNew = leg.stage === 'pending';
  const movements = isNew ? [posted(leg, signer, stakeLamports)] : [];
  if (!data.take) return make(moved, { move: 'accept', signer, movements }, 'LEG_ACCEPTED', () => ({ stakeLamports }));
  // Accepted at once, or an acceptance that was missed.
  if (isNew && !applying.isInOrder) return 'foreign';
  return make(moved, { move: 'take', signer, movements }, 'LEG_CARRIED', (until) => ({ until }));
}

async function projectVacate(moved: MovedLeg, { accounts }: Named<'vacate'>): Promise<Projection> {
  const { leg, listing, applying } = moved;
  if (!applying.isInOrder) return 'foreign';
  const signer = accounts.signer.address;
  const held = BigInt(STAKES_HELD[leg.stage]) * termsOf(listing).stakeLamports;
  const isOwn = signer === leg.agent_pubkey;
  const lost = toLamports(isOwn ? 0n : held);
  const at = landedAt(applying);
  if (leg.stage === 'pending' && (!isOwn || isLapse(leg.since, at, termsOf(listing).handoffSec))) {
    await noteLapse(applying.trx, { agent_pubkey: leg.agent_pubkey, leg_id: leg.id, at });
  }
  const movements = isOwn
    ? paidOut(leg, 'stake_returned', signer, held)
    : paidOut(leg, 'stake_forfeited', listing.on_chain_vault, held);
  const columns = { forfeited_lamports: lost };
  return make(moved, { move: isOwn ? 'leave' : 'evict', signer, movements, columns }, 'LEG_VACATED', () => ({
    forfeitedLamports: lost,
  }));
}

async function projectClaim(moved: MovedLeg, { accounts, data }: Named<'claim'>): Promise<Projection> {
  const signer = accounts.courier.address;
  if (signer !== moved.leg.agent_pubkey) return 'foreign';
  const hash = hexOf(data.evidenceHash);
  const made = { move: 'claim', signer, told: { hash }, columns: { evidence_hash: hash } } as const;
  return make(moved, made, 'LEG_CLAIMED', (until) => ({ evidenceHash: hash, until }));
}

async function projectDispute(moved: MovedLeg, { accounts, data }: Named<'dispute'>): Promise<Projection> {
  const { leg, listing } = moved;
  const signer = accounts.disputer.address;
  const hash = hexOf(data.reasonHash);
  const made = {
    move: 'dispute',
    signer,
    told: { hash },
    columns: { reason_hash: hash, disputer_pubkey: signer },
    movements: [posted(leg, signer, termsOf(listing).stakeLamports)],
  } as const;
  return make(moved, made, 'LEG_DISPUTED', (until) => ({ disputerPubkey: signer, reasonHash: hash, until }));
}

async function projectRule(moved: MovedLeg, { accounts, data }: Named<'rule'>): Promise<Projection> {
  if (!moved.applying.isInOrder) return 'foreign';
  const { percent } = data;
  const signer = accounts.signer.address;
  const by = rulerOf(moved.listing, { signer, fee: accounts.fee.address });
  const made = {
    move: percent === 0 ? 'reject' : 'rule',
    signer,
    told: { by_whom: by, percent },
    columns: { percent },
    movements: dividedStakes(moved, by, percent),
  } as const;
  return make(moved, made, 'LEG_RULED', () => ({ by, percent }));
}

/** Rule T-24. */
function rulerOf(listing: ListingRow, { signer, fee }: { signer: string; fee: string }): Ruler {
  if (fee === INCINERATOR_ADDRESS) return 'silence';
  return signer === termsOf(listing).arbiterPubkey ? 'arbiter' : 'agreement';
}

function dividedStakes({ leg, listing }: MovedLeg, by: Ruler, percent: number): MovedLamports[] {
  const { stakeLamports, arbiterPubkey } = termsOf(listing);
  const disputer = leg.disputer_pubkey;
  if (disputer === null) return paidOut(leg, 'stake_returned', leg.agent_pubkey, stakeLamports);
  const shares = stakeShares(stakeLamports, by, percent);
  const feeTo = by === 'arbiter' ? ({ what: 'arbiter_fee', to: arbiterPubkey } as const) : BURNT;
  return [
    ...paidOut(leg, 'stake_returned', leg.agent_pubkey, shares.worker),
    ...paidOut(leg, 'stake_returned', disputer, shares.disputer),
    ...paidOut(leg, feeTo.what, feeTo.to, shares.fee),
  ];
}

const BURNT = { what: 'burnt', to: INCINERATOR_ADDRESS } as const;

const hexOf = (bytes: Iterable<number>) => Buffer.from([...bytes]).toString('hex');
