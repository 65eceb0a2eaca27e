import type { RelayInstruction } from '@legwork/program-client';
import type { LedgerFacts, ListingFacts } from '@legwork/program-client/facts';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import type { Transaction } from './histories.js';
import { anyAddress } from './instructions.js';
import { PackageOnLedger } from './packageOnLedger.js';
import { TaskOnLedger } from './taskOnLedger.js';

/** The workers, on packages and on digital tasks alike. */
const agents: Address[] = await Promise.all(Array.from({ length: 4 }, anyAddress));

function agent(number: number): Address {
  const found = agents[number % agents.length];
  if (!found) throw new Error('there are four agents');
  return found;
}

/** The life of a listing, and its end. */
export interface Life {
  /** Where it is on the ledger. */
  address: Address;
  transactions: Transaction[];
  /** The agents that accepted its legs, as often as they did. */
  accepted: Address[];
  completed: Address[];
  /** The facts about it. */
  found: (facts: LedgerFacts) => ListingFacts | undefined;
  is: Pick<ListingFacts, 'id' | 'kind' | 'status' | 'paidLamports' | 'budgetLamports'>;
}

/** How far a package gets: so many legs confirmed of so many, then perhaps its end. */
const packageFate = fc.record({
  carriers: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 7 }),
  payments: fc.array(fc.bigInt({ min: 1n, max: 1_000_000n }), { minLength: 7, maxLength: 7 }),
  confirmed: fc.nat({ max: 7 }),
  ends: fc.boolean(),
  formed: fc.boolean(),
});

type PackageFate = typeof packageFate extends fc.Arbitrary<infer T> ? T : never;

async function lifeOfPackage({ carriers, payments, confirmed, ends, formed }: PackageFate): Promise<Life> {
  const couriers = carriers.map(agent);
  const agreed = payments.slice(0, couriers.length);
  const parcel = await PackageOnLedger.of(couriers, agreed);
  const done = formed ? Math.min(confirmed, couriers.length) : 0;
  const complete = formed && done === couriers.length;
  const carrying = formed
    ? [parcel.form(), ...Array.from({ length: done }, (_, index) => [parcel.confirm(index)])]
    : [];
  const ended = { true: 'delivered', false: formed ? 'reclaimed' : 'cancelled' } as const;
  const end = complete ? parcel.settle() : formed ? parcel.reclaim() : parcel.cancel();
  const paidLamports = agreed.slice(0, done).reduce((total, payment) => total + payment, 0n);
  const status = ends ? ended[`${complete}`] : formed ? 'in_transit' : 'listed';
  return {
    transactions: [[parcel.list()], ...carrying, ...(ends ? [[end]] : [])],
    accepted: formed ? couriers : [],
    completed: couriers.slice(0, done),
    address: parcel.address,
    found: (facts) => facts.packages.get(parcel.address),
    is: { id: parcel.id, kind: 'package', status, paidLamports, budgetLamports: parcel.budget },
  };
}

/**
 * How far a digital task gets: so many legs confirmed, the next one perhaps given to somebody, then perhaps its end. Each leg
 * is lost by so many agents before it stays with one.
 */
const taskFate = fc.record({
  losers: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 4 }),
  budget: fc.bigInt({ min: 4n, max: 1_000_000n }),
  first: fc.nat({ max: 3 }),
  confirmed: fc.nat({ max: 4 }),
  next: fc.constantFrom('open', 'lost', 'held'),
  ends: fc.boolean(),
});

type TaskFate = typeof taskFate extends fc.Arbitrary<infer T> ? T : never;

function endOf(task: TaskOnLedger, done: number, held: number): [RelayInstruction, ListingFacts['status']] {
  if (done === task.legs.length) return [task.settle(), 'completed'];
  return held === 0 ? [task.cancel(), 'cancelled'] : [task.reclaim([...Array(held).keys()]), 'reclaimed'];
}

async function lifeOfTask({ losers, budget, first, confirmed, next, ends }: TaskFate): Promise<Life> {
  const task = await TaskOnLedger.of(losers.length, budget);
  const done = Math.min(confirmed, losers.length);
  const transactions: Transaction[] = [[task.list()]];
  const accepted: Address[] = [];
  const give = (index: number, to: Address) => {
    transactions.push([task.assign(index, to)]);
    accepted.push(to);
  };
  // An agent of an earlier leg gets no other one.
  const lose = (index: number) => {
    for (let loser = 0; loser < (losers[index] ?? 0); loser += 1) {
      give(index, agent(first + index + (loser % (agents.length - index))));
      transactions.push([task.release(index)]);
    }
  };
  for (let index = 0; index < done; index += 1) {
    lose(index);
    give(index, agent(first + index));
    transactions.push([task.confirm(index, agent(first + index))]);
  }
  const isHeld = done < losers.length && next === 'held';
  if (done < losers.length && next !== 'open') lose(done);
  if (isHeld) give(done, agent(first + done));
  const held = done + (isHeld ? 1 : 0);
  const [end, ended] = endOf(task, done, held);
  if (ends) transactions.push([end]);
  const paidLamports = BigInt(done) * (budget / BigInt(losers.length));
  const status = ends ? ended : held === 0 ? 'listed' : 'in_progress';
  return {
    transactions,
    accepted,
    completed: Array.from({ length: done }, (_, index) => agent(first + index)),
    address: task.address,
    found: (facts) => facts.tasks.get(task.address),
    is: { id: task.id, kind: 'digital task', status, paidLamports, budgetLamports: budget },
  };
}

/** The life of a package or of a digital task. */
export const life: fc.Arbitrary<() => Promise<Life>> = fc.oneof(
  packageFate.map((fate) => () => lifeOfPackage(fate)),
  taskFate.map((fate) => () => lifeOfTask(fate)),
);
