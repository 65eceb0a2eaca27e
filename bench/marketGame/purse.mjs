/** The gains and losses of everybody in one relay or task, in lamports, by the rules of terms alone; without terms nobody posts a stake. */
export class Purse {
  #stake;
  /** Stakes forfeited on each leg. */
  #forfeited;
  /** The courier of each leg whose stake lies there, and the legs that were paid. */
  #staked = new Map();
  #paid = new Set();
  /** The leg whose courier has the parcel and has not claimed. */
  #custodian;
  #vault;
  /** The gains of each courier and the funder, by name. */
  balances = new Map();
  /** The payment of each leg's courier, by the last agreement. */
  payments;

  constructor({ budget, stake, payments }) {
    this.#stake = stake;
    this.payments = payments;
    this.#forfeited = payments.map(() => 0n);
    this.#vault = budget;
    this.#add('funder', -budget);
  }

  isPaid(leg) {
    return this.#paid.has(leg);
  }

  /** The most that a replacement may ask: the leg's former payment and the stakes forfeited on it. */
  affordable(leg) {
    return this.payments[leg] + this.#forfeited[leg];
  }

  /** @param about - the price of an assignment, the percentage of a ruling */
  move(name, leg, courier, about) {
    const effects = {
      accept: () => this.#post(leg, courier),
      vacate: () => {},
      'vacate overdue': () => this.#forfeit(leg),
      assign: () => this.#agree(leg, about),
      take: () => this.#hold(leg),
      claim: () => this.#hold(undefined),
      'hand off': () => this.#pay(leg, courier, leg + 1),
      confirm: () => this.#pay(leg, courier),
      crank: () => this.#pay(leg, courier),
      dispute: () => this.#add('funder', -this.#stake),
      rule: () => this.#rule(leg, courier, about),
      default: () => this.#default(leg, courier),
      settle: () => this.#end(),
      reclaim: () => this.#end(),
    };
    effects[name]();
  }

  #post(leg, courier) {
    this.#add(courier, -this.#stake);
    this.#staked.set(leg, courier);
  }

  #forfeit(leg) {
    if (this.#custodian === leg) this.#hold(undefined);
    this.#staked.delete(leg);
    this.#forfeited[leg] += this.#stake;
    this.#vault += this.#stake;
  }

  #agree(leg, price) {
    // The amount above the former payment comes from the stakes forfeited on this leg, and can be spent once.
    const above = price - this.payments[leg];
    if (above > 0n) this.#forfeited[leg] -= above;
    this.payments[leg] = price;
  }

  #hold(leg) {
    this.#custodian = leg;
  }

  #pay(leg, courier, next) {
    this.#hold(next);
    this.#paid.add(leg);
    this.#vault -= this.payments[leg];
    this.#add(courier, this.payments[leg]);
    this.#return(leg);
  }

  /** The arbiter divides both stakes, but for its fee, and the payment; of nothing the leg is vacant. */
  #rule(leg, courier, percent) {
    const fee = this.#stake / 2n;
    const divided = 2n * this.#stake - fee;
    this.#divide(leg, courier, { worker: (divided * BigInt(percent)) / 100n, divided });
    this.#add('arbiter', fee);
    if (percent > 0) this.#payPart(leg, courier, percent);
  }

  /** Nobody ruled: who worked has its stake back and half of the payment, half of the disputer's stake burns. */
  #default(leg, courier) {
    const fee = this.#stake / 2n;
    this.#divide(leg, courier, { worker: this.#stake, divided: 2n * this.#stake - fee });
    this.#add('incinerator', fee);
    this.#payPart(leg, courier, 50);
  }

  #divide(leg, courier, { worker, divided }) {
    this.#staked.delete(leg);
    this.#add(courier, worker);
    this.#add('funder', divided - worker);
  }

  #payPart(leg, courier, percent) {
    const paid = (this.payments[leg] * BigInt(percent)) / 100n;
    this.#paid.add(leg);
    this.#vault -= paid;
    this.#add(courier, paid);
  }

  #return(leg) {
    const courier = this.#staked.get(leg);
    if (courier !== undefined) this.#add(courier, this.#stake);
    this.#staked.delete(leg);
  }

  /** Stakes of accepted couriers return; a custodian's goes to the funder with the rest of the vault. */
  #end() {
    for (const [leg] of this.#staked) {
      if (leg === this.#custodian) this.#add('funder', this.#stake);
      else this.#return(leg);
    }
    this.#add('funder', this.#vault);
    this.#vault = 0n;
  }

  #add(name, lamports) {
    this.balances.set(name, (this.balances.get(name) ?? 0n) + lamports);
  }
}
