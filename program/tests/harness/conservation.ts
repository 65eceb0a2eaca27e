import type { Config } from '@legwork/program-client';
import type { Address, Instruction } from '@solana/kit';
import { Careers } from './careers.js';
import { DEADLINE } from './delivery.js';
import { Folding, gains } from './folding.js';
import type { Outcome } from './ledger.js';
import type { Relay } from './relay.js';
import { exitOf, instructionOf, type Step } from './steps.js';
import { exitOfTask } from './taskSteps.js';
import { hasTerms } from './taskTermsSteps.js';
import { holdingOf, holdingOfTask, type Holding } from './holdings.js';
import { DELIVERIES, isOpen, isUnderWay, Town } from './town.js';

const RENT_OF_VAULT = 890_880n;

export interface Played {
  readonly steps: number;
  readonly accepted: number;
  readonly exits: number;
  /** How often each instruction of the program was accepted, by its number. */
  readonly instructions: ReadonlyMap<number, number>;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function addressesOf(instruction: Instruction): readonly Address[] {
  return [...new Set((instruction.accounts ?? []).map(({ address }) => address))];
}

/**
 * Plays steps on three new deliveries and three new tasks, then lets each funder leave after the deadline.
 *
 * @param run - number of the play: deliveries and tasks of different plays do not meet, the people do
 * @throws Error when lamports are made or lost, a refusal changes something, a vault is not what is owed from it, a task disagrees with its
 *   legs, the fold differs from an account, a reputation is not what was accepted and completed, a paused program starts something, a role
 *   changes without its holder, or a funder cannot leave
 */
export async function play(relay: Relay, run: number, steps: readonly Step[]): Promise<Played> {
  const town = await Town.create(relay, run * DELIVERIES);
  const game = new Game(town, await Careers.of(town));
  const total = sum(await town.balances());
  let accepted = 0;
  let sent = 0;
  for (const step of steps) {
    const instruction = await instructionOf(town, step);
    if (!instruction) continue;
    sent += 1;
    if (await game.send(step, instruction)) accepted += 1;
  }
  const exits = await game.leave();
  const end = sum(await town.balances());
  if (end !== total) throw new Error(`${end - total} lamports too many`);
  return { steps: sent, accepted, exits, instructions: game.instructions };
}

class Game {
  readonly #town: Town;
  readonly #careers: Careers;
  readonly #folding: Folding;
  /** The deposits into each vault beside its budget and rent. */
  readonly #gifts = new Map<Address, bigint>();
  readonly instructions = new Map<number, number>();

  constructor(town: Town, careers: Careers) {
    this.#town = town;
    this.#careers = careers;
    this.#folding = new Folding(town.relay);
  }

  /** Sends the transaction of a step; true when it was accepted. */
  async send(step: Step, instruction: Instruction): Promise<boolean> {
    const town = this.#town;
    // The runtime lets no transaction touch accounts that it does not name; the whole town is counted at the end.
    const touched = addressesOf(instruction);
    const [before, settings] = [await town.balances(touched), await town.settings()];
    const outcome = await town.relay.ledger.send(instruction);
    const after = await town.balances(touched);
    if (sum(before) !== sum(after)) throw new Error(`${sum(after) - sum(before)} lamports too many`);
    const isAccepted = outcome.error === undefined;
    if (!isAccepted && before.some((balance, place) => balance !== after[place])) {
      throw new Error(`A refusal moved lamports: ${outcome.error}`);
    }
    if (isAccepted) this.#count(instruction);
    if (isAccepted && step.operation === 'gift') this.#note(instruction, 1, before, after, touched);
    if (isAccepted && isVacation(instruction)) this.#note(instruction, VAULT_OF_VACATE, before, after, touched);
    requireRoles(settings, await town.settings(), instruction, outcome);
    if (isAccepted && settings.paused === 1) await this.#requireExit(instruction);
    if (isAccepted) await this.#careers.require(instruction);
    if (isAccepted) await this.#folding.require(instruction, outcome.second, gains(touched, before, after));
    for (const holding of await this.#holdings(touched)) await this.#requireCovered(holding);
    return isAccepted;
  }

  /** While paused no service goes on but by exits; with terms the service has no part in a confirmation. */
  async #requireExit({ programAddress, data, accounts }: Instruction): Promise<void> {
    const number = data?.[0] ?? 0;
    if (programAddress === SYSTEM_PROGRAM || !NOT_WHILE_PAUSED.includes(number)) return;
    const job = this.#town.jobs.find(({ task }) => task === accounts?.[TASK_OF_CONFIRM]?.address);
    const isFree = number === CONFIRM_TASK_LEG && job !== undefined && hasTerms(await this.#town.task(job));
    if (!isFree) throw new Error(`Instruction ${number} was accepted while paused`);
  }

  #count({ programAddress, data }: Instruction): void {
    const number = data?.[0];
    if (programAddress === SYSTEM_PROGRAM || number === undefined) return;
    this.instructions.set(number, (this.instructions.get(number) ?? 0) + 1);
  }

