import {
  isDidKey,
  LegworkError,
  credentialEndpointOf,
  didDocument,
  bytesToUuid,
  CREDENTIAL_LIFETIME_SEC,
  credentialClaims,
  type CredentialHeader,
  type CredentialParts,
  CREDENTIAL_GRACE_SEC,
  type CredentialRefusal,
  judgeCredential,
  parseCredential,
  type ParsedCredential,
  parseDid,
  verifyCredentialSignature,
} from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { In, Out } from '../operations/run.js';
import { createHash } from 'node:crypto';
import type { KeyPairSigner } from '@solana/kit';
import { CompactSign } from 'jose';
import { findReputation } from '../agents/reputationRows.js';
import type { Db } from '../db/connect.js';
import { listIssuers, noteIssuer, recordExpired } from './credentialRows.js';
import { inTransaction } from '../db/transaction.js';

/** Names this service's coordinator in place of a key. */
const COORDINATOR = 'coordinator';

/** The key that the path of a DID route names. Rules M-62, S-63. @throws LegworkError `invalid_input` for one that has no DID */
function didKey({ ledger }: Pick<AppContext, 'ledger'>, given: string): string {
  if (given === COORDINATOR) return ledger.coordinator.address;
  if (isDidKey(given)) return given;
  const message =
    `is not the key of a DID; give ${COORDINATOR}, or base58 of the 32 bytes of an Ed25519 public key ` +
    '(a point on the curve, not of small order)';
  throw LegworkError.field('invalid_input', 'pubkey', message);
}

export async function getDid(context: AppContext, input: In<'getDid'>): Out<'getDid'> {
  const { ledger, issuers, publicUrl } = context;
  const pubkey = didKey(context, input.pubkey);
  const formerKeys = pubkey === ledger.coordinator.address ? await issuers.read() : [];
  const credentialEndpoint = credentialEndpointOf(publicUrl, pubkey);
  return { answer: didDocument({ pubkey, formerKeys, credentialEndpoint }) };
}

/** A verifier whose clock is a little behind must not find it issued in the future. */
const GRACE_MS = CREDENTIAL_GRACE_SEC * 1000;
const HALF_LIFE_MS = (CREDENTIAL_LIFETIME_SEC / 2) * 1000;
const TIME_BYTES = 6;

export async function getReputationCredential(
  context: AppContext,
  input: In<'getReputationCredential'>,
): Out<'getReputationCredential'> {
  const agentPubkey = didKey(context, input.pubkey);
  const row = await findReputation(context.db, agentPubkey);
  if (row === undefined) {
    const message =
      'the ledger shows no reputation account of this key; the first leg assigned to it makes one, or anyone pays for it before (build-open-tx)';
    throw LegworkError.field('not_found', 'pubkey', message);
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
}

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
  return signedJwt(coordinator, header, payload);
}

/** A compact JWT of these claims, signed by the coordinator. */
export function signedJwt({ keyPair }: KeyPairSigner, header: CredentialHeader, payload: object): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ ...header })
    .sign(keyPair.privateKey);
}

/** A UUIDv7 whose random part is a digest of what the credential says: a different one for every credential. */
function credentialId(issued: Omit<CredentialParts, 'id'>): string {
  const bytes = createHash('sha256').update(JSON.stringify(issued)).digest().subarray(0, 16);
  bytes.writeUIntBE(issued.issuedAtMs, 0, TIME_BYTES);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytesToUuid(bytes);
}

/** The keys whose credentials are this service's own. */
export interface Issuers {
  /** True if the key was among them when the database was last asked. A key that once was always is. */
  has: (pubkey: string) => boolean;
  /** All of them now: another replica may have joined with another key. Strangers can trigger this read, so only one runs at a time. */
  read: () => Promise<readonly string[]>;
}

/** Records the coordinator's key as an issuer of credentials, and knows all keys that ever were. Rule S-66. */
export async function openIssuers(db: Db, coordinatorPubkey: string): Promise<Issuers> {
  let known: readonly string[] = [];
  const read = shareReads(async () => {
    known = await listIssuers(db);
    return known;
  });
  await inTransaction(db, (trx) => noteIssuer(trx, coordinatorPubkey));
  await read();
  return { has: (pubkey) => known.includes(pubkey), read };
}

/**
 * Calls that arrive during a read share the next one: no caller gets a reading older than its call, and however many call at
 * once, one read runs at a time.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = () => {
    next = undefined;
    const begun = read();
    current = begun;
    return begun;
  };
  return () => {
    next ??= current.then(begin, begin);
    return next;
  };
}

export async function verifyCredential(
  context: AppContext,
  { jwt, maxAgeSec }: In<'verifyCredential'>,
): Out<'verifyCredential'> {
  const parsed = parseCredential(jwt);
  if (typeof parsed === 'string') return { answer: { valid: false, reason: parsed } };
  const foreign = await authenticate(context.issuers, parsed);
  if (foreign !== undefined) return { answer: { valid: false, reason: foreign } };
  const { payload } = parsed;
  const reason = judgeCredential(payload, { nowMs: context.clock().getTime(), maxAgeSec });
  if (reason === undefined) return { answer: { valid: true, payload } };
  if (reason !== 'expired') return { answer: { valid: false, reason } };
  const agentPubkey = parseDid(payload.sub);
  if (agentPubkey !== undefined) await recordExpired(context.db, { jti: payload.jti, agentPubkey });
  return { answer: { valid: false, reason, expired: true } };
}

/**
 * Checks that one of this service's keys signed it. It asks the database only about a key that did sign: another replica may
 * have joined with it since this one started. Rule M-64.
 */
async function authenticate(issuers: Issuers, parsed: ParsedCredential): Promise<CredentialRefusal | undefined> {
  const isSigned = verifyCredentialSignature(parsed);
  if (issuers.has(parsed.issuerPubkey)) return isSigned ? undefined : 'bad_signature';
  const isOurs = isSigned && (await issuers.read()).includes(parsed.issuerPubkey);
  return isOurs ? undefined : 'unknown_issuer';
}
