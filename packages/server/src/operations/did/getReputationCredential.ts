import { createHash } from 'node:crypto';
import {
  bytesToUuid,
  CREDENTIAL_LIFETIME_SEC,
  credentialClaims,
  type CredentialParts,
  type operations,
  RelayError,
  CREDENTIAL_GRACE_SEC,
} from '@legwork/protocol/contract';
import type { KeyPairSigner } from '@solana/kit';
import { CompactSign } from 'jose';
import { findReputation } from '../../db/reputations.js';
import type { Run } from '../run.js';
import { didKey } from './guards.js';

/** A verifier whose clock is a little behind must not find it issued in the future. */
const GRACE_MS = CREDENTIAL_GRACE_SEC * 1000;
const HALF_LIFE_MS = (CREDENTIAL_LIFETIME_SEC / 2) * 1000;
const TIME_BYTES = 6;

export const getReputationCredential: Run<typeof operations.getReputationCredential> = async (context, input) => {
  const agentPubkey = didKey(context, input.pubkey);
  const row = await findReputation(context.db, agentPubkey);
  if (row === undefined) {
    const message =
      'the ledger shows no reputation account of this key; the first leg assigned to it makes one, or anyone pays for it before (build-open-tx)';
    throw RelayError.field('not_found', 'pubkey', message);
  }
  const reputation = {
    legsAccepted: Number(row.legs_accepted),
    legsCompleted: Number(row.legs_completed),
    reliabilityScore: row.reliability_score,
    onChainPDA: row.on_chain_pda,
    mirroredAt: row.mirrored_at,
  };
  return {
    answer: { jwt: await issueCredential(context.ledger.coordinator, { agentPubkey, reputation }, context.clock()) },
  };
};

/**
 * The credential about an agent, a compact JWT. Everything in it, the signature too, follows from the account, the issuer and
 * how many half lives ago the account was mirrored: so every replica returns the same bytes, without storing any, until the
 * account or the issuer changes or half its life is over. Rules M-63, S-64.
 *
 * @param now the clock of the service
 */
async function issueCredential(
  coordinator: KeyPairSigner,
  about: Pick<CredentialParts, 'agentPubkey' | 'reputation'>,
  now: Date,
): Promise<string> {
  const mirroredMs = about.reputation.mirroredAt.getTime();
  const halves = Math.max(0, Math.floor((now.getTime() - mirroredMs) / HALF_LIFE_MS));
  const issued = {
    ...about,
    issuerPubkey: coordinator.address,
    issuedAtMs: mirroredMs + halves * HALF_LIFE_MS - GRACE_MS,
  };
  const { header, payload } = credentialClaims({ ...issued, id: credentialId(issued) });
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ ...header })
    .sign(coordinator.keyPair.privateKey);
}

/** A UUIDv7 whose random part is a digest of what the credential says: a different one for every credential. */
function credentialId(issued: Omit<CredentialParts, 'id'>): string {
  const bytes = createHash('sha256').update(JSON.stringify(issued)).digest().subarray(0, 16);
  bytes.writeUIntBE(issued.issuedAtMs, 0, TIME_BYTES);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytesToUuid(bytes);
}
