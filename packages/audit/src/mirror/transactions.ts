import type { LedgerFacts, TransactionFacts } from '@legwork/program-client/facts';
import type { LedgerTransactionsTable } from '@legwork/server/schema';
import { type Selectable, sql } from 'kysely';
import { readFor, ROWS_AT_ONCE, type Trx } from '../database.js';
import type { Findings } from '../findings.js';

type Row = Pick<
  Selectable<LedgerTransactionsTable>,
  'signature' | 'position' | 'subjects' | 'instructions' | 'unreadable' | 'reverted_at'
>;

/**
 * Compares which transactions were applied here, and in which order those that are final stand, with the ledger. A transaction
 * that was taken back is a difference until somebody has put it right. One that is not final yet is none. Rule S-112.
 */
export async function compareTransactions(
  trx: Trx,
  transactions: LedgerFacts['transactions'],
  findings: Findings,
): Promise<void> {
  const missing = new Map(transactions);
  const told = await readTold(trx, findings);
  let before: (TransactionFacts & { signature: string }) | undefined;
  for await (const row of readRows(trx)) {
    const { signature } = row;
    const shown = transactions.get(signature);
    // The ones that cannot be read here are not applied.
    if (row.unreadable === null) missing.delete(signature);
    if (row.reverted_at !== null) tellReverted(row, shown, told, findings);
    else if (!shown) tellUnknown(row, findings);
    else if (row.position !== null) {
      if (before && before.place > shown.place) {
        findings.differ(`transaction ${signature}`, `stands behind ${before.signature} here, before it on the ledger`);
      }
      before = { ...shown, signature };
    }
  }
  await tellMissing(trx, missing, findings);
}

/** In the order that rewards go by. No index gives it, so the query sorts once. */
async function* readRows(trx: Trx): AsyncGenerator<Row, void> {
  await sql`declare audited_transactions no scroll cursor for
    select signature, position, subjects, instructions, unreadable, reverted_at
    from ledger_transactions order by slot, position`.execute(trx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(ROWS_AT_ONCE)} from audited_transactions`.execute(trx);
    yield* rows;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function tellUnknown({ signature, position, unreadable }: Row, findings: Findings): void {
  if (unreadable !== null) return;
  const finality = position === null ? 'confirmed' : 'final';
  findings.differ(`transaction ${signature}`, `is ${finality} here; the ledger does not show it`);
}

function tellReverted(
  { signature, subjects, instructions }: Row,
  shown: TransactionFacts | undefined,
  told: ReadonlySet<string>,
  findings: Findings,
): void {
  const what = `${instructions.join(', ')} (tx ${signature})`;
  if (shown) findings.differ(`transaction ${signature}`, 'was taken back here; the ledger shows it');
  else if (subjects.length === 0) findings.differ(`transaction ${signature}`, `the ledger took back ${what}`);
  for (const subject of subjects) {
    findings.differ(nameOf(subject), `is halted: the ledger took back ${what}`);
    if (!told.has(`${subject} ${signature}`)) {
      findings.differ(nameOf(subject), `event LEDGER_REVERTED is missing here (tx ${signature})`);
    }
  }
}

/** The word of LEDGER_REVERTED, as `<subject> <signature>`. Said of a transaction never taken back, it is a difference. */
async function readTold(trx: Trx, findings: Findings): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{
    subject: string;
    signature: string;
    is_reverted: boolean;
    is_final: boolean;
    is_healed: boolean;
  }>`
    select event.subject, event.payload ->> 'signature' as signature,
      reverted_at is not null as is_reverted, position is not null as is_final,
      exists (select from events healed
        where healed.subject = event.subject and healed.type = 'LEDGER_HEALED' and healed.id > event.id) as is_healed
    from events as event
    left join ledger_transactions as landed
      on landed.signature = event.payload ->> 'signature' and event.subject = any(landed.subjects)
    where event.type = 'LEDGER_REVERTED'`.execute(trx);
  for (const { subject, signature, is_reverted: isReverted, is_final: isFinal, is_healed: isHealed } of rows) {
    if (isReverted || isHealed) continue;
    const said = 'event LEDGER_REVERTED is here';
    if (isFinal)
      findings.note(nameOf(subject), `${said}; the ledger has shown the transaction again (tx ${signature})`);
    else findings.differ(nameOf(subject), `${said}; nothing was taken back (tx ${signature})`);
  }
  return new Set(rows.map(({ subject, signature }) => `${subject} ${signature}`));
}

/** Transactions about a listing of the service that it has not applied: what they paid counts as under way for ever. */
async function tellMissing(trx: Trx, missing: LedgerFacts['transactions'], findings: Findings): Promise<void> {
  const accounts = new Set([...missing.values()].flatMap(({ listings }) => listings));
  const rows = await readFor([...accounts], (some) =>
    trx
      .selectFrom('packages')
      .select(['on_chain_package as account', sql<string>`'package:' || id`.as('subject')])
      .where('on_chain_package', 'in', some)
      .where('status', '<>', 'draft')
      .unionAll(
        trx
          .selectFrom('digital_tasks')
          .select(['on_chain_task as account', sql<string>`'task:' || id`.as('subject')])
          .where('on_chain_task', 'in', some)
          .where('status', '<>', 'draft'),
      )
      .execute(),
  );
  const subjects = new Map(rows.map(({ account, subject }) => [account, subject]));
  for (const [signature, { listings }] of missing) {
    const subject = listings.map((account) => subjects.get(account)).find((one) => one !== undefined);
    if (subject !== undefined) findings.differ(nameOf(subject), `transaction ${signature} was not applied here`);
  }
}

/** How findings name what a subject stands for. */
function nameOf(subject: string): string {
  const [topic, id] = subject.split(':');
  return `${topic === 'task' ? 'digital task' : 'package'} ${id}`;
}
