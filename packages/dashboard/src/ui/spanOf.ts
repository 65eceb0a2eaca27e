import { t } from '../language.js';

/** In which form a sentence takes it: German counts days otherwise after `in` and `ago`. */
type Form = 'dative' | 'plain';

/** A length of time whole: `2 h 40 min`. @param seconds 0 or more */
export function spanOf(seconds: number, form: Form = 'plain'): string {
  const days = Math.floor(seconds / 86_400);
  const parts = [
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  if (days > 0) said.unshift(daysOf(days, form));
  return said.join(' ') || '0 s';
}

const daysOf = (count: number, form: Form) =>
  t('{count, plural, one {# day} other {# {form, select, dative {days} other {days}}}}', { count, form });

/** What is told to the second, the minute or the hour, is shorter than this, seconds; anything longer to the day. */
const TOLD_TO: readonly (readonly [unit: number, below: number])[] = [
  [1, 60],
  [60, 10 * 3600],
  [3600, 10 * 86_400],
  [86_400, Number.POSITIVE_INFINITY],
];

/** A length of time to the precision that says enough, rounded: `1 h 57 min`, `2 days 23 h`. Rule D-43. @param ms 0 or more */
export function lengthOf(ms: number, form: Form = 'plain'): string {
  for (const [unit, below] of TOLD_TO) {
    const rounded = Math.round(ms / 1000 / unit) * unit;
    if (rounded < below) return spanOf(rounded, form);
  }
  return '';
}
