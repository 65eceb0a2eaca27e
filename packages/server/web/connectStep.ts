import { during, element, reveal, write } from './page.js';
import { type Preview, previewClaim } from './service.js';
import type { SigningKey } from './signedRequest.js';
import { connect, signMessage, type Wallet, type WalletAccount, watchWallets } from './wallets.js';

/** A wallet that showed its accounts. */
export interface Connection {
  readonly wallet: Wallet;
  readonly accounts: readonly WalletAccount[];
}

/** What a key would claim, and the means to go on. */
export interface Seen {
  readonly connection: Connection;
  readonly key: SigningKey;
  readonly preview: Preview;
}

const PROBLEM = 'connect-problem';

/** The first step: choose a wallet and a key of it, and see what that earned. */
export function startConnecting({ seen, left }: { seen: (found: Seen) => void; left: () => void }): void {
  const look = element('look', HTMLButtonElement);
  const keys = element('key', HTMLSelectElement);
  let connection: Connection | undefined;
  let stopWatching: (() => void) | undefined;

  const connected = (next: Connection | undefined) => {
    stopWatching?.();
    stopWatching = next && watchAccounts(next, () => connected(undefined));
    connection = next;
    keys.replaceChildren(...(next?.accounts ?? []).map(({ address }) => new Option(address, address)));
    reveal(next !== undefined, 'account');
    left();
  };
  keys.addEventListener('change', left);
  look.addEventListener('click', () => {
    void during(look, { waiting: 'Waiting for your wallet to sign.', problemId: PROBLEM }, async () => {
      const account = connection?.accounts.find(({ address }) => address === keys.value);
      if (connection === undefined || account === undefined) return;
      const chosen = connection;
      const key = signingKey(chosen.wallet, account);
      const preview = await previewClaim(key);
      // Meanwhile the person may have gone over to another key.
      if (connection === chosen && keys.value === account.address) seen({ connection: chosen, key, preview });
    });
  });
  watchWallets((wallets) => {
    reveal(wallets.length === 0, 'no-wallet');
    reveal(wallets.length > 0, 'wallets');
    element('wallets', HTMLUListElement).replaceChildren(...wallets.map((wallet) => choiceOf(wallet, connected)));
  });
}

/** @returns ends it; undefined when the wallet tells no changes */
function watchAccounts({ wallet, accounts }: Connection, lost: () => void): (() => void) | undefined {
  return wallet.features['standard:events']?.on('change', () => {
    const shown = new Set(wallet.accounts.map(({ address }) => address));
    if (accounts.every(({ address }) => shown.has(address))) return;
    lost();
    write({ [PROBLEM]: `${wallet.name} does not show that key any more. Connect again.` });
  });
}

function signingKey(wallet: Wallet, account: WalletAccount): SigningKey {
  return { address: account.address, sign: (message) => signMessage(wallet, account, message) };
}

function choiceOf(wallet: Wallet, connected: (next: Connection | undefined) => void): HTMLLIElement {
  const button = document.createElement('button');
  button.type = 'button';
  const icon = document.createElement('img');
  icon.src = wallet.icon;
  icon.alt = '';
  button.append(icon, `Connect ${wallet.name}`);
  button.addEventListener('click', () => {
    void during(button, { waiting: `Waiting for ${wallet.name}.`, problemId: PROBLEM }, async () => {
      connected({ wallet, accounts: await connect(wallet) });
      element('key', HTMLSelectElement).focus();
    });
  });
  const item = document.createElement('li');
  item.append(button);
  return item;
}
