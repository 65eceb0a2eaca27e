import { clockTime } from '../../ui/Time.js';
import { formatSol, type LegworkEvent } from '@legwork/sdk';
import { useLog } from '../../data/live.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import styles from './Paid.module.css';

/** Payments shown, a bar each. */
const LENGTH = 40;
const HEIGHT = 72;

type Payment = Extract<LegworkEvent, { type: 'LEG_CONFIRMED' | 'TASK_LEG_COMPLETED' }>;

/** What agents were paid lately, a bar a payment, the newest at the right. */
export function Paid() {
  const log = useLog({ topics: ['LEG_CONFIRMED', 'TASK_LEG_COMPLETED'], length: LENGTH });
  return (
    <Panel title="Payments">
      <Loaded query={log} rows={3}>
        {(events) => {
          const payments = events.filter((event): event is Payment => 'paymentLamports' in event);
          if (payments.length === 0) return <Empty>No leg has been paid yet.</Empty>;
          return <Bars payments={payments.toReversed()} />;
        }}
      </Loaded>
    </Panel>
  );
}

function Bars({ payments }: { payments: readonly Payment[] }) {
  const most = payments.reduce((max, { paymentLamports }) => (paymentLamports > max ? paymentLamports : max), 1n);
  const last = payments.at(-1);
  return (
    <figure className={styles.figure}>
      <svg
        viewBox={`0 0 ${LENGTH * 8} ${HEIGHT}`}
        preserveAspectRatio="xMaxYMax meet"
        role="img"
        aria-label={`The last ${payments.length} payments, the highest ${formatSol(most)} SOL`}
      >
        {payments.map(({ seq, paymentLamports, occurredAt }, at) => {
          const height = Math.max(2, (Number(paymentLamports) / Number(most)) * HEIGHT);
          return (
            <rect
              key={seq}
              x={(LENGTH - payments.length + at) * 8 + 1}
              y={HEIGHT - height}
              width={6}
              height={height}
              rx={1}
            >
              <title>{`${formatSol(paymentLamports)} SOL, ${clockTime(occurredAt)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>
          The last {payments.length}, up to <Amount lamports={most} />
        </span>
        {last && (
          <span>
            newest <Amount lamports={last.paymentLamports} />
          </span>
        )}
      </figcaption>
    </figure>
  );
}
