import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { below, type Random } from '../draws.js';
import type { Calls } from './calls.js';
import type { Poster } from './poster.js';

const SIGNED_SHARE = 0.5;
const BID_SOL = 0.001;

/** Has the later legs of its own tasks reserved by keys that nobody knows, and lets them come due. */
export class Reserver {
  readonly #calls: Calls;
  readonly #poster: Poster;
  readonly #accomplice: KeyPairSigner;
  readonly #random: Random;

  /** @param accomplice - does the first leg of each, so that the second comes due */
  constructor(calls: Calls, poster: Poster, accomplice: KeyPairSigner, random: Random) {
    this.#calls = calls;
    this.#poster = poster;
    this.#accomplice = accomplice;
    this.#random = random;
  }

  async act(): Promise<void> {
    const taskId = await this.#poster.listTask(2 + below(3, this.#random));
    if (taskId === undefined) return;
    const read = await this.#calls.ask('read a task', () => this.#calls.clientOf().getDigitalTask({ taskId }));
    const [first, ...later] = read?.answer?.legs ?? [];
    if (first === undefined) return;
    const { address: agentPubkey } = this.#accomplice;
    const own = { taskId, legId: first.id, agentPubkey };
    await this.#calls.ask('claim the first leg of its own task', () =>
      this.#calls.clientOf(this.#accomplice).bidDigitalLeg({ ...own, bidSol: BID_SOL }),
    );
    for (const { id } of later) await this.#reserve(taskId, id);
    await this.#calls.ask('hand in for the first leg of its own task', () =>
      this.#calls.clientOf(this.#accomplice).completeDigitalLeg({ ...own, result: 'Done.' }),
    );
  }

  async #reserve(taskId: string, legId: string): Promise<void> {
    const agent = await generateKeyPairSigner();
    const claim = { taskId, legId, agentPubkey: agent.address, bidSol: BID_SOL };
    const isSigned = this.#random() < SIGNED_SHARE;
    await this.#calls.ask(
      'reserve a later leg of its own task',
      async (): Promise<unknown> =>
        isSigned ? this.#calls.clientOf(agent).bidDigitalLeg(claim) : this.#calls.tool('svc_bid_digital_leg', claim),
    );
  }
}
