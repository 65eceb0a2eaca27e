import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import styles from './Heading.module.css';

/**
 * The title of a page, which also names the browser's tab, and gets the focus after a navigation.
 *
 * @param beside stands at its right: a status, an action
 * @param says what the page is, and what can be done on it
 */
export function Heading({ title, beside, says }: { title: string; beside?: ReactNode; says?: string }) {
  useEffect(() => {
    document.title = title === 'Legwork' ? title : `${title} · Legwork`;
  }, [title]);
  const [location] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Where readers of the screen go on; the first page is left as the browser has it, and who types goes on typing.
    const { activeElement, body } = document;
    if (shownAt !== undefined && shownAt !== location) focusedAt = location;
    // The heading of what is loading goes, and the focus with it.
    const isLost = shownAt !== location || activeElement === body || activeElement?.id === 'main';
    const isTyping = activeElement?.matches('input, textarea, select');
    if (focusedAt === location && isLost && !isTyping) heading.current?.focus({ preventScroll: true });
    shownAt = location;
  }, [location]);
  return (
    <header className={styles.heading}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {beside}
      {says !== undefined && <p className={styles.says}>{says}</p>}
    </header>
  );
}

/** The path of the page that was shown last. */
let shownAt: string | undefined;
/** The path of the page whose heading has, or had, the focus. */
let focusedAt: string | undefined;
