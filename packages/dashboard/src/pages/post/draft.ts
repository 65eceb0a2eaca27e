import {
  formatAmount,
  formatUnits,
  isInSol,
  isPubkey,
  MAX_LAMPORTS,
  parseAmount,
  parseSol,
  type Terms,
  type TermsPreset,
  toLamports,
} from '@legwork/protocol/contract';
import {
  chosenTerms,
  type Coordinate,
  packageCarrySec,
  type PayableAsset,
  SOL_ASSET,
  taskCarrySec,
} from '@legwork/protocol/rules';
import type { DigitalTaskDraft, Lamports, PackageDraft } from '@legwork/sdk';
import type { Kind } from '../../data/legWords.js';
import { degreesIn, type Place } from '../../places/place.js';
import { amountIn, figureIn, language, m, t } from '../../language.js';

/** What stands in the fields. */
interface Texts {
  /** Of a task. */
  readonly title: string;
  readonly description: string;
  readonly from: string;
  readonly to: string;
  readonly weightKg: string;
  readonly volumeLitres: string;
  readonly legMinutes: string;
  /** Of its asset, whole units. */
  readonly budget: string;
  readonly hours: string;
  readonly receiver: string;
}

/** What a person typed and chose; what is for the other kind stays empty. */
export interface Typed extends Texts {
  readonly kind: Kind;
  /** What it pays in. */
  readonly asset: string;
  /** The places that were chosen for what stands in their fields; undefined: none is. */
  readonly origin?: Place | undefined;
  readonly destination?: Place | undefined;
  /** What each agent of a task is to do, in order. */
  readonly legs: readonly string[];
  readonly preset: TermsPreset;
  /** A person set the budget, be it to nothing; else the quote does. */
  readonly isBudgetOwn: boolean;
  /** Who signs that it arrived. */
  readonly receives: Receives;
}

/** The lister itself, somebody with a phone who gets a link, or who has a key. */
export const RECEIVERS = ['self', 'phone', 'key'] as const;
export type Receives = (typeof RECEIVERS)[number];

/** What is to be listed; the wire's fields but for who lists it. */
export type Draft = PackageDraft | DigitalTaskDraft;

/** The draft, what it locks, and what would bind both sides. */
export interface Read {
  readonly draft: Draft;
  readonly budget: Lamports;
  /** Null: nothing but the deadline. */
  readonly terms: Terms | null;
}

/** What can be at fault: a field, or a leg of a task by its number from 0. */
export type Field = keyof Texts | 'preset' | `leg ${number}`;

/** What is wrong with each field at fault, in words. */
export type Faults = Partial<Readonly<Record<Field, string>>>;

/**
 * Reads what was typed, all of it: every field at fault is told. Rule D-42.
 *
 * @param arbiterPubkey of the service; null: it has none
 * @param asset what it pays in
 */
export function readTyped(
  typed: Typed,
  arbiterPubkey: string | null,
  asset: PayableAsset = SOL_ASSET,
): Read | { readonly faults: Faults } {
  const faults: Partial<Record<Field, string>> = {};
  const { kind } = typed;
  const reader = readerOf(typed, faults);
  const said = kind === 'package' ? parcelOf(reader) : taskOf(typed, reader, faults);
  const { budget, asked } = isInSol(asset) ? solOf(reader, faults) : unitsOf(typed, reader, faults, asset);
  reader.number('hours', t('the deadline in hours'));
  if (typed.preset !== 'plain' && typed.receives === 'key' && !isPubkey(typed.receiver.trim())) {
    faults.receiver = t('This is not a key: a key is 32 bytes in base58, as a wallet shows it.');
  }
  const choice = choiceOf(typed, arbiterPubkey);
  if (Object.keys(faults).length > 0) return { faults };
  const terms = chosenTerms(choice, {
    kind,
    budgetLamports: budget,
    asset,
    carrySec: said.carrySec,
    arbiterPubkey,
  });
  if (terms !== null && 'code' in terms) return { faults: { preset: t(terms.message) } };
  return { draft: { ...said.draft, ...asked, terms: choice }, budget, terms };
}

