import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { legwork } from '../command.js';
import type { Legwork } from '../command.js';
import { DemoError } from '../stage.js';
import type { Stage } from '../stage.js';
import { ARBITER } from './cast.js';
import type { Agent } from './cast.js';

/** Agents that run in one process, by their policies in one folder. */
export class Daemon {
  readonly #args: readonly string[];
  #running: Legwork;

  private constructor(args: readonly string[]) {
    this.#args = args;
    this.#running = legwork(args);
  }

  /** Writes the policies and starts `legwork courier` or `legwork worker` on them. */
  static async start({ url, folder, company }: Stage, agents: readonly Agent[], name: string): Promise<Daemon> {
    const accept = { arbiters: [company.named(ARBITER).signer.address] };
    const policies = join(folder.path, `policies-${name}`);
    await mkdir(policies, { recursive: true });
    for (const { name: agent, role, policy } of agents) {
      // A policy reads relative paths from its own folder.
      const key = resolve(folder.keyFile(`${role}-${agent.toLowerCase()}`));
      // YAML takes JSON as it is.
      const file = join(policies, `${agent.toLowerCase()}.yaml`);
      await writeFile(file, JSON.stringify({ service: url, key, name: agent, accept, ...policy }, undefined, 2));
    }
    return new Daemon([agents[0]?.role ?? 'courier', '--policy', policies]);
  }

  get pid(): number | undefined {
    return this.#running.child.pid;
  }

  /** Kills it with all that it was about to do, and starts it again. */
  async killAndRestart(): Promise<void> {
    this.#running.child.kill('SIGKILL');
    await this.#running.ended;
    this.#running = legwork(this.#args);
  }

  /** It does nothing from now on, and says nothing either. */
  silence(): void {
    this.#running.child.kill('SIGSTOP');
  }

  /** @throws {DemoError} with its last words, should it have ended before it was asked to */
  async stop(): Promise<void> {
    const { child, ended, printed } = this.#running;
    const wasOver = child.exitCode !== null;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await ended;
    if (wasOver) throw new DemoError(`a daemon ended by itself:\n${printed().trim().split('\n').slice(-5).join('\n')}`);
  }
}
