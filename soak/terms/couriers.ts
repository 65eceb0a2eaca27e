import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Coordinate,
  greatCircleKm,
  type Leg,
  LedgerRefusedError,
  makeMove,
  type MoveWithText,
  type PackageDetail,
  type PackageDraft,
  TransactionRefusedError,
} from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, Refusal, World } from '../agent.js';
import { carryOut } from '../journey.js';
import type { Listed } from '../listed.js';
import type { CarriedPackage } from '../packages/couriers.js';
import { PACKAGES } from '../packages/kind.js';
import { type Bound, boundBy, type Roles } from './bound.js';
import type { Plot, TermsStory } from './story.js';

/** Alexanderplatz, Potsdamer Platz, Charlottenburg. */
const STOPS: readonly [Coordinate, Coordinate, Coordinate] = [
  { lat: 52.5219, lng: 13.4132 },
  { lat: 52.5096, lng: 13.3759 },
  { lat: 52.5167, lng: 13.3041 },
];

const DAY_SEC = 86_400;
/** In seconds: nobody's clock runs out because others let deadlines pass. */
const PATIENT = {
  carrySec: 20 * DAY_SEC,
  handoffSec: 20 * DAY_SEC,
  reviewSec: 20 * DAY_SEC,
  arbitrationSec: 20 * DAY_SEC,
};
/** In seconds. Where a courier is replaced, the review outlives the handoff and the grace that follows it. */
const CLOCKS: Readonly<Record<Plot, Readonly<Record<keyof typeof PATIENT, number>>>> = {
  healed: { carrySec: 10_800, handoffSec: 300, reviewSec: 3600, arbitrationSec: 3600 },
  unsigned: { ...PATIENT, reviewSec: 300 },
  ruled: PATIENT,
};
/** How long after a courier's clock the service takes its leg away. */
const GRACE_SEC = 120;

/** A package with terms that has come to its end. */
export interface BoundPackage extends CarriedPackage {
  readonly bound: Bound;
}

/** Carries one package as its story says. Nobody else moves time while a courier is replaced. */
export function carryBound(world: World, story: TermsStory, shipper: KeyPairSigner): Promise<BoundPackage> {
  const carry = async () => {
    const roles = castOf(world, story, shipper);
    const ended = await carryOut(world, {
      kind: PACKAGES,
      story,
      shipper,
      draft: (deadline) => draftOf(world, story, deadline),
      work: (agent, listed) => new BoundCouriers(world, story, { agent, listed, roles }).run(),
    });
    return { ...ended, bound: boundBy(story, roles, ended.listing) };
  };
  return isAlone(story) ? world.time.alone(carry) : carry();
}

/** Its clocks are so short that time has to be its own. */
const isAlone = ({ plot }: TermsStory): boolean => plot === 'healed';

function castOf({ carriers, arbiter, coordinator }: World, { couriers }: TermsStory, shipper: KeyPairSigner): Roles {
  const [first, silent, second, rival] = couriers.map((index) => carriers[index]);
  if (!first || !silent || !second || !rival) throw new RangeError('There are too few couriers.');
  return { shipper, first, silent, second, rival, arbiter, coordinator };
}

function draftOf({ arbiter }: World, { number, plot, stakeSol }: TermsStory, deadline: Date): PackageDraft {
  return {
    originLat: STOPS[0].lat,
    originLng: STOPS[0].lng,
    destLat: STOPS[2].lat,
    destLng: STOPS[2].lng,
    description: `A harp, number ${number}`,
    weightKg: 30,
    volumeLitres: 400,
    maxBudgetSol: 0.5,
    deadline: deadline.toISOString(),
    terms: { arbiterPubkey: arbiter.address, stakeSol, ...CLOCKS[plot] },
  };
}

type Stage = NonNullable<Leg['stage']>;

