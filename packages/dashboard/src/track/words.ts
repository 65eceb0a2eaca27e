import { LegworkApiError } from '@legwork/sdk';
import { lastLeg } from './door.js';
import type { Parcel, ParcelLeg } from './service.js';

/** What there is for the consignee to do: at the door it signs; claimed: the courier says that it is there. */
export type Moment = 'waiting' | 'door' | 'claimed' | 'disputed' | 'over';

/** Where a delivery stands, for who waits for it. */
export interface Standing {
  readonly moment: Moment;
  readonly title: string;
  readonly says: string;
}

/** Says in two sentences where a delivery stands. */
export function standingOf(parcel: Parcel): Standing {
  const { status, failureReason, swarm } = parcel;
  if (status === 'delivered') return over('It has arrived', deliveredAs(parcel));
  if (status === 'failed') {
    return failureReason === 'cancelled'
      ? over('The shipper cancelled it', 'It will not be delivered, and this link ends here.')
      : over('It did not arrive', 'It missed its deadline, and the shipper has taken the rest of the budget back.');
  }
  const leg = swarm?.legs.find((one) => one.status !== 'completed');
  if (status !== 'in_transit' || swarm === null || leg === undefined) {
    return waiting('No courier yet', 'Couriers can bid for it. You will see here who brings it.');
  }
  return underWay(leg, swarm.legs.length, leg === lastLeg(parcel));
}

const over = (title: string, says: string): Standing => ({ moment: 'over', title, says });
const waiting = (title: string, says: string): Standing => ({ moment: 'waiting', title, says });

function deliveredAs(parcel: Parcel): string {
  const { percent, completedAt } = lastLeg(parcel) ?? {};
  if (percent !== null && percent !== undefined) return `After a dispute the courier was paid ${percent} %.`;
  return completedAt ? `The last courier was paid on ${timeOf(completedAt)}.` : 'Every courier was paid.';
}

function underWay(leg: ParcelLeg, legs: number, isLast: boolean): Standing {
  const courier = legs === 1 ? 'The courier' : `Courier ${leg.legIndex + 1} of ${legs}`;
  if (leg.stage === 'pending' || leg.stage === 'accepted') {
    return leg.legIndex === 0
      ? waiting('It is about to be picked up', `${courier} picks it up from the shipper.`)
      : waiting('It is being handed over', `${courier} takes it over from courier ${leg.legIndex}.`);
  }
  if (leg.stage === 'vacant')
    return waiting('It is waiting for another courier', `Leg ${leg.legIndex + 1} is open again.`);
  if (leg.stage === 'disputed' || leg.stage === 'ruled') {
    return { moment: 'disputed', title: 'There is a dispute', says: 'The arbiter decides what the courier gets.' };
  }
  if (!isLast) return waiting('It is on its way', `${courier} is carrying it.`);
  if (leg.stage === 'claimed') {
    const until = !leg.until ? '' : ` until ${timeOf(leg.until)}`;
    return {
      moment: 'claimed',
      title: 'The courier claims delivery',
      says: `If it has not arrived, tell the shipper at once, who can dispute the claim${until}. After that the courier is paid.`,
    };
  }
  return {
    moment: 'door',
    title: 'It is on its way to you',
    says: `${courier} is bringing it to your door. ${UNSIGNED}`,
  };
}

const UNSIGNED =
  'If you do not sign, the courier can claim delivery, and is paid unless the shipper disputes that in time.';

/** What went wrong, as it is shown. */
export function faultOf(error: unknown): string {
  if (error instanceof LegworkApiError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

/** A time as people here write it. */
export function timeOf(time: string): string {
  return new Date(time).toLocaleString(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
}

/** What a leg is, in a line of the list. */
export function legWord({ status, stage, completedAt }: ParcelLeg): string {
  if (status === 'completed') return completedAt ? `done, ${timeOf(completedAt)}` : 'done';
  const words: Partial<Record<NonNullable<ParcelLeg['stage']>, string>> = {
    carried: 'in transit',
    claimed: 'delivery claimed',
    disputed: 'disputed',
    ruled: 'ruled',
    vacant: 'open again',
  };
  return (stage && words[stage]) ?? 'to come';
}
