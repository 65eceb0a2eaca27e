import { Account, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js';
import { fromBase58 } from './keys.js';
import { parseTransaction, type WireTransaction } from './wire.js';

const PROGRAM = fromBase58('Ed25519SigVerify111111111111111111111111111');
const PAYER = new Uint8Array(32).fill(1);
const FUNDS = 1_000_000_000_000_000_000n;

/** The engine's numbers. */
const ACCOUNT_NOT_FOUND = 2;
const SIGNATURE_FAILURE = 11;

/** Of each signature: where it, its key and the message are, 14 bytes; after a count and a byte of padding. */
const OFFSETS_BYTES = 14;
const COUNT_BYTES = 2;
const THIS_INSTRUCTION = 0xffff;

/**
 * Says of a transaction whether its signatures are right, by the rules of a cluster. An engine that knows no payer refuses every
 * transaction: for a signature or, when all are right, for its payer. One that borrows addresses it refuses before it looks at
 * signatures, since it knows no lookup tables either; there the engine's program for signatures decides.
 */
export class SignatureProof {
  readonly #svm = new LiteSvm();

  constructor() {
    this.#svm.setTransactionHistory(0n);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setAccount(PAYER, new Account(FUNDS, new Uint8Array(), new Uint8Array(32), false, 0n));
  }

  /** Whether every signature is right, given a transaction's bytes. @throws MalformedTransactionError */
  judge(wire: Uint8Array): boolean {
    // The engine ends the process when it cannot read something.
    const transaction = parseTransaction(wire);
    const refusal = this.#refusalOf(wire);
    if (refusal === ACCOUNT_NOT_FOUND) return true;
    if (refusal === SIGNATURE_FAILURE) return false;
    this.#svm.setSigverify(false);
    const isRefused = this.#refusalOf(transactionOf(instructionFor(transaction))) !== undefined;
    this.#svm.setSigverify(true);
    return !isRefused;
  }

  /** The number of what the engine refuses it for, NaN for an instruction's failure; undefined when it runs. */
  #refusalOf(wire: Uint8Array): number | undefined {
    const result = this.#svm.simulateVersionedTransaction(wire);
    return result instanceof FailedTransactionMetadata ? Number(result.err()) : undefined;
  }
}

/** A legacy transaction of one instruction; nobody signs it. */
function transactionOf(instruction: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64);
  const blockhash = new Uint8Array(32);
  const header = Uint8Array.of(1, 0, 1, 2);
  const one = Uint8Array.of(1);
  return Buffer.concat([one, signature, header, PAYER, PROGRAM, blockhash, one, instruction]);
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
