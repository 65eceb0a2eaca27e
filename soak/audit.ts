import { audit as auditMirror } from '@agent-relay/server';
import type { Address } from '@solana/kit';
import { Client } from 'pg';
import type { Books } from '../packages/cli/tests/support/books.js';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import { Comparison } from './comparison.js';
import { compareHistory } from './histories.js';
import type { Carried } from './journey.js';
import type { Entry } from './ledgerHistory.js';
import { compareMoney } from './money.js';

/** What the audit compares. */
export interface Audited {
  readonly rpc: LedgerRpc;
  readonly rpcUrl: string;
  readonly programId: Address;
  readonly coordinator: Address;
  readonly connectionString: string;
  readonly before: Books;
  /** Every package that was ever listed. */
  readonly carried: readonly Carried[];
  /** How many of them nobody knew of. */
  readonly unknown: number;
  /** Sponsored posts without a name that got no answer: at most so many packages may be unknown or have come to nothing. */
  readonly lostPosts: number;
}

/** What the audit says. */
export interface Audit {
  readonly findings: readonly string[];
  /** What was compared, for people. */
  readonly compared: string;
}

/** Compares ledger, database and wallets once everything has come to rest. */
export async function audit(audited: Audited): Promise<Audit> {
  const comparison = new Comparison();
  const entries: Entry[] = [];
  for (const carried of audited.carried) entries.push(...(await compareHistory(audited, carried, comparison)));
  await compareMoney(audited, audited.carried, entries, comparison);
  await compareIntents(audited, comparison);
  const { differences, notes, compared, seconds } = await auditMirror({
    databaseUrl: audited.connectionString,
    rpcUrl: audited.rpcUrl,
    programId: audited.programId,
  });
  comparison.equal('packages with a row', compared.packages, audited.carried.length);
  const mirror = [...differences, ...notes].map(({ subject, text }) => `${subject}: ${text}`);
  const { packages, legs, reputations, events, transactions } = compared;
  return {
    findings: [...comparison.findings, ...mirror],
    compared:
      `${transactions} transactions, ${packages} packages, ${legs} legs, ${reputations} reputations and ${events} events ` +
      `in ${seconds.toFixed(1)} s`,
  };
}

/** Each thing that the coordinator had to do was decided once and came to an end. */
async function compareIntents(audited: Audited, comparison: Comparison): Promise<void> {
  const { connectionString, carried, coordinator, unknown, lostPosts } = audited;
  const database = new Client({ connectionString });
  await database.connect();
  try {
    const refused = await database.query<{ count: number }>(
      `select count(*)::int from outbox where kind = 'list_package' and status = 'done' and last_error is not null`,
    );
    const unnamed = (refused.rows[0]?.count ?? 0) + unknown;
    if (unnamed > lostPosts) comparison.equal('unknown packages and listings that came to nothing', unnamed, lostPosts);
    const counted = await database.query<{ kind: string; status: string; count: number }>(
      `select kind, status, count(*)::int from outbox where kind <> 'list_package' or last_error is null
        group by 1, 2 order by 1, 2`,
    );
    const found = counted.rows.map(({ kind, status, count }) => [kind, status, count]);
    const swarms = await database.query<{ count: number }>('select count(*)::int from swarms');
    const due = dueIntents(carried, coordinator, swarms.rows[0]?.count ?? 0);
    comparison.equal('intents', found, due);
    const failed = await database.query<{ id: string }>('select id from packages where failed_formations > 0');
    const raced = new Set(carried.flatMap(({ item, raced: met }) => (met ? item.id : [])));
    const unexplained = failed.rows.flatMap(({ id }) => (raced.has(id) ? [] : id));
    comparison.equal('failed formations', unexplained, []);
  } finally {
    await database.end();
  }
}

/** How many intents of each kind the packages call for, all of them done. */
function dueIntents(carried: readonly Carried[], coordinator: Address, swarms: number): [string, string, number][] {
  const sponsored = carried.filter(({ item }) => item.funderPubkey === coordinator);
  const byCoordinator = sponsored.filter(({ endedBy }) => endedBy === coordinator);
  const endedAs = (reason: string) => byCoordinator.filter(({ item }) => item.failureReason === reason).length;
  const due: [string, string, number][] = [
    ['cancel_package', 'done', endedAs('cancelled')],
    ['close_package', 'done', sponsored.length],
    ['form_swarm', 'done', swarms],
    ['list_package', 'done', sponsored.length],
    ['reclaim_package', 'done', endedAs('reclaimed')],
    ['settle', 'done', carried.filter(({ item }) => item.status === 'delivered').length],
  ];
  return due.filter(([, , count]) => count > 0);
}

/** Waits until no intent is open, every event has its number and the coordinator has its money back, or for a minute. */
export async function untilQuiet(connectionString: string): Promise<void> {
  const database = new Client({ connectionString });
  await database.connect();
  try {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
      const { rows } = await database.query<{ busy: boolean }>(
        `select exists (select from outbox where status in ('pending', 'sent'))
           or exists (select from events where seq is null)
           or exists (select from sponsorships s join packages p on p.id = s.subject_id
             where p.close_signature is null) as busy`,
      );
      if (rows[0] && !rows[0].busy) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    await database.end();
  }
}
