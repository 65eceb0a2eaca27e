import { amountTold, type LegworkEvent, type Relay, toLamports } from '@legwork/protocol/contract';
import { estimatedDurationMin, greatCircleKm } from '@legwork/protocol/rules';

/**
 * Relays after an event whose payload says all that changed; after any other the same rows. It may come twice, or after an
 * answer that has it already: then nothing changes. Rule D-7.
 */
export function afterEvent(relays: readonly Relay[], event: LegworkEvent): readonly Relay[] {
  if (event.type === 'LEG_CONFIRMED') return changed(relays, event.packageId, (relay) => handedOn(relay, event));
  if (event.type === 'LEG_CARRIED') return changed(relays, event.packageId, (relay) => pickedUp(relay, event));
  if (event.type === 'PACKAGE_DELIVERED') return changed(relays, event.packageId, delivered);
  if (event.type === 'PACKAGE_FAILED')
    return relays.some(({ id }) => id === event.packageId) ? relays.filter(({ id }) => id !== event.packageId) : relays;
  return relays;
}

function changed(relays: readonly Relay[], id: string | undefined, change: (relay: Relay) => Relay): readonly Relay[] {
  const at = relays.findIndex((relay) => relay.id === id);
  const relay = relays[at];
  if (relay === undefined) return relays;
  const next = change(relay);
  return next === relay ? relays : relays.with(at, next);
}

function handedOn(relay: Relay, event: Extract<LegworkEvent, { type: 'LEG_CONFIRMED' }>): Relay {
  const { legIndex, agentPubkey, occurredAt } = event;
  const leg = relay.legs[legIndex];
  // Of another chain, or known already.
  if (leg?.agentPubkey !== agentPubkey || leg.status === 'completed') return relay;
  const following = relay.legs[legIndex + 1];
  // With terms an event of its own says that the next one has it.
  const next = following?.stage === null ? following : undefined;
  const stage = leg.stage && 'completed';
  return {
    ...relay,
    legs: relay.legs.with(legIndex, { ...leg, status: 'completed', stage, completedAt: occurredAt }),
    completedLegs: legIndex + 1,
    holder: next?.agentPubkey ?? null,
    legStartedAt: next ? occurredAt : null,
    estimatedDurationMin: next ? usualDuration(next) : null,
    paid: toLamports(relay.paid + (amountTold(event, 'payment') ?? 0n)),
  };
}

function pickedUp(relay: Relay, event: Extract<LegworkEvent, { type: 'LEG_CARRIED' }>): Relay {
  const { legIndex, agentPubkey, occurredAt } = event;
  const leg = relay.legs[legIndex];
  const isNews = leg?.agentPubkey === agentPubkey && (leg.stage === 'pending' || leg.stage === 'accepted');
  if (!isNews) return relay;
  return {
    ...relay,
    legs: relay.legs.with(legIndex, { ...leg, stage: 'carried' }),
    holder: agentPubkey,
    legStartedAt: occurredAt,
    estimatedDurationMin: usualDuration(leg),
  };
}

/** What the courier itself said is not in the event; the next reading has it. */
function usualDuration({ pickupLat, pickupLng, dropoffLat, dropoffLng }: Relay['legs'][number]): number {
  return estimatedDurationMin(greatCircleKm({ lat: pickupLat, lng: pickupLng }, { lat: dropoffLat, lng: dropoffLng }));
}

function delivered(relay: Relay): Relay {
  if (relay.status === 'delivered') return relay;
  return { ...relay, status: 'delivered', holder: null, legStartedAt: null, estimatedDurationMin: null };
}
