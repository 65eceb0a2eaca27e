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

const BidForm = lazy(() => import('./BidForm.js'));
const RADIUS_KM = 25;

/** Parcels that start near a place, and take bids. */
export function Near({ session }: { session: Session | undefined }) {
  const [place, setPlace] = useState<Place | undefined>(lastPlace);
  return (
    <Panel title="Parcels near you">
      <PlaceField label="Near" fault={undefined} place={place} change={setPlace} />
      {place ? (
        <Found place={place} session={session} />
      ) : (
        <Empty>
          <p>Enter a place to see parcels that start within {RADIUS_KM} km of it.</p>
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
              <p>No parcel near here is open for bids.</p>
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

function Work({ of, session }: { of: OpenWork; session: Session | undefined }) {
  const { text, maxPay, distanceKm, weightKg, stake, closesAt, originLat, originLng, destLat, destLng } = of;
  if (originLat === null || originLng === null || destLat === null || destLng === null) return null;
  const way = { from: { lat: originLat, lng: originLng }, to: { lat: destLat, lng: destLng } };
  return (
    <div className={styles.found}>
      <h3>{text}</h3>
      <Facts
        of={[
          ['From', <PlaceName key="from" of={way.from} />],
          ['To', <PlaceName key="to" of={way.to} />],
          ['Distance, weight', `${distanceKm?.toFixed(1) ?? '?'} km, ${weightKg ?? '?'} kg`],
          ['Pays up to', <Amount key="pays" of={of} amount={maxPay} />],
          ...(stake > 0n ? [['You stake', <Amount key="stake" of={of} amount={stake} />] as const] : []),
          ['Bids until', <Time key="closes" at={closesAt} />],
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
