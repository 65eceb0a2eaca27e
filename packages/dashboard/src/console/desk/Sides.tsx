import { PARTS } from '../../data/legWords.js';
import { useRead } from '../../data/service.js';
import type { Subject } from '../../pages/turns/subject.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import styles from './desk.module.css';

/** What who disputes is to the listing. */
export const disputerOf = ({ kind, leg, terms }: Subject): string =>
  leg.disputerPubkey === terms.receiverPubkey ? 'receiver' : PARTS[kind].lister;

/** Who claims and who contradicts: names, careers, and what each has at stake. */
export function Sides({ subject }: { subject: Subject }) {
  const { kind, leg } = subject;
  return (
    <div className={styles.sides}>
      <Side subject={subject} title={`The ${PARTS[kind].worker}, who claims`} pubkey={leg.agentPubkey} />
      <Side subject={subject} title={`The ${disputerOf(subject)}, who disputes`} pubkey={leg.disputerPubkey} />
    </div>
  );
}

interface SideProps {
  readonly subject: Subject;
  readonly title: string;
  readonly pubkey: string | null;
}

function Side({ subject: { stake, of }, title, pubkey }: SideProps) {
  return (
    <Panel title={title}>
      {pubkey === null ? (
        <p>The service does not say who that is.</p>
      ) : (
        <>
          <Facts of={[['Stakes', <Amount isExact key="stakes" of={of} amount={stake} />]]} />
          <Career pubkey={pubkey} />
        </>
      )}
    </Panel>
  );
}

/** Of a key that the ledger has no reputation of the service knows no career, and says so as an error: it is not asked. */
function Career({ pubkey }: { pubkey: string }) {
  const reputation = useRead('getReputation', { agentPubkey: pubkey });
  return (
    <Loaded query={reputation} rows={3}>
      {({ mirroredAt }) =>
        mirroredAt === null ? (
          <Facts
            of={[
              ['Key', <Key key="key" value={pubkey} page="account" />],
              ['Career', 'None here: it has done no leg'],
            ]}
          />
        ) : (
          <Known pubkey={pubkey} />
        )
      }
    </Loaded>
  );
}

function Known({ pubkey }: { pubkey: string }) {
  const agent = useRead('getAgent', { agentPubkey: pubkey });
  return (
    <Loaded query={agent} rows={5}>
      {({ displayName, reputation: { legsAccepted, legsCompleted, reliabilityScore }, history }) => (
        <Facts
          of={[
            ['Name', displayName === null ? 'It gave none' : <bdi key="name">{displayName}</bdi>],
            ['Key', <Key key="key" value={pubkey} page="agent" />],
            ['Reliability', <ReliabilityBar key="score" percent={legsAccepted === 0 ? undefined : reliabilityScore} />],
            ['Completed', `${legsCompleted} of ${legsAccepted} accepted`],
            ['Lost', history.legsLost],
          ]}
        />
      )}
    </Loaded>
  );
}
