import { type LedgerFacts, noFacts } from '@legwork/program-client/facts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadLedger } from '@legwork/program-client/history';
import { KeyRing } from '@legwork/server/database';
import { compareAccounts } from './accounts/compareAccounts.js';
import { openDatabase, readDatabase, requireKeys } from './database.js';
import { compareDecisions, type Decided } from './decisions/compareDecisions.js';
import { AuditImpossibleError } from './errors.js';
import { conclude, type Finding, Findings } from './findings.js';
import { type AuditedSources, openLedger } from './ledger.js';
import { type Compared, compareMirror } from './mirror/compareMirror.js';
import { listHistory, readInto } from './history.js';
import { compareErasures } from './mirror/erasures.js';

export interface AuditOptions extends AuditedSources {
  /** Folder of the keys that the service seals personal data with; left out: there are none. */
  personalDataKeys?: string | undefined;
  /** Days after its end that the service keeps the personal data of a listing. Default: 30. */
  personalDataDays?: number;
  /** Called now and then with how far a long history has been read. */
  tell?: (line: string) => void;
  /** Waits before differences are read again. Default: 3 seconds. */
  pause?: () => Promise<unknown>;
}

export interface AuditReport {
  /** The differences of every reading. Empty: the mirror says what the ledger says. */
  differences: Finding[];
  notes: Finding[];
  compared: Compared & Decided & { transactions: number };
  seconds: number;
}

/** A difference may vanish by itself: the ledger is a moment ahead of its mirror. */
const READINGS = 3;
const PAUSE_MS = 3000;
const TELL_EVERY = 10_000;
const PERSONAL_DATA_DAYS = 30;

/** The ledger, as far as it has been read. */
interface Reading {
  facts: LedgerFacts;
  newest: string | undefined;
  transactions: number;
  unreadable: Finding[];
}

/** Continues the history where the last reading ended. */
async function readOn(ledger: ReadLedger, reading: Reading, tell: (line: string) => void): Promise<void> {
  const { succeeded, newest } = await listHistory(ledger, reading.newest);
  for await (const entry of readInto(reading.facts, ledger, succeeded)) {
    if (entry.unreadable !== undefined) {
      reading.unreadable.push(entry.unreadable);
      // At once: what follows need not fit without it.
      tell(`${entry.unreadable.subject} ${entry.unreadable.text}`);
    }
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
 * Replays the program's transactions from the first one on and compares the result with the accounts on the ledger now and
 * with every row that mirrors them. It reads what differs twice more, after a pause.
 *
 * Changes nothing, neither here nor there, and needs no key of the ledger. Memory grows with the number of packages and digital tasks.
 *
 * @throws AuditImpossibleError when the ledger or the database does not answer, when they do not belong together, and when the node
 * lacks part of the history, or keys are missing
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const began = performance.now();
  const { tell = () => undefined, pause = () => sleep(PAUSE_MS) } = options;
  const { personalDataKeys: keys } = options;
  const keyRing = keys === undefined ? undefined : await KeyRing.open(keys);
  const db = openDatabase(options.databaseUrl, keyRing);
  try {
    const ledger = await openLedger(options, db);
    await requireKeys(db, keyRing);
    const state: Reading = { facts: noFacts(), newest: undefined, transactions: 0, unreadable: [] };
    const readings: Finding[][] = [];
    for (;;) {
      await readOn(ledger, state, tell);
      const findings = new Findings();
      await compareAccounts(ledger, state.facts, findings);
      const grounds = { days: options.personalDataDays ?? PERSONAL_DATA_DAYS, nowMs: Date.now() };
      const compared = await readDatabase(db, async (trx) => {
        await compareErasures(trx, state.facts, grounds, findings);
        return {
          ...(await compareMirror(trx, state.facts, findings)),
          ...(await compareDecisions(trx, state.facts, findings)),
        };
      });
      readings.push(findings.differences);
      const { differences, moving } = conclude(readings);
      if (differences.length + moving.length === 0 || readings.length === READINGS) {
        const { transactions } = state;
        const seconds = (performance.now() - began) / 1000;
        const notes = [...state.unreadable, ...findings.notes, ...moving];
        return { differences, notes, compared: { transactions, ...compared }, seconds };
      }
      await pause();
    }
  } finally {
    await db.destroy();
  }
}
