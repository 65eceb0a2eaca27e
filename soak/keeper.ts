import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a machine that is busy with other things. */
const READY_MS = 150_000;
const REMEMBERED_CHARACTERS = 8_000;

/** How one part of the instance is started. */
export interface KeeperOptions {
  readonly name: string;
  /** Node itself, unless it is another one. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Who it runs as, if that is not who runs the soak. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly env?: Record<string, string>;
  /** Asked again and again after the start; undefined: not yet. Gets what the process has printed. */
  readonly ready: (printed: string) => Promise<boolean> | boolean;
  /** Hears of an end that nobody asked for. */
  readonly lost: (what: string) => void;
}

/** A process that is killed and started again, any number of times. */
export class Keeper {
  readonly #options: KeeperOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #wanted = false;
  #printed = '';

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** Of the process, while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The last that it printed, for findings. */
  get lastWords(): string {
    return this.#printed.slice(-REMEMBERED_CHARACTERS);
  }

  get printed(): string {
    return this.#printed;
  }

  /** Starts it unless it runs, and waits until it is ready. */
  async up(): Promise<void> {
    if (!this.#child) this.#start();
    for (const deadline = Date.now() + READY_MS; !(await this.#options.ready(this.#printed)); ) {
      if (!this.#child) throw new Error(`${this.#options.name} ended while starting:\n${this.lastWords}`);
      if (Date.now() > deadline) throw new Error(`${this.#options.name} is not ready after ${READY_MS} ms`);
      await sleep(30);
    }
  }

  /** Sends the signal and waits for the end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    this.#wanted = false;
    child?.kill(signal);
    await this.#ended;
    return child?.exitCode ?? null;
  }

  #start(): void {
    const { name, command = process.execPath, args, env, user, lost } = this.#options;
    this.#wanted = true;
    this.#printed = '';
    const child = spawn(command, args, {
      ...user,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const note = (text: string) => {
      // The beginning stays: it says where the part is to be found.
      if (this.#printed.length > 4 * REMEMBERED_CHARACTERS) {
        this.#printed = this.#printed.slice(0, REMEMBERED_CHARACTERS) + this.#printed.slice(-REMEMBERED_CHARACTERS);
      }
      this.#printed += text;
    };
    child.stdout.setEncoding('utf8').on('data', note);
    child.stderr.setEncoding('utf8').on('data', note);
    this.#ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#child = undefined;
        if (this.#wanted) lost(`${name} ended by itself (${signal ?? code}):\n${this.lastWords}`);
        resolve();
      });
    });
  }
}
