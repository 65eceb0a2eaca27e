import type { AuditReport, Finding } from '@legwork/audit';
import { Command } from 'commander';
import { complain, printDone } from '../screen.js';

interface AuditCommandOptions {
  readonly data: string;
  readonly json: boolean;
}

const DIFFERENT = 1;
const NOT_DONE = 2;

const HELP = `
It reads the program's transactions from the first one on and compares what they did with every row that mirrors
them. It changes nothing and signs nothing. Exit code 0: no difference; 1: differences; 2: it could not do its work.

DATABASE_URL, SOLANA_RPC_URL and RELAY_PROGRAM_ID name what is compared, and PERSONAL_DATA_KEYS the folder of the keys
that its texts are sealed with; what is not set is taken from the instance in the data folder. docs/operators/audit.md says what a difference means.

Example:
  legwork audit --data .data`;

/** `legwork audit`: whether the database agrees with the ledger. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('compare the database with the ledger, from the first transaction on')
    .option('--data <folder>', 'data folder of the running instance', '.data')
    .option('--json', 'print one line of JSON', false)
    .addHelpText('after', HELP)
    .action(audit);
}

/** Sets the exit code of the process; every error is "could not do its work", never "different". */
async function audit(options: AuditCommandOptions): Promise<void> {
  try {
    const { chooseSources } = await import('../audit/chooseSources.js');
    const { audit: run } = await import('@legwork/audit');
    const sources = await chooseSources(options.data, process.env);
    const report = await run({ ...sources, tell: (line) => process.stderr.write(`${line}\n`) });
    await printDone(options.json, report, linesOf(report).concat('\n'));
    process.exitCode = report.differences.length === 0 ? 0 : DIFFERENT;
  } catch (error) {
    complain(error, options.json);
    process.exitCode = NOT_DONE;
  }
}

export const counted = (differences: number): string =>
  differences === 1 ? '1 difference' : `${differences || 'no'} differences`;

/** What an audit found, a line each, and how much was compared. */
export function linesOf({ differences, notes, compared, seconds }: AuditReport): string {
  const line = ({ subject, text }: Finding) => `${subject}: ${text}\n`;
  const { packages, digitalTasks, legs, reputations, events, transactions, choices, signatures } = compared;
  const found = counted(differences.length);
  const summary =
    `${found}: ${transactions} transactions compared with ${packages} packages, ${digitalTasks} digital tasks, ` +
    `${legs} legs, ${reputations} reputations and ${events} events, ${choices} choices made again and ${signatures} ` +
    `signatures checked in ${seconds.toFixed(1)} s`;
  return [...notes.map((note) => `note: ${line(note)}`), ...differences.map(line), summary].join('');
}
