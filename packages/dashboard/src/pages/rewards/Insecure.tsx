import { PAGES } from '@legwork/protocol/contract';
import { useRead } from '../../data/service.js';
import styles from './rewards.module.css';

/** For pages on which browsers allow no signing: where they do. */
export function Insecure() {
  const { data: config } = useRead('getConfig');
  const url = config?.publicUrl.startsWith('https:') ? config.publicUrl + PAGES.rewards : undefined;
  return (
    <p className={styles.notice}>
      This page came over plain http, where no wallet can sign. Open it{' '}
      {url ? (
        <>
          at <a href={url}>{url}</a>
        </>
      ) : (
        'over https, or at localhost'
      )}
      ; or claim by a program, see below.
    </p>
  );
}
