import { LegworkApiError } from '@legwork/sdk';
import { lastLeg } from './door.js';
import type { Parcel, ParcelLeg } from './service.js';
import { locale, t } from '../language.js';

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
  if (status === 'delivered') return over(t('It has arrived'), deliveredAs(parcel));
  if (status === 'failed') {
    return failureReason === 'cancelled'
      ? over(t('The shipper cancelled it'), t('It will not be delivered, and this link ends here.'))
      : over(
          t('It did not arrive'),
          t('It missed its deadline, and the shipper has taken the rest of the budget back.'),
        );
  }
  const leg = swarm?.legs.find((one) => one.status !== 'completed');
  if (status !== 'in_transit' || swarm === null || leg === undefined) {
    return waiting(t('No courier yet'), t('Couriers can bid for it. You will see here who brings it.'));
  }
  return underWay(leg, swarm.legs.length, leg === lastLeg(parcel));
}

const over = (title: string, says: string): Standing => ({ moment: 'over', title, says });
const waiting = (title: string, says: string): Standing => ({ moment: 'waiting', title, says });

function deliveredAs(parcel: Parcel): string {
  const { percent, completedAt } = lastLeg(parcel) ?? {};
  if (percent !== null && percent !== undefined)
    return t('After a dispute the courier was paid {percent} %.', { percent });
  return completedAt
    ? t('The last courier was paid on {time}.', { time: timeOf(completedAt) })
    : t('Every courier was paid.');
}

function underWay(leg: ParcelLeg, legs: number, isLast: boolean): Standing {
  const courier = legs === 1 ? t('The courier') : t('Courier {number} of {legs}', { number: leg.legIndex + 1, legs });
  if (leg.stage === 'pending' || leg.stage === 'accepted') {
    return leg.legIndex === 0
      ? waiting(t('It is about to be picked up'), t('{courier} picks it up from the shipper.', { courier }))
      : waiting(
          t('It is being handed over'),
          t('{courier} takes it over from courier {before}.', { courier, before: leg.legIndex }),
        );
  }
  if (leg.stage === 'vacant')
    return waiting(
      t('It is waiting for another courier'),
      t('Leg {number} is open again.', { number: leg.legIndex + 1 }),
    );
  if (leg.stage === 'disputed' || leg.stage === 'ruled') {
    return {
      moment: 'disputed',
      title: t('There is a dispute'),
      says: t('The arbiter decides what the courier gets.'),
    };
  }
  if (!isLast) return waiting(t('It is on its way'), t('{courier} is carrying it.', { courier }));
  if (leg.stage === 'claimed') {
    return {
      moment: 'claimed',
      title: t('The courier claims delivery'),
      says: leg.until
        ? t(
            'If it has not arrived, tell the shipper at once, who can dispute the claim until {time}. After that the courier is paid.',
            { time: timeOf(leg.until) },
          )
        : t(
            'If it has not arrived, tell the shipper at once, who can dispute the claim. After that the courier is paid.',
          ),
    };
  }
  return {
    moment: 'door',
    title: t('It is on its way to you'),
    says: t(
      '{courier} is bringing it to your door. If you do not sign, the courier can claim delivery, and is paid unless the shipper disputes that in time.',
      { courier },
    ),
  };
}

/** What went wrong, as it is shown. */
export function faultOf(error: unknown): string {
  if (error instanceof LegworkApiError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

/** A time as people here write it. */
export function timeOf(time: string): string {
  return new Date(time).toLocaleString(locale, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
}

/** What a leg is, in a line of the list. */
export function legWord({ status, stage, completedAt }: ParcelLeg): string {
  if (status === 'completed') return completedAt ? t('done, {time}', { time: timeOf(completedAt) }) : t('done');
  const words: Partial<Record<NonNullable<ParcelLeg['stage']>, string>> = {
    carried: t('in transit'),
    claimed: t('delivery claimed'),
    disputed: t('disputed'),
    ruled: t('ruled'),
    vacant: t('open again'),
  };
  return (stage && words[stage]) ?? t('to come');
}
