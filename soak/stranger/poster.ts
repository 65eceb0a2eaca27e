import { formatSol } from '@legwork/sdk';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { TASK_LAMPORTS } from '../caps.js';
import { below, type Random } from '../draws.js';
import type { Listing, Kind } from '../kind.js';
import type { LedgerTime } from '../ledgerTime.js';
import { PACKAGES } from '../packages/kind.js';
import { TASKS } from '../tasks/kind.js';
import type { Calls } from './calls.js';
import { strangePackage, strangeTask } from './drafts.js';

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
