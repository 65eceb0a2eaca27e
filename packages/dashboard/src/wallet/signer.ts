import { SolanaSignMessage } from '@solana/wallet-standard-features';
import { address, type MessagePartialSigner, type SignatureBytes } from '@solana/kit';
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
