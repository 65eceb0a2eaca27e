import type { WalletAccount } from '@wallet-standard/base';
import form from './form.module.css';
import type { SigningWallet } from './registry.js';
import { signsMessages } from './signer.js';

/** What a wallet will show that signs no messages. Rule D-49. */
export function Memos({ wallet, account }: { wallet: SigningWallet; account: WalletAccount }) {
  if (signsMessages(wallet, account)) return null;
  return (
    <p className={form.hint}>
      {wallet.name} signs no messages. To show who you are it signs a transaction with a memo that begins with{' '}
      <code>svc-auth-v1</code>: it can never land, and costs nothing.
    </p>
  );
}
