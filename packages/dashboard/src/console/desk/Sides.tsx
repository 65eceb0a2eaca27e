import { useRead } from '../../data/service.js';
import type { Subject } from '../../pages/turns/subject.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import styles from './desk.module.css';
import { t } from '../../language.js';

/** What who disputes is to the listing. */
export function disputerOf({ kind, leg, terms }: Subject): 'receiver' | 'shipper' | 'poster' {
  if (leg.disputerPubkey === terms.receiverPubkey) return 'receiver';
  return kind === 'package' ? 'shipper' : 'poster';
}

/** Who claims and who contradicts: names, careers, and what each has at stake. */
export function Sides({ subject }: { subject: Subject }) {
  const { kind, leg } = subject;
  return (
    <div className={styles.sides}>
      <Side
        subject={subject}
        title={t('The {kind, select, package {courier} other {agent}}, who claims', { kind })}
        pubkey={leg.agentPubkey}
      />
      <Side
        subject={subject}
        title={t('The {who, select, receiver {receiver} shipper {shipper} other {poster}}, who disputes', {
          who: disputerOf(subject),
        })}
        pubkey={leg.disputerPubkey}
      />
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
        <p>{t('The service does not say who that is.')}</p>
      ) : (
        <>
          <Facts of={[[t('Stakes'), <Amount isExact key="stakes" of={of} amount={stake} />]]} />
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
              [t('Key'), <Key key="key" value={pubkey} page="account" />],
              [t('Career'), t('None here: it has done no leg')],
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
            [t('Name'), displayName === null ? t('It gave none') : <bdi key="name">{displayName}</bdi>],
            [t('Key'), <Key key="key" value={pubkey} page="agent" />],
            [
              t('Reliability'),
              <ReliabilityBar key="score" percent={legsAccepted === 0 ? undefined : reliabilityScore} />,
            ],
            [
              t('Completed'),
              t('{completed} of {accepted} accepted', { completed: legsCompleted, accepted: legsAccepted }),
            ],
            [t('Lost'), history.legsLost],
          ]}
        />
      )}
    </Loaded>
  );
}
