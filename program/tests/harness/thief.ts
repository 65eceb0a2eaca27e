import { lockerAddress, type Mandate, TOKEN_PROGRAM_ADDRESS } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { type Delivery, must, NOW, SOL } from './delivery.js';
import { isTask } from './escrow.js';
import type { Job } from './job.js';
import { LiteSvmLedger } from './liteSvmLedger.js';
import { type Mandated, Mandates, PERIOD, RENT_OF_MANDATE, RENTS } from './mandates.js';
import { Relay } from './relay.js';
import { CAP, LISTINGS, type Loot, type Theft, Thefts } from './thefts.js';
import { give, newAsset, tokensAt } from './tokens.js';

const FUNDS = 20n * SOL;

/** A mandate's balance in its asset, and its own lamports. */
interface Held {
  readonly amount: bigint;
  readonly lamports: bigint;
  readonly mandate: Mandate;
}

/** The amount that has left a mandate since a period began, as the thief's victim counts it. */
interface Counted {
  start: bigint;
  spent: bigint;
}

/** Somebody has the key of a delegate with a mandate in SOL and one in a token, and an accomplice carries. */
export class Thief {
  readonly #scene: Loot;
  readonly #thefts: Thefts;
  readonly #counted = new Map<Mandated, Counted>();
  #run = 0;
  readonly tally = { calls: 0, accepted: 0, listed: 0, stolen: 0n, caps: 0n };

  private constructor(scene: Loot) {
    this.#scene = scene;
    this.#thefts = new Thefts(scene);
  }

  static async create(): Promise<Thief> {
    const relay = await Relay.initialised(await LiteSvmLedger.create());
    const asset = await newAsset(relay);
    const mandates = new Mandates(relay);
    const mandated = [
      await mandates.funded({ cap: CAP }, { amount: FUNDS }),
      await mandates.funded({ cap: CAP }, { amount: FUNDS, asset }),
    ] as const;
    const [accomplice, key] = [await relay.courier(0), mandated[0].delegate];
    for (const { address } of [accomplice, key, mandated[0].owner]) await give(relay.ledger, address, asset.mint, SOL);
    return new Thief({ relay, mandates, asset, mandated, key, accomplice, listings: [], pool: [], now: NOW });
  }

  /**
   * Plays some calls on new listings.
   *
   * @throws Error when more leaves a mandate within a period than its cap, it loses its rent, or somebody else than its owner changes it
   */
  async play(chosen: readonly Theft[]): Promise<void> {
    await this.#begin();
    for (const theft of chosen) {
      if (theft.operation === 'pass') await this.#pass(BigInt(theft.listing) * BigInt(PERIOD / 5));
      else if (theft.operation === 'own') await this.#own(theft);
      else await this.#steal(theft);
    }
    this.#run += 1;
  }

  /** New listings of either mandate, and the addresses that a call may name. */
  async #begin(): Promise<void> {
    const { relay, mandates, mandated, key, accomplice } = this.#scene;
    await this.#pass(BigInt(PERIOD));
    const listings: (Delivery | Job)[] = [];
    const pool = [key.address, accomplice.address, relay.config, TOKEN_PROGRAM_ADDRESS];
    for (let index = 0; index < LISTINGS; index += 1) {
      const number = this.#run * LISTINGS + index;
      const payer = mandated[index % 2] ?? mandated[0];
      const listing = index % 4 < 2 ? await mandates.delivery(number, payer) : await mandates.job(number, payer);
      listings.push(listing);
      pool.push(isTask(listing) ? listing.task : listing.package, listing.vault);
    }
    for (const { address, owner } of mandated) {
      pool.push(address, address, owner.address, await lockerAddress(relay.programAddress, address));
    }
    this.#scene.listings = listings;
    this.#scene.pool = [...pool, await mandates.tokens(mandated[1])];
  }

  async #pass(seconds: bigint): Promise<void> {
    this.#scene.now += seconds;
    await this.#scene.relay.ledger.setClock(this.#scene.now);
  }

  /** The owner looks, adds what is missing, and now and then takes a listing back. */
  async #own({ listing }: Theft): Promise<void> {
    for (const mandated of this.#scene.mandated) {
      const { amount, lamports } = await this.#held(mandated);
      if (mandated.asset && amount < CAP)
        await give(this.#scene.relay.ledger, mandated.address, mandated.asset.mint, FUNDS);
      if (lamports < 2n * CAP) await this.#scene.relay.ledger.airdrop(mandated.address, FUNDS);
    }
    const found = this.#scene.listings[listing];
    if (found && listing % 3 === 0)
      await this.#send(await this.#thefts.ending(found, this.#scene.mandated[0].owner, 0));
  }

  async #steal(theft: Theft): Promise<void> {
    const before = await Promise.all(this.#scene.mandated.map((mandated) => this.#held(mandated)));
    const accepted = await this.#send(await this.#thefts.attempt(theft));
    this.tally.calls += 1;
    if (accepted) this.tally.accepted += 1;
    for (const [index, mandated] of this.#scene.mandated.entries()) {
      const [was, is] = [before[index], await this.#held(mandated)];
      if (was) this.#require(mandated, was, is);
      if (was && is.mandate.spent !== was.mandate.spent) this.tally.listed += 1;
    }
  }

  #require(mandated: Mandated, was: Held, is: Held): void {
    const { periodStart: _, spent: __, ...fixed } = was.mandate;
    const { periodStart: ___, spent, ...now } = is.mandate;
    if (JSON.stringify(fixed, written) !== JSON.stringify(now, written))
      throw new Error('Somebody else changed a mandate');
    if (spent > CAP) throw new Error(`${spent} are spent of ${CAP}`);
    if (is.lamports < RENT_OF_MANDATE) throw new Error(`A mandate has ${is.lamports} lamports`);
    const lost = was.amount - is.amount;
    if (lost > 0n) this.#count(mandated, lost);
    const rents = was.lamports - is.lamports;
    if (mandated.asset && rents > RENTS.task) throw new Error(`${rents} lamports left a mandate in a token`);
    if (mandated.asset && rents > 0n && lost <= 0n)
      throw new Error(`${rents} lamports left a mandate that lists nothing`);
  }

  #count(mandated: Mandated, lost: bigint): void {
    const counted = this.#counted.get(mandated) ?? { start: 0n, spent: 0n };
    if (this.#scene.now >= counted.start + BigInt(PERIOD)) {
      this.tally.caps += CAP;
      counted.start = this.#scene.now;
      counted.spent = 0n;
    }
    counted.spent += lost;
    this.tally.stolen += lost;
    this.#counted.set(mandated, counted);
    if (counted.spent > CAP) throw new Error(`${counted.spent} left a mandate within a period, of ${CAP}`);
  }

  async #held(mandated: Mandated): Promise<Held> {
    const lamports = await this.#scene.relay.lamports(mandated.address);
    const amount = mandated.asset
      ? await tokensAt(this.#scene.relay.ledger, await this.#scene.mandates.tokens(mandated))
      : lamports;
    return { lamports, amount, mandate: await this.#scene.mandates.state(mandated) };
  }

  async #send(instructions: readonly Instruction[]): Promise<boolean> {
    const last = instructions.at(-1);
    if (!last) return false;
    for (const before of instructions.slice(0, -1)) must(await this.#scene.relay.ledger.send(before));
    return (await this.#scene.relay.ledger.send(last)).error === undefined;
  }
}

const written = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
