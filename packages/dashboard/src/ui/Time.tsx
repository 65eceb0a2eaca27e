import { useNow } from '../data/clock.js';
import { lengthOf } from './spanOf.js';
import { locale, t } from '../language.js';

/** Made once it is known where the reader is: that takes long, for each time of a list. */
const formats = once(() => ({
  clock: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }),
}));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The time of day here, to the second. */
export const clockTime = (at: Date): string => formats().clock.format(at);

/** An instant by the clock of this place; with its date unless it is of today, and in UTC on hover. */
export function Time({ at }: { at: Date }) {
  const { day } = formats();
  const isToday = day.format(at) === day.format(new Date());
  return (
    <time dateTime={at.toISOString()} title={`${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`}>
      {isToday ? clockTime(at) : `${day.format(at)}, ${clockTime(at)}`}
    </time>
  );
}

/** How long until or since an instant: `in 2 days 23 h`, `12 s ago`; it moves with the clock. */
export function Distance({ to }: { to: Date }) {
  const now = useNow();
  const ms = to.getTime() - now;
  const length = lengthOf(Math.abs(ms), 'dative');
  return (
    <time dateTime={to.toISOString()} title={`${to.toISOString().slice(0, 19).replace('T', ' ')} UTC`}>
      {ms >= 0 ? t('in {length}', { length }) : t('{length} ago', { length })}
    </time>
  );
}
