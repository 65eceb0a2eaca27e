import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { lockFile } from './fileLock.js';
import type { FileLock } from './fileLock.js';

const lamports = z.codec(z.string().regex(/^\d{1,19}$/), z.bigint(), { decode: BigInt, encode: String });

/** The entries of a journal, by kind. */
const entries = {
  /** Which service, ledger and program this key works with. */
  trusted: z.strictObject({ service: z.string(), genesisHash: z.string(), program: z.string() }),
  /**
   * A transaction that was signed: from then on it may land, so all that it can cost counts as spent. A stake, which comes back, is
   * counted apart, from here until `freed`.
   */
  signed: z.strictObject({
    instruction: z.string(),
    subject: z.string(),
    lamports,
    signature: z.string(),
    stakeLamports: lamports.optional(),
    /** The token that it may move, by its mint: the amount that it locks, and its stake. */
    token: z.strictObject({ mint: z.string(), amount: lamports, stake: lamports.optional() }).optional(),
  }),
  /** A leg that holds no stake of this key any more: it came back, or it was lost. */
  freed: z.strictObject({ subject: z.string() }),
  /** Something that was asked for and not signed. */
  refused: z.strictObject({ what: z.string(), why: z.string() }),
  /** A listing that was left alone, and why. */
  passed: z.strictObject({ subject: z.string(), reason: z.string(), why: z.string() }),
  /** A call that must not be made twice, written before it is made: with its whole input, and the name to repeat it under. */
  called: z.strictObject({
    call: z.string(),
    subject: z.string(),
    key: z.string(),
    input: z.unknown(),
    /** The stake that it may come to, if it is about something with terms. */
    stakeLamports: lamports.optional(),
    /** The mint that the stake is of; left out: it is SOL. */
    stakeMint: z.string().optional(),
  }),
  /** How a call ended. */
  answered: z.strictObject({ key: z.string(), ok: z.boolean(), said: z.unknown() }),
  /** The most tokens that a model may use for what it is asked, and later what it used: of one ask, the last line counts. */
  tokens: z.strictObject({ ask: z.string(), tokens: z.int().min(0) }),
} as const;

const at = z.iso.datetime();
const entry = z.discriminatedUnion('kind', [
  entries.trusted.extend({ kind: z.literal('trusted'), at }),
  entries.signed.extend({ kind: z.literal('signed'), at }),
  entries.freed.extend({ kind: z.literal('freed'), at }),
  entries.refused.extend({ kind: z.literal('refused'), at }),
  entries.passed.extend({ kind: z.literal('passed'), at }),
  entries.called.extend({ kind: z.literal('called'), at }),
  entries.answered.extend({ kind: z.literal('answered'), at }),
  entries.tokens.extend({ kind: z.literal('tokens'), at }),
]);

/** One line of a journal, in code form. */
export type JournalEntry = z.output<typeof entry>;
/** A line to be written; the journal adds the time. */
export type NewEntry = JournalEntry extends infer E ? (E extends JournalEntry ? Omit<E, 'at'> : never) : never;

/** A reader of a journal: it is shown every entry once, in order, from the first one on. */
export interface JournalView {
  take(entry: JournalEntry): void;
}

/** A journal that cannot be used: what is wrong with it. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

const LOCK_PATIENCE_MS = 10_000;
const LOCK_PAUSE_MS = 5;
const NEWLINE = 10;

/**
 * The deeds of a key: an append-only file of JSON lines, each on disk before the next step
 * is taken. All processes that use the key write the same file, one at a time. Rule A-3.
 */
export class Journal {
  readonly file: string;
  readonly #handle: FileHandle;
  readonly #views: readonly JournalView[];
  readonly #now: () => number;
  /** Bytes that the views have seen. */
  #read = 0;
  /** One at a time in this process; the lock on the file is for the others. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: string, handle: FileHandle, views: readonly JournalView[], now: () => number) {
    this.file = file;
    this.#handle = handle;
    this.#views = views;
    this.#now = now;
  }

  /**
   * Opens the file, or makes it for its owner only, and shows the views what it holds.
   *
   * @throws {JournalError} when a line of it is not an entry
   */
  static async open(file: string, views: readonly JournalView[], now: () => number = Date.now): Promise<Journal> {
    const journal = new Journal(file, await open(file, 'a+', 0o600), views, now);
    try {
      await journal.decide(() => []);
    } catch (error) {
      await journal.close();
      throw error;
    }
    return journal;
  }

  /**
   * Shows the views what others wrote, lets `decision` say what to write, and has it on disk when this resolves. Nobody else
   * writes in between, so what `decision` sees is all there is.
   *
   * @throws the error of `decision`; nothing is written then
   */
  decide(decision: () => readonly NewEntry[]): Promise<void> {
    const turn = this.#decideAfter(this.#last, decision);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #decideAfter(last: Promise<unknown>, decision: () => readonly NewEntry[]): Promise<void> {
    await last;
    const lock = await this.#lock();
    try {
      await this.#catchUp();
      await this.#append(decision());
    } finally {
      await lock.release();
    }
  }

  append(...written: readonly NewEntry[]): Promise<void> {
    return this.decide(() => written);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#handle.close();
  }

  async #lock(): Promise<FileLock> {
    const until = Date.now() + LOCK_PATIENCE_MS;
    for (;;) {
      const lock = await lockFile(`${this.file}.lock`);
      if (!('heldBy' in lock)) return lock;
      if (Date.now() > until) throw new JournalError(`process ${lock.heldBy} does not let go of ${this.file}`);
      await sleep(LOCK_PAUSE_MS);
    }
  }

  async #catchUp(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size < this.#read) throw new JournalError(`${this.file} became shorter; a journal only grows`);
    const bytes = Buffer.alloc(size - this.#read);
    if (bytes.length > 0) await this.#handle.read(bytes, 0, bytes.length, this.#read);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    // The writer of a line without an end was killed while it wrote: nothing was done for it.
    if (end < bytes.length) await this.#handle.truncate(this.#read + end);
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) if (line !== '') this.#show(line);
    this.#read += end;
  }

  async #append(written: readonly NewEntry[]): Promise<void> {
    if (written.length === 0) return;
    const now = new Date(this.#now()).toISOString();
    const lines = written.map((one) => `${JSON.stringify(z.encode(entry, { ...one, at: now }))}\n`);
    const bytes = Buffer.from(lines.join(''));
    await this.#handle.appendFile(bytes);
    await this.#handle.datasync();
    this.#read += bytes.length;
    for (const one of written) for (const view of this.#views) view.take({ ...one, at: now });
  }

  #show(line: string): void {
    const read = entry.safeDecode(parseJson(line));
    if (!read.success) throw new JournalError(`${this.file} holds a line that is no entry: ${line.slice(0, 80)}`);
    for (const view of this.#views) view.take(read.data);
  }
}

function parseJson(line: string): never {
  try {
    return JSON.parse(line) as never;
  } catch {
    return undefined as never;
  }
}
