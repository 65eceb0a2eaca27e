import { type ProvenCall, proveCall, type SignedCall, signedAt, verifyPayoutProof } from '@legwork/protocol/contract';
import { provesBid, provesLegClaim, provesRewardClaim, signaturesAskedFor } from '@legwork/protocol/rules';
import type { BidRow, DigitalLegRow, RewardClaimRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import type { Findings } from '../findings.js';

/** A row that rests on a kept call. */
interface Resting {
  subject: string;
  call: SignedCall;
  isProven: (call: ProvenCall) => boolean;
  /** The key whose call it must be where the signed text is gone with an erased package: it signed something then. */
  erasedOf?: string | false;
}

/**
 * Checks the signatures under every bid that a leg was made of, every claim of a digital leg, what keys asked for, and every
 * reward claim, and that what was signed is what the row says.
 *
 * @returns how many
 */
export async function compareSignatures(trx: Trx, findings: Findings): Promise<number> {
  let signatures = 0;
  for (const rows of [signedBids(trx), signedClaims(trx), signedSettings(trx), signedRewardClaims(trx, findings)]) {
    for await (const { subject, call, isProven, erasedOf } of rows) {
      signatures += 1;
      if (!(erasedOf ? isSignedBy(erasedOf, call) : isGood(call, isProven)))
        findings.differ(subject, 'is not what its key signed');
    }
  }
  return signatures;
}

function isGood(call: SignedCall, isProven: Resting['isProven']): boolean {
  const proven = proveCall(call);
  return proven !== undefined && isProven(proven);
}

const isSignedBy = (pubkey: string, call: SignedCall) => call.pubkey === pubkey && signedAt(call) !== undefined;

const CALL = sql<SignedCall>`to_jsonb(signed_calls)`.as('call');
/** One call may hold bids on several packages, and claims: what it said is gone with the first of the packages. */
const IS_ERASED = sql<boolean>`signed_calls.body = '' and exists (
  select from bids as other join packages on packages.id = other.package_id
  where other.call_signature = signed_calls.signature and packages.erased_at is not null)`.as('is_call_erased');

async function* signedBids(trx: Trx): AsyncGenerator<Resting, void> {
  const batches = rowBatches<BidRow & { call: SignedCall; is_call_erased: boolean }>((after) => {
    const rows = trx
      .selectFrom('bids')
      .innerJoin('signed_calls', 'signed_calls.signature', 'bids.call_signature')
      .selectAll('bids')
      .select([CALL, IS_ERASED])
      .where(sql<boolean>`exists (select from legs where legs.bid_id = bids.id)`)
      .orderBy('bids.id')
      .limit(ROWS_AT_ONCE);
    return (after ? rows.where('bids.id', '>', after.id) : rows).execute();
  });
  for await (const rows of batches) {
    for (const row of rows) {
      const bid = {
        packageId: row.package_id,
        legId: row.leg_id,
        agentPubkey: row.agent_pubkey,
        pickup: { lat: row.pickup_lat, lng: row.pickup_lng },
        dropoff: { lat: row.dropoff_lat, lng: row.dropoff_lng },
        distanceKm: row.distance_km,
        costLamports: row.cost_lamports,
        expiresAtMs: row.expires_at.getTime(),
      };
      const erasedOf = row.is_call_erased && row.agent_pubkey;
      yield { subject: `bid ${row.id}`, call: row.call, isProven: (call) => provesBid(call, bid), erasedOf };
    }
  }
}

async function* signedClaims(trx: Trx): AsyncGenerator<Resting, void> {
  const batches = rowBatches<
    Pick<DigitalLegRow, 'id' | 'task_id' | 'agent_pubkey'> & { call: SignedCall; is_call_erased: boolean }
  >((after) => {
    const rows = trx
      .selectFrom('digital_legs')
      .innerJoin('signed_calls', 'signed_calls.signature', 'digital_legs.call_signature')
      .select(['digital_legs.id', 'task_id', 'agent_pubkey', CALL, IS_ERASED])
      .orderBy('digital_legs.id')
      .limit(ROWS_AT_ONCE);
    return (after ? rows.where('digital_legs.id', '>', after.id) : rows).execute();
  });
  for await (const rows of batches) {
    for (const { id: legId, task_id: taskId, agent_pubkey: agent, call, is_call_erased: isErased } of rows) {
      const leg = { taskId, legId, agentPubkey: agent ?? '' };
      yield {
        subject: `digital task ${taskId}`,
        call,
        isProven: (proven) => provesLegClaim(proven, leg),
        erasedOf: isErased && leg.agentPubkey,
      };
    }
  }
}

async function* signedSettings(trx: Trx): AsyncGenerator<Resting, void> {
  const batches = rowBatches<{ pubkey: string; asks_for_signatures: boolean | null; call: SignedCall }>((after) => {
    const rows = trx
      .selectFrom('signing_keys')
      .innerJoin('signed_calls', 'signed_calls.signature', 'signing_keys.call_signature')
      .select(['signing_keys.pubkey', 'asks_for_signatures', CALL])
      .orderBy('signing_keys.pubkey')
      .limit(ROWS_AT_ONCE);
    return (after ? rows.where('signing_keys.pubkey', '>', after.pubkey) : rows).execute();
  });
  for await (const rows of batches) {
    for (const { pubkey, asks_for_signatures: asks, call } of rows) {
      const isProven = (proven: ProvenCall) => proven.pubkey === pubkey && signaturesAskedFor(proven) === asks;
      yield { subject: `agent ${pubkey}`, call, isProven };
    }
  }
}

async function* signedRewardClaims(trx: Trx, findings: Findings): AsyncGenerator<Resting, void> {
  const batches = rowBatches<RewardClaimRow & { call: SignedCall | null }>((after) => {
    const rows = trx
      .selectFrom('reward_claims')
      .leftJoin('signed_calls', 'signed_calls.signature', 'reward_claims.call_signature')
      .selectAll('reward_claims')
      .select(
        sql<SignedCall | null>`case when signed_calls.signature is not null then to_jsonb(signed_calls) end`.as('call'),
      )
      .orderBy('reward_claims.id')
      .limit(ROWS_AT_ONCE);
    return (after ? rows.where('reward_claims.id', '>', after.id) : rows).execute();
  });
  for await (const rows of batches) {
    for (const row of rows) {
      const { devnet_pubkey: devnetPubkey, mainnet_pubkey: mainnetPubkey, earnings_lamports: earningsLamports } = row;
      const subject = `claim of ${devnetPubkey}`;
      if (row.mainnet_signature !== null) {
        const isProven = verifyPayoutProof({ devnetPubkey, mainnetPubkey, signature: row.mainnet_signature });
        findings.same(subject, 'proven payout key', String(row.mainnet_proven), String(isProven), null);
      }
      const claim = { devnetPubkey, mainnetPubkey, earningsLamports };
      if (row.call) yield { subject, call: row.call, isProven: (call) => provesRewardClaim(call, claim) };
    }
  }
}
