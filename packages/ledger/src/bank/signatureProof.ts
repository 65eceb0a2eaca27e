import { Account, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js';
import { fromBase58 } from './keys.js';
import { parseTransaction, type WireTransaction } from './wire.js';

const PROGRAM = fromBase58('Ed25519SigVerify111111111111111111111111111');
const PAYER = new Uint8Array(32).fill(1);
const FUNDS = 1_000_000_000_000_000_000n;

/** The engine's numbers of errors. */
const ACCOUNT_NOT_FOUND = 2;
const SIGNATURE_FAILURE = 11;

/** Of each signature: where it, its key and the message are, 14 bytes; after a count and a byte of padding. */
const OFFSETS_BYTES = 14;
const COUNT_BYTES = 2;
const THIS_INSTRUCTION = 0xffff;

/**
 * Says of a transaction whether its signatures are right, by the rules of a cluster. An engine that knows no payer refuses every
 * transaction: for a signature or, when all are right, for its payer. One with lookup tables it refuses before it checks
 * signatures, since it knows no tables either; there the engine's program for signatures decides.
 */
export class SignatureProof {
  readonly #checking = createEngine({ checksSignatures: true });
  /** Runs the program. Most ledgers never need it. */
  #running: LiteSvm | undefined;

  /** Reports whether every signature is right, given a transaction's bytes. @throws Error when that cannot be found out */
  judge(wire: Uint8Array): boolean {
    // The engine ends the process when it cannot read something.
    const transaction = parseTransaction(wire);
    const refusal = refusalOf(this.#checking, wire);
    if (refusal === ACCOUNT_NOT_FOUND) return true;
    if (refusal === SIGNATURE_FAILURE) return false;
    return this.#runs(instructionFor(transaction));
  }

  #runs(instruction: Uint8Array): boolean {
    this.#running ??= createEngine({ checksSignatures: false });
    const failure = refusalOf(this.#running, transactionOf(instruction));
    if (failure === undefined) return true;
    if (Number.isNaN(failure)) return false;
    throw new Error(`the engine could not check signatures: its error ${failure}`);
  }
}

function createEngine({ checksSignatures }: { readonly checksSignatures: boolean }): LiteSvm {
  const engine = new LiteSvm();
  engine.setTransactionHistory(0n);
  engine.setBlockhashCheck(false);
  engine.setSigverify(checksSignatures);
  // The engine that checks must know no payer at all.
  if (!checksSignatures) engine.setAccount(PAYER, new Account(FUNDS, new Uint8Array(), new Uint8Array(32), false, 0n));
  return engine;
}

/** The engine's number for why it refuses a transaction, NaN for an instruction that failed; undefined when it runs. */
function refusalOf(engine: LiteSvm, wire: Uint8Array): number | undefined {
  const result = engine.simulateVersionedTransaction(wire);
  return result instanceof FailedTransactionMetadata ? Number(result.err()) : undefined;
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
