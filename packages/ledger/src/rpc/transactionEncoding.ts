import { toBase58 } from '../bank/keys.js';
import { parseTransaction, type WireTransaction } from '../bank/wire.js';

export const TRANSACTION_ENCODINGS = ['json', 'jsonParsed', 'base58', 'base64'] as const;
export type TransactionEncoding = (typeof TRANSACTION_ENCODINGS)[number];

/**
 * A landed transaction in the encoding that a call asks for. `jsonParsed` leaves instructions unparsed, as a
 * cluster does for an unknown program.
 */
export function encodeTransactionView(wire: Uint8Array, encoding: TransactionEncoding): unknown {
  if (encoding === 'base58') return [toBase58(wire), encoding];
  if (encoding === 'base64') return [Buffer.from(wire).toString('base64'), encoding];
  return encodeJsonTransaction(parseTransaction(wire));
}

function encodeJsonTransaction({ message, signatures }: WireTransaction): object {
  return {
    message: {
      accountKeys: message.staticKeys.map(toBase58),
      ...(message.version === 0 ? { addressTableLookups: encodeLookups(message) } : {}),
      header: {
        numReadonlySignedAccounts: message.numReadonlySigned,
        numReadonlyUnsignedAccounts: message.numReadonlyUnsigned,
        numRequiredSignatures: message.numRequiredSignatures,
      },
      instructions: message.instructions.map((one) => ({
        accounts: [...one.accounts],
        data: toBase58(one.data),
        programIdIndex: one.programIndex,
        stackHeight: 1,
      })),
      recentBlockhash: toBase58(message.blockhash),
      transactionConfig: message.config,
    },
    signatures: signatures.map(toBase58),
  };
}

function encodeLookups(message: WireTransaction['message']): object[] {
  return message.lookups.map((lookup) => ({
    accountKey: toBase58(lookup.table),
    readonlyIndexes: [...lookup.readonly],
    writableIndexes: [...lookup.writable],
  }));
}
