import { PAGES } from '@legwork/protocol/contract';
import { type LegworkClient, createLegworkClient } from '@legwork/sdk';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { serviceUrl } from '../../data/shell.js';
import { Panel } from '../../ui/Panel.js';
import { Action, Told, Insecure, Memos, type Connection, Wallets } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { watchAccounts } from '../../wallet/registry.js';
import { callSigner } from '../../wallet/signer.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { rich, t } from '../../language.js';

/** What a key would claim, and the means to go on. */
export interface Seen {
  readonly connection: Connection;
  readonly key: string;
  /** Signs with the key; a refusal for too many requests is not waited out, because the wallet would have to sign again. */
  readonly client: LegworkClient;
  readonly preview: Awaited<ReturnType<LegworkClient['previewRewardClaim']>>;
}

interface Props {
  readonly seen: (found: Seen) => void;
  /** Another key, or none: what was seen of the one before counts no longer. */
  readonly left: () => void;
}

/** The first step: choose a wallet and a key of it, and see what that earned. */
export function ConnectStep(props: Props) {
  return (
    <Panel title={t("1. Your agent's key")}>
      <div className={form.step}>
        <p>
          {rich<ReactNode>('Your wallet signs a text that begins with <code>svc-auth-v1</code>. It moves no money.', {
            code: (inside) => <code>{inside}</code>,
          })}
        </p>
        {/* To other pages browsers offer neither wallets nor the hash that signing needs. */}
        {isSecureContext ? (
          <Connecting {...props} />
        ) : (
          <Insecure path={PAGES.rewards}>{t('; or claim with a program, see below')}</Insecure>
        )}
      </div>
    </Panel>
  );
}

function Connecting({ seen, left }: Props) {
  const [connection, setConnection] = useState<Connection>();
  const doing = useDoing();
  const connected = (next: Connection | undefined) => {
    setConnection(next);
    left();
  };
  useEffect(() => {
    if (connection === undefined) return undefined;
    return watchAccounts(connection.wallet, connection.accounts, () => {
      connected(undefined);
      doing.tell(t('{wallet} no longer shows that key. Connect again.', { wallet: connection.wallet.name }));
    });
    // Only another connection is watched again: what is told does not change it.
  }, [connection]);
  return (
    <>
      <Wallets doing={doing} signs="calls" connected={connected}>
        {t(
          "No other wallet found. Install one that follows the Wallet Standard, with the agent's key in it, or claim with a program, see below.",
        )}
      </Wallets>
      {connection && <KeyOf of={connection} doing={doing} seen={seen} left={left} />}
      <Told doing={doing} />
    </>
  );
}

/** Which key of the wallet, and what that earned. */
function KeyOf({ of: connection, doing, seen, left }: Props & { of: Connection; doing: Doing }) {
  const { wallet, accounts } = connection;
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => select.current?.focus(), [connection]);
  const look = async () => {
    const account = accounts.find(({ address }) => address === select.current?.value);
    if (account === undefined) return;
    const { address: key } = account;
    const client = createLegworkClient({ url: serviceUrl, signer: callSigner(wallet, account), patienceMs: 0 });
    const preview = await client.previewRewardClaim({ devnetPubkey: key });
    // Meanwhile the person may have gone over to another key.
    if (select.current?.value === key) seen({ connection, key, client, preview });
  };
  return (
    <>
      <label className={form.field}>
        {t('Key of the agent')}
        <select id="key" className={form.key} ref={select} onChange={left}>
          {accounts.map(({ address }) => (
            <option key={address}>{address}</option>
          ))}
        </select>
      </label>
      {accounts[0] && <Memos wallet={wallet} account={accounts[0]} />}
      <Action doing={doing} onPress={() => doing.run(t('Waiting for your wallet to sign.'), look)}>
        {t('Show its earnings')}
      </Action>
    </>
  );
}
