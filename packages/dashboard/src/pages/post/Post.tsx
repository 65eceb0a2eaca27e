import { PAGES } from '@legwork/protocol/contract';
import { useRead } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { Connect } from '../../wallet/Connect.js';
import { PostForm } from './PostForm.js';
import styles from './post.module.css';

/** A package, from what it is to the listing on the ledger. Rule D-36. */
export default function Post() {
  const config = useRead('getConfig');
  return (
    <>
      <Heading title="Post a package" />
      <div className={styles.page}>
        <Connect path={PAGES.post} />
        <Loaded query={config}>{(known) => <PostForm config={known} />}</Loaded>
      </div>
    </>
  );
}
