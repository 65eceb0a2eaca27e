import { resultHash } from '@legwork/sdk';
import { check, type Model, type Operation } from './linearizable.js';
import { BID, type BidOp, type Facts, FACTS, LEG, type LegOp } from './models.js';
import type { Call } from './record.js';

/** The fields that the checker reads of an answer, in wire form. What an answer does not have it does not say. */
interface Shown {
  readonly id?: string;
  readonly packageId?: string;
  readonly legId?: string;
  readonly agentPubkey?: string | null;
  readonly status?: string;
  readonly terms?: object | null;
  readonly settleSignature?: string | null;
  readonly endSignature?: string | null;
  readonly confirmSignature?: string | null;
  readonly hasResult?: boolean;
  readonly claimTimeoutSec?: number;
  readonly isBarred?: boolean;
  readonly legs?: readonly Shown[];
  readonly swarm?: { readonly id: string; readonly legs: readonly Shown[] } | null;
}

/** A page of the list of a package's bids, newest first: ids grow. */
interface Page {
  readonly packageId: string;
  readonly statuses: ReadonlyMap<string, string>;
  /** Every bid with an id from here on is on it. */
  readonly from: string;
  readonly when: Pick<Operation<unknown>, 'invoked' | 'returned'>;
}

/** What the checker found. */
export interface Judgement {
  readonly findings: readonly string[];
  /** In words: what was checked. */
  readonly checked: string;
}

/** Seconds that an agent has for a leg at least (M-53). */
const LEAST_TIMEOUT_SEC = 60;
const OVER: ReadonlySet<string> = new Set(['delivered', 'completed', 'failed']);
const SAID_OF_CLAIMS = ['leg_taken', 'agent_barred'] as const;
const SAID_OF_RESULTS = ['not_your_leg', 'result_submitted'] as const;
/** A claim that may have been made, and ended before its answer: then nobody can tell from outside what became of it. */
const UNDONE: ReadonlySet<string> = new Set(['transaction_failed', 'not_your_leg']);

/** The histories of all listings, with their bids and legs, as the clients saw them. */
export class Histories {
  readonly #facts = new Map<string, Operation<Facts>[]>();
  readonly #bids = new Map<string, Operation<BidOp>[]>();
  readonly #legs = new Map<string, Operation<LegOp>[]>();
  readonly #pages: Page[] = [];
  /** Of bids and legs. */
  readonly #listings = new Map<string, string>();
  /** Legs that no model here tells of: with terms, or with a claim that was undone. */
  readonly #untold = new Set<string>();
  #calls = 0;
  #unanswered = 0;

  /** Takes a call into account. */
  readonly note = (call: Call): void => {
    this.#calls += 1;
    if (call.returned === Infinity) this.#unanswered += 1;
    const shown = (call.answer ?? {}) as Shown;
    switch (call.name) {
      case 'submitBid':
        if (call.answer !== undefined) this.#bid(call, shown);
        return;
      case 'withdrawBid':
        if (call.answer !== undefined) this.#add(this.#bids, String(call.input['bidId']), call, readOf(shown));
        return;
      case 'listBids':
        if (call.answer !== undefined) this.#page(call, call.answer as readonly Shown[]);
        return;
      case 'bidDigitalLeg':
      case 'completeDigitalLeg':
      case 'releaseDigitalLeg':
        this.#leg(call, shown);
        return;
      case 'getPackage':
      case 'getDigitalTask':
      case 'submitPackage':
      case 'submitDigitalTask':
      case 'postSponsored':
      case 'postSponsoredDigitalTask':
        this.#listing(call, shown);
        return;
      case 'confirmLeg':
      case 'mirrorLeg':
        this.#confirmed(call, shown);
    }
  };

