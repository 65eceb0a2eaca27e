import { chmod, mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SignedDigitalTask, SignedListing } from '@legwork/sdk';

/** A wallet's balance when the run began, and the newest transaction it had then. */
export interface Opening {
  /** Lamports, as decimal text: JSON has no bigint. */
  readonly lamports: string;
  readonly lastSignature: string | undefined;
}

/** A listing that is signed. */
export type Listing = SignedListing | SignedDigitalTask;

/** The record that lets a run go on after kill -9. */
export interface RunRecord {
  /** Which demo plays in it. */
  readonly demo: string;
  /** The ledger it belongs to. */
  readonly genesisHash: string;
  readonly programId: string;
  /** The ledger's slot when the run began. */
  readonly slot: number;
  /** By public key; the coordinator's is among them. */
  readonly opening: Readonly<Record<string, Opening>>;
  /** By the key of what is listed: signed before they are submitted, so that nothing is ever listed twice. */
  readonly listings: Readonly<Record<string, Listing>>;
  readonly finished: boolean;
}

/** One run's folder: its keys, and its record, which is replaced in one step. */
export class RunFolder {
  readonly path: string;
  #record: RunRecord | undefined;

  private constructor(path: string, record: RunRecord | undefined) {
    this.path = path;
    this.#record = record;
  }

  /** Makes the folder of a new run, readable by its owner only. */
  static async create(home: string): Promise<RunFolder> {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const path = join(home, new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 19));
    await mkdir(path, { mode: 0o700 });
    await chmod(path, 0o700);
    return new RunFolder(path, undefined);
  }

  /** The newest run of a demo on a ledger that did not come to its end. */
  static async findUnfinished(
    home: string,
    { demo, genesisHash }: Pick<RunRecord, 'demo' | 'genesisHash'>,
  ): Promise<RunFolder | undefined> {
    const names = await readdir(home).catch(() => []);
    for (const name of names.sort((a, b) => b.localeCompare(a))) {
      const path = join(home, name);
      const record = await readRecord(path);
      if (record?.demo !== demo || record.genesisHash !== genesisHash || record.finished) continue;
      return new RunFolder(path, record);
    }
    return undefined;
  }

  /** The key file of a wallet. */
  keyFile(name: string): string {
    return join(this.path, `${name}.json`);
  }

  /** @throws {Error} before the first save */
  get record(): RunRecord {
    if (this.#record === undefined) throw new Error('the run has no record yet');
    return this.#record;
  }

  /** Reports whether anything was saved. */
  get hasRecord(): boolean {
    return this.#record !== undefined;
  }

  /** Replaces the record; after a crash there is the old one or the new one. */
  async save(record: RunRecord): Promise<void> {
    const file = join(this.path, 'run.json');
    const next = await open(`${file}.new`, 'w', 0o600);
    try {
      await next.writeFile(`${JSON.stringify(record, null, 2)}\n`);
      await next.sync();
    } finally {
      await next.close();
    }
    await rename(`${file}.new`, file);
    this.#record = record;
  }
}

async function readRecord(path: string): Promise<RunRecord | undefined> {
  try {
    const record: RunRecord = JSON.parse(await readFile(join(path, 'run.json'), 'utf8'));
    return record;
  } catch {
    // A run that was killed before its first record moved nothing.
    return undefined;
  }
}
