import { audit as auditMirror } from '@legwork/audit';
import type { Books } from '../../packages/cli/tests/support/books.js';
import type { Address } from '@solana/kit';
import type { World } from '../agent.js';
import { carriedBy } from '../packages/story.js';
import { compareLegs, workedBy } from '../tasks/kind.js';
import { Comparison, askDatabase, type Outcome } from './outcome.js';
import { compareHistory, isDoneAgain, PACKAGE_DEEDS, TASK_DEEDS } from './histories.js';
import { compareIntents, type Decided } from './intents.js';
import type { Entry } from './ledgerHistory.js';
import { compareMoney } from './money.js';
import { compareReputations } from './reputations.js';
import { compareFees, compareTokens, type InTokens } from './tokens.js';
import { compareStranger, historiesOf, type Stray } from './strays.js';

/** The two sides that the audit compares. */
export interface Audited extends Decided {
  readonly rpcUrl: string;
  readonly before: Books;
  readonly inTokens: InTokens;
  /** Of everybody but the coordinator. */
  readonly wallets: readonly Address[];
}

/** The audit's findings. */
export interface Audit {
  readonly findings: readonly string[];
  /** The scope of the comparison, in words. */
  readonly compared: string;
}

/** Compares ledger, database and wallets once everything has come to rest. */
export async function audit(audited: Audited): Promise<Audit> {
  const comparison = new Comparison();
  const { world, outcome, strays, before, inTokens, wallets } = audited;
  const entries = await compareHistories(world, outcome, comparison);
  for (const task of outcome.tasks) compareLegs(task, comparison);
  const all = [...entries, ...(await historiesOf(world, strays))];
  await compareMoney({ ...world, before }, outcome, strays, all, comparison);
  const money = [
    await compareTokens({ ...world, wallets }, inTokens, audited, comparison),
    await compareFees(audited.connectionString, world, all, comparison),
  ];
  await compareReputations(world, outcome, strays, comparison);
  await compareIntents(audited, comparison);
  const stranger = await compareStranger(world, strays, audited.connectionString, comparison);
  const { differences, notes, compared, seconds } = await auditMirror({
    databaseUrl: audited.connectionString,
    rpcUrl: audited.rpcUrl,
    programId: world.programId,
  });
  const strayed = (kind: Stray['noun']) => strays.filter(({ noun }) => noun === kind).length;
  comparison.equal('packages with a row', compared.packages, outcome.packages.length + strayed('package'));
  comparison.equal('digital tasks with a row', compared.digitalTasks, outcome.tasks.length + strayed('task'));
  // Losses with a database are noted.
  const mirror = [...differences, ...(world.loss.times === 0 ? notes : [])].map(
    ({ subject, text }) => `${subject}: ${text}`,
  );
  const { packages, digitalTasks, legs, reputations, events, transactions } = compared;
  return {
    findings: [...comparison.findings, ...mirror],
    compared:
      `${transactions} transactions, ${packages} packages, ${digitalTasks} digital tasks, ${legs} legs, ` +
      `${reputations} reputations and ${events} events in ${seconds.toFixed(1)} s; ` +
      `${countSettledAlone(entries, world)} settled by their shippers; ` +
      `${entries.filter((entry) => isDoneAgain(world, entry, entries)).length} transactions that failed as a fork ended; ${[...money, stranger].join('; ')}`,
  };
}

async function compareHistories(world: World, { packages, tasks }: Outcome, comparison: Comparison): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const parcel of packages) {
    const due = carriedBy(parcel, world.coordinator);
    entries.push(...(await compareHistory(world, PACKAGE_DEEDS, parcel, due, comparison)));
  }
  for (const task of tasks) {
    const due = workedBy(task, world.coordinator);
    entries.push(...(await compareHistory(world, TASK_DEEDS, task, due, comparison)));
  }
  return entries;
}

function countSettledAlone(entries: readonly Entry[], { coordinator }: World): number {
  const settling = new Set([PACKAGE_DEEDS.settle, TASK_DEEDS.settle]);
  return entries.filter(
    ({ failed, sender, deeds }) => !failed && sender !== coordinator && deeds.some((deed) => settling.has(deed)),
  ).length;
}

/** Waits until no intent is open, every event has its number and the coordinator has its money back, or for a minute. */
export async function untilQuiet(connectionString: string): Promise<void> {
  await askDatabase(connectionString, async (database) => {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
      const { rows } = await database.query<{ busy: boolean }>(
        `select exists (select from outbox where status in ('pending', 'sent'))
           or exists (select from events where seq is null)
           or exists (select from sponsorships s join packages p on p.id = s.subject_id
             where p.close_signature is null)
           or exists (select from sponsorships s join digital_tasks t on t.id = s.subject_id
             where t.close_signature is null) as busy`,
      );
      if (rows[0] && !rows[0].busy) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
}
