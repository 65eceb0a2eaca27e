import { reputationAddress } from '@legwork/program-client';
import { openReputation } from '@legwork/sdk';
import { address, fetchEncodedAccount } from '@solana/kit';
import { z } from 'zod';
import type { JournalEntry, JournalView } from '../journal.js';
import type { Call } from './calls.js';
import type { Desk } from './desk.js';
import type { LegalMoves, Move, Role } from './move.js';

/** A reputation account's rent and a fee, lamports. */
const REPUTATION_LAMPORTS = 1_257_800n;
/** A bid or a claim whose end is not known so long can have no effect any more: bids stand as long, a claim would show. */
const CALL_LASTS_MS = 600_000;
const ENDS_BY_ITSELF: ReadonlySet<string> = new Set(['submitBid', 'bidDigitalLeg']);

const warned = z.union([z.object({ warning: z.string() }), z.object({ code: z.literal('newcomer_budget') })]);

/** Whether the coordinator pays for no reputation of this agent, as it said with a bid or a claim. */
export class Newcomer implements JournalView {
  hasToPay = false;

  take(entry: JournalEntry): void {
    if (entry.kind === 'answered' && warned.safeParse(entry.said).success) this.hasToPay = true;
  }
}

/**
 * What every agent has to do, whatever it is: to register, to pay for its reputation when the coordinator does not, to find out how
 * calls ended that a crash or a silence left open, and to take bids back that are more than its policy allows. Rules.
 */
export class Membership implements Role {
  readonly #desk: Desk;
  readonly #newcomer: Newcomer;
  #isRegistered = false;

  constructor(desk: Desk, newcomer: Newcomer) {
    this.#desk = desk;
    this.#newcomer = newcomer;
  }

  look(): Promise<LegalMoves> {
    const due = [
      ...(this.#isRegistered ? [] : [this.#registration()]),
      ...(this.#newcomer.hasToPay ? [this.#reputation()] : []),
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

  #reputation(): Move {
    const { client, rpc, signer, config } = this.#desk.session;
    const carryOut = async () => {
      const account = await reputationAddress(address(config.programId), signer.address);
      const { exists } = await fetchEncodedAccount(rpc, account, { commitment: 'confirmed' });
      if (!exists) await openReputation(client, rpc, signer);
      this.#newcomer.hasToPay = false;
      // What was refused for the lack of it.
      this.#desk.rests.endAll();
      return exists ? 'has a reputation account' : 'paid for its own reputation account';
    };
    return { key: 'openReputation', deadlineMs: Infinity, costLamports: REPUTATION_LAMPORTS, carryOut };
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
    const { commitments, market, calls } = this.#desk;
    const { policy, journal } = this.#desk.session;
    const won = new Set(commitments.legs.map((leg) => (leg.kind === 'physical' ? leg.packageId : leg.id)));
    const bids = commitments.bids.filter(({ packageId }) => !won.has(packageId));
    if (bids.some(({ packageId }) => !market.packages.known.has(packageId))) return [];
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
