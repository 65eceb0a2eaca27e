import { pagePath, PAGES } from '@legwork/protocol/contract';
import type { Leg } from '@legwork/sdk';
import { Link } from 'wouter';
import { Notices } from '../../door/Notices.js';
import { stageWord } from '../../data/legWords.js';
import { useList, useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Distance, Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { ReceiveStep } from '../mine/ReceiveStep.js';
import { useSubject } from '../turns/subject.js';
import styles from './courier.module.css';
import { LegStep } from './LegStep.js';
import { m, t } from '../../language.js';

/** The legs of parcels that this key carries or is to carry, each with the one thing that is next. */
export default function MyLegs({ session }: { session: Session }) {
  const agentPubkey = session.account.address;
  const legs = useList('listAgentLegs', { agentPubkey, status: 'pending' });
  // What silence costs is told of those that a clock runs for.
  const turns = useList('listTurns', { pubkey: agentPubkey });
  return (
    <Loaded query={legs} rows={3}>
      {(items) => (
        <div className={styles.list}>
          {items.map(
            (leg) =>
              leg.kind === 'physical' && (
                <MyLeg
                  key={leg.id}
                  packageId={leg.packageId}
                  legId={leg.id}
                  silence={turns.data?.find(({ legId }) => legId === leg.id)?.silence}
                  session={session}
                />
              ),
          )}
          <More of={legs} />
          <Panel title={t('Notices')}>
            <Notices session={session} />
          </Panel>
        </div>
      )}
    </Loaded>
  );
}

interface MyLegProps {
  readonly packageId: string;
  readonly legId: string;
  /** What it costs to do nothing; undefined: nothing now. */
  readonly silence: string | undefined;
  readonly session: Session;
}

function MyLeg({ packageId, legId, silence, session }: MyLegProps) {
  const subject = useSubject('package', packageId, legId);
  const parcel = useRead('getPackage', { packageId });
  const leg = parcel.data?.swarm?.legs.find(({ id }) => id === legId);
  if (!parcel.data || !leg) return null;
  const { stage, until, legIndex, agreedPayment } = leg;
  return (
    <Panel
      title={
        stage
          ? t('My leg {number}: {stage}', { number: legIndex + 1, stage: stageWord(stage, null) })
          : t('My leg {number}', { number: legIndex + 1 })
      }
      beside={until && <Distance to={until} />}
    >
      <div className={form.step}>
        <Facts
          of={[
            [t('Parcel'), <Title key="of" page="package" id={packageId} text={parcel.data.description} />],
            [t('Pays you'), <Amount key="pays" of={parcel.data} amount={agreedPayment} />],
            ...(until ? [[t('Until'), <Time key="until" at={until} />] as const] : []),
            ...(silence ? [[t('If you do nothing'), `${t(silence)}.`] as const] : []),
          ]}
        />
        <Way leg={leg} />
        {subject.data ? (
          <LegStep leg={leg} session={session} subject={subject.data} parcel={parcel.data} />
        ) : (
          <>
            <p>{t(WITHOUT_TERMS)}</p>
            <ReceiveStep parcel={parcel.data} session={session} />
          </>
        )}
        <Link href={subject.data ? PAGES.turns : pagePath('package', packageId)}>{t('All other actions')}</Link>
      </div>
    </Panel>
  );
}

const WITHOUT_TERMS = m(
  'This parcel has no terms. Pick it up, or confirm here that you have it from the previous courier. Whoever takes it over from you confirms with their own wallet, which pays you. Or scan a code above.',
);

/** Where it is picked up and brought to, for the phone's own map. */
function Way({ leg }: { leg: Leg }) {
  const to = (lat: number, lng: number) => `geo:${lat},${lng}?q=${lat},${lng}`;
  return (
    <p className={form.buttons}>
      <a href={to(leg.pickupLat, leg.pickupLng)}>{t('Directions to the pickup')}</a>
      <a href={to(leg.dropoffLat, leg.dropoffLng)}>{t('Directions to the drop-off')}</a>
    </p>
  );
}
