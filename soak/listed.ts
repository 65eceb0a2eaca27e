import { LegworkApiError } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from './agent.js';
import type { Exit, Listing, Kind, Owned } from './kind.js';
import { isSponsored, type Story } from './stories.js';

/** How often a wallet looks whether it can settle: the coordinator is about as fast. */
const WATCHING_MS = 20;

/** The listing, and its poster. */
interface ListedAs<Known extends Listing> {
  readonly kind: Kind<Known, never>;
  readonly story: Story;
  readonly shipper: KeyPairSigner;
}

/** A package or digital task that was posted, in the hands of its shipper. */
export class Listed<Known extends Listing> {
  readonly id: string;
  readonly shipper: KeyPairSigner;
  readonly #agent: Agent;
  readonly #kind: Kind<Known, never>;
  readonly #world: World;
  readonly #story: Story;

  constructor(world: World, agent: Agent, { kind, story, shipper }: ListedAs<Known>, id: string) {
    this.#world = world;
    this.#agent = agent;
    this.#kind = kind;
    this.#story = story;
    this.shipper = shipper;
    this.id = id;
  }

  async cancel(): Promise<void> {
    if (!this.#story.isAlone) return this.#exit('cancel', this.#kind.cancel);
    return this.#agent.sendAlone(`${this.id}: cancel`, this.shipper, await this.#kind.alone.cancel(this.#owned));
  }

  /** The shipper watches the ledger and settles as soon as that can be done, unless the coordinator is faster. */
  async settleAlone(): Promise<void> {
    const name = `${this.id}: settle`;
    const read = async () => {
      const found = await this.#kind.alone.settle(this.#world.rpc, this.#owned);
      return found === 'early' ? undefined : found;
    };
    for (;;) {
      const found = await this.#agent.poll(name, read, 'not everybody is paid on the ledger', WATCHING_MS);
      if (found === 'over') return;
      await this.#agent.sendAlone(name, this.shipper, found);
    }
  }

  reclaim(): Promise<void> {
    return this.#exit('reclaim', this.#kind.reclaim);
  }

  close(): Promise<void> {
    return this.#exit('close', this.#kind.close);
  }

  /** The listing over REST once a tool has shown one of these statuses, if REST does so too. */
  async until(statuses: readonly Known['status'][]): Promise<Known> {
    const wanted = statuses.join(' or ');
    let found = 'not known';
    const read = async () => {
      try {
        found = String((await this.#agent.call(this.#kind.tools.get, this.#kind.named(this.id)))['status']);
        if (!statuses.includes(found)) return undefined;
        const listing = await this.read();
        return statuses.includes(listing.status) ? listing : undefined;
      } catch (error) {
        // A listing that nobody reported is a draft until the service has seen it.
        if (error instanceof LegworkApiError && error.code === 'not_found') return undefined;
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

  get #owned(): Owned {
    const { programId, coordinator } = this.#world;
    const funder = isSponsored(this.#story) ? coordinator : this.shipper.address;
    return { programId, id: this.id, shipper: this.shipper, funder };
  }

  #exit(name: string, { instruction, build }: Exit): Promise<void> {
    return this.#agent.sendSilently(`${this.id}: ${name}`, this.shipper, instruction, (client) =>
      build(client, this.id),
    );
  }
}
