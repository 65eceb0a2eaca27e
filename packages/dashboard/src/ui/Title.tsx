import { pagePath } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import type { Kind } from '../data/legWords.js';
import styles from './Title.module.css';
import { t } from '../language.js';

/** What a package or a task is called where its text is empty or not known: the end of its id, which a search finds. */
export const untitled = (page: Kind, id: string): string =>
  t('{page, select, package {Package} other {Task}} {end}', { page, end: id.slice(-6) });

/** A package or a task by what its poster calls it, cut to a line; it leads to its page. */
export function Title({ page, id, text }: { page: Kind; id: string; text: string }) {
  const title = text.trim();
  return (
    <Link href={pagePath(page, id)} className={styles.title} title={title}>
      <bdi>{title || untitled(page, id)}</bdi>
    </Link>
  );
}
