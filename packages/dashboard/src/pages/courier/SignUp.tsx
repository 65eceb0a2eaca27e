import { useState } from 'react';
import { queries, useRead } from '../../data/service.js';
import { Panel } from '../../ui/Panel.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { t } from '../../language.js';

const NAME_MOST = 60;

/** A courier says what it is called, once; on a test cluster it gets something to post as a stake. */
export function SignUp({ session }: { session: Session }) {
  const agentPubkey = session.account.address;
  const agent = useRead('getAgent', { agentPubkey });
  const doing = useDoing();
  const [name, setName] = useState('');
  if (agent.isPending || agent.data?.displayName) return null;
  const register = async () => {
    const displayName = name.trim();
    if (displayName === '') throw new Error(t('Enter a name.'));
    const { airdrop } = await actingFor(session).client.registerAgent({
      agentPubkey,
      displayName,
      // Who is registered already has said what it can do.
      ...(agent.data === undefined && { capabilities: ['delivery'] }),
    });
    await queries.invalidateQueries({ queryKey: ['getAgent'] });
    return airdrop.status === 'sent' ? t('You are registered and have received 1 test SOL.') : t('You are registered.');
  };
  return (
    <Panel title={t('Your name')}>
      <form
        className={form.step}
        onSubmit={(event) => {
          event.preventDefault();
          doing.run(t('Waiting for your wallet to sign.'), register);
        }}
      >
        <p>{t('Shippers and receivers see this name beside your key. It costs nothing.')}</p>
        <label className={form.field}>
          {t('Name')}
          <input
            value={name}
            maxLength={NAME_MOST}
            autoComplete="nickname"
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <Action doing={doing}>{t('Register')}</Action>
        <Told doing={doing} />
      </form>
    </Panel>
  );
}
