import {
  Account,
  FailedTransactionMetadata,
  LiteSvm,
  TransactionErrorInstructionError,
} from 'litesvm/dist/internal.js';
import { fromBase58 } from './keys.js';
import { parseTransaction, type WireTransaction } from './wire.js';

const PROGRAM = fromBase58('Ed25519SigVerify111111111111111111111111111');
const PAYER = new Uint8Array(32).fill(1);
const FUNDS = 1_000_000_000_000_000_000n;

/** The engine runs at most 64 instructions in a transaction. */
const MOST_AT_ONCE = 48;

/** Of each signature: where it, its key and the message are, 14 bytes; after a count and a byte of padding. */
const OFFSETS_BYTES = 14;
const COUNT_BYTES = 2;
const THIS_INSTRUCTION = 0xffff;

/**
 * Says of transactions whether their signatures are right, by the engine's own program for that: the rules of a cluster, for
 * messages of any version and with any lookup tables.
 */
export class SignatureProof {
  readonly #svm = new LiteSvm();

  constructor() {
    this.#svm.setTransactionHistory(0n);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setSigverify(false);
    this.#svm.setAccount(PAYER, new Account(FUNDS, new Uint8Array(), new Uint8Array(32), false, 0n));
  }

  /** Whether every signature is right, for each of some transactions, given their bytes. */
  judge(wires: readonly Uint8Array[]): boolean[] {
    const instructions = wires.map((wire) => instructionFor(parseTransaction(wire)));
    const verdicts: boolean[] = [];
    while (verdicts.length < wires.length) {
      const some = instructions.slice(verdicts.length, verdicts.length + MOST_AT_ONCE);
      const right = this.#firstRight(some);
      for (let i = 0; i < right; i += 1) verdicts.push(true);
      if (right < some.length) verdicts.push(false);
    }
    return verdicts;
  }

  /** How many are right before the first that is wrong. */
  #firstRight(instructions: readonly Uint8Array[]): number {
    const result = this.#svm.simulateVersionedTransaction(transactionOf(instructions));
    if (!(result instanceof FailedTransactionMetadata)) return instructions.length;
    const err = result.err();
    if (err instanceof TransactionErrorInstructionError) return err.index;
    throw new Error(`the engine could not check signatures: ${result.toString()}`);
  }
}

/** A legacy transaction of these instructions; nobody signs it. */
function transactionOf(instructions: readonly Uint8Array[]): Uint8Array {
  const signature = new Uint8Array(64);
  const blockhash = new Uint8Array(32);
  const header = Uint8Array.of(1, 0, 1, 2);
  const count = Uint8Array.of(instructions.length);
  return Buffer.concat([Uint8Array.of(1), signature, header, PAYER, PROGRAM, blockhash, count, ...instructions]);
}

/** An instruction that fails unless all signatures of a transaction are right. */
function instructionFor({ signatures, message }: WireTransaction): Uint8Array {
  const signaturesAt = COUNT_BYTES + OFFSETS_BYTES * signatures.length;
  const keysAt = signaturesAt + 64 * signatures.length;
  const messageAt = keysAt + 32 * signatures.length;
  const data = Buffer.alloc(messageAt + message.bytes.length);
  data.writeUInt8(signatures.length, 0);
  signatures.forEach((signature, index) => {
    const signatureAt = signaturesAt + 64 * index;
    const keyAt = keysAt + 32 * index;
    const offsets = [
      signatureAt,
      THIS_INSTRUCTION,
      keyAt,
      THIS_INSTRUCTION,
      messageAt,
      message.bytes.length,
      THIS_INSTRUCTION,
    ];
    offsets.forEach((offset, field) => data.writeUInt16LE(offset, COUNT_BYTES + OFFSETS_BYTES * index + 2 * field));
    data.set(signature, signatureAt);
    data.set(message.staticKeys[index] ?? new Uint8Array(), keyAt);
  });
  data.set(message.bytes, messageAt);
  // Its program, no accounts, and the length of its data: two bytes of seven bits, since it is longer than 127 bytes.
  const head = Uint8Array.of(1, 0, (data.length & 0x7f) | 0x80, data.length >> 7);
  return Buffer.concat([head, data]);
}
