import { formatSol } from '@legwork/sdk';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { TASK_LAMPORTS } from '../people.js';
import { below, type Random } from '../plan.js';
import type { Listing, Kind } from '../kind.js';
import type { LedgerTime } from '../ledgerTime.js';
import { PACKAGES } from '../packages/story.js';
import { TASKS } from '../tasks/kind.js';
import { type Calls, strangePackage, strangeTask } from './calls.js';

/** The most that the coordinator funds. */
const LARGE_SOL = Number(formatSol(TASK_LAMPORTS));
const TOOL_SHARE = 0.4;
const IMPOSTURE_SHARE = 0.8;

/** Posts what it pays for, and what the coordinator shall pay for: in names it made up, and in those of shippers who sign. */
export class Poster {
  readonly #calls: Calls;
  readonly #time: LedgerTime;
  readonly #purse: KeyPairSigner;
  readonly #victims: readonly Address[];
  readonly #random: Random;

  constructor(calls: Calls, time: LedgerTime, purse: KeyPairSigner, victims: readonly Address[], random: Random) {
    this.#calls = calls;
    this.#time = time;
    this.#purse = purse;
    this.#victims = victims;
    this.#random = random;
  }

  /** @returns the id of a package that it pays for; undefined: it was not listed */
  async listPackage(): Promise<string | undefined> {
    return this.#list(PACKAGES, strangePackage);
  }

  /** @returns the id of a task that it pays for; undefined: it was not listed */
  async listTask(legs: number): Promise<string | undefined> {
    return this.#list(TASKS, (now) => strangeTask(now, legs));
  }

  /** One at somebody else's expense. @returns the id, if it is a package */
  async sponsor(): Promise<string | undefined> {
    const isPackage = this.#random() < 0.5;
    const address = await this.#name();
    const id = isPackage
      ? await this.#ask(PACKAGES, address, (now) => strangePackage(now, LARGE_SOL))
      : await this.#ask(TASKS, address, (now) => strangeTask(now, 2, LARGE_SOL));
    return isPackage ? id : undefined;
  }

  async #list<Known extends Listing, Draft extends object>(kind: Kind<Known, Draft>, draftAt: (now: number) => Draft) {
    const said = await this.#calls.ask(`list a ${kind.noun}`, async () => {
      const draft = draftAt(await this.#time.now());
      const { id, submit } = await kind.sign(this.#calls.clientOf(), this.#purse, draft);
      await submit(this.#calls.clientOf());
      return id;
    });
    return said?.answer;
  }

  async #ask<Known extends Listing, Draft extends object>(
    kind: Kind<Known, Draft>,
    address: Address,
    draftAt: (now: number) => Draft,
  ): Promise<string | undefined> {
    const byTool = this.#random() < TOOL_SHARE;
    const said = await this.#calls.ask(`have a ${kind.noun} sponsored`, async () => {
      const draft = draftAt(await this.#time.now());
      if (!byTool) return kind.sponsor(this.#calls.clientOf(), { address }, draft);
      return String((await this.#calls.tool(kind.tools.post, { ...draft, shipperPubkey: address }))['id']);
    });
    return said?.answer;
  }

  async #name(): Promise<Address> {
    if (this.#random() >= IMPOSTURE_SHARE) return (await generateKeyPairSigner()).address;
    const victim = this.#victims[below(this.#victims.length, this.#random)];
    if (victim === undefined) throw new RangeError('There is no shipper who signs.');
    return victim;
  }
}

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
