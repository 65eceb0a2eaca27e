import { greatCircleKm, type Leg, type PackageDetail } from '@legwork/sdk';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { transactionCheck } from '../../data/escrowChecks.js';
import { useNames } from '../../data/names.js';
import { Panel } from '../../ui/Panel.js';
import { Strip, type StripLeg } from '../../ui/Strip.js';

/** `52.5212, 13.3969`: latitude and longitude to the precision that anybody carries to. */
const placeOf = (lat: number, lng: number): string => `${lat.toFixed(4)}, ${lng.toFixed(4)}`;

/** The way of a package: its legs and who has it, or before there is a chain, where it goes. */
export function Relay({ parcel }: { parcel: PackageDetail }) {
  const names = useNames();
  const { swarm, originLat, originLng, destLat, destLng, status } = parcel;
  const km = greatCircleKm({ lat: originLat, lng: originLng }, { lat: destLat, lng: destLng });
  // What was chosen and never came onto the ledger carries nothing.
  const isBegun = status !== 'listed' && (status !== 'failed' || swarm?.formSignature !== null);
  const { legs, completedLegs } = isBegun && swarm ? swarm : { legs: [], completedLegs: 0 };
  return (
    <Panel title="Relay" beside={`${km.toFixed(1)} km in a straight line`}>
      <Strip
        label="Legs"
        legs={legs.map((leg) => legOf(leg, completedLegs, names.get(leg.agentPubkey)))}
        from={placeOf(originLat, originLng)}
        to={placeOf(destLat, destLng)}
        without={status === 'failed' ? 'It ended before a chain carried it.' : 'No chain carries it yet.'}
        isOver={status === 'failed'}
      />
    </Panel>
  );
}

function legOf(leg: Leg, completedLegs: number, name: string | undefined): StripLeg {
  const isCurrent = leg.startedAt !== null && leg.legIndex === completedLegs;
  return {
    key: leg.id,
    who: <Key value={leg.agentPubkey} page="agent" name={name} />,
    state: leg.status === 'completed' ? 'done' : isCurrent ? 'current' : 'ahead',
    lamports: leg.agreedPaymentLamports,
    more: leg.confirmSignature && <CheckOf id={transactionCheck(leg.confirmSignature)} />,
    estimate: leg.startedAt ? { since: leg.startedAt, minutes: leg.estimatedDurationMin } : undefined,
  };
}
