import { createSHA256 } from 'hash-wasm';

/** The sha256 of a file of which only the beginning is here yet. */
export interface WholeHash {
  update: (bytes: Uint8Array) => void;
  /** The state after these bytes, to go on from at another request, in another process. It may hold the last 63 of them. */
  save: () => Buffer;
  /** Hex. */
  digest: () => string;
}

/** Node's own hashes cannot be kept and continued; this one can. */
export async function hashFrom(state: Buffer | null): Promise<WholeHash> {
  const hash = await createSHA256();
  hash.init();
  if (state !== null) hash.load(state);
  return {
    update: (bytes) => hash.update(bytes),
    save: () => Buffer.from(hash.save()),
    digest: () => hash.digest('hex'),
  };
}
