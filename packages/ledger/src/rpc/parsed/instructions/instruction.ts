import { toBase58 } from '../../../bank/keys.js';
import { DataReader, UnreadableDataError, type Parsed } from '../accounts/dataReader.js';

const ADDRESS_BYTES = 32;

/** Reads the data of an instruction, as programs write it with bincode and borsh. Every method throws UnreadableDataError. */
export class InstructionReader extends DataReader {
  /** How many bytes are left. */
  get left(): number {
    return this.rest().length;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  /** An address of which 32 zeros mean that there is none. */
  nonZeroKey(): string | null {
    const bytes = this.bytes(ADDRESS_BYTES);
    return bytes.every((byte) => byte === 0) ? null : toBase58(bytes);
  }

  base64(length: number): string {
    return Buffer.from(this.bytes(length)).toString('base64');
  }

  /** UTF-8 text behind its length: of 8 bytes in bincode, of 4 in borsh. */
  string(lengthBytes: 4 | 8): string {
    return this.text(lengthBytes === 4 ? this.u32() : Number(this.u64()));
  }

  /** One of the names of an enumeration, whose number has this many bytes. */
  variant<T>(names: readonly T[], numberBytes: 1 | 2 | 4): T {
    const read = { 1: () => this.u8(), 2: () => this.u16(), 4: () => this.u32() }[numberBytes];
    const name = names[read()];
    if (name === undefined) throw new UnreadableDataError();
    return name;
  }

  /** Checks that nothing is left. */
  end(): void {
    if (this.left > 0) throw new UnreadableDataError();
  }
}

/** Reads bytes that must be UTF-8 text as a whole. @throws UnreadableDataError */
export function textOf(bytes: Uint8Array): string {
  return new DataReader(bytes).text(bytes.length);
}

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

/**
 * The signer of a token instruction: the account at `index`, or, when others
 * follow, the multisig there with its signers, under a name of its own.
 */
export function signedBy(
  accounts: readonly string[],
  index: number,
  name: string,
  multisigName: string = `multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`,
): object {
  const [owner, ...signers] = accounts.slice(index);
  if (owner === undefined) return {};
  return signers.length === 0 ? { [name]: owner } : { [multisigName]: owner, signers };
}
