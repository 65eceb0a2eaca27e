import { useEffect, useState } from 'react';
import { useRead } from '../data/service.js';
import { deviceWallet } from '../device/register.js';
import { Action, Told } from '../wallet/Connect.js';
import form from '../wallet/form.module.css';
import { actingFor, type Session } from '../wallet/session.js';
import { useDoing } from '../wallet/useDoing.js';
import { beTold, beToldNoMore, isTold, stayTold } from './notices.js';
import { t } from '../language.js';

/** Notices on the phone itself, for who wants them. */
export function Notices({ session }: { session: Session }) {
  const { address } = session.account;
  const config = useRead('getConfig');
  const doing = useDoing();
  const [isOn, setIsOn] = useState(() => isTold(address));
  const key = config.data?.pushPublicKey;
  useEffect(() => {
    // Other wallets would ask about it, at a moment when nobody expects it.
    if (key && session.wallet === deviceWallet) {
      stayTold(actingFor(session).client, address, key).catch(() => undefined);
    }
  }, [address, key, session]);
  if (!key) return null;
  const turn = async () => {
    const { client } = actingFor(session);
    await (isOn ? beToldNoMore(client) : beTold(client, address, key));
    setIsOn(!isOn);
    return isOn ? t('Notices are off.') : t('Notices are on for this phone.');
  };
  return (
    <div className={form.step}>
      <p className={form.hint}>
        {t(
          'A notice says that it is your move, that your bid won, or that one of your clocks ends soon. It names no place, person or amount.',
        )}
      </p>
      <Action doing={doing} onPress={() => doing.run(t('Waiting for your browser and your wallet.'), turn)}>
        {isOn ? t('Turn notices off') : t('Notify me when it is my move')}
      </Action>
      <Told doing={doing} />
    </div>
  );
}
