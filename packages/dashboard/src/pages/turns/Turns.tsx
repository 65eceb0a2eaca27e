import { PAGES } from '@legwork/protocol/contract';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { useKeptOffline } from '../../door/useKeptOffline.js';
import { useList, useRead } from '../../data/service.js';
import { Boundary } from '../../ui/Boundary.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Connect } from '../../wallet/Connect.js';
import { type Session, useSession } from '../../wallet/session.js';
import { AskedPanel } from './AskedPanel.js';
import { TurnPanel } from './TurnPanel.js';
import styles from './turns.module.css';
import { rich, t } from '../../language.js';

const Mine = lazy(() => import('../mine/Mine.js'));
/** Few give mandates, and few have webhooks: their code comes for those who connect a wallet. */
const Mandates = lazy(() => import('../mandates/Mandates.js'));
const Webhooks = lazy(() => import('./webhooks/Webhooks.js'));

/** What the connected key is to do for legs with terms, and by when. Rule D-35. */
export default function Turns() {
  const session = useSession();
  const { data: config } = useRead('getConfig');
  useKeptOffline();
  return (
    <>
      <Heading title={t('Your turns')} />
      <div className={styles.page}>
        {!session && (
          <p>{t('Connect a wallet to see what waits for you, until when, and what it costs to do nothing.')}</p>
        )}
        <Connect path={PAGES.turns} />
        <AskedPanel session={session} />
        {session && <List key={session.account.address} session={session} />}
        {session && (
          <Boundary>
            <Suspense fallback={null}>
              <Mine key={session.account.address} session={session} />
            </Suspense>
          </Boundary>
        )}
        {session && config && (
          <Boundary>
            <Suspense fallback={null}>
              <Mandates key={session.account.address} session={session} config={config} />
            </Suspense>
          </Boundary>
        )}
        {session && (
          <Boundary>
            <Suspense fallback={null}>
              <Webhooks key={session.account.address} session={session} />
            </Suspense>
          </Boundary>
        )}
      </div>
    </>
  );
}

function List({ session }: { session: Session }) {
  const turns = useList('listTurns', { pubkey: session.account.address });
  return (
    <Loaded query={turns} rows={5}>
      {(items) =>
        items.length === 0 && !turns.hasNextPage ? (
          <Panel title={t('Nothing to do')}>
            <Empty>
              <p>
                {rich(
                  'No clock is running for this key. Moves without a clock are listed with your packages below and <legs>with the legs that you carry</legs>.',
                  { legs: (inside) => <Link href={PAGES.courier}>{inside}</Link> },
                )}
              </p>
            </Empty>
          </Panel>
        ) : (
          <>
            {items.map((turn) => (
              <TurnPanel key={turn.legId} turn={turn} session={session} />
            ))}
            <More of={turns} />
          </>
        )
      }
    </Loaded>
  );
}
