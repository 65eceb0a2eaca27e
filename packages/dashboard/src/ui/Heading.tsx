import { type ReactNode, useEffect } from 'react';
import styles from './Heading.module.css';

/**
 * The title of a page, which also names the browser's tab, and gets the focus after a navigation.
 *
 * @param beside stands at its right: a status, an action
 */
export function Heading({ title, beside }: { title: string; beside?: ReactNode }) {
  useEffect(() => {
    document.title = title === 'Legwork' ? title : `${title} · Legwork`;
  }, [title]);
  return (
    <header className={styles.heading}>
      <h1 tabIndex={-1}>{title}</h1>
      {beside}
    </header>
  );
}
