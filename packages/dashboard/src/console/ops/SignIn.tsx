import { PAGES } from '@legwork/protocol/contract';
import { Panel } from '../../ui/Panel.js';
import { Action, Connect, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useSession } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { openWith } from './session.js';
import { rich, t } from '../../language.js';

/** The two ways in: an address that the command prints, or one signature of a wallet. Rule S-262. */
export function SignIn({ refusal }: { refusal: string | undefined }) {
  const session = useSession();
  const doing = useDoing();
  return (
    <>
      <Panel title={t('Sign in')}>
        <div className={form.step}>
          {refusal !== undefined && <p role="alert">{refusal}</p>}
          <p>
            {rich(
              'For the authority of the program and the keys of {setting}. On the machine where Legwork runs, {command} prints an address that opens this page. An operator’s key in a wallet of this browser opens it too.',
              { setting: <code>OPERATORS</code>, command: <code>npx legwork ops open</code> },
            )}
          </p>
          <p>
            {t(
              'Either opens a key for an hour, or until you leave; whoever has the printed address has it too. It can have the service try again what it does by itself; it moves no money that the service would not move.',
            )}
          </p>
          {session && (
            <Action
              doing={doing}
              onPress={() =>
                doing.run(t('Waiting for {wallet} to sign.', { wallet: session.wallet.name }), () => openWith(session))
              }
            >
              {t('Open for an hour')}
            </Action>
          )}
          <Told doing={doing} />
        </div>
      </Panel>
      <Connect path={PAGES.ops} />
    </>
  );
}