/** The stages in which a move has been made, or is not needed any more. */
const AFTER: Readonly<Record<'accept' | 'take' | 'claim' | 'dispute' | 'rule' | 'confirm', readonly Stage[]>> = {
  accept: ['accepted', 'carried', 'claimed', 'disputed', 'ruled', 'completed'],
  take: ['carried', 'claimed', 'disputed', 'ruled', 'completed'],
  claim: ['claimed', 'disputed', 'ruled', 'completed'],
  dispute: ['disputed', 'ruled', 'completed'],
  rule: ['ruled', 'completed'],
  confirm: ['completed'],
};

/** The service does not show yet what was done before, shows it already, or the transaction expired: the leg itself tells. */
const LOOK_AGAIN: readonly Refusal[] = ['not_your_turn', 'invalid_status', 'transaction_failed', 'ledger_reverted'];

const PAUSE_MS = 100;

/** What couriers, shipper and arbiter do for one package. */
class BoundCouriers {
  readonly #world: World;
  readonly #story: TermsStory;
  readonly #agent: Agent;
  readonly #listed: Listed<PackageDetail>;
  readonly #roles: Roles;

  constructor(
    world: World,
    story: TermsStory,
    { agent, listed, roles }: { agent: Agent; listed: Listed<PackageDetail>; roles: Roles },
  ) {
    this.#world = world;
    this.#story = story;
    this.#agent = agent;
    this.#listed = listed;
    this.#roles = roles;
  }

  async run(): Promise<void> {
    const { plot } = this.#story;
    const { first, silent } = this.#roles;
    await this.#bid(first, [0, plot === 'healed' ? 1 : 2]);
    if (plot === 'healed') await this.#bid(silent, [1, 2]);
    await this.#listed.until(['in_transit']);
    await this.#move(0, first, 'take');
    if (plot === 'healed') await this.#heal();
    else await this.#finish();
  }

