import { type Named, vaultAddress } from '@legwork/program-client';
import { bytesToUuid, derivedUuid, toLamports } from '@legwork/protocol/contract';
import { address, type Address, unwrapOption } from '@solana/kit';
import { offeredBy, sealedBid } from '../bids/bidRows.js';
import type { BidRow, PackageRow } from '../db/schema.js';
import { numberOf } from '../ledger/assets.js';
import type { Ledger } from '../ledger/ledger.js';
import { termsShown } from '../ledger/terms.js';
import { type Applying, landedAt } from '../mirror/projection.js';
import { markSwarmForming, type NewPackage } from './packageRows.js';
import { NOWHERE } from '../legs/openingRows.js';
import { findSwarm, formingSwarm, insertSwarm, markFormationFailed, type SwarmWithLegs } from './swarmRows.js';

/** Placeholders for what only the document says, when the document is not here. */
const UNKNOWN = {
  origin_lat: 0,
  origin_lng: 0,
  dest_lat: 0,
  dest_lng: 0,
  description: '',
  weight_kg: 0,
  volume_litres: 0,
};

/** The package of a listing of which only the ledger knows. */
export async function packageShown(
  ledger: Ledger,
  { accounts, data, tokens }: Named<'listPackage'>,
  slot: bigint,
): Promise<NewPackage> {
  const terms = unwrapOption(data.terms);
  const onChainPackage = accounts.package.address;
  return {
    ...UNKNOWN,
    id: bytesToUuid(Uint8Array.from(data.packageId)),
    document_known: false,
    rebuilt_slot: slot,
    shipper_pubkey: accounts.shipper.address,
    funder_pubkey: accounts.funder.address,
    asset: numberOf(ledger.assets, tokens?.asset),
    max_budget_lamports: toLamports(data.maxBudget),
    deadline: new Date(Number(data.deadline) * 1000),
    terms_hash: Buffer.from(data.termsHash).toString('hex'),
    salt: null,
    private_hashes: null,
    requirements: null,
    terms: terms && termsShown(terms),
    on_chain_package: onChainPackage,
    on_chain_vault: await vaultAddress(ledger.programAddress, onChainPackage),
  };
}

interface Assigned {
  agent: Address;
  payment: bigint;
  onChainLeg: Address;
}

/** The swarm of a formation that the ledger shows: the one that was decided, or, if its decision is lost, one of what the ledger says. */
export async function swarmShown(
  applying: Applying,
  parcel: PackageRow,
  instruction: Named<'formSwarm'>,
  isFormationOf: (swarm: SwarmWithLegs) => boolean,
): Promise<SwarmWithLegs | undefined> {
  const { trx, instructions } = applying;
  const decided = await formingSwarm(trx, parcel.id);
  await markSwarmForming(trx, parcel.id);
  if (decided && isFormationOf(decided)) return decided;
  if (decided) {
    await markFormationFailed(trx, decided, { reason: 'the ledger shows another formation', retry: false });
    await markSwarmForming(trx, parcel.id);
  }
  const swarm = instruction.accounts.swarm.address;
  const assigned = instructions.flatMap((one): Assigned[] =>
    one.name === 'assignLeg' && one.accounts.swarm.address === swarm
      ? [
          {
            agent: one.accounts.courier.address,
            payment: one.data.paymentLamports,
            onChainLeg: one.accounts.leg.address,
          },
        ]
      : [],
  );
  const formation = parcel.formation + 1;
  const id = derivedUuid(landedAt(applying), `${parcel.id}:${formation}`);
  const legs = [];
  for (const [index, leg] of assigned.entries()) {
    const bid = await bidShown(applying, parcel, { ...leg, index, formation, formerLegId: null });
    legs.push({
      id: derivedUuid(landedAt(applying), `${parcel.id}:${formation}:${index}`),
      swarm_id: id,
      leg_index: index,
      ...offeredBy(bid),
      asset: parcel.asset,
      agreed_payment_lamports: bid.cost_lamports,
      on_chain_leg: leg.onChainLeg,
      formation,
    });
  }
  const { totalLegs, totalLamports } = instruction.data;
  await insertSwarm(
    trx,
    {
      id,
      package_id: parcel.id,
      formation,
      on_chain_swarm: swarm,
      total_legs: totalLegs,
      total_lamports: toLamports(totalLamports),
      exact: false,
      created_at: landedAt(applying),
    },
    legs,
  );
  return findSwarm(trx, id);
}

/** The id of a leg that took another one's place: that of its row, if the package is written again over its rows. */
export async function replayedLegId(
  applying: Applying,
  packageId: string,
  { swarmId, formation, index }: { swarmId: string; formation: number; index: number },
): Promise<string> {
  const row = await applying.trx
    .selectFrom('legs')
    .select('id')
    .where('swarm_id', '=', swarmId)
    .where('leg_index', '=', index)
    .where('formation', '=', formation)
    .executeTakeFirst();
  return row?.id ?? derivedUuid(landedAt(applying), `${packageId}:${formation}:${index}`);
}

interface ShownBid extends Omit<Assigned, 'onChainLeg'> {
  index: number;
  formation: number;
  /** The leg whose place it takes; null: none. */
  formerLegId: string | null;
}

/** A bid that is over, for a leg of which only the ledger knows: it asked for what the leg is paid; between which places, nobody here knows. */
export async function bidShown(
  applying: Applying,
  { id: packageId }: PackageRow,
  { agent, payment, index, formation, formerLegId }: ShownBid,
) {
  const at = landedAt(applying);
  const bid: Omit<BidRow, 'personal'> = {
    id: derivedUuid(at, `bid ${packageId}:${formation}:${index}`),
    package_id: packageId,
    leg_id: formerLegId,
    agent_pubkey: address(agent),
    ...NOWHERE,
    estimated_duration_min: 0,
    cost_lamports: toLamports(payment),
    reasoning: null,
    expires_at: at,
    created_at: at,
    ended_at: at,
    ended_because: 'replaced',
    signed: false,
    call_signature: null,
    client: null,
    is_erased: false,
  };
  await applying.trx
    .insertInto('bids')
    .values(sealedBid(bid))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return bid;
}
