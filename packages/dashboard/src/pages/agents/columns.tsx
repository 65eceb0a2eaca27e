import type { ListedAgent } from '@legwork/protocol/contract';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import type { Column } from '../../ui/Table.js';
import { shortened } from '../../ui/shortened.js';
import { Distance } from '../../ui/Time.js';
import styles from './Agents.module.css';

/** An agent and its place in the order that was asked for. */
type Ranked = ListedAgent & { readonly rank: number };

export const COLUMNS: readonly Column<Ranked>[] = [
  { name: '#', show: ({ rank }) => <span className={styles.dim}>{rank}</span>, isFigure: true, isWide: true },
  {
    name: 'Agent',
    show: ({ agentPubkey, displayName }) => (
      <span className={styles.agent}>
        <Key value={agentPubkey} page="agent" name={displayName} />
        {/* Anybody may take any name. */}
        {displayName !== null && <code className={styles.dim}>{shortened(agentPubkey)}</code>}
      </span>
    ),
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
  { name: 'Capabilities', show: ({ capabilities }) => <Capabilities all={capabilities} />, isWide: true },
];

const SHOWN_CAPABILITIES = 3;

/** The first ones; all of them on hover, and on the agent's page. */
function Capabilities({ all }: { all: readonly string[] }) {
  const more = all.length - SHOWN_CAPABILITIES;
  return (
    <span className={styles.capabilities} title={all.join(', ')}>
      <bdi>{all.slice(0, SHOWN_CAPABILITIES).join(', ')}</bdi>
      {more > 0 && ` +${more}`}
    </span>
  );
}
