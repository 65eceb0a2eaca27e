import { parseSol, type Terms, type TermsChoice, type TermsPreset, toLamports } from '@legwork/protocol/contract';
import { chosenTerms, packageCarrySec } from '@legwork/protocol/rules';
import type { Lamports } from '@legwork/sdk';

/** What a person typed. */
export interface Typed {
  readonly description: string;
  readonly from: string;
  readonly to: string;
  readonly weightKg: string;
  readonly volumeLitres: string;
  readonly maxBudgetSol: string;
  readonly hours: string;
  readonly preset: TermsPreset;
  readonly receiver: string;
}

/** What is to be listed; the wire's fields but for who ships it. */
export interface Draft {
  readonly description: string;
  readonly originLat: number;
  readonly originLng: number;
  readonly destLat: number;
  readonly destLng: number;
  readonly weightKg: number;
  readonly volumeLitres: number;
  readonly maxBudgetSol: number;
  readonly terms: TermsChoice;
}

/** The draft, what it locks, and what would bind both sides. */
export interface Read {
  readonly draft: Draft;
  readonly budget: Lamports;
  /** Null: nothing but the deadline. */
  readonly terms: Terms | null;
}

/** Reads what was typed. @param arbiterPubkey of the service; null: it has none @returns what is wrong, in words */
export function readTyped(typed: Typed, arbiterPubkey: string | null): Read | string {
  const [origin, destination] = [placeOf(typed.from), placeOf(typed.to)];
  const [weightKg, volumeLitres, maxBudgetSol] = [typed.weightKg, typed.volumeLitres, typed.maxBudgetSol].map(Number);
  if (typed.description.trim() === '') return 'Say what it is.';
  if (!origin || !destination) return 'A place is a latitude and a longitude, such as 52.5208, 13.4095.';
  if (!(weightKg && weightKg > 0) || !(volumeLitres && volumeLitres > 0)) return 'Say how heavy and how large it is.';
  if (!(maxBudgetSol && maxBudgetSol > 0)) return 'Say what it may cost.';
  const budget = budgetOf(maxBudgetSol);
  if (budget === 0n) return 'Say what it may cost, to the lamport.';
  const choice = choiceOf(typed, arbiterPubkey);
  const carrySec = packageCarrySec(origin, destination);
  const terms = chosenTerms(choice, { kind: 'package', budgetLamports: budget, carrySec, arbiterPubkey });
  if (terms !== null && 'code' in terms) return terms.message;
  const places = { originLat: origin.lat, originLng: origin.lng, destLat: destination.lat, destLng: destination.lng };
  const sizes = { weightKg, volumeLitres, maxBudgetSol };
  return { draft: { description: typed.description.trim(), ...places, ...sizes, terms: choice }, budget, terms };
}

const HOUR_MS = 3_600_000;

/** @param hours from now, as typed @throws Error in words for people */
export function deadlineIn(hours: string): string {
  const number = Number(hours);
  if (!(number > 0)) throw new Error('Say until when it has to be there.');
  return new Date(Math.floor((Date.now() + number * HOUR_MS) / 1000) * 1000).toISOString();
}

/** With terms, the shipper signs the first pickup: nobody is paid for what was never handed over. The arbiter is the one shown. */
function choiceOf({ preset, receiver }: Typed, arbiterPubkey: string | null): TermsChoice {
  if (preset === 'plain') return preset;
  const receiverPubkey = receiver.trim();
  return {
    preset,
    cosignedPickup: true,
    ...(arbiterPubkey !== null && { arbiterPubkey }),
    ...(receiverPubkey !== '' && { receiverPubkey }),
  };
}

function placeOf(text: string): { lat: number; lng: number } | undefined {
  const [lat, lng, ...others] = text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(Number);
  if (lat === undefined || lng === undefined || others.length > 0) return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}

function budgetOf(sol: number): Lamports {
  try {
    return parseSol(sol);
  } catch {
    return toLamports(0n);
  }
}
