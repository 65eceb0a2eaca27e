import { bytesToSign, parsePubkey } from '@legwork/protocol/contract';
import type { RequestSigner } from '@legwork/protocol/contract';
import { createSignableMessage } from '@solana/kit';
import type {
  MessagePartialSigner,
  SignatureBytes,
  TransactionModifyingSigner,
  TransactionPartialSigner,
} from '@solana/kit';

/**
 * The signer of a wallet: a `KeyPairSigner` of @solana/kit (`createKeyPairSignerFromBytes`), or any other
 * signer of its two interfaces. A wallet that may add to what it signs gives `modifyAndSignTransactions`
 * too, which is then asked first: its answer is compared with the request. Rule S-173.
 */
export type LegworkSigner = MessagePartialSigner & LedgerSigner;

/** The same for a wallet that may sign transactions alone, as hardware wallets do. */
export type LedgerSigner = TransactionPartialSigner &
  Partial<Pick<TransactionModifyingSigner, 'modifyAndSignTransactions'>>;

/** A signer of requests. One without `signMessages` signs a transaction with the request's text, which is never sent. Rule S-174. */
export type CallSigner = MessagePartialSigner | TransactionPartialSigner;

/** The signer in the form that request signing takes: the text in, 64 bytes of ed25519 signature out. */
export function toRequestSigner(signer: CallSigner): RequestSigner {
  const own = (signatures: Readonly<Record<string, SignatureBytes>> | undefined) => {
    const signature = signatures?.[signer.address];
    if (signature === undefined) throw new TypeError(`the signer of ${signer.address} gave no signature of its own`);
    return signature;
  };
  if ('signMessages' in signer) {
    return {
      pubkey: signer.address,
      sign: async (text) => own((await signer.signMessages([createSignableMessage(text)]))[0]),
    };
  }
  return {
    pubkey: signer.address,
    carrier: 'transaction',
    sign: async (text) => {
      const messageBytes = bytesToSign('transaction', parsePubkey(signer.address), text);
      if (messageBytes === undefined) {
        throw new TypeError('this request is too long for a transaction; sign it with a wallet that signs messages');
      }
      const unsigned = { messageBytes, signatures: { [signer.address]: null } };
      // It has no lifetime on any ledger, which is what the types of kit ask for.
      return own((await signer.signTransactions([unsigned as never]))[0]);
    },
  };
}
