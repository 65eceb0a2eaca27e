import type { WalletAccount } from '@wallet-standard/base';
import { announce, deviceWallet } from '../device/register.js';
import form from './form.module.css';
import { type SigningWallet, connect, type Signs, signsWith, useWallets } from './registry.js';
import { signsMessages } from './signer.js';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { sayHeld, useHeld } from '../data/held.js';
import { useRead } from '../data/service.js';
import { type Doing, useDoing } from './useDoing.js';
import { Key } from '../ui/Key.js';
import { Panel } from '../ui/Panel.js';
import { type Session, setSession, useDeviceAgain, useSession } from './session.js';
import { rich, t } from '../language.js';

// The wallets of extensions have registered by now: who has one is used to that one, and finds it first.
announce();

/** What this device holds; its code comes to those whose wallet it is. */
const Purse = lazy(async () => ({ default: (await import('../device/acts.js')).Purse }));

/** What a wallet will show that signs no messages. Rule D-49. */
export function Memos({ wallet, account }: { wallet: SigningWallet; account: WalletAccount }) {
  if (signsMessages(wallet, account)) return null;
  return (
    <p className={form.hint}>
      {rich(
        '{wallet} cannot sign messages. To prove who you are, it signs a transaction with a memo that begins with <code>svc-auth-v1</code>. That transaction can never land and costs nothing.',
        { wallet: wallet.name, code: (inside) => <code>{inside}</code> },
      )}
    </p>
  );
}

/** For pages on which browsers allow no signing: where they do. @param path of the page @param children what else there is */
export function Insecure({ path, children }: { path: string; children?: ReactNode }) {
  const { data: config } = useRead('getConfig');
  const url = config?.publicUrl.startsWith('https:') ? config.publicUrl + path : undefined;
  return (
    <p className={form.notice}>
      {url
        ? rich<ReactNode>(
            'This page came over plain http: no wallet can sign, no camera opens and nothing works offline. Open it at {url}{more}.',
            { url: <a href={url}>{url}</a>, more: children },
          )
        : rich<ReactNode>(
            'This page came over plain http: no wallet can sign, no camera opens and nothing works offline. Open it at localhost, or over https: <code>npm start -- --https</code> serves it to phones on the same network{more}.',
            { code: (inside) => <code>{inside}</code>, more: children },
          )}
    </p>
  );
}

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
  /** What is said where there is none but this device. */
  readonly children: ReactNode;
}

/** The wallets of this browser, to connect one. */
export function Wallets({ doing, signs, connected, children }: Props) {
  const wallets = useWallets().filter(({ features }) => signsWith(Object.keys(features), signs));
  const show = async (wallet: SigningWallet) => connected({ wallet, accounts: await connect(wallet, signs) });
  return (
    <>
      <ul className={form.buttons}>
        {wallets.map((wallet) => (
          <li key={wallet.name}>
            <Action
              doing={doing}
              onPress={() => doing.run(t('Waiting for {wallet}.', { wallet: wallet.name }), () => show(wallet))}
            >
              <img src={wallet.icon} alt="" />
              {t('Connect {wallet}', { wallet: wallet.name })}
            </Action>
          </li>
        ))}
      </ul>
      {/* The device itself is always there. */}
      {wallets.length === 1 && <p className={form.hint}>{children}</p>}
    </>
  );
}

interface ActionProps {
  readonly doing: Doing;
  readonly children: ReactNode;
  /** Left out: it sends its form. */
  readonly onPress?: () => void;
  /** The id of what says more about it. */
  readonly describedBy?: string;
}

/** A button that says that it is at work; it keeps the focus of a keyboard meanwhile. */
export function Action({ doing, children, onPress, describedBy }: ActionProps) {
  return (
    <button
      type={onPress ? 'button' : 'submit'}
      className={form.button}
      aria-disabled={doing.waiting === undefined ? undefined : true}
      aria-describedby={describedBy}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** What is under way or done, and what went wrong. */
export function Told({ doing: { waiting, problem, done, isShown } }: { doing: Doing }) {
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, [isShown]);
  return (
    <>
      <p role="status" className={form.hint}>
        {waiting ?? done}
      </p>
      <p role="alert" className={form.problem}>
        {problem}
      </p>
    </>
  );
}

/** Which account signs on this page. @param path of the page */
export function Connect({ path }: { path: string }) {
  const session = useSession();
  return (
    <Panel title={t('Your wallet')}>
      <div className={form.step}>
        {/* To other pages browsers offer no wallets. */}
        {session ? <Connected session={session} /> : isSecureContext ? <Connecting /> : <Insecure path={path} />}
      </div>
    </Panel>
  );
}

function Connecting() {
  const doing = useDoing();
  useDeviceAgain();
  const connected = ({ wallet, accounts: [account, ...others] }: Connection) => {
    if (account) setSession({ wallet, account, accounts: [account, ...others] });
  };
  return (
    <>
      <p>{t('This page checks what you sign: it shows what the transaction says and refuses any other.')}</p>
      <Wallets doing={doing} signs="transactions" connected={connected}>
        {t('No other wallet found. This device can be one: it makes and stores the key.')}
      </Wallets>
      <Told doing={doing} />
    </>
  );
}

/** What the account holds in all that listings are paid in. */
function Holds({ name, address }: { name: string; address: string }) {
  const { data, error } = useHeld(address);
  if (data === undefined)
    return <p>{error?.message ?? t('Asking the ledger what {wallet} holds.', { wallet: name })}</p>;
  return <p>{t('{wallet} holds {amounts}.', { wallet: name, amounts: sayHeld(data) })}</p>;
}

function Connected({ session }: { session: Session }) {
  const { wallet, account, accounts } = session;
  return (
    <>
      <Memos wallet={wallet} account={account} />
      <Holds name={wallet.name} address={account.address} />
      {wallet === deviceWallet && (
        <Suspense fallback={null}>
          <Purse address={account.address} />
        </Suspense>
      )}
      <div className={form.buttons}>
        {accounts.length === 1 ? (
          <Key value={account.address} page="agent" />
        ) : (
          <label className={form.field}>
            {t('Account')}
            <select
              className={form.key}
              value={account.address}
              onChange={({ target }) => {
                const next = accounts.find(({ address }) => address === target.value);
                if (next) setSession({ ...session, account: next });
              }}
            >
              {accounts.map(({ address }) => (
                <option key={address}>{address}</option>
              ))}
            </select>
          </label>
        )}
        <button type="button" className={form.button} onClick={() => setSession(undefined)}>
          {t('Disconnect {wallet}', { wallet: wallet.name })}
        </button>
      </div>
    </>
  );
}
