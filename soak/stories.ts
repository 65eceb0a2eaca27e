import { choose, type Random, type Shares } from './plan.js';

/**
 * How something comes to be: listed by its shipper, who tells the service or nobody; or sponsored, posted over REST or
 * with a tool, under a name that makes repeats safe, or without one.
 */
export type Posting = 'reported' | 'silent' | 'sponsored' | 'tool' | 'unnamed';

/** How an agent calls that signs: over REST, or with a tool. */
export type SignedHand = 'rest' | 'signedTool';

/** How an agent calls: as it signs, or unsigned with a tool because it never signs. */
export type Hand = SignedHand | 'tool';

/**
 * The plans of its people. `raced`: the shipper cancels while the work is being
 * given out. `reclaimed`: the last agent vanishes. `forgotten`: nobody does it.
 */
export type Fate = 'completed' | 'cancelled' | 'raced' | 'reclaimed' | 'forgotten';

/** The seed's decisions on a package and on a digital task alike. */
export interface Story {
  readonly number: number;
  readonly posting: Posting;
  readonly fate: Fate;
  /** How long after the work began to be given out the shipper cancels, in a race. */
  readonly cancelsAfterMs: number;
  /** The shipper's wallet cancels with the ledger alone, or settles what it paid for as soon as everybody is paid. */
  readonly isAlone: boolean;
  /** The shipper takes back the rent of its account at the end. */
  readonly closes: boolean;
}

const HANDS: Shares<SignedHand> = [
  ['rest', 0.7],
  ['signedTool', 0.3],
];
const FATES: Shares<Fate> = [
  ['completed', 0.58],
  ['cancelled', 0.14],
  ['raced', 0.1],
  ['reclaimed', 0.1],
  ['forgotten', 0.08],
];
const POSTINGS: Shares<Posting> = [
  ['reported', 0.4],
  ['silent', 0.25],
  ['sponsored', 0.2],
  ['tool', 0.15],
];
/** Only its own shipper's money is raced for: the coordinator would close the account meanwhile. */
const OWN_POSTINGS: Shares<Posting> = [
  ['reported', 0.6],
  ['silent', 0.4],
];
const CLOSING_SHARE = 0.3;
const ALONE_SHARE = 0.5;
/** About as long as it takes to form a swarm, or to assign a leg. */
const LONGEST_HESITATION_MS = 200;

function postingFor(fate: Fate, random: Random): Posting {
  if (fate === 'forgotten') return 'unnamed';
  return choose(fate === 'raced' ? OWN_POSTINGS : POSTINGS, random);
}

/** @param fate - undefined: drawn too */
export function tellStory(number: number, random: Random, fate = choose(FATES, random)): Story {
  return {
    number,
    fate,
    posting: postingFor(fate, random),
    cancelsAfterMs: random() * LONGEST_HESITATION_MS,
    isAlone: random() < ALONE_SHARE,
    closes: random() < CLOSING_SHARE,
  };
}

/** As told of people without SOL: nobody funds what they post but they, and what they send a service pays for. */
export function inTokens<Told extends Story>(story: Told): Told {
  const { fate } = story;
  return { ...story, posting: 'reported', isAlone: false, fate: fate === 'forgotten' ? 'cancelled' : fate };
}

/** How an agent calls, if it signs. */
export function tellHand(random: Random): SignedHand {
  return choose(HANDS, random);
}

/** Reports whether the coordinator pays for it. */
export function isSponsored({ posting }: Pick<Story, 'posting'>): boolean {
  return posting !== 'reported' && posting !== 'silent';
}

/** Reports whether its shipper settles it, if the coordinator is not faster. */
export function isSettledAlone(story: Pick<Story, 'fate' | 'isAlone' | 'posting'>): boolean {
  return story.fate === 'completed' && story.isAlone && !isSponsored(story);
}

export function waitsForDeadline({ fate }: Pick<Story, 'fate'>): boolean {
  return fate === 'reclaimed' || fate === 'forgotten';
}
