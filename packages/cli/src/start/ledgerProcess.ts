import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { COMMAND_FILE } from '../paths.js';
import { messageOf, UserError } from '../screen.js';

const READY_WITHIN_MS = 60_000;
const CLOSE_WITHIN_MS = 4000;
const MOST_RESTARTS = 5;
/** A ledger that ran this long was healthy: its restarts count from one again. */
const HEALTHY_MS = 60_000;

/** The facts of a running ledger that other processes need. */
export interface LedgerFacts {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly programAddress: string;
  /** File with the hot key that may form swarms and settle. */
  readonly coordinatorKeypairPath: string;
}

/** Message of the ledger's process to the one that started it. */
export type FromLedger =
  | { readonly type: 'ready'; readonly ledger: LedgerFacts }
  | { readonly type: 'failed'; readonly message: string };

/** Message to the ledger's process. When the sender vanishes instead, that process ends too. */
export interface ToLedger {
  readonly type: 'close';
}

/** How the embedded ledger is started. */
export interface LedgerProcessOptions {
  readonly dataDir: string;
  readonly port: number;
  /** True to take the next free pair of ports when this one is taken. */
  readonly portFallback: boolean;
  readonly testing: boolean;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** The embedded ledger in a process of its own, started again when it is lost. */
export class LedgerProcess {
  readonly facts: LedgerFacts;
  /** Resolves, with the reason, once the ledger is lost and could not be started again. */
  readonly lost: Promise<string>;
  readonly #options: LedgerProcessOptions;
  readonly #closing: AbortController;
  readonly #watching: Promise<void>;
  #child: ChildProcess;

  /** @throws UserError with the ledger's own reason when it cannot start */
  static async start(options: LedgerProcessOptions): Promise<LedgerProcess> {
    const fallback = options.portFallback ? ['--port-fallback'] : [];
    const closing = new AbortController();
    const { child, facts } = await launch(options, ['--port', String(options.port), ...fallback], closing.signal);
    options.log.info(`Started the ledger (process ${child.pid}).`);
    return new LedgerProcess(options, closing, child, facts);
  }

  private constructor(
    options: LedgerProcessOptions,
    closing: AbortController,
    child: ChildProcess,
    facts: LedgerFacts,
  ) {
    this.#options = options;
    this.#closing = closing;
    this.#child = child;
    this.facts = facts;
    let giveUp: (reason: string) => void = () => undefined;
    this.lost = new Promise((resolve) => {
      giveUp = resolve;
    });
    this.#watching = this.#watch(giveUp);
  }

  /** Stops the ledger in order, or by force when it does not answer. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#child.connected) this.#child.send({ type: 'close' } satisfies ToLedger, () => undefined);
    const force = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_WITHIN_MS);
    await this.#watching;
    clearTimeout(force);
  }

  /** Kills the ledger; the next start recovers. */
  async kill(): Promise<void> {
    this.#closing.abort();
    this.#child.kill('SIGKILL');
    await this.#watching;
  }

  /** Until closed: waits for the child to end and starts the next one, on the same ports. */
  async #watch(giveUp: (reason: string) => void): Promise<void> {
    const { signal } = this.#closing;
    const ports = ['--port', new URL(this.facts.rpcUrl).port, '--ws-port', new URL(this.facts.wsUrl).port];
    for (let tries = 1; ; tries += 1) {
      const since = Date.now();
      const how = await ending(this.#child);
      if (signal.aborted) return;
      if (Date.now() - since > HEALTHY_MS) tries = 1;
      if (tries > MOST_RESTARTS) {
        giveUp(`The ledger ended unexpectedly (${how}) and could not be started again; ledger.log says more.`);
        return;
      }
      this.#options.log.warn(
        `The ledger ended unexpectedly (${how}); starting it again (${tries} of ${MOST_RESTARTS}).`,
      );
      await sleep(200 * tries, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#relaunch(ports);
    }
  }

  async #relaunch(ports: readonly string[]): Promise<void> {
    try {
      const { child } = await launch(this.#options, ports, this.#closing.signal);
      this.#child = child;
      this.#options.log.info(`The ledger is back (process ${child.pid}).`);
    } catch (error) {
      this.#options.log.warn(`The ledger did not come back: ${messageOf(error)}`);
    }
  }
}

/** Starts one child and waits until it is ready. */
async function launch(
  { dataDir, testing }: LedgerProcessOptions,
  ports: readonly string[],
  signal: AbortSignal,
): Promise<{ child: ChildProcess; facts: LedgerFacts }> {
  const logFile = join(dataDir, 'ledger.log');
  const log = await open(logFile, 'a', 0o600);
  const args = [COMMAND_FILE, 'ledger', '--data', dataDir, ...ports, ...(testing ? ['--testing'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', log.fd, log.fd, 'ipc'] });
  await log.close();
  const answer = await Promise.race([
    firstMessage(child),
    ending(child).then((how) => `The ledger ended while starting (${how}); ${logFile} says more.`),
    patience(signal),
  ]);
  if (typeof answer !== 'string' && answer.type === 'ready') return { child, facts: answer.ledger };
  child.kill('SIGKILL');
  throw new UserError(typeof answer === 'string' ? answer : answer.message);
}

async function patience(signal: AbortSignal): Promise<string> {
  await sleep(READY_WITHIN_MS, undefined, { ref: false, signal }).catch(() => undefined);
  return signal.aborted
    ? 'The ledger is no longer wanted.'
    : `The ledger was not ready within ${READY_WITHIN_MS / 1000} seconds.`;
}

function firstMessage(child: ChildProcess): Promise<FromLedger> {
  return new Promise((resolve) => {
    child.once('message', (message: FromLedger) => resolve(message));
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Resolves with how the process ended. */
function ending(child: ChildProcess): Promise<string> {
  const describe = () => (child.signalCode ? `by ${child.signalCode}` : `exit code ${child.exitCode}`);
  if (hasEnded(child)) return Promise.resolve(describe());
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', () => resolve(describe()));
  });
}
