import { ANY_ARBITER, type Mandate, type MandateLimits, PERMITS } from '@legwork/program-client';
import { type Asset, formatAmount, formatUnits, parseAmount, SOL } from '@legwork/sdk';
import { isPubkey } from '@legwork/protocol/contract';
import { type Address, address } from '@solana/kit';
import { readNumber, withPoint } from '../post/draft.js';

/** What may be listed. */
export const KINDS = { both: 'packages and tasks', packages: 'packages only', tasks: 'tasks only' } as const;

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
    cap: formatUnits(mandate.cap, of.decimals),
    hours: String(mandate.period / HOUR),
    days: mandate.expiresAt === 0n ? '' : String(Math.max(1, days)),
    ahead: String(mandate.maxAhead / HOUR),
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
    faults[name] = text === own ? others : 'This is not a key: a key is 32 bytes in base58, as a wallet shows it.';
    return ANY_ARBITER;
  };
  const amount = (name: 'cap' | 'put' | 'rents', asset: Asset) =>
    amountIn(typed[name], asset, name === 'cap', (fault) => {
      faults[name] = fault;
    });
  const number = (name: 'hours' | 'days' | 'ahead', what: string, most: number) => {
    const read = readNumber(typed[name], what);
    if (typeof read === 'number' && read <= most) return read;
    faults[name] = typeof read === 'string' ? read : `At most ${most}.`;
    return 0;
  };
  const delegate = key('delegate', 'This is your own key. Enter the key that may post.');
  const [cap, put] = [amount('cap', of), amount('put', of)];
  const rents = of.asset === SOL.asset ? 0n : amount('rents', SOL);
  const period = Math.round(number('hours', 'the hours in a period', MOST_HOURS) * HOUR);
  const days = typed.days.trim() === '' ? 0 : number('days', 'a number of days', MOST_DAYS);
  const maxAhead = Math.round(number('ahead', 'the longest deadline in hours', MOST_HOURS) * HOUR);
  const arbiter =
    typed.arbiter.trim() === ''
      ? ANY_ARBITER
      : key('arbiter', 'You would be a party to the dispute. Enter another key.');
  if (period === 0) faults.hours ??= 'The shortest period is one second.';
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

function amountIn(text: string, of: Asset, isNeeded: boolean, fail: (fault: string) => void): bigint {
  if (text.trim() === '' && !isNeeded) return 0n;
  const read = readNumber(text, 'an amount');
  if (typeof read === 'string') {
    fail(read);
    return 0n;
  }
  try {
    return parseAmount(withPoint(text), of);
  } catch (error) {
    fail(`${error instanceof Error ? error.message : 'This is not an amount'}.`);
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
  const { cap, period, expiresAt, maxAhead } = limits;
  const until = expiresAt === 0n ? 'until you end it' : `until ${new Date(Number(expiresAt) * 1000).toLocaleString()}`;
  const goes = [
    ...(put > 0n ? [formatAmount(put, of)] : []),
    ...(rents > 0n ? [`${formatAmount(rents, SOL)} for the rent of listings`] : []),
  ];
  const isOfToken = of.asset !== SOL.asset;
  return [
    `${delegate} may post ${whatOf(limits)}: up to ${formatAmount(cap, of)} per ${hoursOf(period)}${isOfToken ? '' : ', rent included'}, ${until}, with deadlines up to ${hoursOf(maxAhead)} ahead.`,
    'Anyone with that key, a thief included, can take that much with an accomplice, twice that around the end of a period, but never more than the balance.',
    ...(account.isThere ? ['These limits replace the current ones.'] : []),
    goes.length > 0 ? `Your wallet deposits ${goes.join(' and ')}.` : 'Your wallet deposits nothing now.',
    ...(account.rents > 0n
      ? [`Its accounts take up to ${formatAmount(account.rents, SOL)} of rent, which comes back when you end it.`]
      : []),
  ].join(' ');
}

function whatOf({ permits, arbiter }: MandateLimits): string {
  const kinds = permits & PERMITS.packages ? (permits & PERMITS.tasks ? KINDS.both : KINDS.packages) : KINDS.tasks;
  if (arbiter !== ANY_ARBITER) return `${kinds} with this money, only with terms and with ${arbiter} as arbiter`;
  return `${kinds} with this money${permits & PERMITS.onlyWithTerms ? ', only with terms' : ''}`;
}

export const hoursOf = (seconds: number): string => `${Math.round((seconds / HOUR) * 100) / 100} hours`;
