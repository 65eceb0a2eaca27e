import { parseSol, type Terms, type TermsChoice, type TermsPreset, toLamports } from '@legwork/protocol/contract';
import { chosenTerms, packageCarrySec, taskCarrySec } from '@legwork/protocol/rules';
import type { DigitalTaskDraft, Lamports, PackageDraft } from '@legwork/sdk';
import type { Kind } from '../../data/legWords.js';

/** What a person typed; what is for the other kind stays empty. */
export interface Typed {
  readonly kind: Kind;
  /** Of a task. */
  readonly title: string;
  readonly description: string;
  readonly from: string;
  readonly to: string;
  readonly weightKg: string;
  readonly volumeLitres: string;
  /** What each agent of a task is to do, in order. */
  readonly legs: readonly string[];
  readonly legMinutes: string;
  readonly maxBudgetSol: string;
  readonly hours: string;
  readonly preset: TermsPreset;
  readonly receiver: string;
}

/** What is to be listed; the wire's fields but for who lists it. */
export type Draft = PackageDraft | DigitalTaskDraft;

/** The draft, what it locks, and what would bind both sides. */
export interface Read {
  readonly draft: Draft;
  readonly budget: Lamports;
  /** Null: nothing but the deadline. */
  readonly terms: Terms | null;
}

/** Reads what was typed. @param arbiterPubkey of the service; null: it has none @returns what is wrong, in words */
export function readTyped(typed: Typed, arbiterPubkey: string | null): Read | string {
  const { kind } = typed;
  const said = kind === 'package' ? parcelOf(typed) : taskOf(typed);
  if (typeof said === 'string') return said;
  const maxBudgetSol = Number(typed.maxBudgetSol);
  if (!(maxBudgetSol > 0)) return 'Say what it may cost.';
  const budget = budgetOf(maxBudgetSol);
  if (budget === 0n) return 'Say what it may cost, to the lamport.';
  const choice = choiceOf(typed, arbiterPubkey);
  const terms = chosenTerms(choice, { kind, budgetLamports: budget, carrySec: said.carrySec, arbiterPubkey });
  if (terms !== null && 'code' in terms) return terms.message;
  return { draft: { ...said.draft, maxBudgetSol, terms: choice }, budget, terms };
}

function parcelOf(typed: Typed) {
  const [origin, destination] = [placeOf(typed.from), placeOf(typed.to)];
  const [weightKg, volumeLitres] = [Number(typed.weightKg), Number(typed.volumeLitres)];
  const description = typed.description.trim();
  if (description === '') return 'Say what it is.';
  if (!origin || !destination) return 'A place is a latitude and a longitude, such as 52.5208, 13.4095.';
  if (!(weightKg > 0) || !(volumeLitres > 0)) return 'Say how heavy and how large it is.';
  const places = { originLat: origin.lat, originLng: origin.lng, destLat: destination.lat, destLng: destination.lng };
  return { draft: { description, ...places, weightKg, volumeLitres }, carrySec: packageCarrySec(origin, destination) };
}

const MINUTE_SEC = 60;

function taskOf(typed: Typed) {
  const [title, description] = [typed.title.trim(), typed.description.trim()];
  const legs = typed.legs.map((text) => ({ instruction: text.trim() }));
  const claimTimeoutSec = Math.round(Number(typed.legMinutes) * MINUTE_SEC);
  if (title === '') return 'Say what it is called.';
  if (description === '') return 'Say what the whole goal is.';
  const silent = legs.findIndex(({ instruction }) => instruction === '');
  if (silent >= 0) return `Say what the agent of leg ${silent + 1} is to do.`;
  if (!(claimTimeoutSec > 0)) return 'Say how many minutes an agent has for its leg.';
  return { draft: { title, description, legs, claimTimeoutSec }, carrySec: taskCarrySec(claimTimeoutSec) };
}

const HOUR_MS = 3_600_000;

/** @param hours from now, as typed @throws Error in words for people */
export function deadlineIn(hours: string): string {
  const number = Number(hours);
  if (!(number > 0)) throw new Error('Say until when it has to be over.');
  return new Date(Math.floor((Date.now() + number * HOUR_MS) / 1000) * 1000).toISOString();
}

/** With terms, the shipper signs the first pickup: nobody is paid for what was never handed over. The arbiter is the one shown. */
function choiceOf({ kind, preset, receiver }: Typed, arbiterPubkey: string | null): TermsChoice {
  if (preset === 'plain') return preset;
  const receiverPubkey = receiver.trim();
  return {
    preset,
    ...(kind === 'package' && { cosignedPickup: true }),
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
