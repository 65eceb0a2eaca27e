// Games with amounts: who has how many lamports after every move of the machine, prices of replacements, unequal rulings, and wallets
// that cannot receive.
import { CARRIED, ENDED, legAt, STAKES_HELD, type Machine, type Move, type State } from './machine.js';

const PAYMENT = 40;
/** Odd, so that halves are rounded. */
const STAKE = 15;
const BUDGET = 150;
const EXITS = ['settle', 'reclaim', 'crank', 'default', 'pay ruling'];

/** Numbers that decide a game: each picks among what is possible. */
export type Choices = Iterator<number, undefined>;

export class LamportGame {
  readonly #machine: Machine;
  readonly #choices: Choices;
  #state: State;
  /** Everybody's lamports, wallets of couriers by `courier …`; who posts a stake may go below zero. */
  readonly #lamports = new Map<string, number>([['vault', BUDGET]]);
  readonly #worker: number[];
  readonly #disputer: number[];
  readonly #price: number[];
  readonly #percent: number[];
  readonly #couriers: string[];
  #replacements = 0;
  /** The swarm's total and what is assigned of it; what was paid leaves both. */
  #total: number;
  #assigned: number;

  constructor(machine: Machine, choices: Choices) {
    const { legs, isTask } = machine.settings;
    const all = <T>(value: (leg: number) => T) => Array.from({ length: legs }, (_, leg) => value(leg));
    this.#machine = machine;
    this.#choices = choices;
    this.#state = machine.start();
    this.#worker = all(() => 0);
    this.#disputer = all(() => 0);
    this.#price = all(() => PAYMENT);
    this.#percent = all(() => 0);
    this.#couriers = all((leg) => `courier ${leg}`);
    this.#total = PAYMENT * legs;
    this.#assigned = isTask ? 0 : this.#total;
  }

  /** Plays to the end. @throws Error when a lamport is made or lost, the vault owes more than it has, or a stake is left */
  play(): void {
    while (this.#state.current !== ENDED) {
      this.#requireCovered();
      const isOver = this.#state.tick > this.#machine.latestEnd + 2;
      const moves = this.#machine.moves(this.#state).filter(({ name }) => !isOver || EXITS.includes(name));
      if (isOver && moves.length === 0) throw new Error('there is no way out');
      const move = moves[this.#choose(moves.length)];
      if (!move || (!isOver && this.#choose(3) === 0)) this.#state = this.#machine.tick(this.#state);
      else this.#make(move);
    }
    if (this.#sum(this.#worker) + this.#sum(this.#disputer) !== 0) throw new Error('a stake is left at the end');
    if (this.#sum([...this.#lamports.values()]) !== BUDGET) throw new Error('lamports were made or lost at the end');
  }

  #requireCovered(): void {
    const vault = this.#lamports.get('vault') ?? 0;
    if (this.#total < 0 || vault < this.#total) throw new Error(`the vault has ${vault} and owes ${this.#total}`);
    const all = [...this.#lamports.values(), ...this.#worker, ...this.#disputer];
    if (this.#sum(all) !== BUDGET) throw new Error('lamports were made or lost');
    for (const [leg, { status }] of this.#state.legs.entries()) {
      const held = (this.#worker[leg] ?? 0) + (this.#disputer[leg] ?? 0);
      if (held !== STAKE * (STAKES_HELD[status] ?? 0)) throw new Error(`leg ${leg} holds ${held}`);
    }
  }

  #make(move: Move): void {
    const { leg } = move;
    if (move.name === 'assign') this.#assign(leg);
    if (move.name === 'agree') this.#percent[leg] = 1 + this.#choose(100);
    if (move.next.current === ENDED) this.#end();
    else this.#moveStakes(move);
    if (move.pays !== 'nothing') this.#pay(leg, move.pays === 'all' ? 100 : (this.#percent[leg] ?? 0));
    this.#state = move.next;
  }

  #assign(leg: number): void {
    const former = this.#price[leg] ?? 0;
    const isTask = this.#machine.settings.isTask;
    const price = isTask ? PAYMENT : 1 + this.#choose(former + this.#total - this.#assigned);
    if (!isTask) this.#assigned += price - former;
    if (!isTask && this.#assigned > this.#total) throw new Error('more is assigned than reserved');
    this.#price[leg] = price;
    this.#replacements += 1;
    this.#couriers[leg] = `replacement ${this.#replacements}`;
  }

  #moveStakes({ stakes, leg, name }: Move): void {
    const courier = this.#courier(leg);
    const [worker, disputer] = [this.#worker[leg] ?? 0, this.#disputer[leg] ?? 0];
    const fee = Math.floor(STAKE / 2);
    if (stakes === 'none') return;
    if (stakes === 'posted') return this.#post(this.#worker, leg, courier);
    if (stakes === 'matched') return this.#post(this.#disputer, leg, 'lister');
    [this.#worker[leg], this.#disputer[leg]] = [0, 0];
    if (stakes === 'forfeited') {
      this.#receive('vault', worker);
      if (!this.#machine.settings.isTask) this.#total += worker;
    } else if (stakes === 'defaulted') {
      this.#percent[leg] = 50;
      this.#receive(courier, worker);
      this.#receive('lister', disputer - fee);
      this.#receive('incinerator', fee);
    } else if (stakes === 'divided') {
      const percent = name === 'rule 0' ? 0 : 1 + this.#choose(100);
      const [pot, share] = [worker + disputer - fee, Math.floor(((worker + disputer - fee) * percent) / 100)];
      this.#percent[leg] = percent;
      this.#receive(this.#orVault(courier), share);
      this.#receive('lister', pot - share);
      this.#receive('arbiter', fee);
    } else {
      this.#receive(courier, worker);
      this.#receive('lister', disputer);
    }
  }

  #pay(leg: number, percent: number): void {
    const price = this.#price[leg] ?? 0;
    const payee = this.#orVault(this.#courier(leg));
    const due = Math.floor((price * percent) / 100);
    this.#receive('vault', -due);
    this.#receive(payee, due);
    this.#total -= price;
    if (!this.#machine.settings.isTask) this.#assigned -= price;
  }

  /** The stakes of accepted couriers return, a custodian's goes to the funder, who also gets what the vault has. */
  #end(): void {
    for (const leg of this.#worker.keys()) {
      const isCustodian = legAt(this.#state, leg).status === CARRIED;
      this.#receive(isCustodian ? 'lister' : this.#courier(leg), this.#worker[leg] ?? 0);
      this.#worker[leg] = 0;
    }
    this.#receive('lister', this.#lamports.get('vault') ?? 0);
    this.#lamports.set('vault', 0);
  }

  #post(side: number[], leg: number, who: string): void {
    this.#receive(who, -STAKE);
    side[leg] = STAKE;
  }

  #receive(who: string, lamports: number): void {
    this.#lamports.set(who, (this.#lamports.get(who) ?? 0) + lamports);
  }

  /** An amount that a wallet cannot receive stays in the vault: one in ten cannot. */
  #orVault(who: string): string {
    return this.#choose(10) === 0 ? 'vault' : who;
  }

  #courier(leg: number): string {
    return this.#couriers[leg] ?? '';
  }

  #choose(count: number): number {
    const { value = 0 } = this.#choices.next();
    return count === 0 ? 0 : value % count;
  }

  #sum(amounts: readonly number[]): number {
    return amounts.reduce((total, amount) => total + amount, 0);
  }
}
