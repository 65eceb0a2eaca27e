import { greatCircleKm, type Leg, type PackageDetail, type Swarm } from '@legwork/sdk';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { transactionCheck } from '../../data/escrowChecks.js';
import { useNames } from '../../data/names.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Strip, type StripLeg } from '../../ui/Strip.js';

/** `52.5212, 13.3969`: latitude and longitude to the precision that anybody carries to. */
const placeOf = (lat: number, lng: number): string => `${lat.toFixed(4)}, ${lng.toFixed(4)}`;

/** The way of a package: its legs and who has it, or before there is a chain, where it goes. */
export function Relay({ parcel }: { parcel: PackageDetail }) {
  const names = useNames();
  const { swarm, originLat, originLng, destLat, destLng, status } = parcel;
  const from = placeOf(originLat, originLng);
  const to = placeOf(destLat, destLng);
  const km = greatCircleKm({ lat: originLat, lng: originLng }, { lat: destLat, lng: destLng });
  const isShown = swarm && swarm.status !== 'failed';
  return (
    <Panel title="Relay" beside={`${km.toFixed(1)} km in a straight line`}>
      {isShown || (swarm && status === 'failed') ? (
        <Strip
          label="Legs"
          legs={swarm.legs.map((leg) => legOf(leg, swarm, names.get(leg.agentPubkey)))}
          from={from}
          to={to}
          isOver={status === 'failed'}
        />
      ) : (
        <Empty>
          <p>
            {from} → {to}
          </p>
          <p>{status === 'failed' ? 'It ended before a chain was chosen.' : 'No chain of couriers carries it yet.'}</p>
        </Empty>
      )}
    </Panel>
  );
}

function legOf(leg: Leg, swarm: Swarm, name: string | undefined): StripLeg {
  const isCurrent = swarm.status !== 'forming' && leg.legIndex === swarm.completedLegs;
  const since = swarm.legs[leg.legIndex - 1]?.completedAt;
  return {
    key: leg.id,
    who: <Key value={leg.agentPubkey} page="agent" name={name} />,
    state: leg.status === 'completed' ? 'done' : isCurrent ? 'current' : 'ahead',
    lamports: leg.agreedPaymentLamports,
    more: leg.confirmSignature && <CheckOf id={transactionCheck(leg.confirmSignature)} />,
    estimate: since ? { since, minutes: leg.estimatedDurationMin } : undefined,
  };
}
