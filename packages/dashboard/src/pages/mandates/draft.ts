import { ANY_ARBITER, type Mandate, type MandateLimits, PERMITS } from '@legwork/program-client';
import { type Asset, parseAmount, SOL } from '@legwork/sdk';
import { isPubkey } from '@legwork/protocol/contract';
import { type Address, address } from '@solana/kit';
import { readNumber, withPoint } from '../post/draft.js';
import { amountIn, figureIn, locale, m, t } from '../../language.js';

/** What may be listed. */
export const KINDS = {
  both: m('packages and tasks'),
  packages: m('packages only'),
  tasks: m('tasks only'),
} as const;

/** What stands in the fields. */
export interface Typed {
  readonly delegate: string;
  readonly asset: string;
  readonly cap: string;
  readonly hours: string;
  readonly days: string;
  readonly ahead: string;
  readonly kinds: keyof typeof KINDS;
  readonly onlyWithTerms: boolean;
  readonly arbiter: string;
  readonly put: string;
  readonly rents: string;
}

/** What an owner gives. */
export interface Giving {
  readonly delegate: Address;
  /** As the service calls it. */
  readonly asset: string;
  readonly limits: MandateLimits;
  /** What goes from the wallet into it, base units of its asset. */
  readonly put: bigint;
  /** Lamports that go into one in a token, for rents of listings. */
  readonly rents: bigint;
}

export type Faults = Partial<Readonly<Record<keyof Typed, string>>>;

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Of a period, and to a deadline, hours: the program counts seconds in 32 bits. */
const MOST_HOURS = 24 * 365;
const MOST_DAYS = 3_650;

export const EMPTY: Typed = {
  delegate: '',
  asset: SOL.asset,
  cap: '',
  hours: '24',
  days: '30',
  ahead: '168',
  kinds: 'both',
  onlyWithTerms: false,
  arbiter: '',
  put: '',
  rents: '',
};

/** A mandate that is there, to be bounded anew. */
export function typedOf(mandate: Mandate, of: Asset, nowMs: number): Typed {
  const { permits, arbiter } = mandate;
  const has = (bit: number) => (permits & bit) !== 0;
  const days = Math.ceil((Number(mandate.expiresAt) - nowMs / 1000) / DAY);
  return {
    ...EMPTY,
    delegate: mandate.delegate,
    asset: of.asset,
    cap: figureIn(mandate.cap, of.decimals),
    hours: figure(mandate.period / HOUR),
    days: mandate.expiresAt === 0n ? '' : String(Math.max(1, days)),
    ahead: figure(mandate.maxAhead / HOUR),
    kinds: has(PERMITS.packages) === has(PERMITS.tasks) ? 'both' : has(PERMITS.packages) ? 'packages' : 'tasks',
    onlyWithTerms: has(PERMITS.onlyWithTerms),
    arbiter: arbiter === ANY_ARBITER ? '' : arbiter,
  };
}

/** Reads what was typed: every field at fault is told. Rule D-42. @param own whose money it is @param of what it is in */
export function readGiving(typed: Typed, own: string, of: Asset, nowMs: number): Giving | { readonly faults: Faults } {
  const faults: Partial<Record<keyof Typed, string>> = {};
  const key = (name: 'delegate' | 'arbiter', others: string) => {
    const text = typed[name].trim();
    if (isPubkey(text) && text !== own) return address(text);
    faults[name] = text === own ? others : t('This is not a key: a key is 32 bytes in base58, as a wallet shows it.');
    return ANY_ARBITER;
  };
  const amount = (name: 'cap' | 'put' | 'rents', asset: Asset) =>
    readAmount(typed[name], asset, name === 'cap', (fault) => {
      faults[name] = fault;
    });
  const number = (name: 'hours' | 'days' | 'ahead', what: string, most: number) => {
    const read = readNumber(typed[name], what);
    if (typeof read === 'number' && read <= most) return read;
    faults[name] = typeof read === 'string' ? read : t('At most {most}.', { most });
    return 0;
  };
  const delegate = key('delegate', t('This is your own key. Enter the key that may post.'));
  const [cap, put] = [amount('cap', of), amount('put', of)];
  const rents = of.asset === SOL.asset ? 0n : amount('rents', SOL);
  const period = Math.round(number('hours', t('the hours in a period'), MOST_HOURS) * HOUR);
  const days = typed.days.trim() === '' ? 0 : number('days', t('a number of days'), MOST_DAYS);
  const maxAhead = Math.round(number('ahead', t('the longest deadline in hours'), MOST_HOURS) * HOUR);
  const arbiter =
    typed.arbiter.trim() === ''
      ? ANY_ARBITER
      : key('arbiter', t('You would be a party to the dispute. Enter another key.'));
  if (period === 0) faults.hours ??= t('The shortest period is one second.');
  if (Object.keys(faults).length > 0) return { faults };
  const kinds = typed.kinds === 'both' ? PERMITS.packages | PERMITS.tasks : PERMITS[typed.kinds];
  const limits: MandateLimits = {
    permits: kinds | (typed.onlyWithTerms ? PERMITS.onlyWithTerms : 0),
    cap,
    period,
    expiresAt: days === 0 ? 0n : BigInt(Math.floor(nowMs / 1000 + days * DAY)),
    maxAhead,
    arbiter,
  };
  return { delegate, asset: of.asset, limits, put, rents };
}

