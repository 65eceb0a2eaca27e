import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { ConfigError } from '../config.js';
import { sql } from 'kysely';
import type { Db } from './connect.js';
import { MARK } from './sealing.js';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_FILE = /^(\d{4}-\d{2})\.key$/;
/** How long a key is used for rows of the database without a look at its file, milliseconds. */
const REMEMBERED_MS = 60_000;
/** The purpose of a row's text: it opens for nothing else that this ring seals. */
const ROWS = 'database';
/** The prefix of a hashed word, so that no hash is one of anything else. */
const HASHES = 'word\0';
/** Longest text that is remembered with its key, and most of all of them together, characters. */
const LONGEST_REMEMBERED = 1_000;
const MOST_REMEMBERED = 8_000_000;

/** A text that only its key opens. */
export interface Sealed {
  /** Of the key: the month in which it was sealed, as `2026-11`. */
  key: string;
  /** 12 bytes of IV, 16 of tag, then the text. */
  sealed: Buffer;
}

interface Found {
  key: KeyObject;
  /** The texts that it sealed or opened for rows lately, by their sealed form: a crowd of bids is read again and again. */
  opened: LRUCache<string, string>;
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

  /** The text; undefined when its key is gone, or when it is not what was sealed for `about`. */
  open({ key: month, sealed }: Sealed, about: string): string | undefined {
    return openWith(this.#find(month, 0)?.key, sealed, about);
  }

  /** As {@link seal}, for a row of the database, in base64url. */
  sealRow(text: string, now: Date): { key: string; sealed: string } {
    const { key, sealed } = this.seal(text, ROWS, now);
    const row = sealed.toString('base64url');
    this.#found.get(key)?.opened.set(row, text);
    return { key, sealed: row };
  }

  /** As {@link open}, from a row of the database. What another replica destroyed is destroyed here, too: a minute later at most. */
  openRow({ key: month, sealed }: { key: string; sealed: string }): string | undefined {
    const found = this.#find(month, REMEMBERED_MS);
    const known = found?.opened.get(sealed);
    if (known !== undefined) return known;
    const text = openWith(found?.key, Buffer.from(sealed, 'base64url'), ROWS);
    if (text !== undefined) found?.opened.set(sealed, text);
    return text;
  }

  /** The month whose key seals and hashes now; its key is made if there is none. */
  currentMonth(now: Date): string {
    const month = monthOf(now);
    this.#keyFor(month);
    return month;
  }

  /** A hash of a word that tells it to nobody without the month's key; undefined: that is gone. Rule M-86. */
  hash(word: string, month: string): Buffer | undefined {
    const key = this.#find(month, REMEMBERED_MS)?.key;
    return key && createHmac('sha256', key).update(`${HASHES}${word}`).digest();
  }

  /** The months that there are keys of. */
  async months(): Promise<string[]> {
    return (await readdir(this.#folder)).flatMap((name) => KEY_FILE.exec(name)?.[1] ?? []);
  }

  /** Destroys the keys of months that ended a day ago or more, but for those that something is sealed with. @returns their months */
  async destroy(inUse: ReadonlySet<string>, now: Date): Promise<string[]> {
    // A text sealed a moment ago may not be in the database yet.
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
    const known = this.#find(month, REMEMBERED_MS);
    if (known) return known.key;
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
    const made = this.#find(month, 0)?.key;
    if (made === undefined) throw new Error(`the key of ${month} is gone`);
    return made;
  }

  /** @param rememberedMs how long ago the key's file may have been read */
  #find(month: string, rememberedMs: number): Found | undefined {
    const found = this.#found.get(month);
    if (found && performance.now() - found.at < rememberedMs) return found;
    const key = readKey(this.#fileOf(month));
    if (key === undefined) {
      this.#found.delete(month);
      return undefined;
    }
    const opened = found?.key.equals(key) ? found.opened : remembering();
    const read = { key, opened, at: performance.now() };
    this.#found.set(month, read);
    return read;
  }
}

const remembering = () =>
  new LRUCache<string, string>({
    maxSize: MOST_REMEMBERED,
    maxEntrySize: LONGEST_REMEMBERED,
    sizeCalculation: (text, sealed) => text.length + sealed.length,
  });

function openWith(key: KeyObject | undefined, sealed: Buffer, about: string): string | undefined {
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

/**
 * Checks that everything under way can be read: without its key the place of a bid is a whole degree, and a chain would be chosen by
 * that. Rule S-148.
 *
 * @throws ConfigError naming the months whose keys are missing
 */
export async function requireKeys(db: Db, keyRing: KeyRing | undefined): Promise<void> {
  const { rows } = await sql<{ month: string }>`
    with live as materialized (
      select id, personal from packages where status in ('listed', 'swarm_forming', 'in_transit'))
    select distinct right(begins, 7) as month from (
      select left(personal, 15) as begins from live
      union all select left(personal, 15) from digital_tasks where status in ('listed', 'in_progress')
      union all select left(bids.personal, 15) from bids join live on live.id = bids.package_id where bids.ended_at is null
    ) as found where begins like ${sql.lit(`${MARK}%`)}`.execute(db);
  const here = new Set(await keyRing?.months());
  const missing = rows.map(({ month }) => month).filter((month) => !here.has(month));
  if (missing.length === 0) return;
  throw new ConfigError(
    `PERSONAL_DATA_KEYS: the keys of ${missing.sort().join(', ')} are not there, and what is under way is sealed with ` +
      'them. Set it to the folder that the service had before, or that its replicas have.',
  );
}
