import type { Address, KeyPairSigner } from '@solana/kit';
import { MAX_SPONSORED_DEADLINE_SEC } from '@legwork/protocol/rules';
import { Agent, type World } from './agent.js';
import type { Listing, Kind } from './kind.js';
import { Listed } from './listed.js';
import { POSTED, type Posted } from './posting.js';
import type { Bound } from './terms/bound.js';
import { isSettledAlone, isSponsored, type Posting, type Story, waitsForDeadline } from './stories.js';

/** For what is to reach its deadline: no chain of couriers is chosen that would not be there in time. */
export const NEAR_DEADLINE_SEC = 3 * 3_600;
/** As far as a service's clock may be from the true time. */
export const CLOCK_MS = 5_000;
/** For all others, however many deadlines pass meanwhile. */
const FAR_DEADLINE_SEC = 90 * 86_400;

/** A package or digital task that has come to its end. */
export interface Ended<Known extends Listing = Listing> {
  readonly listing: Known;
  readonly account: Address;
  readonly posting: Posting;
  /** The sender of the transaction that cancelled or reclaimed it, if one did. */
  readonly endedBy: Address;
  /** The parties that may have settled it, if it was settled. */
  readonly settlers: readonly Address[];
  /** True if its account was closed. */
  readonly closed: boolean;
  /** Its shipper, taking it back, met what its agents do: the ledger may show the loser, too. */
  readonly raced: boolean;
  /** The traces of its terms; undefined: it has none. */
  readonly bound?: Bound;
}

/** The work between the posting and the end. */
export interface Undertaking<Known extends Listing, Draft extends object> {
  readonly kind: Kind<Known, Draft>;
  readonly story: Story;
  readonly shipper: KeyPairSigner;
  readonly draft: (deadline: Date) => Draft;
  /** All that agents do, as far as the story goes. */
  readonly work: (agent: Agent, listed: Listed<Known>) => Promise<void>;
  /** An agent's act while it is reclaimed after all, or undefined. */
  readonly contest?: (() => Promise<void>) | undefined;
}

/** Does what the story says by people who repeat what got no answer; every call of theirs may be hit by a kill. */
export function carryOut<Known extends Listing, Draft extends object>(
  world: World,
  undertaking: Undertaking<Known, Draft>,
): Promise<Ended<Known>> {
  const carry = () => runStory(world, undertaking);
  return waitsForDeadline(undertaking.story) ? world.time.alone(carry) : carry();
}

/** The coordinator funds nothing beyond a week of the service's clock, which the ledger's is ahead of, and which may be behind. */
function deadlineOf(story: Story, now: number): number {
  if (waitsForDeadline(story)) return now + NEAR_DEADLINE_SEC;
  if (isSponsored(story)) return Math.floor((Date.now() - CLOCK_MS) / 1000) + MAX_SPONSORED_DEADLINE_SEC;
  return now + FAR_DEADLINE_SEC;
}

async function runStory<Known extends Listing, Draft extends object>(
  world: World,
  undertaking: Undertaking<Known, Draft>,
): Promise<Ended<Known>> {
  const { kind, story, shipper, draft, work, contest } = undertaking;
  const { fate, posting, closes } = story;
  const agent = new Agent(world, story.number);
  const now = await agent.step("read the ledger's clock", () => world.time.now());
  const deadline = deadlineOf(story, now);
  const post = { kind, shipper, draft: draft(new Date(deadline * 1000)) };
  const posted = await POSTED[posting](world, agent, post);
  const listed = new Listed(world, agent, undertaking, posted.id);
  await listed.until(kind.open);
  await Promise.all([work(agent, listed), isSettledAlone(story) ? listed.settleAlone() : undefined]);
  if (fate === 'cancelled') await listed.cancel();
  if (waitsForDeadline(story)) {
    await agent.step('let the deadline pass', () => world.time.passUntil(deadline));
    // The coordinator takes back its own advances by itself.
    await Promise.all([contest?.(), isSponsored(story) ? undefined : listed.reclaim()]);
  }
  const raced = fate === 'raced' || contest !== undefined;
  const listing = await listed.until(raced ? [kind.done, 'failed'] : [fate === 'completed' ? kind.done : 'failed']);
  await requireSame(posted);
  if (closes && !isSponsored(story)) await listed.close();
  return {
    listing,
    account: kind.accountOf(listing) as Address,
    posting,
    endedBy: isSponsored(story) && fate !== 'cancelled' ? world.coordinator : shipper.address,
    settlers: isSettledAlone(story) ? [world.coordinator, shipper.address] : [world.coordinator],
    closed: isSponsored(story) || closes,
    raced,
  };
}

async function requireSame({ id, repeat }: Posted): Promise<void> {
  const again = await repeat?.();
  if (again !== undefined && again !== id) {
    throw new Error(`${id} was posted under a name, and a repeat of it posted ${again}`);
  }
}
