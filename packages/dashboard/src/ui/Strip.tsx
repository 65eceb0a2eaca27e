import type { Asset, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { useNow } from '../data/clock.js';
import { Amount } from './Amount.js';
import styles from './Strip.module.css';
import { lengthOf } from './spanOf.js';
import { m, t } from '../language.js';

/** A leg of a strip. */
export interface StripLeg {
  readonly key: string;
  readonly who: ReactNode;
  readonly state: 'done' | 'current' | 'ahead';
  readonly pays: Lamports;
  /** In place of the usual word for its state. */
  readonly word?: string | undefined;
  /** Of the current leg: when it began and how long it should take; nobody reports where it is. */
  readonly estimate?: { readonly since: Date; readonly minutes: number } | undefined;
  /** Stands under it, such as a check. */
  readonly more?: ReactNode;
}

const WORDS = { done: m('paid'), current: m('in transit'), ahead: m('to come') } as const;

interface Props {
  /** What is carried along it, for those who do not see it. */
  readonly label: string;
  /** What they are paid in. */
  readonly of: Asset;
  readonly legs: readonly StripLeg[];
  readonly from: ReactNode;
  readonly to: ReactNode;
  /** What is said where there are no legs. */
  readonly without: string;
  /** Nobody carries anything: the legs are as they were when it ended. */
  readonly isOver?: boolean;
}

/** The legs from origin to destination and who has the parcel; from the top down on a phone. */
export function Strip({ label, of, legs, from, to, without, isOver = false }: Props) {
  const isArrived = legs.length > 0 && legs.every(({ state }) => state === 'done');
  return (
    <div className={styles.whole}>
      <p className={styles.from}>{from}</p>
      <ol className={styles.strip} aria-label={label} data-over={isOver}>
        {legs.map((leg) => (
          <li key={leg.key} className={styles.leg} data-state={leg.state}>
            <Line leg={leg} isOver={isOver} />
            <p className={styles.who}>{leg.who}</p>
            <p className={styles.facts}>
              <Amount of={of} amount={leg.pays} />{' '}
              {isOver && leg.state !== 'done' ? t('not paid') : (leg.word ?? t(WORDS[leg.state]))}
            </p>
            {!isOver && leg.state === 'current' && leg.estimate && <Progress {...leg.estimate} />}
            {leg.more}
          </li>
        ))}
        {legs.length === 0 && (
          <li className={styles.leg} data-state="ahead">
            <span className={styles.line} aria-hidden="true">
              <span className={styles.stop} />
            </span>
            <p className={styles.facts}>{without}</p>
          </li>
        )}
        <li className={styles.end} data-state={isArrived ? 'done' : 'ahead'}>
          <span className={styles.stop} aria-hidden="true" />
          <span className="visually-hidden">{isArrived ? t('Arrived') : t('Destination')}</span>
        </li>
      </ol>
      <p className={styles.to}>{to}</p>
    </div>
  );
}

function Line({ leg, isOver }: { leg: StripLeg; isOver: boolean }) {
  const now = useNow();
  const share = leg.state === 'current' && leg.estimate && !isOver ? shareOf(leg.estimate, now) : 0;
  return (
    <span className={styles.line} aria-hidden="true">
      <span className={styles.stop} />
      {share > 0 && <span className={styles.progress} style={{ '--share': Math.min(share, 1) } as object} />}
    </span>
  );
}

/** How much of its time a leg has taken; above 1: more than it should have. */
export function shareOf({ since, minutes }: NonNullable<StripLeg['estimate']>, now: number): number {
  const elapsed = Math.max(0, now - since.getTime());
  return minutes === 0 ? 1 : elapsed / (minutes * 60_000);
}

function Progress({ since, minutes }: NonNullable<StripLeg['estimate']>) {
  const now = useNow();
  const left = since.getTime() + minutes * 60_000 - now;
  return (
    <p className={styles.facts}>
      {left >= 0
        ? t('estimated {percent} % of {minutes} min', {
            percent: Math.floor(shareOf({ since, minutes }, now) * 100),
            minutes,
          })
        : t('estimated to arrive {length} ago', { length: lengthOf(-left, 'dative') })}
    </p>
  );
}
