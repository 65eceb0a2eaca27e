import { serviceUrl } from '../../data/shell.js';
import { useRead } from '../../data/service.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';
import { locale, rich, t } from '../../language.js';

/** What an arbiter did, as everybody sees it. Rule T-67. */
export function Record({ pubkey }: { pubkey: string }) {
  const record = useRead('getArbiter', { arbiterPubkey: pubkey });
  return (
    <Panel title={t('Your record')}>
      <Loaded query={record} rows={4}>
        {({ ruled, silent, open, meanPercent }) => (
          <div className={form.step}>
            <Facts
              of={[
                [t('Ruled'), ruled],
                [t('Ended without you'), silent],
                [t('Waiting'), open],
                [
                  t('Left of payments'),
                  meanPercent === null
                    ? t('you have ruled nothing')
                    : t('{percent} % on average', { percent: round(meanPercent).toLocaleString(locale) }),
                ],
              ]}
            />
            <p className={form.hint}>
              {rich('Couriers and agents choose by it whose rulings they accept: <record>what they see</record>.', {
                record: (inside) => <a href={`${serviceUrl}/arbiters/${pubkey}`}>{inside}</a>,
              })}
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const round = (percent: number) => Math.round(percent * 10) / 10;
