import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { answersOf } from '../parity/answers.mjs';
import { clientAnswers } from '../parity/clients/suites.mjs';
import { readGaps, readRecorded } from '../parity/recording.mjs';
import { ledgerAt } from '../parity/targets.mjs';
import { markdownOf } from '../parity/report.mjs';
import { judge, type Row } from '../parity/verdict.mjs';
import { freshLedger } from './support/ledger.js';

const recorded = readRecorded();
const gaps = readGaps();

const README = new URL('../README.md', import.meta.url);

/** Ends what hangs. */
const LONGEST_MS = 300_000;

/** The faults of a method, as lines: none when it answers as the validator did, apart from declared or listed differences. */
function wrongs({ method, undeclared, closed }: Row): string[] {
  return [
    ...undeclared.map((one) => `${method}, ${one.label}: ${one.differences.join('; ')}`),
    ...closed.map((one) => `${method}, ${one.label}: no longer differs, so run: npm run parity -- --gaps`),
  ];
}

describe('compared with the recorded answers of Agave 4.2', () => {
  test(
    'every method, body and subscription answers as there, apart from what is declared, and the table of the README says so',
    async () => {
      const ledger = ledgerAt(await freshLedger({ rpcPubsubEnableVoteSubscription: true }));
      const { answers } = await answersOf(ledger, recorded.salt);
      const isAsked = ([method]: [string, unknown]): boolean => method in answers;
      const expected = Object.fromEntries(
        Object.entries(recorded.answers).filter((entry) => !entry[0].startsWith('client ')),
      );
      const listed = Object.fromEntries(Object.entries(gaps).filter(isAsked));
      expect(Object.keys(answers)).toEqual(expect.arrayContaining(Object.keys(expected)));
      const rows = judge(answers, expected, listed);
      expect(rows.flatMap(wrongs)).toEqual([]);
      expect(await readFile(README, 'utf8')).toContain(markdownOf(rows));
    },
    LONGEST_MS,
  );

  test(
    'the suite of kit passes as there, apart from what is listed',
    async () => {
      // Otherwise one check alone waits 13 seconds.
      const ledger = ledgerAt(await freshLedger({ finality: 'immediate' }));
      const answers = await clientAnswers(ledger, {}, ['kit']);
      const only = <T>(all: Record<string, T>): Record<string, T> =>
        Object.fromEntries(Object.entries(all).filter(([name]) => name === 'client kit'));
      expect(judge(answers, only(recorded.answers), only(gaps)).flatMap(wrongs)).toEqual([]);
    },
    LONGEST_MS,
  );
});
