import type { WalletAccount } from '@wallet-standard/base';
import type { ReactNode } from 'react';
import { Action } from './Action.js';
import form from './form.module.css';
import { connect, type Signs, type SigningWallet, signsWith, useWallets } from './registry.js';
import type { Doing } from './useDoing.js';

/** A wallet that showed its accounts. */
export interface Connection {
  readonly wallet: SigningWallet;
  readonly accounts: readonly WalletAccount[];
}

interface Props {
  readonly doing: Doing;
  /** What its accounts have to sign. */
  readonly signs: Signs;
  readonly connected: (next: Connection) => void;
  /** What is said where there is none. */
  readonly children: ReactNode;
}

/** The wallets of this browser, to connect one. */
export function Wallets({ doing, signs, connected, children }: Props) {
  const wallets = useWallets().filter(({ features }) => signsWith(Object.keys(features), signs));
  if (wallets.length === 0) return <p className={form.notice}>{children}</p>;
  const show = async (wallet: SigningWallet) => connected({ wallet, accounts: await connect(wallet, signs) });
  return (
    <ul className={form.buttons}>
      {wallets.map((wallet) => (
        <li key={wallet.name}>
          <Action doing={doing} onPress={() => doing.run(`Waiting for ${wallet.name}.`, () => show(wallet))}>
            <img src={wallet.icon} alt="" />
            Connect {wallet.name}
          </Action>
        </li>
      ))}
    </ul>
  );
}
