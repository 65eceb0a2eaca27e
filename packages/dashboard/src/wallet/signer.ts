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
import type { RelaySigner } from '@legwork/sdk';
import type { WalletAccount } from '@wallet-standard/base';
import type { SigningWallet } from './registry.js';

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
  const [signed] = await features[SolanaSignMessage].signMessage({ account, message });
  if (signed?.signature.length !== SIGNATURE_LENGTH) throw new Error(`${name} gave no signature.`);
  const isSame =
    signed.signedMessage.length === message.length && signed.signedMessage.every((byte, at) => byte === message[at]);
  if (!isSame) throw new Error(`${name} signed another text than this page asked for. Use a software wallet.`);
  return signed.signature as SignatureBytes;
}

/**
 * The account's signature of a transaction.
 *
 * @throws Error when the wallet changed it, as some do to offer a higher fee, or did not sign
 */
async function signTransaction(
  { name, features }: SigningWallet,
  account: WalletAccount,
  transaction: Transaction,
): Promise<SignatureBytes> {
  const bytes = Uint8Array.from(getTransactionEncoder().encode(transaction));
  const [answer] = (await features[SolanaSignTransaction]?.signTransaction({ account, transaction: bytes })) ?? [];
  if (answer === undefined) throw new Error(`${name} gave no signature.`);
  const { messageBytes, signatures } = getTransactionDecoder().decode(answer.signedTransaction);
  const message = Uint8Array.from(transaction.messageBytes);
  if (messageBytes.length !== message.length || !messageBytes.every((byte, at) => byte === message[at])) {
    throw new Error(`${name} signed another transaction than this page asked for. Switch off what changes its fee.`);
  }
  const signature = signatures[address(account.address)];
  if (!signature || !isSignedBy(account.address, Uint8Array.from(signature), message)) {
    throw new Error(`${name} did not sign with ${account.address}.`);
  }
  return signature;
}

/** An account of a wallet that signs transactions too. Only what the SDK has read is given to it. */
export function walletSigner(wallet: SigningWallet, account: WalletAccount): RelaySigner {
  const signer = messageSigner(wallet, account);
  return {
    ...signer,
    signTransactions: (transactions) =>
      Promise.all(
        transactions.map(async (transaction) => ({
          [signer.address]: await signTransaction(wallet, account, transaction),
        })),
      ),
  };
}

/** An account of a wallet as the signer that the SDK takes. */
export function messageSigner(wallet: SigningWallet, account: WalletAccount): MessagePartialSigner {
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
