import { clockTime } from '../../ui/Time.js';
import type { ReactNode } from 'react';
import { amountTold, type LegworkEvent, SOL } from '@legwork/sdk';
import { useLog } from '../../data/live.js';
import { useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import styles from './Paid.module.css';
import { amountIn, rich, t } from '../../language.js';

/** Payments shown, a bar each. */
const LENGTH = 40;
const HEIGHT = 72;

type Payment = Extract<LegworkEvent, { type: 'LEG_CONFIRMED' | 'TASK_LEG_COMPLETED' }>;

/** What agents were paid lately, a bar a payment, the newest at the right. */
export function Paid() {
  const log = useLog({ topics: ['LEG_CONFIRMED', 'TASK_LEG_COMPLETED'], length: LENGTH });
  return (
    <Panel title={t('Payments')}>
      <Loaded query={log} rows={3}>
        {(events) => {
          const payments = events.filter((event): event is Payment => 'paymentLamports' in event);
          if (payments.length === 0) return <Empty>{t('No leg has been paid yet.')}</Empty>;
          return [...byAsset(payments.toReversed())].map(([asset, those]) => <Bars key={asset} payments={those} />);
        }}
      </Loaded>
    </Panel>
  );
}

const paidBy = (event: Payment): bigint => amountTold(event, 'payment') ?? 0n;

/** Amounts of different assets are on no common scale. */
function byAsset(payments: readonly Payment[]): Map<string, readonly Payment[]> {
  const groups = new Map<string, readonly Payment[]>();
  for (const one of payments) {
    const { asset = SOL.asset } = one;
    groups.set(asset, [...(groups.get(asset) ?? []), one]);
  }
  return groups;
}

/** Payments in one asset. */
function Bars({ payments }: { payments: readonly Payment[] }) {
  const { data: config } = useRead('getConfig');
  const most = payments.reduce((max, one) => (paidBy(one) > max ? paidBy(one) : max), 1n);
  const last = payments.at(-1);
  const { asset = SOL.asset } = last ?? {};
  const of = [SOL, ...(config?.assets ?? [])].find((one) => one.asset === asset);
  if (of === undefined) return null;
  return (
    <figure className={styles.figure}>
      <svg
        viewBox={`0 0 ${LENGTH * 8} ${HEIGHT}`}
        preserveAspectRatio="xMaxYMax meet"
        role="img"
        aria-label={t('The last {count} payments, the highest {most}', {
          count: payments.length,
          most: amountIn(most, of),
        })}
      >
        {payments.map((event, at) => {
          const { seq, occurredAt } = event;
          const payment = paidBy(event);
          const height = Math.max(2, (Number(payment) / Number(most)) * HEIGHT);
          return (
            <rect
              key={seq}
              x={(LENGTH - payments.length + at) * 8 + 1}
              y={HEIGHT - height}
              width={6}
              height={height}
              rx={1}
            >
              <title>{`${amountIn(payment, of)}, ${clockTime(occurredAt)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>
          {rich<ReactNode>('The last {count}, up to {most}', {
            count: payments.length,
            most: <Amount of={of} amount={most} />,
          })}
        </span>
        {last && (
          <span>{rich<ReactNode>('newest {amount}', { amount: <Amount of={of} amount={paidBy(last)} /> })}</span>
        )}
      </figcaption>
    </figure>
  );
}
