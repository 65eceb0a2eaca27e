import { relayErrorFromCode } from '@legwork/program-client';
import type { TransactionTrace } from '@legwork/program-client/history';
import { formatSol } from '@legwork/protocol/contract';
import { getSolanaErrorFromTransactionError, type Address, type TransactionError } from '@solana/kit';
import { describeInstruction, programName } from './describeInstruction.js';
import { foldLogs, cleared, columns, wrapped, type Paint } from './layout.js';
import { changes, replayed, units } from './inside.js';
import type { ShownInstruction, ShownTransaction } from './transaction.js';

export interface PageOptions {
  readonly signature: string;
  /** The relay program's address, if it is known: its instructions are told by name. */
  readonly relay: Address | undefined;
  readonly paint: Paint;
  /** Where the node tells it. */
  readonly trace?: TransactionTrace | undefined;
}

/** A transaction for a terminal of 80 columns; only the signature, and single words, may be longer. */
export function transactionPage(
  transaction: ShownTransaction,
  { signature, relay, paint, trace }: PageOptions,
): string {
  const sections = [
    summary(transaction, signature, relay, paint),
    section('Accounts', accounts(transaction), paint),
    section('Tokens', tokens(transaction), paint),
    section('Instructions', instructions(transaction, relay), paint),
    section('Units', units(transaction, relay), paint),
    section('Changes', changes(trace), paint),
    section('Log', log(transaction, relay), paint),
    section('Run again', replayed(transaction, trace, relay), paint),
  ];
  return `${sections.filter((one) => one !== '').join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], paint: Paint): string {
  return lines.length === 0 ? '' : [paint('bold', title), ...lines].join('\n');
}

function summary(
  { slot, blockTime, version, meta, transaction }: ShownTransaction,
  signature: string,
  relay: Address | undefined,
  paint: Paint,
): string {
  const failure =
    meta.err === null || meta.err === undefined
      ? undefined
      : failureOf(meta.err, transaction.message.instructions, relay);
  const time = blockTime === null || blockTime === undefined ? 'not known' : timeOf(blockTime);
  const facts = [
    ['Result', failure === undefined ? paint('green', 'succeeded') : paint('red', cleared(`failed: ${failure}`))],
    ['Slot', slot.toLocaleString('en')],
    ['Time', time],
    ['Fee', `${formatSol(meta.fee)} SOL`],
    ['Units', meta.computeUnitsConsumed?.toLocaleString('en') ?? 'not known'],
    ['Version', String(version ?? 'legacy')],
  ] as const;
  return [cleared(signature), ...facts.map(([name, value]) => `${name.padEnd(9)}${value}`)].join('\n');
}

function timeOf(seconds: bigint): string {
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? 'not known' : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The error, in the relay program's own words where it is its error. */
function failureOf(err: unknown, all: readonly ShownInstruction[], relay: Address | undefined): string {
  const failed = (err as { readonly InstructionError?: readonly [unknown, unknown] }).InstructionError;
  const custom = (failed?.[1] as { readonly Custom?: unknown } | undefined)?.Custom;
  const at = Number(failed?.[0]);
  const own = all[at]?.programId === relay && custom !== undefined ? relayErrorFromCode(Number(custom)) : undefined;
  if (own !== undefined) return `${own.name}: ${own.message} (instruction #${at + 1})`;
  try {
    return getSolanaErrorFromTransactionError(err as TransactionError).message;
  } catch {
    return 'with an error that is not known here';
  }
}

function accounts({ meta, transaction }: ShownTransaction): string[] {
  const { accountKeys } = transaction.message;
  const rows = accountKeys.map(({ pubkey, signer, writable, source }, index) => {
    const change = (meta.postBalances[index] ?? 0n) - (meta.preBalances[index] ?? 0n);
    const access = [signer ? 'sign' : '', writable ? 'write' : signer ? '' : 'read'].filter((one) => one !== '');
    return [
      String(index),
      pubkey,
      `${access.join(' ')}${source === 'lookupTable' ? '*' : ''}`,
      change === 0n ? '' : `${signed(change, formatSol(absolute(change)))} SOL`,
    ];
  });
  const note = accountKeys.some(({ source }) => source === 'lookupTable') ? ['  * named by a lookup table'] : [];
  return [...columns(rows, ['right', 'left', 'left', 'right']), ...note];
}

function tokens({ meta }: ShownTransaction): string[] {
  const all = [...meta.preTokenBalances, ...meta.postTokenBalances];
  const indexes = [...new Set(all.map(({ accountIndex }) => accountIndex))].sort((one, other) => one - other);
  const rows = indexes.flatMap((index) => {
    const of = (list: typeof all) => list.find(({ accountIndex }) => accountIndex === index);
    const [before, after] = [of(meta.preTokenBalances), of(meta.postTokenBalances)];
    const known = after ?? before;
    const change = BigInt(after?.uiTokenAmount.amount ?? 0) - BigInt(before?.uiTokenAmount.amount ?? 0);
    if (known === undefined || change === 0n) return [];
    return [
      [String(index), signed(change, decimal(absolute(change), known.uiTokenAmount.decimals)), `of ${known.mint}`],
    ];
  });
  return columns(rows, ['right', 'right', 'left']);
}

/** An amount in the smallest unit, in whole ones. */
function decimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}

const absolute = (value: bigint) => (value < 0n ? -value : value);
const signed = (value: bigint, text: string) => `${value < 0n ? '-' : '+'}${text}`;

function instructions({ meta, transaction }: ShownTransaction, relay: Address | undefined): string[] {
  return transaction.message.instructions.flatMap((instruction, index) => {
    const inner = meta.innerInstructions.filter((one) => one.index === index).flatMap((one) => one.instructions);
    return [
      ...instructionLines(instruction, `${index + 1}`, 1, relay),
      ...inner.flatMap((one, at) => {
        const depth = Math.min(Math.max(one.stackHeight ?? 2, 2), 5);
        return instructionLines(one, `${index + 1}.${at + 1}`, depth, relay);
      }),
    ];
  });
}

function instructionLines(
  instruction: ShownInstruction,
  number: string,
  depth: number,
  relay: Address | undefined,
): string[] {
  const { title, fields } = describeInstruction(instruction, relay);
  const indent = '  '.repeat(depth);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return [
    ...wrapped(`${number} ${title}`, indent),
    ...fields.flatMap(([name, value]) => wrapped(value, `${indent}  ${cleared(name).padEnd(width)}  `)),
  ];
}

function log({ meta }: ShownTransaction, relay: Address | undefined): string[] {
  const lines = foldLogs(meta.logMessages, (program) => programName(program, relay));
  return lines.flatMap(({ depth, text }) => wrapped(text, '  '.repeat(Math.min(depth, 8) + 1)));
}