type Line = keyof Texts;
type Reader = ReturnType<typeof readerOf>;

/** Reads one field after the other, and notes what is wrong with it. */
function readerOf(typed: Typed, faults: Partial<Record<Field, string>>) {
  return {
    text(name: Line, what: string): string {
      const text = typed[name].trim();
      if (text === '') faults[name] = t('Enter {what}.', { what });
      return text;
    },
    number(name: Line, what: string): number {
      const read = readNumber(typed[name], what);
      if (typeof read === 'number') return read;
      faults[name] = read;
      return 0;
    },
    place(name: keyof typeof CHOSEN): Coordinate {
      const place = placeOf(typed, name);
      if (place === undefined) faults[name] = typed[name].trim() === '' ? t(NO_PLACE) : t(NOT_CHOSEN);
      return place ?? { lat: 0, lng: 0 };
    },
  };
}

const NO_PLACE = m('Enter a place, or set a pin on the map.');
const NOT_CHOSEN = m('Choose one of the places found, set a pin, or type coordinates such as 52.5208, 13.4095.');

/** Where it stands what was chosen for a field. */
const CHOSEN = { from: 'origin', to: 'destination' } as const;

const placeOf = (typed: Typed, field: keyof typeof CHOSEN): Place | undefined =>
  typed[CHOSEN[field]] ?? degreesIn(typed[field]);

const POINT = /^(?:\d+\.?\d*|\.\d+)$/;
const COMMA = /^\d*,\d+$/;
/** Which of them is the decimal mark of the page's language. With the other one some write a thousand, and others one. */
const [MARK, EITHER] = language === 'de' ? [',', /^[1-9]\d{0,2}\.\d{3}$/] : ['.', /^[1-9]\d{0,2},\d{3}$/];

/** A number that was read, as those write it who have a point in it. */
export const withPoint = (text: string): string =>
  text.trim().replace(',', '.').replace(/^\./, '0.').replace(/\.$/, '');

/** Reads a number above 0, with a decimal point or comma. @param what it says @returns what is wrong, in words */
export function readNumber(text: string, what: string): number | string {
  const said = text.trim();
  if (said === '') return t('Enter {what}.', { what });
  if (EITHER.test(said)) {
    const marked = (mark: string) => said.replace(/[.,]/, mark);
    return t('{said} is ambiguous: write {whole}, or {fraction} with a point.', {
      said,
      whole: marked(''),
      fraction: marked(MARK),
    });
  }
  if (!POINT.test(said) && !COMMA.test(said)) return t('Enter {what} as a number such as 2.5.', { what });
  const number = Number(withPoint(said));
  return number > 0 && Number.isFinite(number) ? number : t('Enter {what} above 0.', { what });
}

function parcelOf(reader: Reader) {
  const description = reader.text('description', t('a description'));
  const [origin, destination] = [reader.place('from'), reader.place('to')];
  const weightKg = reader.number('weightKg', t('the weight in kilograms'));
  const volumeLitres = reader.number('volumeLitres', t('the volume in litres'));
  const places = { originLat: origin.lat, originLng: origin.lng, destLat: destination.lat, destLng: destination.lng };
  return { draft: { description, ...places, weightKg, volumeLitres }, carrySec: packageCarrySec(origin, destination) };
}

const MINUTE_SEC = 60;

function taskOf(typed: Typed, reader: Reader, faults: Partial<Record<Field, string>>) {
  const title = reader.text('title', t('a title'));
  const description = reader.text('description', t('the goal'));
  const legs = typed.legs.map((text, index) => {
    const instruction = text.trim();
    if (instruction === '')
      faults[`leg ${index}`] = t('Enter the instructions for leg {number}.', { number: index + 1 });
    return { instruction };
  });
  const minutes = reader.number('legMinutes', t('the time per leg in minutes'));
  const claimTimeoutSec = Math.round(minutes * MINUTE_SEC);
  return { draft: { title, description, legs, claimTimeoutSec }, carrySec: taskCarrySec(claimTimeoutSec) };
}

const HOUR_MS = 3_600_000;

