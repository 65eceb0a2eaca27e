import type { Readable } from 'node:stream';
import { type byteOperations, type InputOf, RelayError } from '@legwork/protocol/contract';
import { clientKey } from '../../api/limits.js';
import type { ByteRange } from '../../artifacts/store.js';
import type { AppContext } from '../../context.js';
import { findArtifact } from '../../db/artifacts.js';
import { mayReadResult, requireLegOf } from '../digitalTasks/guards.js';
import type { Caller } from '../run.js';

/** A file that the caller may read. */
export interface ReadableArtifact {
  sha256: string;
  bytes: number;
  /** Null: not handed in yet. */
  name: string | null;
  contentType: string | null;
  /** Opens it; `end` is called once nobody reads any more. */
  open: (range: ByteRange) => Promise<{ content: Readable; end: () => void }>;
}

/** Finds a file for a caller who may read the result it belongs to. Rule M-82. */
export async function getArtifact(
  { db, artifacts }: AppContext,
  input: InputOf<typeof byteOperations.getArtifact>,
  { pubkey, ip }: Pick<Caller, 'pubkey' | 'ip'>,
): Promise<ReadableArtifact> {
  const found = await requireLegOf(db, input);
  const row = await findArtifact(db, found.leg, input.sha256);
  // An agent also reads what it has not handed in yet.
  const isOf = row?.stored_at && (row.position !== null || pubkey === found.leg.agent_pubkey);
  if (!isOf || found.task.erased_at !== null || !mayReadResult(found, pubkey)) {
    throw RelayError.field(
      'not_found',
      'sha256',
      'names no file of a result that you may read; results are shown once they are confirmed',
    );
  }
  const { sha256, name, content_type: contentType } = row;
  return {
    sha256,
    bytes: Number(row.bytes),
    name,
    contentType,
    open: async (range) => {
      const end = artifacts.downloads.take([clientKey(ip)]);
      try {
        return { content: await artifacts.store().read(sha256, range), end };
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
