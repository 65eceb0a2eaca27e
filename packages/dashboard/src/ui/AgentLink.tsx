import { pagePath } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { useNames } from '../data/names.js';
import styles from './AgentLink.module.css';
import { shortened } from './shortened.js';

/** An agent in a sentence: by its name, or its key when none is known. */
export function AgentLink({ pubkey }: { pubkey: string }) {
  const names = useNames();
  return (
    <Link href={pagePath('agent', pubkey)} className={styles.agent} title={pubkey}>
      {names.get(pubkey) ?? shortened(pubkey)}
    </Link>
  );
}
