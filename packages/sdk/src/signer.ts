import type { RequestSigner } from '@legwork/protocol/contract';
import { createSignableMessage } from '@solana/kit';
import type { MessagePartialSigner, TransactionModifyingSigner, TransactionPartialSigner } from '@solana/kit';

/**
 * What signs for a wallet: a `KeyPairSigner` of @solana/kit (`createKeyPairSignerFromBytes`), or any other signer of
 * its two interfaces. A wallet that may add to what it signs gives `modifyAndSignTransactions` too, which is then asked first: what it
 * gives back is compared with what was asked for. Rule S-173.
 */
export type RelaySigner = MessagePartialSigner &
  TransactionPartialSigner &
  Partial<Pick<TransactionModifyingSigner, 'modifyAndSignTransactions'>>;

/** The signer in the form that request signing takes: raw bytes in, 64 bytes of ed25519 signature out. */
export function toRequestSigner(signer: MessagePartialSigner): RequestSigner {
  return {
    pubkey: signer.address,
    sign: async (message) => {
      const [signatures] = await signer.signMessages([createSignableMessage(message)]);
      const signature = signatures?.[signer.address];
      if (signature === undefined) throw new TypeError(`the signer of ${signer.address} gave no signature of its own`);
      return signature;
    },
  };
}
