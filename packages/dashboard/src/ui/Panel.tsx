import { type ReactNode, useEffect, useRef } from 'react';
import styles from './Panel.module.css';
import { useId } from './useId.js';

interface PanelProps {
  readonly title: string;
  /** Stands at the right of the title. */
  readonly beside?: ReactNode;
  /** Its title takes the focus when it appears: it is what a person asked for. */
  readonly takesFocus?: boolean;
  /** On a phone it is closed until somebody wants it. */
  readonly folds?: boolean;
  readonly children: ReactNode;
}

/** Where styles take a window for a phone's. */
const NARROW = '(width < 760px)';

/** A titled part of a page. */
export function Panel({ title, beside, takesFocus = false, folds = false, children }: PanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  if (folds && matchMedia(NARROW).matches) {
    return (
      <section aria-labelledby={id} className={styles.panel}>
        <details className={styles.folded}>
          <summary>
            <h2 id={id}>{title}</h2>
          </summary>
          {beside && <div className={styles.head}>{beside}</div>}
          {children}
        </details>
      </section>
    );
  }
  return (
    <section aria-labelledby={id} className={styles.panel}>
      <header className={styles.head}>
        <h2 id={id} ref={heading} tabIndex={takesFocus ? -1 : undefined}>
          {title}
        </h2>
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
