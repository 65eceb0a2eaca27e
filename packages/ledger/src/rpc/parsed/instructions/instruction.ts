import { NotParsableError, type DataReader } from './dataReader.js';

/** What an instruction does and to which accounts, in the names that a cluster gives them. */
export type Parsed = { readonly type: string; readonly info?: object };

/** Names an instruction's accounts (base58, in order) and the fields of its data. @throws NotParsableError */
export type Describe = (accounts: readonly string[], data: DataReader) => object;

/** A program's instructions in the order of their numbers: type and description. */
export type InstructionTable = readonly (readonly [type: string, describe: Describe])[];

/** Reads an instruction by its number in a table. @throws NotParsableError */
export function parseByTable(
  table: InstructionTable,
  number: number,
  accounts: readonly string[],
  data: DataReader,
): Parsed {
  const [type, describe] = table[number] ?? unknownInstruction(number);
  return { type, info: describe(accounts, data) };
}

function unknownInstruction(number: number): never {
  throw new NotParsableError(`the program has no instruction ${number}`);
}

/** The first accounts by name. @throws NotParsableError when there are fewer */
export function named<Name extends string>(
  accounts: readonly string[],
  ...names: readonly Name[]
): Record<Name, string> {
  if (accounts.length < names.length) throw new NotParsableError(`expected at least ${names.length} accounts`);
  return Object.fromEntries(names.map((name, index) => [name, accounts[index]])) as Record<Name, string>;
}

/** The first accounts by name, of which those after the first `required` may be missing. @throws NotParsableError */
export function namedFrom(required: number, accounts: readonly string[], ...names: readonly string[]): object {
  return named(accounts, ...names.slice(0, Math.max(required, accounts.length)));
}

/** The fields that are not null. */
export function present(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
