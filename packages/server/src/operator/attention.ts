import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { EVICTION_GRACE_SEC } from '@legwork/protocol/rules';
import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { HEALS_AFTER_SEC, isHalted } from '../db/finality.js';
import { readMeta, UNSEEN } from '../db/migrate.js';
import { overdueLegs } from '../legs/openingRows.js';
import { GIVEN_UP_AFTER } from '../webhooks/webhookRows.js';

type Answer = AnswerOf<typeof operations.getOperations>;
type Attention = Answer['attention'][number];

/** How many of a kind are told, the oldest first. */
const MOST = 50;
/** The wait after which something needs attention, seconds. */
const LATE_SEC = 60;
/** So long before it ends a dispute is told that nobody has ruled, seconds. */
const DISPUTE_ENDS_SEC = 6 * 3600;

/**
 * The conditions in the database that need attention, the worst first. Rule S-260.
 *
 * @param ledgerTime by which clocks end; undefined: the ledger is silent, and says of none that it has
 */
export async function readAttention(db: Db, ledgerTime: Date | undefined): Promise<Attention[]> {
  const found = [intentsGivenUp(db), halts(db), clocks(db, ledgerTime), evaluations(db), intentsLate(db), events(db)];
  return (await Promise.all([...found, disputes(db, ledgerTime), unseen(db), webhooks(db)])).flat();
}

/** Of the service as a whole, since nobody knows when. */
const ofService = { subject: null, intentId: null, kind: null, since: null, acts: [] };
/** Of a listing or of what else the database has. */
const usual = { intentId: null, kind: null, acts: [] };

export function ofLedger({ slot }: Pick<Answer['ledger'], 'slot'>): Attention[] {
  if (slot !== null) return [];
  const cause = 'the node that SOLANA_RPC_URL names does not answer';
  const advice =
    'Reads go on, and what the coordinator owes waits and loses nothing. See whether the node runs, or name another one.';
  return [{ ...ofService, of: 'ledger', cause, advice }];
}

type Funds = Pick<Answer['coordinator'], 'balanceLamports' | 'reserveLamports' | 'pubkey'>;

export function ofFunds({ balanceLamports, reserveLamports, pubkey }: Funds): Attention[] {
  if (balanceLamports === null || balanceLamports >= reserveLamports) return [];
  const cause = `the coordinator has ${balanceLamports} lamports, less than its reserve of ${reserveLamports}`;
  const advice = `Nothing new begins, and what is under way goes on. Send SOL to ${pubkey}.`;
  return [{ ...ofService, of: 'funds', cause, advice }];
}

export function ofFiles({ freeBytes, reserveBytes }: Answer['files']): Attention[] {
  if (freeBytes === null || freeBytes >= reserveBytes) return [];
  const cause = `the disk for files has ${freeBytes} bytes free, less than the ${reserveBytes} that ARTIFACTS_RESERVE_MIB keeps`;
  const advice = 'No file of a result is taken, and everything without files goes on. Make room on that disk.';
  return [{ ...ofService, of: 'files', cause, advice }];
}

export function ofAudit(audited: Answer['audited']): Attention[] {
  if (audited === null || audited.differences === 0) return [];
  const { differences, at } = audited;
  const cause = `the last audit found ${differences} ${differences === 1 ? 'difference' : 'differences'} between database and ledger`;
  const advice =
    'What is shown may be wrong, and the ledger is right. docs/operators/audit.md says what each difference means; audit again.';
  return [{ ...ofService, of: 'audit', since: at, cause, advice }];
}

/** Listings that a node would have to show, before this service can do anything about them. Rule S-258. */
async function unseen(db: Db): Promise<Attention[]> {
  const listings = Number((await readMeta(db, UNSEEN)) ?? 0);
  if (listings === 0) return [];
  const cause = `${listings} ${listings === 1 ? 'listing is' : 'listings are'} on the ledger whose history the node does not show`;
  const advice =
    'Nobody finds them here, and nothing is done about them. Name a node in SOLANA_RPC_URL that has the whole history: they are rebuilt ' +
    'at the next start. Meanwhile their parties get out without a service (/exit.html).';
  return [{ ...ofService, of: 'history', cause, advice }];
}

/** Clocks that the ledger says have ended, and nobody acted on; what was decided about one waits as an intent. */
async function clocks(db: Db, ledgerTime: Date | undefined): Promise<Attention[]> {
  if (ledgerTime === undefined) return [];
  const late = new Date(ledgerTime.getTime() - LATE_SEC * 1000);
  const legs = await overdueLegs(db, { ledgerTime: late, graceSec: EVICTION_GRACE_SEC, limit: MOST });
  return legs.map(({ subject, since, until }) => ({
    ...usual,
    of: 'clock',
    subject,
    since: until ?? since,
    cause: 'the clock of a leg has ended, and no service acts on it',
    advice: SWEPT,
    acts: ['sweep'],
  }));
}

async function evaluations(db: Db): Promise<Attention[]> {
  const rows = await db
    .selectFrom('packages')
    .select(['id', 'evaluate_at'])
    .where('status', '=', 'listed')
    .where('evaluate_at', '<', sql<Date>`now() - make_interval(secs => ${LATE_SEC})`)
    .where((eb) => eb.not(isHalted(sql`'package:' || packages.id`)))
    .orderBy('evaluate_at')
    .limit(MOST)
    .execute();
  return rows.map(({ id, evaluate_at: since }) => ({
    ...usual,
    of: 'clock',
    subject: `package:${id}`,
    since,
    cause: 'its bids are due to be evaluated, and no service does it',
    advice: SWEPT,
    acts: ['sweep'],
  }));
}

