import { setMaxListeners } from 'node:events';
import { formatSol, toLamports } from '@legwork/sdk';
import { JournalError } from '../journal.js';
import { KeyFileError, readKeyFile } from '../keyFile.js';
import { ModelError } from '../model/model.js';
import type { PolicyOfFile } from '../policy/readPolicy.js';
import { TrustError } from '../wallet/session.js';
import type { Agent, Health } from './agent.js';
import { messageOf } from './desk.js';
import type { Ask, Log } from './desk.js';
import { Market } from './market.js';
import { openAgent } from './openAgent.js';
import type { OpenAgent } from './openAgent.js';
import { idle } from './wakes.js';

/** How the daemon meets the world. */
export interface DaemonOptions {
  /** For the agent of this name, or, without one, for what all of them share. */
  readonly log: (agent: string | undefined) => Log;
  /** Undefined: there is nobody to ask. */
  readonly ask?: Ask | undefined;
}

const HEALTH_EVERY_MS = 60_000;
/** Of so many listings whose papers it keeps it then asks whether they are over. */
const PAPERS_AT_ONCE = 5;
/** A service or a ledger that does not answer is tried again after so long. */
const START_PAUSE_MS = 5_000;
/** The errors that do not pass by waiting. */
const LASTING = [KeyFileError, JournalError, TrustError, ModelError];

/** The agents of some policies, in one process. */
export class Daemon {
  readonly #policies: readonly PolicyOfFile[];
  readonly #options: DaemonOptions;
  readonly #agents = new Set<Agent>();

  constructor(policies: readonly PolicyOfFile[], options: DaemonOptions) {
    this.#policies = policies;
    this.#options = options;
  }

  /** How each agent that is at work is doing. */
  get health(): readonly Health[] {
    return [...this.#agents].map(({ health }) => health);
  }

  /**
   * Works until the signal is aborted.
   *
   * @throws {KeyFileError} when a key cannot be used: nothing is started then
   * @throws {Error} why the first agent ended, when none is left
   */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#policies.map(({ key }) => readKeyFile(key)));
    const ending = new AbortController();
    // Every agent listens.
    setMaxListeners(0, ending.signal);
    const stop = () => ending.abort();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    const services = [...new Set(this.#policies.map(({ service }) => service))];
    await Promise.all(services.map((service) => this.#serve(service, ending.signal)));
    signal.removeEventListener('abort', stop);
  }

  /** Runs the agents of one service. */
  async #serve(service: string, signal: AbortSignal): Promise<void> {
    const policies = this.#policies.filter((policy) => policy.service === service);
    const market = new Market(service, this.#options.log(undefined));
    const ending = new AbortController();
    const stop = () => ending.abort();
    signal.addEventListener('abort', stop);
    const interest = {
      packages: policies.some(({ courier }) => courier),
      tasks: policies.some(({ worker }) => worker),
    };
    const reading = market.run(interest, ending.signal);
    const troubles = await Promise.all(policies.map((policy) => this.#work(policy, market, signal)));
    stop();
    signal.removeEventListener('abort', stop);
    await reading;
    if (!signal.aborted) throw troubles.find((trouble) => trouble !== undefined);
  }

  /** Runs an agent for as long as it can. @returns why it ended, unless the signal was aborted */
  async #work(policy: PolicyOfFile, market: Market, signal: AbortSignal): Promise<unknown> {
    const log = this.#options.log(policy.name ?? policy.key);
    let trouble: string | undefined;
    while (!signal.aborted) {
      try {
        const { ask } = this.#options;
        await this.#workOnce(await openAgent(policy, { market, log, ask }), log, signal);
      } catch (error) {
        if (LASTING.some((kind) => error instanceof kind)) {
          log.error({}, `ends: ${messageOf(error)}`);
          return error;
        }
        if (trouble !== messageOf(error)) log.warn({}, `cannot work yet: ${messageOf(error)}`);
        trouble = messageOf(error);
      }
      await idle(START_PAUSE_MS, signal);
    }
    return undefined;
  }

  async #workOnce(opened: OpenAgent, log: Log, signal: AbortSignal): Promise<void> {
    const { agent, session, close } = opened;
    const ending = new AbortController();
    const stop = () => ending.abort();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    this.#agents.add(agent);
    log.info({ agent: session.signer.address }, `at work as ${session.signer.address} at ${session.policy.service}`);
    const working = agent.run(ending.signal);
    const watching = keepWatch(opened, log, ending.signal).finally(stop);
    const ends = await Promise.allSettled([working, watching]);
    signal.removeEventListener('abort', stop);
    this.#agents.delete(agent);
    await close();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}

/**
 * Tells once a minute how the agent is doing.
 *
 * @throws {Error} when the service is on another ledger than before: the agent begins again
 */
async function keepWatch({ agent, session }: OpenAgent, log: Log, signal: AbortSignal): Promise<void> {
  for (;;) {
    await idle(HEALTH_EVERY_MS, signal);
    if (signal.aborted) return;
    // A service that does not answer is told of elsewhere; of a wallet that did nothing yet it knows nothing.
    await agent.readEarnings().catch(() => undefined);
    session.papers.tend(PAPERS_AT_ONCE);
    const config = await session.client.getConfig().catch(() => session.config);
    const { health } = agent;
    const shown = {
      ...health,
      earnedLamports: String(health.earnedLamports),
      spentLamports: String(health.spentLamports),
    };
    log.info({ health: shown }, inWords(health));
    const isSame = config.genesisHash === session.config.genesisHash && config.programId === session.config.programId;
    if (!isSame) throw new Error(`${session.policy.service} is on another ledger than before`);
  }
}

function inWords({ legs, bids, earnedLamports, spentLamports, leftAlone, lastPollMs }: Health): string {
  const sol = (amount: bigint | undefined) => (amount === undefined ? '?' : formatSol(toLamports(amount)));
  const read = lastPollMs === undefined ? 'not read yet' : `read ${Math.round((Date.now() - lastPollMs) / 1000)} s ago`;
  const reasons = Object.entries(leftAlone).map(([reason, count]) => `${count} ${reason}`);
  const left = reasons.length === 0 ? '' : `left alone: ${reasons.join(', ')}; `;
  return `${legs} legs, ${bids} bids, earned ${sol(earnedLamports)} SOL, spent up to ${sol(spentLamports)} SOL, ${left}${read}`;
}