  /** Every funder leaves after the deadline, also while paused; the number of those who had something to leave. */
  async leave(): Promise<number> {
    const town = this.#town;
    await town.waitUntil(DEADLINE);
    let exits = 0;
    for (const delivery of town.deliveries) {
      if (!isOpen(await town.package(delivery))) continue;
      // With terms, a claim or a dispute comes to its end first.
      for (let left = EXIT_STEPS; left > 0 && isOpen(await town.package(delivery)); left -= 1) {
        await this.#exit(await exitOf(town, delivery));
      }
      if (isOpen(await town.package(delivery))) throw new Error('A funder is not out');
      exits += 1;
    }
    for (const job of town.jobs) {
      if (!isUnderWay(await town.task(job))) continue;
      for (let left = EXIT_STEPS; left > 0 && isUnderWay(await town.task(job)); left -= 1) {
        await this.#exit(await exitOfTask(town, job));
      }
      if (isUnderWay(await town.task(job))) throw new Error('A funder of a task is not out');
      exits += 1;
    }
    for (const holding of await this.#holdings(town.addresses)) await this.#requireCovered(holding);
    return exits;
  }

  async #exit(exit: Instruction): Promise<void> {
    const town = this.#town;
    const touched = addressesOf(exit);
    const before = await town.balances(touched);
    const { error, second } = await town.relay.ledger.send(exit);
    if (error !== undefined) throw new Error(`A funder cannot leave: ${error}`);
    await this.#folding.require(exit, second, gains(touched, before, await town.balances(touched)));
  }

  /** Of the packages and tasks with an account among these. */
  async #holdings(touched: readonly Address[]): Promise<readonly Holding[]> {
    const town = this.#town;
    const has = (...own: readonly Address[]) => own.some((address) => touched.includes(address));
    const deliveries = town.deliveries.filter((delivery) => has(delivery.package, delivery.vault, delivery.swarm));
    const jobs = town.jobs.filter(({ task, vault }) => has(task, vault));
    const ofPackages = deliveries.map((delivery) => holdingOf(town, delivery));
    return Promise.all([...ofPackages, ...jobs.map((job) => holdingOfTask(town, job))]);
  }

  #note(
    gift: Instruction,
    account: number,
    before: readonly bigint[],
    after: readonly bigint[],
    touched: readonly Address[],
  ): void {
    const destination = gift.accounts?.[account]?.address;
    const place = touched.findIndex((address) => address === destination);
    if (destination === undefined || touched.length < 2) return;
    const came = (after[place] ?? 0n) - (before[place] ?? 0n);
    this.#gifts.set(destination, (this.#gifts.get(destination) ?? 0n) + came);
  }

  /** The vault of what is open is what is owed and what was given; what is over has no vault. */
  async #requireCovered({ name, vault, owed }: Holding): Promise<void> {
    const balance = await this.#town.relay.lamports(vault);
    const given = this.#gifts.get(vault) ?? 0n;
    if (owed !== undefined) {
      const expected = owed + RENT_OF_VAULT + given;
      if (balance !== expected) throw new Error(`The vault of ${name} has ${balance}, not ${expected}`);
      return;
    }
    // Gifts before the end left with the vault.
    if (balance > given) throw new Error(`The vault of ${name} still has ${balance}`);
    if (balance < given) this.#gifts.set(vault, balance);
  }
}

const [SET_COORDINATOR, SET_PAUSED, PROPOSE, ACCEPT] = [1, 2, 12, 13];
const VACATE = 25;
/** Place of the vault in vacate, to which a forfeited stake goes. */
const VAULT_OF_VACATE = 5;
/** A ruling that is due, its payment, the next leg's claim: a funder never needs more moves than this. */
const EXIT_STEPS = 4;

function isVacation({ programAddress, data }: Instruction): boolean {
  return programAddress !== SYSTEM_PROGRAM && data?.[0] === VACATE;
}

/** Listing, forming and assigning, and confirming the leg of a task. */
const CONFIRM_TASK_LEG = 19;
const TASK_OF_CONFIRM = 2;
const NOT_WHILE_PAUSED = [3, 5, 6, 16, 17, CONFIRM_TASK_LEG];

/** Config changes only by its own instructions, signed by the holder of the role. */
function requireRoles(before: Config, after: Config, instruction: Instruction, { error }: Outcome): void {
  const [number] = instruction.data ?? [];
  const isRelay = instruction.programAddress !== SYSTEM_PROGRAM;
  const signer = instruction.accounts?.[0]?.address;
  const allowed: Readonly<Partial<Record<keyof Config, readonly (number | undefined)[]>>> = {
    coordinator: [SET_COORDINATOR],
    paused: [SET_PAUSED],
    pendingAuthority: [PROPOSE, ACCEPT],
    authority: [ACCEPT],
  };
  for (const field of ['coordinator', 'paused', 'pendingAuthority', 'authority'] as const) {
    if (before[field] === after[field]) continue;
    const holder = number === ACCEPT ? before.pendingAuthority : before.authority;
    const fine = isRelay && error === undefined && signer === holder && allowed[field]?.includes(number);
    if (!fine) throw new Error(`Instruction ${number} by ${signer} changed ${field}`);
  }
  if (after.authority === after.coordinator) throw new Error('Authority and coordinator became one');
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
