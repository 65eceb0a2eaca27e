import { type ReactNode, useId } from 'react';
import styles from './Panel.module.css';

/** A titled part of a page. @param beside stands at the right of its title */
export function Panel({ title, beside, children }: { title: string; beside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.panel}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {beside && <div className={styles.beside}>{beside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Facts as term and value, a row each. */
export function Facts({ of }: { of: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {of.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What stands where nothing is yet: what would be there, and how to make one. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className={styles.empty}>{children}</div>;
}
