import {
  type CredentialRefusal,
  judgeCredential,
  type operations,
  parseCredential,
  type ParsedCredential,
  parseDid,
  verifyCredentialSignature,
} from '@legwork/protocol/contract';
import { recordExpired } from '../../db/credentials.js';
import type { Run } from '../run.js';
import type { Issuers } from './issuers.js';

export const verifyCredential: Run<typeof operations.verifyCredential> = async (context, { jwt, maxAgeSec }) => {
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
};

/**
 * Whether one of this service's keys signed it. It asks the database only about a key that did sign: another replica may
 * have joined with it since this one started. Rules M-64, S-66.
 */
async function authenticate(issuers: Issuers, parsed: ParsedCredential): Promise<CredentialRefusal | undefined> {
  const isSigned = verifyCredentialSignature(parsed);
  if (issuers.has(parsed.issuerPubkey)) return isSigned ? undefined : 'bad_signature';
  const isOurs = isSigned && (await issuers.read()).includes(parsed.issuerPubkey);
  return isOurs ? undefined : 'unknown_issuer';
}
