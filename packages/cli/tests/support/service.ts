import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { type RunningCommand, startCommand } from './command.js';

/** `legwork serve` at one address, through any number of deaths. */
export class Service {
  readonly url: string;
  readonly #env: Record<string, string>;
  #command: RunningCommand;

  static async start(env: Record<string, string>): Promise<Service> {
    const port = String(await getPort({ host: '127.0.0.1' }));
    const service = new Service(`http://127.0.0.1:${port}`, { ...env, PORT: port });
    await service.#ready();
    return service;
  }

  private constructor(url: string, env: Record<string, string>) {
    this.url = url;
    this.#env = env;
    this.#command = startCommand(['serve'], env);
  }

  /** Kills the process where it stands and starts the next one. */
  async dieAndReturn(): Promise<void> {
    this.#command.child.kill('SIGKILL');
    await this.#command.ended;
    this.#command = startCommand(['serve'], this.#env);
    await this.#ready();
  }

  /** Ends it in order. @returns its exit code */
  async stop(): Promise<number | null> {
    this.#command.child.kill('SIGTERM');
    return (await this.#command.ended).code;
  }

  async #ready(): Promise<void> {
    const { child, stdout, stderr } = this.#command;
    while (!(await isReady(this.url))) {
      if (child.exitCode !== null) throw new Error(`serve ended (${child.exitCode}): ${stderr()}${stdout()}`);
      await sleep(30);
    }
  }
}

/** Reports whether the service there is up and reaches what it needs. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`);
    // Read to its end: what nobody reads keeps the connection under way.
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