  /** One claims; the shipper is silent until the clock pays, or disputes. */
  async #finish(): Promise<void> {
    const { first, shipper, arbiter } = this.#roles;
    const { plot, percent } = this.#story;
    await this.#move(0, first, 'claim', { text: 'It stands in the hall.' });
    if (plot === 'unsigned') return this.#untilStage(0, ['completed'], ({ until }) => until);
    await this.#move(0, shipper, 'dispute', { text: 'There is no harp in the hall.' });
    await this.#move(0, arbiter, 'rule', { percent });
  }

  async #heal(): Promise<void> {
    const { first, silent, second, rival, shipper } = this.#roles;
    await this.#move(1, silent, 'accept');
    await this.#move(0, first, 'claim', { text: 'At the Potsdamer Platz. Nobody is here.' });
    await this.#untilStage(1, ['vacant', 'pending', 'accepted'], afterGrace, ({ agentPubkey, stage }) => {
      return stage === 'vacant' || agentPubkey !== silent.address;
    });
    const { costSol } = this.#story;
    // So much more that no reputation makes up for it.
    await this.#bidForOpening(rival, Math.round(costSol * 1000 + 10) / 1000);
    await this.#bidForOpening(second, costSol);
    const closesAt = await this.#closing();
    await this.#untilStage(1, ['pending', 'accepted'], () => closesAt);
    await this.#move(1, second, 'accept');
    await this.#move(0, second, 'confirm');
    await this.#move(1, shipper, 'confirm');
  }

  async #bid(courier: KeyPairSigner, [from, to]: readonly [0 | 1, 1 | 2]): Promise<void> {
    const bid = this.#offer(courier, STOPS[from], STOPS[to], this.#story.costSol);
    // Repeated after a lost answer, when the first one has already won.
    await this.#agent.ask(`${this.#listed.id}: bid`, ['invalid_status'], () =>
      this.#agent.clientOf(courier).submitBid(bid),
    );
  }

  /** Bids until the service has it: what it shows may be from behind. */
  async #bidForOpening(courier: KeyPairSigner, costSol: number): Promise<void> {
    for (;;) {
      const { id: legId, stage } = await this.#leg(1);
      if (stage !== 'vacant') return;
      const bid = { ...this.#offer(courier, STOPS[1], STOPS[2], costSol), legId };
      const { answer } = await this.#agent.ask(`${this.#listed.id}: bid for the opening`, ['invalid_status'], () =>
        this.#agent.clientOf(courier).submitBid(bid),
      );
      if (answer) return;
      await this.#pause('no bid is taken for its vacant leg');
    }
  }

  #offer(courier: KeyPairSigner, pickup: Coordinate, dropoff: Coordinate, costSol: number) {
    return {
      packageId: this.#listed.id,
      agentPubkey: courier.address,
      pickupLat: pickup.lat,
      pickupLng: pickup.lng,
      dropoffLat: dropoff.lat,
      dropoffLng: dropoff.lng,
      distanceKm: greatCircleKm(pickup, dropoff),
      estimatedDurationMin: 20,
      costSol,
    };
  }

  /** When the bids for the vacant leg are weighed; long ago when somebody has it already. */
  async #closing(): Promise<Date> {
    const { items } = await this.#agent.step(`${this.#listed.id}: read its opening`, () =>
      this.#agent.clientOf(this.#roles.shipper).listOpenings({ packageId: this.#listed.id }),
    );
    return items[0]?.closesAt ?? new Date(0);
  }

  async #leg(index: number): Promise<Leg> {
    const read = async () => (await this.#listed.read()).swarm?.legs[index];
    return this.#agent.poll(`${this.#listed.id}: read leg ${index}`, read, 'it has no such leg');
  }

  /** Makes the move until the service shows that it was made. */
  async #move(
    index: number,
    by: KeyPairSigner,
    action: keyof typeof AFTER,
    what: Pick<MoveWithText, 'text' | 'percent'> = {},
  ): Promise<void> {
    const name = `${this.#listed.id}: ${action} leg ${index}`;
    for (;;) {
      const { id: legId, stage } = await this.#leg(index);
      if (stage !== null && AFTER[action].includes(stage)) return;
      const move = { legId, packageId: this.#listed.id, action, ...what };
      await this.#agent.ask(name, LOOK_AGAIN, () => this.#tryMove(by, move));
      await this.#pause(`${action} of leg ${index} is not to be seen`);
    }
  }

  /** What was built for another state of the leg, or came too late for this one, is no error: the leg itself tells. */
  async #tryMove(by: KeyPairSigner, move: MoveWithText): Promise<void> {
    try {
      await makeMove(this.#agent.clientOf(by), by, move, { rpc: this.#world.rpc });
    } catch (error) {
      const isRefused = error instanceof LedgerRefusedError && error.programError !== undefined;
      if (!isRefused && !(error instanceof TransactionRefusedError)) throw error;
    }
  }

  /** Lets time pass until the moment that the leg says, and waits for the stage. */
  async #untilStage(
    index: number,
    wanted: readonly Stage[],
    end: (leg: Leg) => Date | null,
    isThere: (leg: Leg) => boolean = () => true,
  ): Promise<void> {
    const name = `${this.#listed.id}: let the clock of leg ${index} run out`;
    for (;;) {
      const leg = await this.#leg(index);
      if (leg.stage !== null && wanted.includes(leg.stage) && isThere(leg)) return;
      const moment = end(leg);
      if (moment) await this.#agent.step(name, () => this.#pass(moment));
      await this.#pause(`leg ${index} is ${leg.stage}, not ${wanted.join(' or ')}`);
    }
  }

  #pass(moment: Date): Promise<void> {
    const { time } = this.#world;
    const pass = () => time.passUntil(moment.getTime() / 1000);
    return isAlone(this.#story) ? pass() : time.alone(pass);
  }

  async #pause(missing: string): Promise<void> {
    this.#agent.requireTime(missing);
    await sleep(PAUSE_MS);
  }
}

const afterGrace = ({ until }: Leg) => until && new Date(until.getTime() + GRACE_SEC * 1000);
