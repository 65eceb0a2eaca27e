import { RelayApiError } from '@agent-relay/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent } from './agent.js';
import type { Exit, Item, Kind } from './kind.js';
import { callTool } from './tools.js';

/** A package or digital task that was posted, in the hands of its shipper. */
export class Listed<Known extends Item> {
  readonly id: string;
  readonly shipper: KeyPairSigner;
  readonly #agent: Agent;
  readonly #kind: Kind<Known, never>;

  constructor(agent: Agent, kind: Kind<Known, never>, shipper: KeyPairSigner, id: string) {
    this.#agent = agent;
    this.#kind = kind;
    this.shipper = shipper;
    this.id = id;
  }

  cancel(): Promise<void> {
    return this.#exit('cancel', this.#kind.cancel);
  }

  reclaim(): Promise<void> {
    return this.#exit('reclaim', this.#kind.reclaim);
  }

  close(): Promise<void> {
    return this.#exit('close', this.#kind.close);
  }

  /** What REST shows once a tool has shown one of these statuses, if REST does so too. */
  async until(statuses: readonly Known['status'][]): Promise<Known> {
    const wanted = statuses.join(' or ');
    let found = 'not known';
    const read = async () => {
      try {
        found = String((await callTool(this.#agent.url, this.#kind.tools.get, this.#kind.named(this.id)))['status']);
        if (!statuses.includes(found)) return undefined;
        const item = await this.read();
        return statuses.includes(item.status) ? item : undefined;
      } catch (error) {
        // A listing that nobody reported is a draft until the service has seen it.
        if (error instanceof RelayApiError && error.code === 'not_found') return undefined;
        throw error;
      }
    };
    return this.#agent.poll(`${this.id}: ${wanted}`, read, `wanted ${wanted}`).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${found}`, { cause: error });
    });
  }

  /** As it is now. For one call; a step repeats it. */
  read(): Promise<Known> {
    return this.#kind.get(this.#agent.clientOf(this.shipper), this.id);
  }

  #exit(name: string, { instruction, build }: Exit): Promise<void> {
    return this.#agent.sendSilently(`${this.id}: ${name}`, this.shipper, instruction, (client) =>
      build(client, this.id),
    );
  }
}
