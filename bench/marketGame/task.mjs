// One digital task as its people play it, and who has how many lamports at the end. Minutes count from the listing. Agents do their work,
// hand in garbage, never accept, or fall silent after accepting; posters look at what is claimed, deny all of it, or never look.
import { USUAL } from './attackers.mjs';
import { Purse } from './purse.mjs';

export const SHARE = 40_000_000n;
export const REVIEW_MINUTES = 60;
const CLAIM_TIMEOUT_MINUTES = 30;
export const CARRY_MINUTES = CLAIM_TIMEOUT_MINUTES + 10;
export const HANDOFF_MINUTES = 30;
export const ARBITRATION_MINUTES = 1_440;
export const DEADLINE_MINUTES = 4_320;
/** No leg is given to an agent later than this before the deadline. */
const LAST_MINUTES = HANDOFF_MINUTES + CARRY_MINUTES + 10;
/** The service vacates who is late so long after its clock. */
const GRACE_MINUTES = 2;

/** `stake`: percent of the budget. `poster`: looks, denies or sleeps. */
const DEFAULTS = { legs: 2, stake: 20n, noShows: 0, garbage: 0, poster: 'looks', terms: true, ...USUAL };

/** Plays one task. @returns `{ finished, minutes, agents: [{ name, kind, isRuledOut }], stake, moves, balances, setting }` */
export function playTask(random, setting = {}) {
  return new Task(random, { ...DEFAULTS, ...setting }).play();
}

class Task {
  constructor(random, setting) {
    this.random = random;
    this.setting = setting;
    const budget = SHARE * BigInt(setting.legs);
    this.stake = setting.terms ? (budget * setting.stake) / 100n : 0n;
    this.purse = new Purse({ budget, stake: this.stake, payments: Array(setting.legs).fill(SHARE) });
    this.agents = [];
    this.moves = [];
    this.minute = 0;
  }

  play() {
    for (let leg = 0; leg < this.setting.legs; leg += 1) {
      if (!this.doLeg(leg)) return this.end('reclaim');
    }
    return this.end('settle');
  }

  /** One agent after the other, until one is paid. @returns true if there was time enough */
  doLeg(leg) {
    for (;;) {
      this.minute += this.random.between(0, 10);
      if (this.minute + LAST_MINUTES > DEADLINE_MINUTES) return false;
      const agent = this.newAgent();
      this.note('assign', leg, agent);
      if (!this.comes(leg, agent)) continue;
      this.minute += agent.kind === 'garbage' ? 1 : this.random.between(5, CLAIM_TIMEOUT_MINUTES);
      this.move('claim', leg, agent);
      if (this.isPaid(leg, agent)) return true;
    }
  }

  newAgent() {
    const { noShows, garbage } = this.setting;
    const { random } = this;
    const absent = random.chance(0.5) ? 'never' : 'silent';
    const kind = random.chance(noShows) ? absent : random.chance(garbage) ? 'garbage' : 'honest';
    const agent = { name: `agent ${this.agents.length}`, kind, isRuledOut: false };
    this.agents.push(agent);
    return agent;
  }

  /** Reports whether the agent begins to work; else the leg is open again once its time is up. */
  comes(leg, agent) {
    if (!this.setting.terms) {
      const isThere = agent.kind === 'honest' || agent.kind === 'garbage';
      if (!isThere) this.minute += CLAIM_TIMEOUT_MINUTES;
      return isThere;
    }
    if (agent.kind === 'never') {
      this.minute += HANDOFF_MINUTES + GRACE_MINUTES;
      this.move('vacate', leg, agent);
      return false;
    }
    this.move('accept', leg, agent);
    if (agent.kind !== 'silent') return true;
    this.minute += CARRY_MINUTES + GRACE_MINUTES;
    this.move('vacate overdue', leg, agent);
    return false;
  }

  /** The fate of a claim. @returns false when the leg is open again */
  isPaid(leg, agent) {
    const { terms, poster, asleep, wrong, silent } = this.setting;
    if (!terms) return this.pay('confirm', leg, agent);
    if (poster === 'sleeps' || this.random.chance(asleep)) {
      this.minute += REVIEW_MINUTES;
      return this.pay('crank', leg, agent);
    }
    this.minute += this.random.between(1, REVIEW_MINUTES - 1);
    const isGood = agent.kind === 'honest';
    if (isGood && poster !== 'denies') return this.pay('confirm', leg, agent);
    this.move('dispute', leg, agent);
    if (this.random.chance(silent)) {
      this.minute += ARBITRATION_MINUTES;
      return this.pay('default', leg, agent);
    }
    this.minute += this.random.between(10, ARBITRATION_MINUTES / 2);
    const percent = isGood === this.random.chance(wrong) ? 0 : 100;
    this.move('rule', leg, agent, percent);
    agent.isRuledOut = percent === 0;
    return percent > 0;
  }

  pay(name, leg, agent) {
    this.move(name, leg, agent);
    return true;
  }

  /** A move on the ledger, which may move no lamports. @param percent - of a ruling */
  note(name, leg, agent, percent) {
    this.moves.push({ at: Math.floor(this.minute * 60), name, leg, agent: agent?.name, percent });
  }

  move(name, leg, agent, percent) {
    this.note(name, leg, agent, percent);
    this.purse.move(name, leg, agent.name, percent);
  }

  end(name) {
    if (name === 'reclaim') this.minute = DEADLINE_MINUTES;
    this.note(name);
    this.purse.move(name);
    const { agents, minute: minutes, moves, purse, setting, stake } = this;
    return { finished: name === 'settle', minutes, agents, stake, moves, balances: purse.balances, setting };
  }
}
