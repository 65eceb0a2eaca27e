import { PAGES } from '@legwork/protocol/contract';
import { lazy, Suspense } from 'react';
import { useKeptOffline } from '../../door/useKeptOffline.js';
import { Heading } from '../../ui/Heading.js';
import { Connect } from '../../wallet/Connect.js';
import { useSession } from '../../wallet/session.js';
import { Codes } from './Codes.js';
import { Near } from './Near.js';
import styles from './courier.module.css';
import { SignUp } from './SignUp.js';
import { t } from '../../language.js';

/** For who has connected a wallet. */
const MyLegs = lazy(() => import('./MyLegs.js'));

/** Everything a courier does, on a phone: find a way, bid, take a parcel, hand it over. Rule D-80. */
export default function Courier() {
  const session = useSession();
  useKeptOffline();
  return (
    <>
      <Heading title={t('Carry parcels')} />
      <div className={styles.page}>
        {!session && (
          <p>{t('Bid on a parcel, carry it for a leg, and be paid at the handoff. Connect a wallet to bid.')}</p>
        )}
        <Codes session={session} />
        {session && (
          <Suspense fallback={null}>
            <MyLegs key={session.account.address} session={session} />
          </Suspense>
        )}
        <Connect path={PAGES.courier} />
        {session && <SignUp key={session.account.address} session={session} />}
        <Near session={session} />
      </div>
    </>
  );
}
