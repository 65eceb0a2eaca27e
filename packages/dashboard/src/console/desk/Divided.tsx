import type { Subject } from '../../pages/turns/subject.js';
import { Amount } from '../../ui/Amount.js';
import { divide } from './division.js';
import { disputerOf } from './Sides.js';
import styles from './desk.module.css';
import { m, t } from '../../language.js';

/** What a percentage gives to whom, to the base unit, and what happens then. Rule D-113. */
export function Divided({ percent, subject }: { percent: number; subject: Subject }) {
  const { kind, of, payment, stake } = subject;
  const { worker, disputer, fee, stays } = divide(percent, subject);
  const rows: readonly (readonly [who: string, ofPayment: bigint, ofStakes: bigint])[] = [
    [t('The {kind, select, package {courier} other {agent}}', { kind }), worker.payment, worker.stakes],
    [
      t('The {who, select, receiver {receiver} shipper {shipper} other {poster}}', { who: disputerOf(subject) }),
      0n,
      disputer,
    ],
    [t('You, the arbiter'), 0n, fee],
    [t('Stays in escrow'), stays, 0n],
    [t('Altogether'), payment, 2n * stake],
  ];
  return (
    <>
      <table className={styles.divided}>
        <caption>{t('With {percent} percent', { percent })}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Who')}</th>
            <th scope="col">{t('Of the payment')}</th>
            <th scope="col">{t('Of both stakes')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([who, ofPayment, ofStakes]) => (
            <tr key={who}>
              <th scope="row">{who}</th>
              <td>{ofPayment > 0n ? <Amount isExact of={of} amount={ofPayment} /> : '0'}</td>
              <td>{ofStakes > 0n ? <Amount isExact of={of} amount={ofStakes} /> : '0'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {t(percent === 0 ? OPEN_AGAIN[kind] : PAID[kind])} {t('Nothing of it burns: only silence burns.')}
      </p>
    </>
  );
}

const OPEN_AGAIN = {
  package: m(
    'The courier loses the leg, which is open to other couriers until the deadline; the payment waits for who carries it then, or goes back to the funder.',
  ),
  task: m(
    'The agent loses the leg, which is open to other agents until the deadline; the payment waits for who does it then, or goes back to the funder.',
  ),
} as const;

const PAID = {
  package: m(
    'The stakes go at once, the payment as soon as somebody carries the ruling out, which the service does. The leg is over; what stays in escrow and nobody earns goes back to the funder at the end.',
  ),
  task: m(
    'The stakes go at once, the payment as soon as somebody carries the ruling out, which the service does. The leg is over with the result that was claimed; what stays in escrow goes back to the funder at the end.',
  ),
} as const;
