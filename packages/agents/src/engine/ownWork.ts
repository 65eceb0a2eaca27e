import { greatCircleKm, lamportsToSolNumber, toLamports } from '@legwork/sdk';
import type { LegworkEvent, OpenWork } from '@legwork/sdk';
import type { Policy } from '../policy/policy.js';
import type { Session } from '../wallet/session.js';
import type { Log } from './desk.js';
import { closedBy } from './market.js';
import type { Market } from './market.js';
import type { OwnReputation } from './ownReputation.js';
import { isParcel, isTaskLeg, nameOf, Search } from './search.js';
import type { Parcel, Question, TaskLeg } from './search.js';

type Kind = OpenWork['kind'];

/** Events tell what is new; what else changes for one agent alone, such as its wallet, may wait so long, milliseconds. */
const OWN_EVERY_MS = 60_000;
const MOST_PAGES = 10;
/** Half the circumference of the earth: a circle that leaves nothing out, kilometres. */
const EVERYWHERE_KM = 20_000;
/** A question's words, as the service counts them, and characters of a script that puts no space between words: two make one. */
const MOST_WORDS = 16;
const MOST_LETTERS = MOST_WORDS + 1;
/** An amount below it is written with an exponent, which no query has, lamports. */
const LEAST_ASKED = 1_000n;

interface OwnParts {
  readonly session: Session;
  readonly market: Market;
  readonly reputation: OwnReputation;
  readonly log: Log;
}

/**
 * The open work that one agent looks at: the newest, which all agents of the process read together, and, where there is more than
 * that, what it may take itself, wherever in the list that is. Rule A-116.
 */
export class OwnWork {
  readonly #parts: OwnParts;
  readonly #search: Search;
  #hasAsked = false;

  constructor(parts: OwnParts) {
    this.#parts = parts;
    this.#search = new Search({
      name: `work for ${parts.session.signer.address}`,
      everyMs: OWN_EVERY_MS,
      mostPages: MOST_PAGES,
      questions: () => this.#questions(),
      find: parts.market.findInTurn,
    });
  }

  /** Packages that take bids. */
  get packages(): Parcel[] {
    return this.#all('package').filter(isParcel);
  }

  /** Vacant legs that take bids. */
  get openings(): Parcel[] {
    return this.#all('opening').filter(isParcel);
  }

  /** Legs of digital tasks that can be claimed. */
  get taskLegs(): TaskLeg[] {
    return this.#all('leg').filter(isTaskLeg);
  }

  /** The package, if it takes bids as far as is known. */
  package(packageId: string): Parcel | undefined {
    const newest = this.#parts.market.newest.package;
    const work = newest.known.get(packageId) ?? (newest.isAll ? undefined : this.#search.known.get(packageId));
    return work?.kind === 'package' && isParcel(work) ? work : undefined;
  }

  /** Looks for work until the signal is aborted. */
  async run(changed: () => void, signal: AbortSignal): Promise<void> {
    const { market, log } = this.#parts;
    const leave = market.subscribe((event) => this.#hear(event));
    try {
      await this.#search.run(changed, log, signal);
    } finally {
      leave();
    }
  }

  #hear(event: LegworkEvent | undefined): void {
    const isOver = event && closedBy(event);
    if (isOver) this.#search.drop(isOver);
    // There is more than the newest: it need not wait for its next time.
    if (!this.#hasAsked && this.#wanted.length > 0) this.#search.more();
  }

  /** The kinds of which there is more than the newest. */
  get #wanted(): Kind[] {
    const { session, market } = this.#parts;
    const { courier, worker } = session.policy;
    const kinds: Kind[] = [
      ...(courier ? (['package', 'opening'] as const) : []),
      ...(worker ? (['leg'] as const) : []),
    ];
    return kinds.filter((kind) => market.newest[kind].lastReadMs !== undefined && !market.newest[kind].isAll);
  }

  #all(kind: Kind): OpenWork[] {
    const { known, isAll } = this.#parts.market.newest[kind];
    if (isAll) return [...known.values()];
    const older = [...this.#search.known.values()].filter((work) => work.kind === kind && !known.has(nameOf(work)));
    return [...known.values(), ...older];
  }

  #questions(): Question[] {
    const { session, reputation } = this.#parts;
    const { policy, signer } = session;
    const wanted = this.#wanted;
    this.#hasAsked = wanted.length > 0;
    const asked = questionsOf(policy, wanted);
    const reserved: Question[] = wanted.includes('leg') ? [{ kind: 'leg', capability: signer.address }] : [];
    const own = [...reserved, ...asked].map((question) => ({ ...question, for: signer.address }));
    // Without an account nothing with terms is for it: it opens one for what suits it.
    const isBarred = !reputation.isOpen && policy.accept.arbiters.length > 0;
    return isBarred ? [...own, ...asked.map((question) => ({ ...question, hasTerms: true }))] : own;
  }
}

/** The searches of an agent with this policy: work that begins where it goes, packages that may come by, and words for its capabilities. */
export function questionsOf({ courier, worker, limits, asset }: Policy, kinds: readonly Kind[]): Question[] {
  const { minPayment } = limits;
  const paid = minPayment >= LEAST_ASKED ? { minPaySol: lamportsToSolNumber(toLamports(minPayment)) } : {};
  const questions: Question[] = [];
  if (courier && kinds.some((kind) => kind !== 'leg')) questions.push(...circlesOf(courier));
  // A part of its way may suit, wherever it begins.
  if (courier && kinds.includes('package')) questions.push({ kind: 'package' });
  if (worker && kinds.includes('leg')) {
    const { capabilities } = worker;
    const words = capabilities.length === 0 ? [undefined] : [...new Set(capabilities.map(wordsToAsk))];
    questions.push(...words.map((q) => ({ kind: 'leg' as const, ...(q !== undefined && { q }) })));
  }
  const inSol = questions.map((question) => ({ ...question, ...paid }));
  // Amounts in a search are in SOL.
  return asset === undefined ? inSol : [...inSol, ...questions.map((question) => ({ ...question, asset: asset.name }))];
}

/** The circles in which all suitable work begins. */
function circlesOf({ home, radiusKm, itinerary, maxDetourKm }: NonNullable<Policy['courier']>): Question[] {
  const circle = ([lat, lng]: readonly [number, number], km: number) => ({
    near: `${lat.toFixed(6)},${lng.toFixed(6)}`,
    // Of the place only metres are asked.
    radiusKm: Math.min(Math.ceil(km) + 1, EVERYWHERE_KM),
  });
  if (home) return [circle(home, radiusKm)];
  return (itinerary ?? []).map(({ from, to }) => {
    const [start, end] = [from, to].map(([lat, lng]) => ({ lat, lng }));
    return circle(from, (start && end ? greatCircleKm(start, end) : 0) + maxDetourKm);
  });
}

/** Words that a leg of this capability has; undefined: the service would not take them. */
function wordsToAsk(capability: string): string | undefined {
  // As the service takes words apart: no more come of it there.
  const plain = capability
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const isUnspaced = /\p{Lo}/u.test(plain) && plain.length > MOST_LETTERS;
  return words.length === 0 || isUnspaced ? undefined : words.slice(0, MOST_WORDS).join(' ');
}
