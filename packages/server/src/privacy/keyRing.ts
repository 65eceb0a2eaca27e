import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.js';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_FILE = /^(\d{4}-\d{2})\.key$/;

/** A text that only its key opens. */
export interface Sealed {
  /** Of the key: the month in which it was sealed, as `2026-11`. */
  key: string;
  /** 12 bytes of IV, 16 of tag, then the text. */
  sealed: Buffer;
}

/**
 * Keys that lie outside the database and its backups, one a month, each a file that only this user reads. A dump of the database
 * tells nothing of what is sealed once the key is destroyed. Rule S-141.
 */
export class KeyRing {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws ConfigError when the folder cannot be made or read */
  static async open(folder: string): Promise<KeyRing> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await readdir(folder);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it cannot be read';
      throw new ConfigError(`PERSONAL_DATA_KEYS: ${folder} cannot be used: ${reason}`);
    }
    return new KeyRing(folder);
  }

  /** Encrypts with the month's key, which is made with its first text. @param about what the text belongs to; it opens for nothing else */
  async seal(text: string, about: string, now: Date): Promise<Sealed> {
    const month = monthOf(now);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', await this.#keyOf(month), iv, { authTagLength: TAG_BYTES });
    const encrypted = [cipher.setAAD(Buffer.from(about)).update(text, 'utf8'), cipher.final()];
    return { key: month, sealed: Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]) };
  }

  /** The text; undefined when its key is gone, or when it is not what was sealed for `about`. */
  async open({ key: month, sealed }: Sealed, about: string): Promise<string | undefined> {
    const key = await this.#read(month);
    if (key === undefined || sealed.length < IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** Destroys the keys of months that ended a day ago or more, but for those that something is sealed with. @returns their months */
  async destroy(inUse: ReadonlySet<string>, now: Date): Promise<string[]> {
    // What was sealed a moment ago may not be in the database yet.
    const current = monthOf(new Date(now.getTime() - 86_400_000));
    const months = (await readdir(this.#folder)).flatMap((name) => KEY_FILE.exec(name)?.[1] ?? []);
    const dead = months.filter((month) => month < current && !inUse.has(month));
    for (const month of dead) await destroyFile(this.#fileOf(month));
    return dead;
  }

  #fileOf(month: string): string {
    return join(this.#folder, `${month}.key`);
  }

  async #keyOf(month: string): Promise<Buffer> {
    const known = await this.#read(month);
    if (known) return known;
    const draft = join(this.#folder, `${randomUUID()}.new`);
    await writeFile(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true });
    // Another replica may be first, and nobody reads a file that is half written.
    await link(draft, this.#fileOf(month)).catch(unlessCode('EEXIST'));
    await rm(draft);
    const made = await this.#read(month);
    if (made === undefined) throw new Error(`the key of ${month} is gone`);
    return made;
  }

  /** Read each time: what another replica destroyed is destroyed here, too. */
  async #read(month: string): Promise<Buffer | undefined> {
    const key = await readFile(this.#fileOf(month)).catch(unlessCode('ENOENT'));
    if (key !== undefined && key.length !== KEY_BYTES) throw new Error(`the key of ${month} has ${key.length} bytes`);
    return key;
  }
}

/** As `2026-11`, in UTC. */
const monthOf = (instant: Date) => instant.toISOString().slice(0, 7);

function unlessCode(code: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined;
    throw error;
  };
}

/** Overwrites before it removes, for file systems that write in place. */
async function destroyFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(randomBytes(KEY_BYTES), 0, KEY_BYTES, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path);
}
