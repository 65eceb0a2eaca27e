/** What this page uses of an account, as the Wallet Standard has it. */
export interface WalletAccount {
  /** Base58 public key. */
  readonly address: string;
  readonly features: readonly string[];
}

/** What this page uses of a wallet, as the Wallet Standard has it. */
export interface Wallet {
  readonly name: string;
  /** A data: URL. */
  readonly icon: string;
  readonly accounts: readonly WalletAccount[];
  readonly features: {
    readonly 'standard:connect': { connect(): Promise<{ readonly accounts: readonly WalletAccount[] }> };
    readonly 'standard:events'?: { on(event: 'change', listener: (changed: object) => void): () => void };
    readonly 'solana:signMessage': {
      signMessage(...inputs: readonly { account: WalletAccount; message: Uint8Array }[]): Promise<readonly Signed[]>;
    };
  };
}

interface Signed {
  /** What was signed: a wallet may put something around the message. */
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
}

interface Offered {
  readonly features: Readonly<Record<string, unknown>>;
}

interface Registry {
  register(...wallets: readonly Offered[]): () => void;
}

declare global {
  interface WindowEventMap {
    'wallet-standard:register-wallet': CustomEvent<(registry: Registry) => void>;
  }
}

const NEEDED = ['standard:connect', 'solana:signMessage'] as const;
const SIGNATURE_LENGTH = 64;

function canSign(wallet: Offered): wallet is Wallet {
  return NEEDED.every((feature) => feature in wallet.features);
}

/** Gives the wallets of this browser that sign messages, again whenever one comes or goes. */
export function watchWallets(show: (wallets: readonly Wallet[]) => void): void {
  const present = new Set<Offered>();
  const changed = () => show([...present].filter(canSign));
  const registry: Registry = {
    register: (...wallets) => {
      for (const wallet of wallets) present.add(wallet);
      changed();
      return () => {
        for (const wallet of wallets) present.delete(wallet);
        changed();
      };
    },
  };
  // Those that loaded before this page hear the second event, those that come later raise the first.
  window.addEventListener('wallet-standard:register-wallet', ({ detail: callback }) => callback(registry));
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: registry }));
  changed();
}

/** Asks the wallet for the accounts that may sign messages. @throws Error when it shows none */
export async function connect({ name, features }: Wallet): Promise<readonly WalletAccount[]> {
  const { accounts } = await features['standard:connect'].connect();
  const able = accounts.filter((account) => account.features.includes('solana:signMessage'));
  if (able.length === 0) throw new Error(`${name} showed no account that can sign messages.`);
  return able;
}

/**
 * The ed25519 signature of exactly these bytes.
 *
 * @throws Error when the wallet signed something else, as hardware wallets do
 */
export async function signMessage(wallet: Wallet, account: WalletAccount, message: Uint8Array): Promise<Uint8Array> {
  const [signed] = await wallet.features['solana:signMessage'].signMessage({ account, message });
  if (signed?.signature.length !== SIGNATURE_LENGTH) throw new Error(`${wallet.name} gave no signature.`);
  const isSame =
    signed.signedMessage.length === message.length && signed.signedMessage.every((b, i) => b === message[i]);
  if (!isSame) throw new Error(`${wallet.name} signed another text than this page asked for. Use a software wallet.`);
  return signed.signature;
}