const SWEPT =
  'Parties wait, and nothing is lost: what is due stays due. Sweep has every worker look at once; if it stays, the log of the service says which round ' +
  'fails, and anybody can crank the leg (`legwork move`).';

interface Late {
  id: bigint;
  kind: string;
  subject: string;
  created_at: Date;
  attempts: number;
  last_error: string | null;
}

async function intentsGivenUp(db: Db): Promise<Attention[]> {
  const rows = await undone(db).where('status', '=', 'failed').execute();
  return rows.map((intent) => ({
    ...ofIntent(intent),
    cause: `${intent.kind} was given up after ${intent.attempts} tries: ${intent.last_error ?? 'no reason is known'}`,
    advice:
      'Nothing is done about it until it is tried again: mend the cause first. Its bytes land once, so trying again costs nothing twice.',
    acts: ['retry'],
  }));
}

async function intentsLate(db: Db): Promise<Attention[]> {
  const rows = await undone(db)
    .where('status', 'in', ['pending', 'sent'])
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${LATE_SEC})`)
    .execute();
  return rows.map((intent) => ({
    ...ofIntent(intent),
    cause: `${intent.kind} waits, after ${intent.attempts} tries: ${intent.last_error ?? 'the ledger has not taken it yet'}`,
    advice: 'The service tries by itself, each time after a longer pause, up to a minute. Retry does it now.',
    acts: ['retry'],
  }));
}

const ofIntent = ({ id, kind, subject, created_at: since }: Late) =>
  ({ of: 'intent', subject, intentId: String(id), kind, since }) as const;

const undone = (db: Db) =>
  db
    .selectFrom('outbox')
    .select(['id', 'kind', 'subject', 'created_at', 'attempts', 'last_error'])
    .orderBy('id')
    .limit(MOST);

async function halts(db: Db): Promise<Attention[]> {
  const { rows } = await sql<{ subject: string; since: Date; signatures: string[] }>`
    select subject, min(reverted_at) as since, array_agg(signature order by slot) as signatures
    from ledger_transactions, unnest(subjects) as subject where reverted_at is not null
    group by subject order by 2 limit ${MOST}`.execute(db);
  return rows.map(({ subject, since, signatures }) => ({
    ...usual,
    of: 'halt',
    subject,
    since,
    cause: `the ledger took back ${signatures.join(', ')}`,
    advice:
      `Nothing is signed for it meanwhile. It is written again by itself ${HEALS_AFTER_SEC} seconds after the last evidence, once the node shows all of its ` +
      'history as final. If it stays, the node is behind or has pruned that history: name one that has it in SOLANA_RPC_URL.',
    acts: ['heal'],
  }));
}

async function events(db: Db): Promise<Attention[]> {
  const { rows } = await sql<{ since: Date | null; events: number }>`
    select min(occurred_at) as since, count(*)::int4 as events from events
    where seq is null and occurred_at < now() - make_interval(secs => ${LATE_SEC})`.execute(db);
  return rows.flatMap(({ since, events: count }) =>
    since === null
      ? []
      : {
          ...ofService,
          of: 'events' as const,
          since,
          cause: `${count} events have no number yet, so nobody is told of them`,
          advice: 'Every service numbers events. Sweep has this one do it at once; if it cannot, its log says why.',
          acts: ['sweep'],
        },
  );
}

/** By the ledger's clock, which is the one that ends them; while it is silent, by the database's. */
async function disputes(db: Db, ledgerTime: Date | undefined): Promise<Attention[]> {
  const { rows } = await sql<{ subject: string; since: Date; until: Date }>`
    select subject, since, until from (
      select 'package:' || packages.id as subject, legs.since, legs.until
        from legs join swarms on swarms.id = legs.swarm_id join packages on packages.id = swarms.package_id
        where legs.stage = 'disputed' and legs.ended_at is null and swarms.status = 'active'
      union all select 'task:' || digital_tasks.id, digital_legs.since, digital_legs.until
        from digital_legs join digital_tasks on digital_tasks.id = digital_legs.task_id
        where digital_legs.stage = 'disputed' and digital_legs.status = 'in_progress') disputed
    where until < coalesce(${ledgerTime ?? null}::timestamptz, now()) + make_interval(secs => ${DISPUTE_ENDS_SEC}) order by until limit ${MOST}`.execute(
    db,
  );
  return rows.map(({ subject, since, until }) => ({
    ...usual,
    of: 'dispute',
    subject,
    since,
    cause: `nobody has ruled, and the time for it ends at ${until.toISOString()}`,
    advice:
      'Remind the arbiter (`legwork arbiter`). Without a ruling who worked gets half of the payment, and the fee of the ruling is burnt.',
  }));
}

async function webhooks(db: Db): Promise<Attention[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['id', 'failing_since', 'disabled_at', 'last_error'])
    .where((row) => row.or([row('disabled_at', 'is not', null), row('attempts', '>', 0)]))
    .orderBy('failing_since')
    .limit(MOST)
    .execute();
  return rows.map(({ id, failing_since: since, disabled_at: disabledAt, last_error: error }) => ({
    ...usual,
    of: 'webhook',
    subject: `webhook:${id}`,
    since,
    cause: `its receiver ${error ?? 'does not take what it is told'}`,
    advice:
      disabledAt === null
        ? `It is tried again by itself, for ${GIVEN_UP_AFTER}; the log of events keeps what it misses.`
        : 'It was switched off. Its owner redelivers, which switches it on again.',
  }));
}
