import { lazy, Suspense, useState } from 'react';
import type { OpenWork } from '@legwork/protocol/contract';
import { useList } from '../../data/service.js';
import { type Place, lastPlace } from '../../places/places.js';
import { PlaceField } from '../../places/PlaceField.js';
import { PlaceName } from '../../places/PlaceName.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Facts, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import type { Session } from '../../wallet/session.js';
import styles from './courier.module.css';
import { locale, t } from '../../language.js';

const BidForm = lazy(() => import('./BidForm.js'));
const RADIUS_KM = 25;

/** Parcels that start near a place, and take bids. */
export function Near({ session }: { session: Session | undefined }) {
  const [place, setPlace] = useState<Place | undefined>(lastPlace);
  return (
    <Panel title={t('Parcels near you')}>
      <PlaceField label={t('Near')} fault={undefined} place={place} change={setPlace} />
      {place ? (
        <Found place={place} session={session} />
      ) : (
        <Empty>
          <p>{t('Enter a place to see parcels that start within {km} km of it.', { km: RADIUS_KM })}</p>
        </Empty>
      )}
    </Panel>
  );
}

function Found({ place: { lat, lng }, session }: { place: Place; session: Session | undefined }) {
  const work = useList('findWork', { near: `${lat},${lng}`, radiusKm: RADIUS_KM });
  return (
    <Loaded query={work} rows={4}>
      {(items) => (
        <>
          {items.length === 0 && (
            <Empty>
              <p>{t('No parcel near here is open for bids.')}</p>
            </Empty>
          )}
          {items.map((one) => (
            <Work key={one.legId ?? one.packageId} of={one} session={session} />
          ))}
          <More of={work} />
        </>
      )}
    </Loaded>
  );
}

/** A measure without its unit. @param digits after the decimal mark; left out: as many as it has */
const figure = (measure: number | null, digits?: number): string =>
  measure?.toLocaleString(locale, {
    useGrouping: false,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits ?? 20,
  }) ?? '?';

function Work({ of, session }: { of: OpenWork; session: Session | undefined }) {
  const { text, maxPay, distanceKm, weightKg, stake, closesAt, originLat, originLng, destLat, destLng } = of;
  if (originLat === null || originLng === null || destLat === null || destLng === null) return null;
  const way = { from: { lat: originLat, lng: originLng }, to: { lat: destLat, lng: destLng } };
  return (
    <div className={styles.found}>
      <h3>{text}</h3>
      <Facts
        of={[
          [t('From'), <PlaceName key="from" of={way.from} />],
          [t('To'), <PlaceName key="to" of={way.to} />],
          [t('Distance, weight'), `${figure(distanceKm, 1)} km, ${figure(weightKg)} kg`],
          [t('Pays up to'), <Amount key="pays" of={of} amount={maxPay} />],
          ...(stake > 0n ? [[t('You stake'), <Amount key="stake" of={of} amount={stake} />] as const] : []),
          [t('Bids until'), <Time key="closes" at={closesAt} />],
        ]}
      />
      {session && (
        <Suspense fallback={null}>
          <BidForm of={of} way={way} session={session} />
        </Suspense>
      )}
    </div>
  );
}
