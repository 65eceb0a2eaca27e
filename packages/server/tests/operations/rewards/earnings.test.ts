import { LegworkError, toLamports } from '@legwork/protocol/contract';
import fc from 'fast-check';
import type { Insertable } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { Database } from '../../../src/db/schema.js';
import { previewRewardClaim } from '../../../src/money/rewards.js';
import { registerRewardClaim } from '../../../src/money/rewards.js';
import { assignedTo, claimedBy, completedBy, insertTasks, legRow, newAddress, taskRow } from '../digitalTasks/rows.js';
import { migrateDatabase, testContext } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { anySignature, newWalletPubkey } from './scene.js';

const database = withTestDatabase(migrateDatabase, 'service');
let context: AppContext;

beforeAll(async () => {
  context = await testContext(database.connectionString, [], {
    claimWindow: { opensAt: new Date(0), closesAt: new Date(Date.now() + 86_400_000) },
  });
});
afterAll(() => context.db.destroy());

const AGENTS = 3;
const POSTERS = 3;
const CALLER = { pubkey: undefined, ip: '127.0.0.1' };

/**
 * How a leg can be. The agent's result waits for its payment in `handedInEarly` and `handedIn`; the payment is not final in
 * `paidNow`, and the ledger took it back in `takenBack`.
 */
const STATES = [
  'open',
  'claimed',
  'handedInEarly',
  'assigned',
  'handedIn',
  'paid',
  'paidNow',
  'takenBack',
  'failed',
] as const;
type State = (typeof STATES)[number];
/** A history without what holds claims up is wanted as well. */
const RESTING: readonly State[] = ['open', 'claimed', 'assigned', 'paid', 'takenBack', 'failed'];

interface Leg {
  agent: number;
  state: State;
  lamports: bigint;
  slot: number;
}
interface Task {
  poster: number;
  isSponsored: boolean;
  /** Another of its transactions was taken back. */
  isHalted: boolean;
  legs: Leg[];
}

const legOf = (states: readonly State[]): fc.Arbitrary<Leg> =>
  fc.record({
    agent: fc.nat(AGENTS - 1),
    state: fc.constantFrom(...states),
    lamports: fc.bigInt(1n, 1_000_000_000_000n),
    slot: fc.nat(4),
  });

const taskOf = (states: readonly State[]): fc.Arbitrary<Task> =>
  fc.record({
    poster: fc.nat(POSTERS - 1),
    isSponsored: fc.boolean(),
    isHalted: fc.boolean(),
    // An agent has one leg of a task.
    legs: fc.uniqueArray(legOf(states), { selector: ({ agent }) => agent, minLength: 1, maxLength: AGENTS }),
  });

const history = fc.oneof(
  fc.array(taskOf(STATES), { maxLength: 8 }),
  fc.array(taskOf(RESTING), { minLength: 3, maxLength: 12 }),
);

const RESULT = { result: 'done', result_hash: 'hash' };

function columnsOf({ state, lamports }: Leg, agent: string, signature: string) {
  const paid = { ...completedBy(agent, lamports), confirm_signature: signature };
  return {
    open: {},
    claimed: claimedBy(agent),
    handedInEarly: { ...claimedBy(agent), ...RESULT },
    assigned: assignedTo(agent),
    handedIn: { ...assignedTo(agent), ...RESULT },
    paid,
    paidNow: paid,
    takenBack: paid,
    failed: { ...assignedTo(agent), ...RESULT, status: 'failed' as const },
  }[state];
}

type LedgerTransaction = Insertable<Database['ledger_transactions']>;

const HALTING = { agent: 0, state: 'takenBack', lamports: 0n } as const;

interface Paid extends Leg {
  signature: string;
  poster: string;
  isSponsored: boolean;
}

/** The newest place in the ledger's order. */
let position = 0n;