/** @param hours from now, as typed and read before */
export function deadlineIn(hours: string): string {
  const number = readNumber(hours, t('the deadline in hours'));
  if (typeof number === 'string') throw new Error(number);
  return new Date(Math.floor((Date.now() + number * HOUR_MS) / 1000) * 1000).toISOString();
}

/** With terms, the shipper signs the first pickup: nobody is paid for what was never handed over. The arbiter is the one shown. */
function choiceOf({ kind, preset, receives, receiver }: Typed, arbiterPubkey: string | null) {
  if (preset === 'plain') return preset;
  return {
    preset,
    ...(kind === 'package' && { cosignedPickup: true }),
    ...(arbiterPubkey !== null && { arbiterPubkey }),
    ...(receives === 'key' && { receiverPubkey: receiver.trim() }),
  };
}

/** The budget, and how a draft asks for it. */
interface Budget {
  readonly budget: Lamports;
  readonly asked: { readonly maxBudgetSol: number } | { readonly maxBudget: string; readonly asset: string };
}

type Noted = Partial<Record<Field, string>>;

function solOf(reader: Reader, faults: Noted): Budget {
  const maxBudgetSol = reader.number('budget', t('the budget in SOL'));
  const budget = lamportsOf(maxBudgetSol);
  if (maxBudgetSol > Number(formatUnits(MAX_LAMPORTS, SOL_ASSET.decimals)))
    faults.budget = t('The most is {amount}.', { amount: amountIn(MAX_LAMPORTS, SOL_ASSET) });
  else if (maxBudgetSol > 0 && budget === 0n)
    faults.budget = t('The least is one lamport: SOL has at most nine decimals.');
  return { budget, asked: { maxBudgetSol } };
}

function lamportsOf(sol: number): Lamports {
  try {
    return parseSol(sol);
  } catch {
    return toLamports(0n);
  }
}

/** Of a token, to the base unit: as it was typed, since a number would round. Rule M-92. */
function unitsOf(typed: Typed, reader: Reader, faults: Noted, asset: PayableAsset): Budget {
  const name = formatAmount(0n, asset).slice(2);
  const number = reader.number('budget', t('the budget in {unit}', { unit: name }));
  let budget = toLamports(0n);
  try {
    if (faults.budget === undefined) budget = parseAmount(withPoint(typed.budget), asset);
    if (budget < asset.minAmount)
      faults.budget ??= t('The least is {amount}.', { amount: amountIn(asset.minAmount, asset) });
  } catch (error) {
    const isTooMuch = number >= Number(formatUnits(MAX_LAMPORTS, asset.decimals));
    const why = error instanceof Error ? error.message : t('This is not an amount of {unit}', { unit: name });
    faults.budget = isTooMuch ? t('The most is {amount}.', { amount: amountIn(MAX_LAMPORTS, asset) }) : `${why}.`;
  }
  return { budget, asked: { maxBudget: String(budget), asset: asset.asset } };
}

/** What to ask a quote for; undefined: the places are not typed yet, or it pays in a token, of which quotes know no prices. */
export function wishOf(typed: Typed) {
  const { kind, weightKg, legs, preset: terms } = typed;
  if (!isInSol(typed)) return undefined;
  if (kind === 'task') return { numLegs: legs.length, terms };
  const [origin, destination] = [placeOf(typed, 'from'), placeOf(typed, 'to')];
  if (origin === undefined || destination === undefined) return undefined;
  const weight = readNumber(weightKg, '');
  return {
    originLat: origin.lat,
    originLng: origin.lng,
    destLat: destination.lat,
    destLng: destination.lng,
    ...(typeof weight === 'number' && { weightKg: weight }),
    terms,
  };
}

/** Digits after the point are few where people read them, lamports. */
const STEP = 100_000n;

/**
 * The budget that a form begins with: the most that the like costs, rounded up, since what is left of it comes back. Rule D-89.
 *
 * @returns in SOL, as it would be typed
 */
export const budgetFrom = ({ high }: { readonly high: Lamports }): string =>
  figureIn(toLamports(((high + STEP - 1n) / STEP) * STEP));
