import { z } from 'zod';
import { allowance, url } from './values.js';

/** Where the files of results are kept, and how many. */
export const files = {
  ARTIFACTS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for the files of results; services that share a database share it too. Without it and without S3_BUCKET no files are ' +
        'taken. `legwork start` fills it in.',
    ),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional()
    .describe('Bucket for the files of results, in place of ARTIFACTS_DIR, in a store that speaks the protocol of S3.'),
  S3_ENDPOINT: url
    .optional()
    .describe("Address of that store; without it: Amazon's in S3_REGION. The bucket follows in the path."),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be the name of a region')
    .default('us-east-1')
    .describe('Region that requests to the store are signed for.'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('Name of the key for the store.'),
  S3_SECRET_ACCESS_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('The key. It needs to read, write and delete objects in the bucket, and to abort multipart uploads.'),
  ARTIFACTS_RESERVE_MIB: allowance
    .default(1024)
    .describe("MiB left free on the disk of ARTIFACTS_DIR, which may be the database's too: files are refused before."),
  LIMIT_ARTIFACT_MIB: allowance
    .max(1024)
    .default(1024)
    .describe('MiB that one file may have; 0: 1024, as more never are.'),
  LIMIT_ARTIFACTS_TASK_MIB: allowance.default(4096).describe('MiB that the files of one task may have; 0: no limit.'),
  LIMIT_ARTIFACTS_AGENT_MIB: allowance
    .default(4096)
    .describe('MiB of files that one agent may announce in 24 hours; 0: no limit.'),
  LIMIT_ARTIFACTS_ADDRESS_MIB: allowance
    .default(8192)
    .describe('MiB of files that may be announced from one address in 24 hours; 0: no limit.'),
};
