import type { Config } from '@agent-relay/program-client';
import type { Address, Instruction } from '@solana/kit';
import { DEADLINE, type Delivery } from './delivery.js';
import type { Outcome } from './ledger.js';
import type { Relay } from './relay.js';
import { exitOf, instructionOf, type Step } from './steps.js';
import { DELIVERIES, isOpen, Town } from './town.js';

const RENT_OF_VAULT = 890_880n;

export interface Played {
  readonly steps: number;
  readonly accepted: number;
  readonly exits: number;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function addressesOf(instruction: Instruction): readonly Address[] {
  return [...new Set((instruction.accounts ?? []).map(({ address }) => address))];
}

/**
 * Plays steps on three new deliveries, then lets each funder leave after the deadline.
 *
 * @param run - number of the play: deliveries of different plays do not meet
 * @throws Error when lamports are made or lost, a refusal changes something, a vault is not what is owed from it, a paused
 *   program starts something, a role changes without its holder, or a funder cannot leave
 */
export async function play(relay: Relay, run: number, steps: readonly Step[]): Promise<Played> {
  const town = await Town.create(relay, run * DELIVERIES);
  const game = new Game(town);
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
  return { steps: sent, accepted, exits };
}

class Game {
  readonly #town: Town;
  /** What came to each vault beside its budget and rent. */
  readonly #gifts = new Map<Address, bigint>();

  constructor(town: Town) {
    this.#town = town;
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
    if (isAccepted && step.operation === 'gift') this.#note(instruction, before, after, touched);
    requireRoles(settings, await town.settings(), instruction, outcome);
    for (const delivery of town.deliveries) {
      const own = [delivery.package, delivery.vault, delivery.swarm];
      if (own.some((address) => touched.includes(address))) await this.#requireCovered(delivery);
    }
    return isAccepted;
  }

  /** Every funder leaves after the deadline, also while paused; the number of those who had something to leave. */
  async leave(): Promise<number> {
    const town = this.#town;
    await town.relay.ledger.setClock(DEADLINE);
    let exits = 0;
    for (const delivery of town.deliveries) {
      if (!isOpen(await town.package(delivery))) continue;
      const { error } = await town.relay.ledger.send(await exitOf(town, delivery));
      if (error !== undefined) throw new Error(`The funder of ${delivery.package} cannot leave: ${error}`);
      exits += 1;
      await this.#requireCovered(delivery);
    }
    return exits;
  }

  #note(gift: Instruction, before: readonly bigint[], after: readonly bigint[], touched: readonly Address[]): void {
    const destination = gift.accounts?.[1]?.address;
    const place = touched.findIndex((address) => address === destination);
    if (destination === undefined || touched.length < 2) return;
    const came = (after[place] ?? 0n) - (before[place] ?? 0n);
    this.#gifts.set(destination, (this.#gifts.get(destination) ?? 0n) + came);
  }

  /** The vault of an open package is what is owed and what was given; a package that is over has neither vault nor swarm. */
  async #requireCovered(delivery: Delivery): Promise<void> {
    const town = this.#town;
    const state = await town.package(delivery);
    const vault = await town.relay.lamports(delivery.vault);
    const given = this.#gifts.get(delivery.vault) ?? 0n;
    if (isOpen(state)) {
      const owed = state.maxBudget - state.paid + RENT_OF_VAULT;
      if (state.paid > state.maxBudget) throw new Error(`${delivery.package} paid more than its budget`);
      if (vault !== owed + given) throw new Error(`The vault of ${delivery.package} has ${vault}, not ${owed + given}`);
      return;
    }
    if (await town.swarm(delivery)) throw new Error(`${delivery.package} has a swarm, but is not open`);
    // What was given before the end left with the vault.
    if (vault > given) throw new Error(`The vault of ${delivery.package} still has ${vault}`);
    if (vault < given) this.#gifts.set(delivery.vault, vault);
  }
}

const [SET_COORDINATOR, SET_PAUSED, PROPOSE, ACCEPT] = [1, 2, 12, 13];
const STARTS = [3, 5, 6];

/** Config changes only by its own instructions, signed by who has the role; while paused nothing starts. */
function requireRoles(before: Config, after: Config, instruction: Instruction, { error }: Outcome): void {
  const [number] = instruction.data ?? [];
  const isRelay = instruction.programAddress !== SYSTEM_PROGRAM;
  if (isRelay && error === undefined && before.paused === 1 && STARTS.includes(number ?? 0)) {
    throw new Error(`Instruction ${number} was accepted while paused`);
  }
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
