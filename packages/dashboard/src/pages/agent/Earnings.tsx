import type { ReactNode } from 'react';
import { SOL, type AgentProfile } from '@legwork/sdk';
import { useNow } from '../../data/clock.js';
import { Amount } from '../../ui/Amount.js';
import { Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import styles from './Earnings.module.css';
import { earnedADay, type EarnedDay } from './earnedADay.js';
import { useFinishedLegs } from './Legs.js';
import { figureIn, rich, t } from '../../language.js';

export function Earnings({ agent: { agentPubkey, history } }: { agent: AgentProfile }) {
  const legs = useFinishedLegs(agentPubkey);
  const days = earnedADay(legs.data ?? [], { nowMs: useNow(), isWhole: !legs.hasNextPage });
  return (
    <Panel title={t('Earned')} beside={<Amount of={SOL} amount={history.earnedLamports} />}>
      {history.lastCompletedAt === null ? (
        <p className={styles.note}>{t('No leg has been paid yet.')}</p>
      ) : (
        <div className={styles.earnings}>
          {days.length > 1 && <Days days={days} />}
          <p className={styles.note}>
            {rich<ReactNode>('Last paid {time}', { time: <Time at={history.lastCompletedAt} /> })}
          </p>
        </div>
      )}
    </Panel>
  );
}

const HEIGHT = 48;
const BAR = 10;
const GAP = 2;

function Days({ days }: { days: readonly EarnedDay[] }) {
  const most = days.reduce((max, { lamports }) => (lamports > max ? lamports : max), 1n);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className={styles.days}>
      <svg viewBox={`0 0 ${days.length * (BAR + GAP)} ${HEIGHT}`} preserveAspectRatio="none" role="img">
        <title>
          {t('Earned per day: {days}', {
            days: days.map(({ day, lamports }) => `${day} ${figureIn(lamports)} SOL`).join(', '),
          })}
        </title>
        {days.map(({ day, lamports }, index) => {
          // Whole thousandths: a share of a bigint that a picture can be made of.
          const height = Math.max((Number((lamports * 1_000n) / most) / 1_000) * HEIGHT, lamports === 0n ? 1 : 2);
          return (
            <rect
              key={day}
              x={index * (BAR + GAP)}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              className={lamports === 0n ? styles.none : styles.bar}
            >
              <title>{`${day}: ${figureIn(lamports)} SOL`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{first?.day}</span>
        <span>{last?.day}</span>
      </figcaption>
    </figure>
  );
}
