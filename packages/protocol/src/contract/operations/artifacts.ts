import { z } from 'zod';
import { MAX_ARTIFACT_BYTES } from '../resources/artifact.js';
import { sha256Hex, uuid, wholeNumber } from '../schemas.js';
import { operation } from './operation.js';

/**
 * Bytes of every part of an upload but the last, which has the rest: 5 MiB, the least that stores of the S3 kind take. Rule M-79.
 */
export const ARTIFACT_PART_BYTES = 5 * 1024 * 1024;

const legParams = z.strictObject({ taskId: uuid, legId: uuid });
const artifactParams = legParams.extend({ sha256: sha256Hex });

const upload = z.strictObject({
  legId: uuid,
  sha256: sha256Hex,
  bytes: z.int().min(1),
  receivedBytes: z.int().min(0).meta({ description: 'kept of it so far; the next part begins here' }),
  partBytes: z.int().meta({ description: 'bytes of every part but the last' }),
  isStored: z.boolean().meta({ description: 'all of it is here, and its sha256 is right' }),
});

const OF_UPLOADS = [
  'not_your_leg',
  'leg_out_of_order',
  'result_submitted',
  'invalid_status',
  'ledger_reverted',
  'wrong_artifact',
  'storage_full',
  'storage_unavailable',
] as const;

export const startArtifact = operation({
  name: 'startArtifact',
  tag: 'digital-tasks',
  summary: 'Begin or continue the upload of a file of a result',
  description:
    'The agent that has the leg uploads files before it hands in the result that names them: this call says what comes, then ' +
    'putArtifactPart sends it in parts of partBytes, one after another. After an interruption call this again: receivedBytes says ' +
    'where to go on. What is never handed in is removed a day later.',
  auth: 'signed',
  method: 'POST',
  path: '/digital-tasks/:taskId/legs/:legId/artifacts',
  refuses: [...OF_UPLOADS, 'artifact_quota'],
  params: legParams,
  body: z.strictObject({
    sha256: sha256Hex.meta({ description: 'of the whole file, hex' }),
    bytes: z.int().min(1).max(MAX_ARTIFACT_BYTES).meta({ description: 'of the whole file' }),
  }),
  example: { sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', bytes: 4 },
  answer: upload,
});

export const putArtifactPart = operation({
  name: 'putArtifactPart',
  tag: 'digital-tasks',
  summary: 'Send a part of a file',
  description:
    'The body is the bytes of part number `part`, counted from 0: partBytes of them, the last part the rest. It is signed as any ' +
    'body; Content-Digest (RFC 9530, sha-256) names its hash too, so that the signature is checked before the body is read. ' +
    'The part is kept once it is answered. The last one is answered after the sha256 of the whole file was found right; ' +
    'if it is wrong, everything is discarded.',
  auth: 'signed',
  limit: 'parts',
  method: 'PUT',
  path: '/digital-tasks/:taskId/legs/:legId/artifacts/:sha256/parts/:part',
  refuses: [...OF_UPLOADS, 'part_out_of_order', 'uploads_busy'],
  params: artifactParams.extend({
    part: wholeNumber(
      z
        .int()
        .min(0)
        .max(Math.ceil(MAX_ARTIFACT_BYTES / ARTIFACT_PART_BYTES) - 1),
    ),
  }),
  answer: upload,
  bytes: 'sent',
});

export const getArtifact = operation({
  name: 'getArtifact',
  tag: 'digital-tasks',
  summary: 'Download a file of a result',
  description:
    'The bytes as they were handed in; nobody has opened or checked them. For everybody once the result is confirmed, before that ' +
    'for its agent. Takes Range with one range of bytes. Check the sha256: the result hash on-chain covers it.',
  auth: 'signable',
  method: 'GET',
  path: '/digital-tasks/:taskId/legs/:legId/artifacts/:sha256',
  refuses: ['range_not_satisfiable', 'storage_unavailable', 'uploads_busy'],
  params: artifactParams,
  answer: z.never(),
  bytes: 'answered',
});
