import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.js';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_FILE = /^(\d{4}-\d{2})\.key$/;
/** How long a key is used for rows of the database without a look at its file, milliseconds. */
export const REMEMBERED_MS = 60_000;

/** A text that only its key opens. */
export interface Sealed {
  /** Of the key: the month in which it was sealed, as `2026-11`. */
  key: string;
  /** 12 bytes of IV, 16 of tag, then the text. */
  sealed: Buffer;
}

interface Found {
  key: KeyObject;
  /** Milliseconds of the process. */
  at: number;
}

/**
 * Keys that lie outside the database and its backups, one a month, each a file that only this user reads. A dump of the database
 * tells nothing of what is sealed once the key is destroyed. Files are read at once, without waiting: they are few, and 32 bytes each.
 * Rule S-141.
 */
export class KeyRing {
  readonly #folder: string;
  readonly #found = new Map<string, Found>();

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
  seal(text: string, about: string, now: Date): Sealed {
    const month = monthOf(now);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keyFor(month), iv, { authTagLength: TAG_BYTES });
    const encrypted = [cipher.setAAD(Buffer.from(about)).update(text, 'utf8'), cipher.final()];
    return { key: month, sealed: Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]) };
  }

  /**
   * The text; undefined when its key is gone, or when it is not what was sealed for `about`.
   *
   * @param rememberedMs how long ago the key's file may have been read. What another replica destroyed is destroyed here, too: at once, or
   *   so much later
   */
  open({ key: month, sealed }: Sealed, about: string, rememberedMs = 0): string | undefined {
    const key = this.#keyOf(month, rememberedMs);
    if (key === undefined || sealed.length < IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const text = [decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
      return Buffer.concat(text).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** The months that there are keys of. */
  async months(): Promise<string[]> {
    return (await readdir(this.#folder)).flatMap((name) => KEY_FILE.exec(name)?.[1] ?? []);
  }

  /** Destroys the keys of months that ended a day ago or more, but for those that something is sealed with. @returns their months */
  async destroy(inUse: ReadonlySet<string>, now: Date): Promise<string[]> {
    // What was sealed a moment ago may not be in the database yet.
    const current = monthOf(new Date(now.getTime() - 86_400_000));
    const dead = (await this.months()).filter((month) => month < current && !inUse.has(month));
    for (const month of dead) {
      await destroyFile(this.#fileOf(month));
      this.#found.delete(month);
    }
    return dead;
  }

  #fileOf(month: string): string {
    return join(this.#folder, `${month}.key`);
  }

  #keyFor(month: string): KeyObject {
    const known = this.#keyOf(month, REMEMBERED_MS);
    if (known) return known;
    const draft = join(this.#folder, `${randomUUID()}.new`);
    writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true });
    try {
      // Another replica may be first, and nobody reads a file that is half written.
      linkSync(draft, this.#fileOf(month));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    } finally {
      rmSync(draft);
    }
    const made = this.#keyOf(month, 0);
    if (made === undefined) throw new Error(`the key of ${month} is gone`);
    return made;
  }

  #keyOf(month: string, rememberedMs: number): KeyObject | undefined {
    const found = this.#found.get(month);
    if (found && performance.now() - found.at < rememberedMs) return found.key;
    const key = readKey(this.#fileOf(month));
    if (key) this.#found.set(month, { key, at: performance.now() });
    else this.#found.delete(month);
    return key;
  }
}

/** As `2026-11`, in UTC. */
const monthOf = (instant: Date) => instant.toISOString().slice(0, 7);

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code;

/** @returns undefined when there is no such file */
function readKey(file: string): KeyObject | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (bytes.length !== KEY_BYTES) throw new Error(`${file} has ${bytes.length} bytes, not ${KEY_BYTES}`);
  return createSecretKey(bytes);
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
