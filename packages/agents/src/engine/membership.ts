import type { Call } from './calls.js';
import type { Desk } from './desk.js';
import type { LegalMoves, Move, Role } from './move.js';

/** A bid or a claim whose end is not known so long can have no effect any more: bids stand as long, a claim would show. */
const CALL_LASTS_MS = 600_000;
const ENDS_BY_ITSELF: ReadonlySet<string> = new Set(['submitBid', 'bidDigitalLeg']);

/**
 * The duties of every agent in any role: to register, to pay for its reputation when the coordinator does not, to find out how
 * calls ended that a crash or a silence left open, and to take bids back that are more than its policy allows. Rules.
 */
export class Membership implements Role {
  readonly #desk: Desk;
  #isRegistered = false;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  look(): Promise<LegalMoves> {
    const { reputation } = this.#desk;
    const due = [
      ...(this.#isRegistered ? [] : [this.#registration()]),
      ...(reputation.hasToPay ? [reputation.opening(this.#desk)] : []),
      ...this.#desk.calls.open.map((call) => this.#repetition(call, Date.parse(call.at))),
      ...this.#withdrawals(),
    ];
    return Promise.resolve({ due, open: [] });
  }

  choose(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #registration(): Move {
    const { client, signer, policy } = this.#desk.session;
    const carryOut = async () => {
      await client.registerAgent({
        agentPubkey: signer.address,
        ...(policy.name !== undefined && { displayName: policy.name }),
        ...(policy.worker && { capabilities: policy.worker.capabilities }),
      });
      this.#isRegistered = true;
      return `registered as ${policy.name ?? signer.address}`;
    };
    return { key: 'register', deadlineMs: Infinity, costLamports: 0n, carryOut };
  }

  #repetition(call: Call, calledMs: number): Move {
    const carryOut = async () => {
      if (ENDS_BY_ITSELF.has(call.call) && calledMs + CALL_LASTS_MS < Date.now()) {
        await this.#desk.calls.drop(this.#desk.session.journal, call, 'its time was over before its end was known');
        return `gave up ${call.call} about ${call.subject}`;
      }
      await this.#desk.calls.repeat(this.#desk.session.journal, call);
      return `found out how ${call.call} about ${call.subject} ended`;
    };
    return { key: `repeat:${call.key}`, deadlineMs: Infinity, costLamports: 0n, carryOut };
  }

  /**
   * The newest bids beyond the limit, which a policy may have lowered; of what is won nothing can be taken back. None as long as it is
   * not clear which bids still stand: after a start the journal holds some that ended, and the courier finds out which.
   */
  #withdrawals(): Move[] {
    const { commitments, work, calls } = this.#desk;
    const { policy, journal } = this.#desk.session;
    const won = new Set(commitments.legs.map((leg) => (leg.kind === 'physical' ? leg.packageId : leg.id)));
    const bids = commitments.bids.filter(({ packageId }) => !won.has(packageId));
    const isClear = (id: string) => work.package(id) !== undefined || commitments.isStanding(id);
    if (bids.some(({ packageId, legId }) => legId === undefined && !isClear(packageId))) return [];
    const packageIds = [...new Set(bids.map(({ packageId }) => packageId))];
    const beyond = commitments.count - policy.limits.legsAtOnce;
    const tooMany = beyond > 0 ? packageIds.slice(-beyond) : [];
    return bids.flatMap(({ packageId, bidId, untilMs }) => {
      if (bidId === undefined || untilMs <= Date.now() || !tooMany.includes(packageId)) return [];
      const call = { call: 'withdrawBid', subject: packageId, key: `withdrawBid:${bidId}`, input: { bidId } };
      if (calls.isOpen(call.call, packageId)) return [];
      const carryOut = async () => {
        await calls.make(journal, call);
        return `withdrew a bid on package ${packageId}`;
      };
      return [{ key: call.key, deadlineMs: Infinity, costLamports: 0n, carryOut }];
    });
  }
}
