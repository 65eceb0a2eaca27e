import { parseKeypairFile } from '@legwork/protocol/contract';
import type { LedgerSigner } from '@legwork/sdk';
import { ExitError } from '@legwork/sdk/exit';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { SolanaSignTransaction } from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet } from '@wallet-standard/base';
import { StandardConnect } from '@wallet-standard/features';
import type { SigningWallet } from '../wallet/registry.js';
import { walletSigner } from '../wallet/signer.js';
import { element, problem, reading } from './dom.js';
import { t } from '../language.js';

let current: LedgerSigner | undefined;
let reads = 0;

/** Who signs. @throws {ExitError} when nobody does yet */
export function currentSigner(): LedgerSigner {
  if (current !== undefined) return current;
  throw new ExitError(t('connect a wallet or give a key first'));
}

/** @param wallet undefined: the key was given here */
function use(signer: LedgerSigner, wallet?: string): void {
  current = signer;
  const key = signer.address;
  const says =
    wallet === undefined
      ? t('You act as {key}, with the key that you gave.', { key })
      : t('You act as {key}, with {wallet}.', { key, wallet });
  reading('as', HTMLElement).replaceChildren(says);
}

const refuse = (error: unknown) => reading('as', HTMLElement).replaceChildren(problem(error));

const canSign = (wallet: Wallet): wallet is SigningWallet =>
  StandardConnect in wallet.features && SolanaSignTransaction in wallet.features;

/** Offers the wallets of this browser, as they come, and takes a key that is given. */
export function watchKeys(): void {
  const registry = getWallets();
  const offer = () => {
    const buttons = registry.get().filter(canSign).map(buttonOf);
    if (buttons.length > 0) reading('wallets', HTMLElement).replaceChildren(...buttons);
  };
  registry.on('register', offer);
  offer();
  const secret = reading('secret', HTMLInputElement);
  secret.addEventListener('input', () => void take(secret.value));
  const file = reading('file', HTMLInputElement);
  file.addEventListener('change', () => void file.files?.[0]?.text().then(take, refuse));
}

function buttonOf(wallet: SigningWallet): HTMLButtonElement {
  const button = element('button', { type: 'button' }, t('Connect {wallet}', { wallet: wallet.name }));
  button.addEventListener('click', () => void connect(wallet).catch(refuse));
  return button;
}

async function connect(wallet: SigningWallet): Promise<void> {
  const { accounts } = await wallet.features[StandardConnect].connect();
  const account = accounts.find(({ features }) => features.includes(SolanaSignTransaction));
  if (account === undefined)
    throw new ExitError(t('{wallet} showed no account that signs transactions', { wallet: wallet.name }));
  use(walletSigner(wallet, account), wallet.name);
}

/** Of two texts that are read at a time the later one counts. */
async function take(text: string): Promise<void> {
  const own = ++reads;
  const given = text.trim();
  if (given === '') return;
  try {
    const signer = await createKeyPairSignerFromBytes(bytesOf(given));
    if (own === reads) use(signer);
  } catch {
    if (own === reads) refuse(new ExitError(t('this is neither a key file nor a secret key of 64 bytes in base 58')));
  }
}

function bytesOf(text: string): Uint8Array {
  return text.startsWith('[') ? parseKeypairFile(text) : Uint8Array.from(getBase58Encoder().encode(text));
}
