import { isSignedBy } from '@legwork/protocol/contract';
import { SolanaSignMessage, SolanaSignTransaction } from '@solana/wallet-standard-features';
import {
  address,
  getTransactionDecoder,
  getTransactionEncoder,
  type MessagePartialSigner,
  type SignatureBytes,
  type Transaction,
} from '@solana/kit';
import type { CallSigner, LedgerSigner } from '@legwork/sdk';
import type { WalletAccount } from '@wallet-standard/base';
import type { SigningWallet } from './registry.js';
import { t } from '../language.js';

const SIGNATURE_LENGTH = 64;

/**
 * The ed25519 signature of exactly these bytes.
 *
 * @throws Error when the wallet signed something else, as hardware wallets do
 */
export async function signMessage(
  { name, features }: SigningWallet,
  account: WalletAccount,
  message: Uint8Array,
): Promise<SignatureBytes> {
  const [signed] = (await features[SolanaSignMessage]?.signMessage({ account, message })) ?? [];
  if (signed?.signature.length !== SIGNATURE_LENGTH)
    throw new Error(t('{wallet} gave no signature.', { wallet: name }));
  const isSame =
    signed.signedMessage.length === message.length && signed.signedMessage.every((byte, at) => byte === message[at]);
  if (!isSame)
    throw new Error(
      t('{wallet} signed a different text from the one this page asked for. Use a software wallet.', { wallet: name }),
    );
  return signed.signature as SignatureBytes;
}

/**
 * The transaction as the wallet signed it, which may have added to it: the SDK compares the two. Rule D-48.
 *
 * @throws Error when the account did not sign it
 */
async function signTransaction(
  { name, features }: SigningWallet,
  account: WalletAccount,
  transaction: Transaction,
): Promise<Transaction> {
  const bytes = Uint8Array.from(getTransactionEncoder().encode(transaction));
  const [answer] = (await features[SolanaSignTransaction]?.signTransaction({ account, transaction: bytes })) ?? [];
  if (answer === undefined) throw new Error(t('{wallet} gave no signature.', { wallet: name }));
  const signed = getTransactionDecoder().decode(answer.signedTransaction);
  const signature = signed.signatures[address(account.address)];
  if (!signature || !isSignedBy(account.address, Uint8Array.from(signature), Uint8Array.from(signed.messageBytes))) {
    throw new Error(t('{wallet} did not sign with {key}.', { wallet: name, key: account.address }));
  }
  return signed;
}

/** An account of a wallet that signs transactions too. Only what the SDK has read is given to it. */
export function walletSigner(wallet: SigningWallet, account: WalletAccount): CallSigner & LedgerSigner {
  const signer = {
    address: address(account.address),
    ...(signsMessages(wallet, account) && messageSigner(wallet, account)),
  };
  const sign = (transactions: readonly Transaction[]) =>
    Promise.all(transactions.map((transaction) => signTransaction(wallet, account, transaction)));
  return {
    ...signer,
    // Of size and lifetime the types know nothing: the SDK compares what comes back with what it asked for.
    modifyAndSignTransactions: (transactions) => sign(transactions) as never,
    // A signature alone is one of the bytes that were asked for.
    signTransactions: async (transactions) => {
      const signed = await sign(transactions);
      return signed.map(({ messageBytes, signatures }, at) => {
        const signature = signatures[signer.address];
        const asked = transactions[at]?.messageBytes;
        const isSame = asked?.length === messageBytes.length && messageBytes.every((byte, i) => byte === asked[i]);
        if (!isSame || !signature)
          throw new Error(
            t('{wallet} signed a different transaction from the one this page asked for.', { wallet: wallet.name }),
          );
        return { [signer.address]: signature };
      });
    },
  };
}

/** Whether the account signs messages; some sign transactions alone, as hardware wallets do. */
export function signsMessages({ features }: SigningWallet, account: WalletAccount): boolean {
  return SolanaSignMessage in features && account.features.includes(SolanaSignMessage);
}

/** An account of a wallet as the signer of calls that the SDK takes. */
export function callSigner(wallet: SigningWallet, account: WalletAccount): CallSigner {
  return signsMessages(wallet, account) ? messageSigner(wallet, account) : walletSigner(wallet, account);
}

function messageSigner(wallet: SigningWallet, account: WalletAccount): MessagePartialSigner {
  const signer = address(account.address);
  return {
    address: signer,
    signMessages: (messages) =>
      Promise.all(
        messages.map(async ({ content }) => ({
          [signer]: await signMessage(wallet, account, Uint8Array.from(content)),
        })),
      ),
  };
}
