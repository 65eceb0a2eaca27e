import type { Address } from '@solana/kit';
import type { World } from '../agent.js';
import type { Ended } from '../journey.js';
import type { Comparison } from './outcome.js';
import { healedListings } from './halted.js';
import { askDatabase } from './outcome.js';
import type { Outcome } from './outcome.js';
import { type Stray, subjectOf } from './strays.js';

/** The objects of the coordinator's decisions, and the place of these. */
export interface Decided {
  readonly world: World;
  readonly connectionString: string;
  /** Everything that was ever listed, except what a stranger posted. */
  readonly outcome: Outcome;
  readonly strays: readonly Stray[];
  /** How many of the strays nobody knew of. */
  readonly unknown: number;
}

/** How many intents of a kind there are. */
type Count = readonly [kind: string, count: number];

/** Compares the intents: the coordinator decided everything it had to do once, and finished it. */
export async function compareIntents(decided: Decided, comparison: Comparison): Promise<void> {
  await askDatabase(decided.connectionString, async (database) => {
    const count = async (what: string, values: unknown[] = []) => {
      const { rows } = await database.query<{ count: number }>(`select count(*)::int from ${what}`, values);
      return rows[0]?.count ?? 0;
    };
    await compareUnknown(decided, count, comparison);
    comparison.equal('intents that are not done', await count(`outbox where status <> 'done'`), 0);
    const { world, outcome, strays } = decided;
    // Where the shipper took it back while an agent was at it, nobody knows what was decided before the ledger decided.
    const contested = outcome.tasks.flatMap(({ listing, raced }) => (raced ? `task:${listing.id}` : []));
    // Intents of a lost fork were made once more; nobody knows who made some before a database was lost.
    const again = [...(await healedListings(decided.connectionString)), ...world.loss.ids.flatMap(subjectsOf)];
    const counted = await database.query<{ kind: string; count: number }>(
      `select kind, count(*)::int from outbox
        where (kind not in ('list_package', 'list_task') or last_error is null) and subject <> all($1)
        group by 1 order by 1`,
      [[...contested, ...again, ...strays.map(subjectOf)]],
    );
    const found = counted.rows.map(({ kind, count: many }): Count => [kind, many]);
    const decidedAgain = new Set(again.map((subject) => subject.slice(subject.indexOf(':') + 1)));
    const isAgain = ({ listing }: Ended) => decidedAgain.has(listing.id);
    const strange = [...strays, ...outcome.packages.filter(isAgain).map(({ listing }) => listing)].map(({ id }) => id);
    const swarms = await count('swarms where package_id <> all($1)', [strange]);
    const certain = {
      packages: outcome.packages.filter((one) => !isAgain(one)),
      tasks: outcome.tasks.filter((one) => !one.raced && !isAgain(one)),
    };
    comparison.equal('intents', found, dueIntents(certain, world.coordinator, swarms));
    const raced = outcome.packages.flatMap(({ listing, raced: met }) => (met ? listing.id : []));
    const failed = await count('packages where failed_formations > 0 and id <> all($1)', [[...raced, ...strange]]);
    comparison.equal('failed formations', failed, 0);
  });
}

/** A listing that nobody knows of, or that came to nothing, is a sponsored post without a name that got no answer. */
async function compareUnknown(
  { world, unknown }: Decided,
  count: (what: string) => Promise<number>,
  comparison: Comparison,
): Promise<void> {
  const listings = `outbox where kind in ('list_package', 'list_task')`;
  const unnamed = unknown + (await count(`${listings} and status = 'done' and last_error is not null`));
  if (unnamed <= world.tally.lostPosts) return;
  comparison.equal('what is unknown and listings that came to nothing', unnamed, world.tally.lostPosts);
}

const subjectsOf = (id: string) => [`package:${id}`, `task:${id}`];

/** How many intents of each kind there have to be. */
function dueIntents({ packages, tasks }: Outcome, coordinator: Address, swarms: number): Count[] {
  const assigned = tasks.flatMap(({ listing }) =>
    listing.legs.filter(({ assignSignature }) => assignSignature !== null),
  );
  const givenUp = tasks.flatMap(({ legs }) => legs.flatMap((leg) => leg.givenUp));
  // With terms people confirm, or silence does.
  const attested = tasks.filter(({ bound }) => bound === undefined);
  const confirmed = attested.flatMap(({ legs }) => legs.filter(({ taken }) => taken !== undefined));
  const due: Count[] = [
    ...dueOf('package', 'settle', packages, coordinator),
    ...dueOf('task', 'settle_task', tasks, coordinator),
    ['form_swarm', swarms],
    ['assign_task_leg', assigned.length + givenUp.length],
    ['confirm_task_leg', confirmed.length],
    ['release_task_leg', givenUp.length],
    ...(['assign_leg', 'crank_leg'] as const).map((kind): Count => [kind, boundIntents([...packages, ...tasks], kind)]),
  ];
  return due.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The decisions of silence, and the replacements of those who lost their places. */
function boundIntents(all: readonly Ended[], kind: string): number {
  return all.flatMap(({ bound }) => bound?.intents ?? []).filter((one) => one === kind).length;
}

/** The intents that either kind calls for: whatever the coordinator funds it lists, ends at the deadline and closes. */
function dueOf(noun: string, settling: string, all: readonly Ended[], coordinator: Address): Count[] {
  const sponsored = all.filter(({ listing }) => listing.funderPubkey === coordinator);
  const byCoordinator = sponsored.filter(({ endedBy }) => endedBy === coordinator);
  const endedAs = (reason: string) => byCoordinator.filter(({ listing }) => listing.failureReason === reason).length;
  return [
    [`cancel_${noun}`, endedAs('cancelled')],
    [`close_${noun}`, sponsored.length],
    [`list_${noun}`, sponsored.length],
    [`reclaim_${noun}`, endedAs('reclaimed')],
    [settling, all.filter(({ listing }) => listing.failureReason === null).length],
  ];
}
