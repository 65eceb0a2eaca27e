import { z } from 'zod';
import {
  DID_RESOLUTION_TYPE,
  type DidDocument,
  didDocumentSchema,
  didResolutionSchema,
  resolvedDid,
  unresolvedDid,
} from '../identity/didDocument.js';
import { CREDENTIAL_REFUSALS, MAX_JWT_CHARACTERS } from '../identity/verification.js';
import type { LegworkError } from '../errors.js';
import { JSON_FORMAT, operation } from './operation.js';

/** A key, or the coordinator of this service. */
const didParams = z.strictObject({
  pubkey: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'an Ed25519 public key, base58; or coordinator', examples: ['coordinator'] }),
});

const documentAs = (type: string) => ({ ...JSON_FORMAT, type, schema: didDocumentSchema });

export const getDid = operation({
  name: 'getDid',
  tag: 'did',
  summary: 'Resolve a DID',
  description:
    'The DID document of a key, or of the coordinator, which also lists the keys that issued credentials before. ' +
    'With Accept: application/did-resolution the document comes with its resolution metadata.',
  method: 'GET',
  path: '/did/:pubkey',
  params: didParams,
  answer: didDocumentSchema,
  kept: true,
  formats: [
    JSON_FORMAT,
    documentAs('application/did+json'),
    documentAs('application/did+ld+json'),
    documentAs('application/did'),
    {
      type: DID_RESOLUTION_TYPE,
      schema: didResolutionSchema,
      write: (document: DidDocument) => JSON.stringify(resolvedDid(document)),
      writeRefusal: ({ message }: LegworkError) => JSON.stringify(unresolvedDid('invalidDid', message)),
    },
  ],
});

export const getReputationCredential = operation({
  name: 'getReputationCredential',
  tag: 'did',
  summary: "Get an agent's reputation credential",
  description:
    "A verifiable credential about the agent's on-chain reputation account, signed by the coordinator: a compact JWT as text, or " +
    '{jwt} with Accept: application/json. It lives 24 hours. 404 not_found: the ledger shows no such account.',
  method: 'GET',
  path: '/did/:pubkey/reputation',
  params: didParams,
  answer: z.strictObject({ jwt: z.string() }),
  kept: true,
  formats: [{ type: 'text/plain', write: ({ jwt }: { jwt: string }) => jwt }],
});

/** Whatever the text, the answer says what it is: no text is a wrong request. */
const ANY_TEXT = { pattern: '^[\\s\\S]*$' };

export const verifyCredential = operation({
  name: 'verifyCredential',
  tag: 'did',
  summary: 'Verify a reputation credential',
  description:
    'Whether the credential was signed by a key of this coordinator, present or former, and is valid now. One that was ours and ' +
    'has expired costs its subject trust, once (M-65).',
  method: 'POST',
  path: '/did/verify',
  body: z.strictObject({
    jwt: z
      .string()
      .max(MAX_JWT_CHARACTERS)
      .meta({ ...ANY_TEXT, description: 'compact JWT' }),
    maxAgeSec: z
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .meta({ description: 'refuse one issued longer ago than this' }),
  }),
  example: { jwt: 'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl' },
  answer: z.discriminatedUnion('valid', [
    z.strictObject({ valid: z.literal(true), payload: z.record(z.string(), z.unknown()) }),
    z.strictObject({
      valid: z.literal(false),
      reason: z.enum(CREDENTIAL_REFUSALS),
      expired: z.literal(true).optional(),
    }),
  ]),
});
