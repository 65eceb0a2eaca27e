import { clockedListing, isPickedUp } from '@legwork/protocol/rules';
import { greatCircleKm, type Leg, type PackageDetail } from '@legwork/sdk';
import { PlaceName } from '../../places/PlaceName.js';
import { transactionCheck } from '../../data/escrowChecks.js';
import { stageWord } from '../../data/legWords.js';
import { useNames } from '../../data/names.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { LegClock } from '../../ui/LegClock.js';
import { Panel } from '../../ui/Panel.js';
import { Strip, type StripLeg } from '../../ui/Strip.js';
import { MarketMap } from '../../map/MarketMap.js';
import type { OnMap } from '../../map/route.js';
import styles from './Package.module.css';
import { locale, t } from '../../language.js';

/** The way of a package: its legs and who has it, or before there is a chain, where it goes. */
export function Relay({ parcel }: { parcel: PackageDetail }) {
  const names = useNames();
  const { swarm, originLat, originLng, destLat, destLng, status } = parcel;
  const km = greatCircleKm({ lat: originLat, lng: originLng }, { lat: destLat, lng: destLng });
  // What was chosen and never came onto the ledger carries nothing.
  const isBegun = status !== 'listed' && (status !== 'failed' || swarm?.formSignature !== null);
  const { legs, completedLegs } = isBegun && swarm ? swarm : { legs: [], completedLegs: 0 };
  return (
    <Panel title={t('Relay')} beside={t('{distance} in a straight line', { distance: kmTold(km) })}>
      <Strip
        label={t('Legs')}
        of={parcel}
        legs={legs.map((leg) => ({
          ...legOf(leg, completedLegs),
          who: <Key value={leg.agentPubkey} page="agent" name={names.get(leg.agentPubkey)} />,
          more: <Below leg={leg} parcel={parcel} />,
        }))}
        from={<PlaceName of={{ lat: originLat, lng: originLng }} />}
        to={<PlaceName of={{ lat: destLat, lng: destLng }} />}
        without={status === 'failed' ? t('It ended before any courier carried it.') : t('No couriers chosen yet.')}
        isOver={status === 'failed'}
      />
      <div className={styles.map}>
        <MarketMap label={t('Map of the route')} relays={[onMap(parcel, legs)]} selected={parcel.id} />
      </div>
    </Panel>
  );
}

/** A distance to a tenth. @param km kilometres */
export const kmTold = (km: number): string =>
  `${km.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false })} km`;

/** The package as the map draws it. */
function onMap({ id, status, ...of }: PackageDetail, legs: readonly Leg[]): OnMap {
  const completedLegs = legs.filter((leg) => leg.status === 'completed').length;
  const current = status === 'in_transit' ? legs[completedLegs] : undefined;
  return {
    id,
    status: status === 'failed' || status === 'delivered' ? status : legs.length > 0 ? 'in_transit' : 'listed',
    originLat: of.originLat,
    originLng: of.originLng,
    destLat: of.destLat,
    destLng: of.destLng,
    legs,
    completedLegs,
    legStartedAt: (current && setOutOf(current)) ?? null,
    estimatedDurationMin: current?.estimatedDurationMin ?? null,
  };
}

/** With terms a courier set out when it picked the parcel up, and who claims to be there walks no longer. */
const setOutOf = ({ stage, since, startedAt }: Leg): Date | null =>
  stage === 'carried' ? since : stage === null ? startedAt : null;

function legOf(leg: Leg, completedLegs: number): Omit<StripLeg, 'who'> {
  const isTurn = leg.startedAt !== null && leg.legIndex === completedLegs;
  const isCurrent = leg.stage === null ? isTurn : isPickedUp(leg.stage);
  const setOut = setOutOf(leg);
  return {
    key: leg.id,
    state: leg.status === 'completed' ? 'done' : isCurrent ? 'current' : 'ahead',
    pays: leg.paid ?? leg.agreedPayment,
    word: leg.stage === null ? undefined : stageWord(leg.stage, leg.percent),
    estimate: setOut ? { since: setOut, minutes: leg.estimatedDurationMin } : undefined,
  };
}

/** The clock of a leg that has one, and the check of its payment. */
function Below({ leg, parcel }: { leg: Leg; parcel: PackageDetail }) {
  return (
    <>
      <LegClock listing={parcel.status === 'in_transit' ? clockedListing(parcel) : null} index={leg.legIndex} />
      {leg.confirmSignature && <CheckOf id={transactionCheck(leg.confirmSignature)} />}
    </>
  );
}
