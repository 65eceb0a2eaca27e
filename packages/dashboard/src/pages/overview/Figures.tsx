import { SOL } from '@legwork/sdk';
import { PAGES } from '@legwork/protocol/contract';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import styles from './Figures.module.css';
import { locale, t } from '../../language.js';

const number = new Intl.NumberFormat(locale);

/** The market in six figures, each with the list behind it. */
export function Figures() {
  return (
    <Loaded query={useRead('getStats')} rows={2}>
      {({ packagesByStatus, escrowLamports, volumeLamports, agents }) => (
        <dl className={styles.figures}>
          <Figure name={t('In transit')} to={`${PAGES.packages}?status=in_transit`}>
            {number.format(packagesByStatus.in_transit)}
          </Figure>
          <Figure name={t('Open')} to={`${PAGES.packages}?status=listed`}>
            {number.format(packagesByStatus.listed + packagesByStatus.swarm_forming)}
          </Figure>
          <Figure name={t('Delivered')} to={`${PAGES.packages}?status=delivered`}>
            {number.format(packagesByStatus.delivered)}
          </Figure>
          <Figure name={t('Agents')} to={PAGES.agents}>
            {number.format(agents)}
          </Figure>
          <Figure name={t('In escrow now')}>
            <Amount of={SOL} amount={escrowLamports} />
          </Figure>
          <Figure name={t('Paid to agents')}>
            <Amount of={SOL} amount={volumeLamports} />
          </Figure>
        </dl>
      )}
    </Loaded>
  );
}

function Figure({ name, to, children }: { name: string; to?: string; children: ReactNode }) {
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>{to === undefined ? children : <Link href={to}>{children}</Link>}</dd>
    </div>
  );
}
