import type { LookupMatch } from '@legwork/protocol/contract';
import { pagePath } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { useRead } from '../../data/service.js';
import styles from './ledger.module.css';

const FIELDS: Readonly<Record<LookupMatch['field'], string>> = {
  id: '',
  signature: '',
  agentPubkey: '',
  onChainPackage: 'Account of ',
  onChainVault: 'Vault of ',
  onChainSwarm: 'Chain of couriers of ',
  onChainLeg: 'Leg of ',
  onChainTask: 'Account of ',
  onChainPDA: 'Reputation of ',
};

/** What a signature or an address is about here, by the service's word. @param text what is looked up */
export function About({ text }: { text: string }) {
  const { data, error } = useRead('lookup', { text });
  if (error) return <span className={styles.dim}>The service could not say</span>;
  if (data === undefined) return <span className={styles.dim}>…</span>;
  if (data.matches.length === 0) return <span className={styles.dim}>Nothing that this service knows</span>;
  return (
    <ul className={styles.about}>
      {data.matches.map((match) => (
        <li key={`${match.kind} ${match.id} ${match.field}`}>
          {FIELDS[match.field]}
          <Subject of={match} />
        </li>
      ))}
    </ul>
  );
}

function Subject({ of: { kind, id, packageId, taskId, title } }: { of: LookupMatch }) {
  if (packageId !== null) return <Link href={pagePath('package', packageId)}>{`package “${title ?? packageId}”`}</Link>;
  if (taskId !== null) return <Link href={pagePath('task', taskId)}>{`digital task “${title ?? taskId}”`}</Link>;
  if (kind === 'agent') return <Link href={pagePath('agent', id)}>{`agent ${title ?? id}`}</Link>;
  return <>{title ?? 'No single package or task'}</>;
}
