import { sql } from 'kysely';
import { RelayError, toLamports } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { previewRewardClaim } from '../../../src/operations/rewards/previewRewardClaim.js';
import { registerRewardClaim } from '../../../src/operations/rewards/registerRewardClaim.js';
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

/** How a leg can be. The agent's result waits for its payment in `handedInEarly` and `handedIn`. */
const STATES = ['open', 'claimed', 'handedInEarly', 'assigned', 'handedIn', 'paid', 'paidUnseen', 'failed'] as const;
type State = (typeof STATES)[number];
/** A history without what holds claims up is wanted as well. */
const RESTING: readonly State[] = ['open', 'claimed', 'assigned', 'paid', 'failed'];

interface Leg {
  agent: number;
  state: State;
  lamports: bigint;
  slot: number;
}
interface Task {
  poster: number;
  isSponsored: boolean;
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
    paidUnseen: paid,
    failed: { ...assignedTo(agent), ...RESULT, status: 'failed' as const },
  }[state];
}

interface Paid extends Leg {
  signature: string;
  poster: string;
  isSponsored: boolean;
}

/** Writes the history as the service would have, and says who was paid what in which order. */
async function write(tasks: readonly Task[], agents: readonly string[], posters: readonly string[]): Promise<Paid[]> {
  const paid: Paid[] = [];
  for (const { poster, isSponsored, legs } of tasks) {
    const shipper = posters[poster] ?? '';
    const row = taskRow({
      shipper_pubkey: shipper,
      funder_pubkey: isSponsored ? newAddress() : shipper,
      num_legs: legs.length,
    });
    const rows = legs.map((leg, index) => {
      const signature = anySignature();
      if (leg.state.startsWith('paid')) paid.push({ ...leg, signature, poster: shipper, isSponsored });
      return legRow(row.id, index, columnsOf(leg, agents[leg.agent] ?? '', signature));
    });
    await insertTasks(context.db, [row], rows);
  }
  const inOrder = paid.toSorted((one, other) => one.slot - other.slot);
  const seen = inOrder.filter(({ state }) => state === 'paid');
  const { last } = await context.db
    .selectFrom('ledger_transactions')
    .select((eb) => eb.fn.coalesce(eb.fn.max('position'), sql<bigint>`0::int8`).as('last'))
    .executeTakeFirstOrThrow();
  const rows = seen.map(({ signature, slot }, index) => ({
    signature,
    slot: BigInt(slot),
    position: last + 1n + BigInt(index),
    subjects: [],
  }));
  if (rows.length > 0) await context.db.insertInto('ledger_transactions').values(rows).execute();
  return inOrder;
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

const HOLDS_UP: readonly State[] = ['handedInEarly', 'handedIn', 'paidUnseen'];

test('whatever has happened, the figures are what adding up says, and a claim waits for what is under way (M-66, M-67)', async () => {
  const property = fc.asyncProperty(history, async (tasks) => {
    const agents = Array.from({ length: AGENTS }, newAddress);
    const paid = await write(tasks, agents, Array.from({ length: POSTERS }, newAddress));
    for (const [number, devnetPubkey] of agents.entries()) {
      const own = paid.filter(({ agent }) => agent === number);
      const figures = expected(own);
      const { answer } = await previewRewardClaim(context, { devnetPubkey }, CALLER);
      expect(answer).toMatchObject(figures);
      const confirmedEarningsLamports = toLamports(figures.devnetEarningsLamports);
      const input = { devnetPubkey, mainnetPubkey: newWalletPubkey(), confirmedEarningsLamports };
      const told = await registerRewardClaim(context, input, CALLER).then(
        (outcome) => outcome.answer,
        (error: unknown) => ({ refused: error instanceof RelayError ? error.code : error }),
      );
      const isHeldUp = tasks.some(({ legs }) =>
        legs.some(({ agent, state }) => agent === number && HOLDS_UP.includes(state)),
      );
      const claim = { ...figures, lastConfirmSignature: own.at(-1)?.signature ?? null };
      expect(told).toMatchObject(isHeldUp ? { refused: 'payment_under_way' } : claim);
    }
  });
  await expect(fc.assert(property, { numRuns: 60 })).resolves.toBeUndefined();
});
