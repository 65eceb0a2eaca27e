import { PAGES } from '@legwork/protocol/contract';
import { Link, useSearchParams } from 'wouter';
import type { Kind } from '../../data/legWords.js';
import { useRead } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { Connect } from '../../wallet/Connect.js';
import { PostForm } from './PostForm.js';
import styles from './post.module.css';
import { m, type Message, t } from '../../language.js';

const TITLES: Readonly<Record<Kind, Message>> = { package: m('Post a package'), task: m('Post a digital task') };
const PATHS: Readonly<Record<Kind, string>> = { package: PAGES.post, task: `${PAGES.post}?kind=task` };

/** A package or a digital task, from what it is to the listing on the ledger. Rule D-36. */
export default function Post() {
  const [search] = useSearchParams();
  const config = useRead('getConfig');
  const [kind, other]: readonly [Kind, Kind] =
    search.get('kind') === 'task' ? ['task', 'package'] : ['package', 'task'];
  return (
    <>
      <Heading title={t(TITLES[kind])} beside={<Link href={PATHS[other]}>{t(TITLES[other])}</Link>} />
      <div className={styles.page}>
        <Connect path={PATHS[kind]} />
        <Loaded query={config}>{(known) => <PostForm key={kind} config={known} kind={kind} />}</Loaded>
      </div>
    </>
  );
}