/** The transaction that paid the leg, if it was paid. */
function transactionOf({ state, slot }: Leg, taskId: string, signature: string): LedgerTransaction[] {
  if (state !== 'paid' && state !== 'paidNow' && state !== 'takenBack') return [];
  const placed = state === 'paid' ? { position: (position += 1n) } : {};
  const reverted = state === 'takenBack' ? { reverted_at: new Date() } : {};
  return [{ signature, slot: BigInt(slot), subjects: [`task:${taskId}`], ...placed, ...reverted }];
}

/** Writes the history as the service would have, and says which payments are final, in the ledger's order. */
async function write(tasks: readonly Task[], agents: readonly string[], posters: readonly string[]): Promise<Paid[]> {
  const paid: Paid[] = [];
  const transactions: LedgerTransaction[] = [];
  for (const { poster, isSponsored, isHalted, legs } of tasks) {
    const shipper = posters[poster] ?? '';
    const row = taskRow({
      shipper_pubkey: shipper,
      funder_pubkey: isSponsored ? newAddress() : shipper,
      num_legs: legs.length,
    });
    const rows = legs.map((leg, index) => {
      const signature = anySignature();
      if (leg.state === 'paid') paid.push({ ...leg, signature, poster: shipper, isSponsored });
      transactions.push(...transactionOf(leg, row.id, signature));
      return legRow(row.id, index, columnsOf(leg, agents[leg.agent] ?? '', signature));
    });
    if (isHalted) transactions.push(...transactionOf({ ...HALTING, slot: 0 }, row.id, anySignature()));
    await insertTasks(context.db, [row], rows);
  }
  if (transactions.length > 0) await context.db.insertInto('ledger_transactions').values(transactions).execute();
  // Their places were given in the order of this list.
  return paid.toSorted((one, other) => one.slot - other.slot);
}

const sum = (legs: readonly Paid[]) => legs.reduce((total, { lamports }) => total + lamports, 0n);

function expected(own: readonly Paid[]) {
  const sponsored = sum(own.filter(({ isSponsored }) => isSponsored));
  return {
    devnetEarningsLamports: sum(own),
    sponsoredLamports: sponsored,
    selfFundedLamports: sum(own) - sponsored,
    legs: own.length,
    posters: new Set(own.map(({ poster }) => poster)).size,
  };
}

/** True if the figures of the leg's agent are about to change. */
function holdsUp({ state }: Leg, { isHalted, legs }: Task): boolean {
  if (state === 'paidNow') return true;
  const isWaiting = state === 'handedIn' || state === 'handedInEarly';
  return isWaiting && !isHalted && !legs.some((leg) => leg.state === 'takenBack');
}

test('whatever has happened, the figures are what adding up says, and a claim waits for what is not final (M-66, M-67)', async () => {
  const property = fc.asyncProperty(history, async (tasks) => {
    const agents = Array.from({ length: AGENTS }, newAddress);
    const paid = await write(tasks, agents, Array.from({ length: POSTERS }, newAddress));
    for (const [number, devnetPubkey] of agents.entries()) {
      const own = paid.filter(({ agent }) => agent === number);
      const figures = expected(own);
      const { answer } = await previewRewardClaim(context, { devnetPubkey });
      expect(answer).toMatchObject(figures);
      const confirmedEarningsLamports = toLamports(figures.devnetEarningsLamports);
      const input = { devnetPubkey, mainnetPubkey: newWalletPubkey(), confirmedEarningsLamports };
      const told = await registerRewardClaim(context, input, CALLER).then(
        (outcome) => outcome.answer,
        (error: unknown) => ({ refused: error instanceof LegworkError ? error.code : error }),
      );
      const isHeldUp = tasks.some((task) => task.legs.some((leg) => leg.agent === number && holdsUp(leg, task)));
      const claim = { ...figures, lastConfirmSignature: own.at(-1)?.signature ?? null };
      expect(told).toMatchObject(isHeldUp ? { refused: 'payment_under_way' } : claim);
    }
  });
  await expect(fc.assert(property, { numRuns: 60 })).resolves.toBeUndefined();
});
