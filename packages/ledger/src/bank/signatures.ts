import { Worker } from 'node:worker_threads';
import { builtModule } from '../builtModule.js';
import type { ToCheck } from './signatureWorker.js';
import type { WireTransaction } from './wire.js';

declare const isVerified: unique symbol;

/** A transaction whose signatures are all right. The engine executes no other. */
export type VerifiedTransaction = WireTransaction & { readonly [isVerified]: true };

type Waiting = {
  readonly transaction: WireTransaction;
  readonly resolve: (verified: VerifiedTransaction | undefined) => void;
  readonly reject: (error: Error) => void;
};

/** So that an answer does not wait for many others. */
const MOST_IN_A_PARCEL = 64;

/**
 * Checks signatures in a thread of its own: that takes five times as long as running a transfer. Answers come in the order of
 * the questions. Rule L-71. If the thread ends, those that wait get an error, and the next question starts another one.
 */
export class Signatures {
  #worker: Worker | undefined = this.#start();
  #isClosed = false;
  #isScheduled = false;
  #queue: Waiting[] = [];
  /** Requests that the thread has not answered yet: while it works, more gather. */
  #asked: readonly Waiting[] = [];

  /** The transaction, if all its signatures are right. */
  async verify(transaction: WireTransaction): Promise<VerifiedTransaction | undefined> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ transaction, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      // Requests that arrive in one turn of the event loop go together.
      setImmediate(() => {
        this.#isScheduled = false;
        this.#send();
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(builtModule('bank/signatureWorker.js'));
    worker.unref();
    worker.on('message', (verdicts: Uint8Array) => this.#receive(verdicts));
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', (code) => this.#fail(worker, new Error(`exit code ${code}`)));
    return worker;
  }

  #send(): void {
    if (this.#isClosed) return this.#rejectAll(new Error('the ledger is closed'));
    if (this.#queue.length === 0 || this.#asked.length > 0) return;
    this.#worker ??= this.#start();
    this.#asked = this.#queue.splice(0, MOST_IN_A_PARCEL);
    const parcel = parcelOf(this.#asked);
    this.#worker.postMessage(parcel, [parcel.bytes.buffer, parcel.ends.buffer]);
    // The process stays while somebody waits.
    this.#worker.ref();
  }

  #receive(verdicts: Uint8Array): void {
    const asked = this.#asked;
    this.#asked = [];
    this.#worker?.unref();
    this.#send();
    asked.forEach(({ transaction, resolve }, index) => {
      resolve(verdicts[index] === 1 ? (transaction as VerifiedTransaction) : undefined);
    });
  }

  #fail(worker: Worker, cause: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#rejectAll(new Error('the thread that checks signatures ended', { cause }));
  }

  #rejectAll(error: Error): void {
    const waiting = [...this.#asked, ...this.#queue];
    this.#asked = [];
    this.#queue = [];
    for (const { reject } of waiting) reject(error);
  }
}

function parcelOf(some: readonly Waiting[]) {
  const ends = new Uint32Array(some.length);
  const bytes = new Uint8Array(some.reduce((sum, { transaction }) => sum + transaction.bytes.length, 0));
  some.forEach(({ transaction }, index) => {
    const start = ends[index - 1] ?? 0;
    bytes.set(transaction.bytes, start);
    ends[index] = start + transaction.bytes.length;
  });
  return { bytes, ends } satisfies ToCheck;
}
