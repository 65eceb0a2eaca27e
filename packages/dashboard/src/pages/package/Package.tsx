import { isUuid, PAGES } from '@legwork/protocol/contract';
import { type PackageDetail, LegworkApiError } from '@legwork/sdk';
import { lazy, Suspense } from 'react';
import { Link, useParams } from 'wouter';
import { stakesHeld } from '../../data/legWords.js';
import { useNames } from '../../data/names.js';
import { transactionCheck } from '../../data/escrowChecks.js';
import { useRead } from '../../data/service.js';
import { signatureOf } from '../../data/eventWords.js';
import { Boundary } from '../../ui/Boundary.js';
import { BoundPanel } from '../../ui/BoundPanel.js';
import { CheckOf, Checks } from '../../ui/Checks.js';
import { Heading } from '../../ui/Heading.js';
import { History } from '../../ui/History.js';
import { LongText } from '../../ui/LongText.js';
import { Loaded } from '../../ui/Loaded.js';
import { MoneyPanel, promisedTo } from '../../ui/MoneyPanel.js';
import { Empty } from '../../ui/Panel.js';
import { HandoffsPanel } from '../../ui/receipts/HandoffsPanel.js';
import { WayStatus } from '../../ui/WayStatus.js';
import { BidsPanel } from './BidsPanel.js';
import { checksOf } from './checksOf.js';
import { DecisionPanel } from './DecisionPanel.js';
import { FactsPanel } from './FactsPanel.js';
import styles from './Package.module.css';
import { Relay } from './Relay.js';
import { Turn } from './Turn.js';
import { t } from '../../language.js';

/** What its shipper can do comes after what everybody reads. */
const ShipperPanel = lazy(() => import('../mine/ShipperPanel.js'));

export default function Package() {
  const { packageId } = useParams<{ packageId: string }>();
  const parcel = useRead('getPackage', isUuid(packageId) ? { packageId } : 'nothing');
  const isUnknown = parcel.error instanceof LegworkApiError && parcel.error.status === 404;
  if (!isUuid(packageId)) return <Missing says={t('{id} is not a package id.', { id: packageId })} />;
  if (isUnknown && parcel.data === undefined) return <Missing says={t('No package has this id.')} />;
  return (
    <>
      {parcel.data === undefined && <Heading title={t('Package')} />}
      <Loaded query={parcel} rows={8}>
        {(detail) => <Shown parcel={detail} />}
      </Loaded>
    </>
  );
}

function Missing({ says }: { says: string }) {
  return (
    <>
      <Heading title={t('Package')} />
      <Empty>
        <p className={styles.missing}>{says}</p>
        <Link href={PAGES.packages}>{t('See all packages')}</Link>
      </Empty>
    </>
  );
}

/** Characters of a description that make a title. */
const TITLE_CHARACTERS = 90;

function titleOf(description: string): string {
  const line = description.trim().split('\n')[0] ?? '';
  return line.length <= TITLE_CHARACTERS ? line || t('Package') : `${line.slice(0, TITLE_CHARACTERS - 1)}…`;
}

function Shown({ parcel }: { parcel: PackageDetail }) {
  const { id, description, swarm, status } = parcel;
  const money = useRead('getPackageMoney', { packageId: id });
  // Asked for once a chain was chosen: before that there is no choice to read.
  const decision = useRead('getDecision', swarm ? { packageId: id, swarmId: swarm.id } : 'nothing');
  const names = useNames();
  const isUnderWay = status === 'in_transit' || status === 'swarm_forming';
  const promised = (isUnderWay ? (swarm?.legs ?? []) : [])
    .filter((leg) => leg.status === 'pending')
    .map((leg) => promisedTo({ ...leg, amount: leg.agreedPayment, note: t('on arrival') }, names));
  const title = titleOf(description);
  const refunded = money.data?.movements.find(({ what }) => what === 'refund')?.amount;
  return (
    <Checks of={checksOf(parcel, money.data, decision.data)}>
      <Heading title={title} beside={<State parcel={parcel} />} />
      <div className={styles.page}>
        <Turn parcel={parcel} refunded={refunded} />
        <Boundary>
          <Suspense>
            <ShipperPanel parcel={parcel} />
          </Suspense>
        </Boundary>
        {description !== title && <LongText text={description} />}
        <Relay parcel={parcel} />
        {swarm && <HandoffsPanel of={{ parcel }} />}
        <div className={styles.columns}>
          <MoneyPanel
            query={money}
            promised={promised}
            isUnderWay={isUnderWay}
            stakes={status === 'in_transit' ? stakesHeld(parcel.terms, swarm?.legs ?? []) : 0n}
          />
          {swarm && status !== 'listed' ? (
            <DecisionPanel parcel={parcel} query={decision} />
          ) : (
            <BidsPanel parcel={parcel} />
          )}
        </div>
        <History
          of={{ package: id }}
          signatureFor={(event) => (event.type === 'PACKAGE_FAILED' ? parcel.endSignature : signatureOf(event))}
          check={(signature) => <CheckOf id={transactionCheck(signature)} />}
        />
        <BoundPanel kind="package" of={parcel} legs={swarm?.legs ?? []} />
        <FactsPanel parcel={parcel} />
      </div>
    </Checks>
  );
}

function State({ parcel: { status, failureReason, swarm } }: { parcel: PackageDetail }) {
  return <WayStatus of={{ status, legs: swarm?.legs ?? [] }} reason={failureReason} />;
}
