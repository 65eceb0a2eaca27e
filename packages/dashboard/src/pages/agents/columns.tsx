import type { ListedAgent } from '@legwork/protocol/contract';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import type { Column } from '../../ui/Table.js';
import { Distance } from '../../ui/Time.js';
import styles from './Agents.module.css';

/** An agent and its place in the order that was asked for. */
type Ranked = ListedAgent & { readonly rank: number };

export const COLUMNS: readonly Column<Ranked>[] = [
  { name: '#', show: ({ rank }) => <span className={styles.dim}>{rank}</span>, isFigure: true, isWide: true },
  {
    name: 'Agent',
    show: ({ agentPubkey, displayName }) => <Key value={agentPubkey} page="agent" name={displayName} />,
    isFirst: true,
  },
  {
    name: 'Reliability',
    show: ({ reputation }) => (
      <ReliabilityBar percent={reputation.legsAccepted === 0 ? undefined : reputation.reliabilityScore} />
    ),
  },
  {
    name: 'Legs done',
    show: ({ reputation: { legsCompleted, legsAccepted } }) => (
      <>
        {legsCompleted} <span className={styles.dim}>of {legsAccepted}</span>
      </>
    ),
    isFigure: true,
  },
  { name: 'Earned', show: ({ earnedLamports }) => <Amount lamports={earnedLamports} />, isFigure: true },
  {
    name: 'Last done',
    show: ({ lastCompletedAt }) =>
      lastCompletedAt ? <Distance to={lastCompletedAt} /> : <span className={styles.dim}>never</span>,
  },
  { name: 'Capabilities', show: ({ capabilities }) => capabilities.join(', '), isWide: true },
];
