import { UnreadableDataError } from '../accounts/dataReader.js';
import type { Parsed } from '../accounts/parsed.js';
import type { InstructionReader } from './instructionReader.js';

/** Names an instruction's accounts (base58, in order) and the fields of its data. @throws UnreadableDataError */
export type Describe = (accounts: readonly string[], data: InstructionReader) => object;

/** A program's instructions in the order of their numbers: type and description. */
export type InstructionTable = readonly (readonly [type: string, describe: Describe])[];

/** Reads an instruction by its number in a table. @throws UnreadableDataError */
export function parseByTable(
  table: InstructionTable,
  number: number,
  accounts: readonly string[],
  data: InstructionReader,
): Parsed {
  const found = table[number];
  if (found === undefined) throw new UnreadableDataError();
  const [type, describe] = found;
  return { type, info: describe(accounts, data) };
}

/** The first accounts by name. @throws UnreadableDataError when there are fewer */
export function named<Name extends string>(
  accounts: readonly string[],
  ...names: readonly Name[]
): Record<Name, string> {
  if (accounts.length < names.length) throw new UnreadableDataError();
  return Object.fromEntries(names.map((name, index) => [name, accounts[index]])) as Record<Name, string>;
}

/** The first accounts by name, of which those after the first `required` may be missing. @throws UnreadableDataError */
export function namedFrom(required: number, accounts: readonly string[], ...names: readonly string[]): object {
  return named(accounts, ...names.slice(0, Math.max(required, accounts.length)));
}

/** The fields that are not null. */
export function present(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
