import {
  programCalls,
  readProgramLog,
  unitsByProgram,
  type AccountChange,
  type ProgramCall,
  type TransactionTrace,
} from '@legwork/program-client/history';
import type { Address } from '@solana/kit';
import { programName } from './describeInstruction.js';
import { cleared, columns, wrapped } from './layout.js';
import type { ShownTransaction } from './transaction.js';

function callsOf({ transaction }: ShownTransaction, logs: readonly string[]): ProgramCall[] {
  const programs = transaction.message.instructions.map(({ programId }) => programId);
  return programCalls(readProgramLog(logs), programs);
}

/** What each instruction used, with all that it called, and what each program used by itself. */
export function units(shown: ShownTransaction, relay: Address | undefined): string[] {
  const { meta } = shown;
  const calls = callsOf(shown, meta.logMessages);
  const told = calls.filter(({ depth, units }) => depth === 0 && units !== undefined);
  if (told.length === 0) return [];
  const all = told.reduce((sum, one) => sum + (one.units ?? 0n), 0n);
  const rest = (meta.computeUnitsConsumed ?? all) - all;
  const number = ({ instruction }: ProgramCall) => (instruction === undefined ? '?' : String(instruction + 1));
  const rows = told.map((one) => [number(one), programName(one.program, relay), figure(one.units ?? 0n)]);
  if (rest > 0n) rows.push(['', 'what the log does not tell', figure(rest)]);
  const byProgram = unitsByProgram(calls);
  const each = byProgram.map(({ program, units }) => ['', programName(program, relay), figure(units)]);
  const note = ['  by program, without those that it called'];
  return columns([...rows, ...(byProgram.length < 2 ? [] : [note, ...each])].map(filled), ['right', 'left', 'right']);
}

const figure = (value: bigint) => value.toLocaleString('en');
const filled = (row: readonly string[]) => (row.length === 1 ? ['', row[0]?.trim() ?? '', ''] : row);

/** How accounts changed other than in lamports and tokens. */
export function changes(trace: TransactionTrace | undefined): string[] {
  if (trace === undefined) return [];
  if (trace.changes === undefined) return ['  What the accounts held before is no longer known to this ledger.'];
  return trace.changes.flatMap(changeLines);
}

function changeLines({ account, fields, bytes }: AccountChange): string[] {
  const width = Math.max(...fields.map(({ name }) => name.length), 5);
  const line = (name: string, before: string, after: string) =>
    wrapped(`${before} → ${after}`, `    ${cleared(name).padEnd(width)}  `);
  return [
    `  ${cleared(account)}`,
    ...fields.flatMap(({ name, before = 'none', after = 'none' }) => line(name, before, after)),
    ...bytes.flatMap(({ offset, length, before, after }) => {
      const isCut = Math.max(before.length, after.length) / 2 < length ? '…' : '';
      return line(`byte ${offset}`, `${before || 'none'}${isCut}`, `${after || 'none'}${isCut}`);
    }),
  ];
}

/** A transaction that failed, run again on the accounts as they were: whether it ends the same, and the calls of its programs. */
export function replayed(
  shown: ShownTransaction,
  trace: TransactionTrace | undefined,
  relay: Address | undefined,
): string[] {
  const { err, logMessages } = shown.meta;
  if (err === null || err === undefined) return [];
  if (trace === undefined) return ['  This node does not run it again.'];
  const { replay } = trace;
  if (replay === undefined) return ['  What the accounts held before is no longer known to this ledger.'];
  const isSame = plain(replay.error) === plain(err);
  const log = plain(replay.logs) === plain(logMessages) ? 'the same log' : 'another log';
  const end = isSame ? `It fails the same way, with ${log}:` : 'It ends otherwise now:';
  return [`  ${end}`, ...callsOf(shown, replay.logs).flatMap((call) => callLine(call, relay))];
}

function plain(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));
}

function callLine({ program, depth, instruction, units, failure, hasEnd }: ProgramCall, relay: Address | undefined) {
  const place = depth > 0 || instruction === undefined ? '' : `${instruction + 1} `;
  const used = units === undefined ? '' : `, ${figure(units)} units`;
  const end = failure !== undefined ? `failed: ${failure}` : hasEnd ? 'success' : 'no end in the log';
  return wrapped(`${place}${programName(program, relay)}: ${end}${used}`, '  '.repeat(Math.min(depth, 8) + 2));
}