  /**
   * Checks them all.
   *
   * @param isExcused - asked with the id of a listing, which may have been written again, or nobody knew of it any more; and of a leg or a bid
   */
  judge(isExcused: (id: string) => boolean = () => false): Judgement {
    for (const page of this.#pages) this.#read(page);
    const findings: string[] = [];
    let [histories, undecided] = [0, 0];
    const each = <State, Op>(noun: string, model: Model<State, Op>, all: Map<string, Operation<Op>[]>) => {
      for (const [id, history] of all) {
        const listing = this.#listings.get(id) ?? id;
        if (isExcused(listing) || isExcused(id) || this.#untold.has(id)) continue;
        histories += 1;
        const verdict = check(model, history);
        if (verdict.kind === 'undecided') undecided += 1;
        if (verdict.kind === 'impossible') findings.push(`${noun} ${id} of ${listing}: ${tellImpossible(verdict)}`);
      }
    };
    each('listing', FACTS, this.#facts);
    each('bid', BID, this.#bids);
    each('leg', LEG, this.#legs);
    const checked =
      `${this.#calls} calls, ${this.#unanswered} of them without an answer, in ${histories} histories of listings, bids and legs` +
      (undecided > 0 ? `, ${undecided} of them too tangled to decide` : '');
    return { findings, checked };
  }

  #add<Op>(to: Map<string, Operation<Op>[]>, id: string, { invoked, returned }: Page['when'], op: Op): void {
    const history = to.get(id) ?? [];
    history.push({ invoked, returned, op });
    to.set(id, history);
  }

  #bid(call: Call, { id = '', packageId = '' }: Shown): void {
    this.#listings.set(id, packageId);
    this.#add<BidOp>(this.#bids, id, call, { kind: 'bid' });
  }

  #page(call: Call, bids: readonly Shown[]): void {
    const statuses = new Map(bids.map(({ id = '', status = '' }) => [id, status]));
    // A page after the first begins somewhere in the list.
    if (call.input['cursor'] !== undefined) return;
    const from = call.hasMore ? (bids.at(-1)?.id ?? '') : '';
    const { invoked, returned } = call;
    this.#pages.push({ packageId: String(call.input['packageId']), statuses, from, when: { invoked, returned } });
  }

  /** What a page says of each bid that its agent knows of. */
  #read({ packageId, statuses, from, when }: Page): void {
    for (const id of this.#bids.keys()) {
      if (this.#listings.get(id) !== packageId || id < from) continue;
      this.#add<BidOp>(this.#bids, id, when, { kind: 'read', status: statuses.get(id) ?? null });
    }
  }

  #leg(call: Call, shown: Shown): void {
    const { legId, taskId, agentPubkey, result } = call.input;
    const id = String(legId);
    this.#listings.set(id, String(taskId));
    const agent = String(agentPubkey);
    const { refused } = call;
    if (call.name === 'bidDigitalLeg') {
      const timeoutMs = (shown.claimTimeoutSec ?? LEAST_TIMEOUT_SEC) * 1_000;
      const said = call.answer === undefined ? SAID_OF_CLAIMS.find((one) => one === refused) : 'done';
      if (refused !== undefined && UNDONE.has(refused)) this.#untold.add(id);
      if (refused === undefined || said)
        this.#add<LegOp>(this.#legs, id, call, { kind: 'claim', agent, said, timeoutMs });
      return;
    }
    const known = SAID_OF_RESULTS.find((one) => one === refused);
    if (refused !== undefined && known === undefined) return;
    if (call.name === 'completeDigitalLeg') {
      const said = call.answer === undefined ? known : 'done';
      const { hex: hash } = resultHash(String(result));
      this.#add<LegOp>(this.#legs, id, call, { kind: 'result', agent, hash, said });
      if (shown.confirmSignature != null) this.#add(this.#facts, String(taskId), call, factsOfLeg({ ...shown, id }));
      return;
    }
    const said = call.answer === undefined ? known : shown.isBarred === true ? 'barred' : 'withdrawn';
    this.#add<LegOp>(this.#legs, id, call, { kind: 'release', agent, said });
  }

  /** A leg of a package that its recipient has confirmed. */
  #confirmed(call: Call, { status }: Shown): void {
    const id = String(call.input['legId']);
    const listing = this.#listings.get(id);
    if (listing === undefined || status !== 'completed') return;
    this.#add<Facts>(this.#facts, listing, call, { [`done:${id}`]: status });
  }

  /** What an answer says of a listing as a whole. */
  #listing(call: Call, shown: Shown): void {
    const { packageId, taskId } = call.input;
    const isRead = call.name === 'getPackage' || call.name === 'getDigitalTask';
    if (isRead && call.refused === 'not_found') {
      this.#add<Facts>(this.#facts, String(packageId ?? taskId), call, { exists: null });
    }
    if (call.answer === undefined) return;
    const id = String(shown.id);
    // Repeated under its name, a call that posts is answered as it was the first time.
    this.#add<Facts>(this.#facts, id, call, isRead ? factsOf(shown) : { exists: 'yes' });
    for (const leg of [...(shown.legs ?? []), ...(shown.swarm?.legs ?? [])]) this.#listings.set(String(leg.id), id);
    for (const { id: of = '', agentPubkey, status, hasResult } of shown.legs ?? []) {
      if (shown.terms != null) this.#untold.add(of);
      if (!isRead || agentPubkey === undefined || status === undefined || hasResult === undefined) continue;
      this.#add<LegOp>(this.#legs, of, call, { kind: 'read', agent: agentPubkey, status, hasResult });
    }
  }
}

const readOf = ({ status = '' }: Shown): BidOp => ({ kind: 'read', status });

function factsOf(shown: Shown): Facts {
  const { status = '', settleSignature: settled, endSignature: ended, swarm, legs = [] } = shown;
  return {
    exists: 'yes',
    over: OVER.has(status) ? status : null,
    ...(settled !== undefined && { settled }),
    ...(ended !== undefined && { ended }),
    ...(status === 'in_transit' || status === 'delivered' ? { chain: swarm?.id ?? null } : {}),
    ...(status === 'listed' && swarm !== undefined ? { chain: null } : {}),
    ...Object.assign({}, ...[...legs, ...(swarm?.legs ?? [])].map(factsOfLeg)),
  };
}

function factsOfLeg({ id = '', status, confirmSignature }: Shown): Facts {
  return {
    ...(status !== undefined && { [`done:${id}`]: status === 'completed' ? status : null }),
    ...(confirmSignature !== undefined && { [`confirmed:${id}`]: confirmSignature }),
  };
}

function tellImpossible({ operation, states }: { operation: Operation<unknown>; states: readonly unknown[] }): string {
  const told = states.slice(0, 3).map((state) => JSON.stringify(state));
  return (
    `${JSON.stringify(operation.op)} from ${operation.invoked.toFixed(0)} to ${operation.returned.toFixed(0)} ms, ` +
    `which no service could have answered that had it as ${told.join(' or ')}`
  );
}
