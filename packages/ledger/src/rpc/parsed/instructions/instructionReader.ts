import { toBase58 } from '../../../bank/keys.js';
import { DataReader, UnreadableDataError } from '../accounts/dataReader.js';

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
