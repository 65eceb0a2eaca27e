import { RelayApiError, RelayNetworkError } from '@legwork/sdk';
import { Courier } from '../courier/courier.js';
import { Roads } from '../courier/roads.js';
import { JournalError } from '../journal.js';
import { KeyFileError, readKeyFile } from '../keyFile.js';
import type { PolicyOfFile } from '../policy/readPolicy.js';
import { openSession, TrustError } from '../wallet/session.js';
import type { Session } from '../wallet/session.js';
import { Worker } from '../worker/worker.js';
import { runnerOf } from '../worker/runnerOf.js';
import { Agent } from './agent.js';
import type { Health } from './agent.js';
import { Calls } from './calls.js';
import { Commitments } from './commitments.js';
import type { Ask, Desk } from './desk.js';
import { messageOf } from './log.js';
import type { Log } from './log.js';
import { makersOf } from './makers.js';
import { Market } from './market.js';
import { Membership } from './membership.js';
import type { Role } from './move.js';
import { Rests } from './rests.js';
import { idle } from './wakes.js';

/** How the daemon meets the world. */
export interface DaemonOptions {
  /** For one agent, or for what all of them share. */
  readonly log: (agent: string | undefined) => Log;
  /** Undefined: there is nobody to ask. */
  readonly ask?: Ask | undefined;
}

const HEALTH_EVERY_MS = 60_000;
/** A service or a ledger that does not answer is tried again after so long. */
const START_PAUSE_MS = 5_000;
/** What does not pass by waiting. */
const LASTING = [KeyFileError, JournalError, TrustError];

/** The agents of some policies, in one process. */
export class Daemon {
  readonly #policies: readonly PolicyOfFile[];
  readonly #options: DaemonOptions;
  readonly #agents = new Set<Agent>();

  constructor(policies: readonly PolicyOfFile[], options: DaemonOptions) {
    this.#policies = policies;
    this.#options = options;
  }

  /** How each agent is doing. */
  get health(): readonly Health[] {
    return [...this.#agents].map(({ health }) => health);
  }

  /**
   * Works until the signal is aborted.
   *
   * @throws {KeyFileError} when a key cannot be used: nothing is started then
   * @throws {JournalError} {@link TrustError} when no agent can start, or go on
   */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#policies.map(({ key }) => readKeyFile(key)));
    const ended = new AbortController();
    const stop = () => ended.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const markets = new Map(
      [...new Set(this.#policies.map(({ service }) => service))].map((url) => [url, this.#market(url)]),
    );
    const reading = [...markets].map(([url, market]) => market.run(this.#interest(url), ended.signal));
    const working = this.#policies.map((policy) =>
      this.#work(policy, markets.get(policy.service) as Market, ended.signal),
    );
    const troubles = await Promise.all(working);
    ended.abort();
    signal.removeEventListener('abort', stop);
    await Promise.all(reading);
    if (!signal.aborted) throw troubles.find((trouble) => trouble !== undefined);
  }

  #market(url: string): Market {
    return new Market(url, this.#options.log(undefined));
  }

  #interest(service: string) {
    const ours = this.#policies.filter((policy) => policy.service === service);
    return { packages: ours.some(({ courier }) => courier), tasks: ours.some(({ worker }) => worker) };
  }

  /** @returns why the agent ended, unless the signal was aborted */
  async #work(policy: PolicyOfFile, market: Market, signal: AbortSignal): Promise<unknown> {
    const log = this.#options.log(policy.name ?? policy.key);
    let isTroubled = false;
    while (!signal.aborted) {
      try {
        await this.#workOnce(policy, market, log, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (LASTING.some((kind) => error instanceof kind)) {
          log.error({}, `ends: ${messageOf(error)}`);
          return error;
        }
        if (!isTroubled) log.warn({}, `cannot start yet: ${messageOf(error)}`);
        isTroubled = true;
      }
      await idle(START_PAUSE_MS, signal);
    }
    return undefined;
  }

  async #workOnce(policy: PolicyOfFile, market: Market, log: Log, signal: AbortSignal): Promise<void> {
    const parts: { session?: Session } = {};
    const calls = new Calls(makersOf(() => (parts.session as Session).client));
    const commitments = new Commitments();
    const session = await openSession(policy, { views: [calls, commitments] });
    parts.session = session;
    const membership = new Membership(session, calls, commitments);
    const needsReputation = () => membership.needsReputation();
    const desk = {
      session,
      market,
      calls,
      commitments,
      rests: new Rests(),
      log,
      ask: this.#options.ask,
      needsReputation,
    };
    const agent = new Agent(desk, [membership, ...rolesOf(policy, desk)]);
    this.#agents.add(agent);
    try {
      log.info({ agent: session.signer.address }, `at work as ${session.signer.address} at ${policy.service}`);
      await Promise.all([agent.run(signal), tellHealth(agent, log, signal)]);
    } finally {
      this.#agents.delete(agent);
      await session.close();
    }
  }
}

function rolesOf(policy: PolicyOfFile, desk: Desk): Role[] {
  const { courier, worker, router, folder } = policy;
  return [
    ...(courier
      ? [new Courier(desk, { courier, folder, roads: new Roads(router?.url, desk.log), advice: undefined })]
      : []),
    ...(worker ? [new Worker(desk, runnerOf(worker.run, folder))] : []),
  ];
}

async function tellHealth(agent: Agent, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await idle(HEALTH_EVERY_MS, signal);
    if (signal.aborted) return;
    // Of a wallet that did nothing yet the service knows nothing.
    await agent.readEarnings().catch(() => undefined);
    log.info({ health: agent.health }, sentenceOf(agent.health));
  }
}

function sentenceOf({ legs, bids, earnedLamports, spentLamports, lastPollMs }: Health): string {
  return JSON.stringify({ legs, bids, earnedLamports, spentLamports, lastPollMs });
}
