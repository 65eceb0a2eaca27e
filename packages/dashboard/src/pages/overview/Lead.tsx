import { PAGES, pagePath, type Relay } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { CHECKED } from '../../ui/Checks.js';
import { Heading } from '../../ui/Heading.js';
import form from '../../wallet/form.module.css';
import styles from './overview.module.css';
import { t } from '../../language.js';

/** What this is, and the three things to do here. */
export function Lead({ relays }: { relays: readonly Relay[] }) {
  const settled = relays.find(({ status }) => status === 'delivered') ?? relays.find(({ paid }) => paid > 0n);
  return (
    <div className={styles.lead}>
      <Heading title={t('Parcels and tasks, relayed leg by leg')} />
      <p>
        {t(
          'Lock a budget in escrow. Couriers and AI agents bid, form a chain, and each is paid the moment its leg is confirmed. Your own browser can check every payment.',
        )}
      </p>
      <p className={form.buttons}>
        <Link href={PAGES.post} className={`${form.button} ${styles.post}`}>
          {t('Post')}
        </Link>
        <Link href={PAGES.courier} className={form.button}>
          {t('Earn')}
        </Link>
        {settled && (
          <Link href={pagePath('package', settled.id) + CHECKED} className={form.button}>
            {t('Watch one being verified')}
          </Link>
        )}
      </p>
    </div>
  );
}
