import { pagePath } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import styles from './Title.module.css';

const KINDS = { package: 'Package', task: 'Task' } as const;

/** What a package or a task is called where its text is empty or not known: the end of its id, which a search finds. */
export const untitled = (page: keyof typeof KINDS, id: string): string => `${KINDS[page]} ${id.slice(-6)}`;

/** A package or a task by what its poster calls it, cut to a line; it leads to its page. */
export function Title({ page, id, text }: { page: keyof typeof KINDS; id: string; text: string }) {
  const title = text.trim();
  return (
    <Link href={pagePath(page, id)} className={styles.title} title={title}>
      <bdi>{title || untitled(page, id)}</bdi>
    </Link>
  );
}
