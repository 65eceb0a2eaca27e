// One relay as the people of a market play it: which moves come when, and who has how many lamports at the end. Minutes count from the
// formation. Couriers who do not come either never accept, fall silent after accepting, or vanish with the parcel.
import { Purse } from './purse.mjs';

export const LEGS = 3;
export const PAYMENT = 40_000_000n;
export const BUDGET = 150_000_000n;
/** 0.2 of the budget, as `standard` has it. */
export const STAKE = 30_000_000n;
export const DEADLINE_MINUTES = 1_440;
export const HANDOFF_MINUTES = 45;
export const REVIEW_MINUTES = 1_440;
const AUCTION_MINUTES = 5;
/** An opening that nobody affordable bid on is looked at again. */
const RETRY_MINUTES = 15;
/** Bidders ask this share of the payment that was agreed first. */
const ASKS = [0.8, 1.6];
/** One shipper in ten takes a late custodian off at once. */
const IMPATIENT = 0.1;

export const DEFAULTS = { noShows: 0.1, vanishing: 0, bidders: 3, legMinutes: 45, breakdowns: 0, terms: true };

/** The carry window of `standard`, for legs that take so long each. */
export function carryMinutes(legMinutes) {
  return 120 + 2 * LEGS * legMinutes;
}

/** Plays one relay. @returns `{ delivered, minutes, paid, late, slashed, moves, balances }` */
export function playRelay(random, setting = {}) {
  return new Relay(random, { ...DEFAULTS, ...setting }).play();
}

class Relay {
  constructor(random, setting) {
    this.random = random;
    this.setting = setting;
    this.carry = carryMinutes(setting.legMinutes);
    this.moves = [];
    this.purse = new Purse({ budget: BUDGET, stake: STAKE, payments: Array(LEGS).fill(PAYMENT) });
    this.hired = 0;
    /** The claim of a courier whom nobody relieves. */
    this.claimed = undefined;
    this.late = 0;
    this.slashed = 0;
  }

  play() {
    this.couriers = Array.from({ length: LEGS }, (_, leg) => this.newCourier(leg));
    if (this.setting.terms) for (const courier of this.couriers) if (courier.kind !== 'never') this.accept(0, courier);
    let minute = 0;
    for (let leg = 0; leg < LEGS; leg += 1) {
      minute = this.carryLeg(leg, this.start(leg, minute));
      if (minute >= DEADLINE_MINUTES) return this.reclaim();
    }
    this.move(minute, 'confirm', LEGS - 1);
    return this.end(minute, 'settle');
  }

  newCourier(leg) {
    const { noShows, vanishing } = this.setting;
    this.hired += 1;
    const courier = { leg, name: `courier ${this.hired - 1}`, kind: 'honest' };
    if (!this.random.chance(noShows)) return courier;
    const kind = this.random.chance(vanishing) ? 'vanishing' : this.random.chance(0.5) ? 'never' : 'silent';
    return { ...courier, kind };
  }

  /** The minute when somebody has taken the parcel for this leg, which may be never. */
  start(leg, minute) {
    let now = minute;
    let seen = 0;
    if (!this.setting.terms) return this.couriers[leg].kind === 'honest' ? now : DEADLINE_MINUTES;
    while (['never', 'silent'].includes(this.couriers[leg].kind)) {
      const { kind } = this.couriers[leg];
      if (leg > 0 && !this.claimed) this.claim(now, leg - 1);
      const window = kind === 'silent' && leg === 0 ? this.carry : HANDOFF_MINUTES;
      // A courier that never accepted was due since the assignment, one that fell silent since the claim or its own acceptance.
      const since = kind === 'never' || leg === 0 ? seen : Math.max(seen, this.claimed.minute);
      now = Math.max(now, since + window);
      if (now >= DEADLINE_MINUTES) return now;
      this.move(now, kind === 'silent' ? 'vacate overdue' : 'vacate', leg);
      now = seen = this.replace(leg, now);
      if (now >= DEADLINE_MINUTES) return now;
    }
    this.take(now, leg);
    return this.couriers[leg].kind === 'vanishing' ? DEADLINE_MINUTES : now;
  }

  /** Opens the vacant leg until somebody affordable bids. @returns the minute of the assignment */
  replace(leg, minute) {
    const affordable = this.purse.affordable(leg);
    for (let now = minute + AUCTION_MINUTES; now < DEADLINE_MINUTES; now += RETRY_MINUTES) {
      const bids = Array.from({ length: this.random.count(this.setting.bidders) }, () => {
        return BigInt(Math.floor(Number(PAYMENT) * this.random.between(...ASKS)));
      });
      const price = bids.filter((bid) => bid <= affordable).sort((a, b) => Number(a - b))[0];
      if (price === undefined) continue;
      this.couriers[leg] = this.newCourier(leg);
      this.move(now, 'assign', leg, { price });
      if (this.couriers[leg].kind !== 'never') this.accept(now, this.couriers[leg]);
      return now;
    }
    return DEADLINE_MINUTES;
  }

  /** @returns the minute when the parcel is at the leg's end */
  carryLeg(leg, minute) {
    if (minute >= DEADLINE_MINUTES) return DEADLINE_MINUTES;
    const { legMinutes, breakdowns, terms } = this.setting;
    let duration = legMinutes * this.random.between(0.7, 1.5);
    if (this.random.chance(breakdowns)) duration += this.random.between(60, 360);
    if (!terms || duration <= this.carry) return minute + duration;
    this.late += 1;
    const overdue = minute + this.carry;
    if (!this.random.chance(IMPATIENT) || overdue >= DEADLINE_MINUTES) return minute + duration;
    this.slashed += 1;
    this.move(overdue, 'vacate overdue', leg, { by: 'lister' });
    const replaced = this.replace(leg, overdue);
    return replaced >= DEADLINE_MINUTES ? replaced : this.carryLeg(leg, this.start(leg, replaced));
  }

  accept(minute, { leg }) {
    this.move(minute, 'accept', leg);
  }

  claim(minute, leg) {
    this.move(minute, 'claim', leg);
    this.claimed = { leg, minute };
  }

  /** Where nobody holds the parcel on behalf of an earlier leg, the courier takes it; else it is handed over. */
  take(minute, leg) {
    const isHandoff = leg > 0 && !this.purse.isPaid(leg - 1);
    if (isHandoff) this.move(minute, 'hand off', leg - 1);
    else this.move(minute, 'take', leg);
    this.claimed = undefined;
  }

  move(at, name, leg, more = {}) {
    const courier = this.couriers[leg].name;
    const next = this.couriers[leg + 1]?.name;
    if (!this.setting.terms && name === 'take') return;
    this.moves.push({ at: Math.floor(at * 60), name, leg, courier, next, ...more });
    this.purse.move(name, leg, courier, more.price);
  }

  /** The funder leaves at the deadline, or once a claim that nobody took over is paid. */
  reclaim() {
    if (!this.claimed) return this.end(DEADLINE_MINUTES, 'reclaim');
    const paid = Math.max(DEADLINE_MINUTES, this.claimed.minute + REVIEW_MINUTES);
    this.move(paid, 'crank', this.claimed.leg);
    return this.end(paid, 'reclaim');
  }

  end(minute, name) {
    this.moves.push({ at: Math.floor(minute * 60), name });
    this.purse.move(name);
    const { moves, late, slashed, purse } = this;
    const prices = purse.payments.reduce((sum, payment) => sum + payment, 0n);
    return {
      delivered: name === 'settle',
      minutes: minute,
      prices,
      late,
      slashed,
      moves,
      balances: purse.balances,
      setting: this.setting,
    };
  }
}
