import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from './database.js';
import { compareAccounts } from './accounts.js';
import { AuditImpossibleError } from './errors.js';
import type { ReadLedger } from '@legwork/program-client/history';
import { type Compared, compareMirror } from './compareMirror.js';
import { type LedgerFacts, noFacts } from './facts.js';
import { conclude, type Finding, Findings } from './findings.js';
import { listHistory, readHistory } from './history.js';
import { replay } from './replay.js';
import { type AuditedSources, openLedger, readDatabase } from './sources.js';

export interface AuditOptions extends AuditedSources {
  /** Hears, now and then, how far a long history has been read. */
  tell?: (line: string) => void;
  /** Waits before what differs is read again: 3 seconds unless told. */
  pause?: () => Promise<unknown>;
}

export interface AuditReport {
  /** What differed in every reading. Empty: the mirror says what the ledger says. */
  differences: Finding[];
  notes: Finding[];
  compared: Compared & { transactions: number };
  seconds: number;
}

/** What differs may be about to be put right: the ledger is ahead of its mirror by a moment. */
const READINGS = 3;
const PAUSE_MS = 3000;
const TELL_EVERY = 10_000;

/** The ledger as far as it was read. */
interface Reading {
  facts: LedgerFacts;
  newest: string | undefined;
  transactions: number;
}

/** Goes on with the history where the last reading ended. */
async function readOn(ledger: ReadLedger, reading: Reading, tell: (line: string) => void): Promise<void> {
  const { succeeded, newest } = await listHistory(ledger, reading.newest);
  for await (const entry of readHistory(ledger, succeeded)) {
    replay(reading.facts, entry);
    reading.transactions += 1;
    if (reading.transactions % TELL_EVERY === 0) tell(`${reading.transactions} transactions read ...`);
  }
  reading.newest = newest ?? reading.newest;
  if (!reading.facts.initialized) {
    throw new AuditImpossibleError(
      `The ledger does not show how the program ${ledger.programAddress} was initialised: this node has not kept its ` +
        'whole history, or the program is another one. Check RELAY_PROGRAM_ID, and set SOLANA_RPC_URL to a node that has it all.',
    );
  }
}

/**
 * Reads the program's transactions from the first one on, works out what they did, and compares that with the accounts
 * that the ledger has now and with every row that mirrors them. What differs is read twice more, after a pause.
 *
 * Changes nothing, neither here nor there, and needs no key. Memory grows with the number of packages and digital tasks.
 *
 * @throws AuditImpossibleError when ledger or database does not answer, when they do not belong together, and when the node does not
 * have the whole history
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const began = performance.now();
  const { tell = () => undefined, pause = () => sleep(PAUSE_MS) } = options;
  const db = openDatabase(options.databaseUrl);
  try {
    const ledger = await openLedger(options, db);
    const state: Reading = { facts: noFacts(), newest: undefined, transactions: 0 };
    const readings: Finding[][] = [];
    for (;;) {
      await readOn(ledger, state, tell);
      const findings = new Findings();
      await compareAccounts(ledger, state.facts, findings);
      const compared = await readDatabase(db, (trx) => compareMirror(trx, state.facts, findings));
      readings.push(findings.differences);
      const { differences, moving } = conclude(readings);
      if (differences.length + moving.length === 0 || readings.length === READINGS) {
        const { transactions } = state;
        const seconds = (performance.now() - began) / 1000;
        return { differences, notes: [...findings.notes, ...moving], compared: { transactions, ...compared }, seconds };
      }
      await pause();
    }
  } finally {
    await db.destroy();
  }
}
