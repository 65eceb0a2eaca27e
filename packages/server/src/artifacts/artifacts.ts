import { LegworkError } from '@legwork/protocol/contract';
import type { Config } from '../config.js';
import { DiskStore } from './diskStore.js';
import { S3Store } from './s3Store.js';
import { createSlots, type Slots } from './slots.js';
import type { ArtifactStore } from './store.js';

/** Files of results: where they are kept, and who is sending or reading some. */
export interface Artifacts {
  /** True if the operator named a store. */
  isOpen: boolean;
  /** @throws LegworkError `storage_unavailable` when the operator named none */
  store: () => ArtifactStore;
  uploads: Slots;
  downloads: Slots;
}

/** Requests at once, at one replica, that carry the bytes of files: by one agent or address, and in all. */
const UPLOADS = { ofOne: 4, all: 64 };
const DOWNLOADS = { ofOne: 16, all: 256 };

export async function openArtifacts(config: Pick<Config, 'artifacts'>): Promise<Artifacts> {
  const store = await openStore(config.artifacts);
  return {
    isOpen: store !== undefined,
    store: () => {
      if (store) return store;
      throw new LegworkError(
        'storage_unavailable',
        'This service stores no files: its operator set neither ARTIFACTS_DIR nor S3_BUCKET.',
      );
    },
    uploads: createSlots(UPLOADS),
    downloads: createSlots(DOWNLOADS),
  };
}

async function openStore({ s3, folder, reserveBytes }: Config['artifacts']): Promise<ArtifactStore | undefined> {
  if (s3 !== undefined) return new S3Store(s3);
  if (folder !== undefined) return DiskStore.open(folder, reserveBytes);
  return undefined;
}
