import type { Asset, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Amount } from './Amount.js';
import styles from './MoneyBar.module.css';

/** A share of an escrow. */
export interface MoneyShare {
  readonly key: string;
  readonly name: ReactNode;
  readonly amount: Lamports;
  /** `paid`: to who earned it; `promised`: it will be, once earned; `back`: it returned; `held`: nobody's yet. */
  readonly look: 'paid' | 'promised' | 'back' | 'held';
  /** Stands after the amount. */
  readonly note?: string;
}

/** An escrow by whose it is. The names stand under the bar, where they can be read. */
export function MoneyBar({ of, shares }: { of: Asset; shares: readonly MoneyShare[] }) {
  const shown = shares.filter(({ amount }) => amount > 0n);
  return (
    <div>
      <div className={styles.bar} aria-hidden="true">
        {shown.map(({ key, look, amount }) => (
          <span key={key} className={styles.share} data-look={look} style={{ flexGrow: Number(amount) }} />
        ))}
      </div>
      <ul className={styles.names}>
        {shown.map(({ key, look, name, amount, note }) => (
          <li key={key}>
            <span className={styles.mark} data-look={look} aria-hidden="true" />
            <span className={styles.name}>{name}</span>
            <Amount of={of} amount={amount} />
            {note && <span className={styles.note}>{note}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
