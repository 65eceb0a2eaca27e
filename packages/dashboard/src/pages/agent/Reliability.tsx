import type { AgentProfile } from '@legwork/sdk';
import { Facts, Panel } from '../../ui/Panel.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import styles from './Agent.module.css';
import { trustWords } from './trustWords.js';

/** What the ledger counts, and what the market makes of it. */
export function Reliability({ agent }: { agent: AgentProfile }) {
  const { reputation, history } = agent;
  const { legsAccepted, legsCompleted, reliabilityScore } = reputation;
  return (
    <Panel title="Reliability" beside={<ReliabilityBar percent={legsAccepted === 0 ? undefined : reliabilityScore} />}>
      <div className={styles.stack}>
        {trustWords(agent).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <Facts
          of={[
            ['Accepted', legsAccepted],
            ['Completed', legsCompleted],
            ['Under way', history.legsPending],
            ['Lost', history.legsLost],
          ]}
        />
      </div>
    </Panel>
  );
}