function readAmount(text: string, of: Asset, isNeeded: boolean, fail: (fault: string) => void): bigint {
  if (text.trim() === '' && !isNeeded) return 0n;
  const read = readNumber(text, t('an amount'));
  if (typeof read === 'string') {
    fail(read);
    return 0n;
  }
  try {
    return parseAmount(withPoint(text), of);
  } catch (error) {
    fail(`${error instanceof Error ? error.message : t('This is not an amount')}.`);
    return 0n;
  }
}

/** What else it takes. */
interface Account {
  /** Of its accounts that are not there yet, lamports; of its token account if something is put there. */
  readonly rents: bigint;
  /** There is one for this key in this asset. */
  readonly isThere: boolean;
}

/** What an owner is told before it signs: who can take what, until when, and what goes out of its wallet. Rule D-98. */
export function sayGiving({ delegate, limits, put, rents }: Giving, of: Asset, account: Account): string {
  return [
    sayLimits(delegate, limits, of),
    t(
      'Anyone with that key, a thief included, can take that much with an accomplice, twice that around the end of a period, but never more than the balance.',
    ),
    ...(account.isThere ? [t('These limits replace the current ones.')] : []),
    sayDeposit(put > 0n ? amountIn(put, of) : '', rents > 0n ? amountIn(rents, SOL) : ''),
    ...(account.rents > 0n
      ? [
          t('Its accounts take up to {amount} of rent, which comes back when you end it.', {
            amount: amountIn(account.rents, SOL),
          }),
        ]
      : []),
  ].join(' ');
}

function sayLimits(delegate: Address, { permits, arbiter, ...limits }: MandateLimits, of: Asset): string {
  const kinds = permits & PERMITS.packages ? (permits & PERMITS.tasks ? 'both' : 'packages') : 'tasks';
  const terms = permits & PERMITS.onlyWithTerms ? 'terms' : 'any';
  return t(
    '{delegate} may post {kinds, select, both {packages and tasks} packages {packages only} other {tasks only}} with this money{only, select, arbiter {, only with terms and with {arbiter} as arbiter} terms {, only with terms} other {}}: up to {cap} per {period}{asset, select, sol {, rent included} other {}}, {ends, select, never {until you end it} other {until {time}}}, with deadlines up to {ahead} ahead.',
    {
      delegate,
      kinds,
      only: arbiter === ANY_ARBITER ? terms : 'arbiter',
      arbiter,
      cap: amountIn(limits.cap, of),
      period: hoursOf(limits.period),
      asset: of.asset,
      ends: limits.expiresAt === 0n ? 'never' : 'once',
      time: new Date(Number(limits.expiresAt) * 1000).toLocaleString(locale),
      ahead: hoursOf(limits.maxAhead),
    },
  );
}

/** @param rents empty, as `amount` may be: nothing of it */
function sayDeposit(amount: string, rents: string): string {
  if (amount !== '' && rents !== '')
    return t('Your wallet deposits {amount} and {rents} for the rent of listings.', { amount, rents });
  if (rents !== '') return t('Your wallet deposits {rents} for the rent of listings.', { rents });
  return amount === '' ? t('Your wallet deposits nothing now.') : t('Your wallet deposits {amount}.', { amount });
}

export const hoursOf = (seconds: number): string =>
  t('{hours} hours', { hours: figure(Math.round((seconds / HOUR) * 100) / 100) });

/** A number whole, as it would be typed. */
const figure = (number: number): string =>
  number.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 20 });
