import { Key } from '../ui/Key.js';
import { Panel } from '../ui/Panel.js';
import { Told } from './Action.js';
import form from './form.module.css';
import { Memos } from './Memos.js';
import { Insecure } from './Insecure.js';
import { type Session, setSession, useSession } from './session.js';
import { useDoing } from './useDoing.js';
import { type Connection, Wallets } from './Wallets.js';

/** Which account signs on this page. @param path of the page */
export function Connect({ path }: { path: string }) {
  const session = useSession();
  return (
    <Panel title="Your wallet">
      <div className={form.step}>
        {/* To other pages browsers offer no wallets. */}
        {session ? <Connected session={session} /> : isSecureContext ? <Connecting /> : <Insecure path={path} />}
      </div>
    </Panel>
  );
}

function Connecting() {
  const doing = useDoing();
  const connected = ({ wallet, accounts: [account, ...others] }: Connection) => {
    if (account) setSession({ wallet, account, accounts: [account, ...others] });
  };
  return (
    <>
      <p>What you sign is checked by this page first: it shows what the transaction says, and refuses another one.</p>
      <Wallets doing={doing} signs="transactions" connected={connected}>
        No wallet has shown itself in this browser. Install one that follows the Wallet Standard and signs transactions;
        or use the command or the SDK.
      </Wallets>
      <Told doing={doing} />
    </>
  );
}

function Connected({ session }: { session: Session }) {
  const { wallet, account, accounts } = session;
  return (
    <>
      <Memos wallet={wallet} account={account} />
      <div className={form.buttons}>
        {accounts.length === 1 ? (
          <Key value={account.address} page="agent" />
        ) : (
          <label className={form.field}>
            Account
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
          Leave {wallet.name}
        </button>
      </div>
    </>
  );
}
