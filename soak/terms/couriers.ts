import { type Coordinate, greatCircleKm, type Leg, type PackageDetail, type PackageDraft } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from '../agent.js';
import { handOverByText, isByText } from '../byText.js';
import { carryOut } from '../journey.js';
import type { Listed } from '../listed.js';
import { budgetIn, costIn, stakeIn } from '../money/units.js';
import type { CarriedPackage } from '../packages/couriers.js';
import { PACKAGES } from '../packages/story.js';
import { boundBy, type Roles } from './bound.js';
import type { Plot, TermsStory } from './story.js';
import { afterGrace, type Clocks, isAfter, isLeftBy, patientFor, Turns } from './turns.js';

/** Alexanderplatz, Potsdamer Platz, Charlottenburg. */
const STOPS: readonly [Coordinate, Coordinate, Coordinate] = [
  { lat: 52.5219, lng: 13.4132 },
  { lat: 52.5096, lng: 13.3759 },
  { lat: 52.5167, lng: 13.3041 },
];

/** Longer than all deadlines that others let pass. */
const PATIENT = patientFor(20);
/** Where a courier is replaced, the review outlives the handoff and the grace that follows it. */
const CLOCKS: Readonly<Record<Plot, Clocks>> = {
  healed: { carrySec: 10_800, handoffSec: 300, reviewSec: 3600, arbitrationSec: 3600 },
  unsigned: { ...PATIENT, reviewSec: 300 },
  ruled: PATIENT,
};

/** Carries one package as its story says. Nobody else moves time while a courier is replaced. */
export function carryBound(world: World, story: TermsStory, shipper: KeyPairSigner): Promise<CarriedPackage> {
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

function castOf({ carriers, arbiter, coordinator }: World, { workers }: TermsStory, shipper: KeyPairSigner): Roles {
  const [first, silent, second, rival] = workers.map((index) => carriers[index]);
  if (!first || !silent || !second || !rival) throw new RangeError('There are too few couriers.');
  return { shipper, first, silent, second, rival, arbiter, coordinator };
}

function draftOf({ arbiter, asset }: World, { number, plot, stakeSol }: TermsStory, deadline: Date): PackageDraft {
  return {
    originLat: STOPS[0].lat,
    originLng: STOPS[0].lng,
    destLat: STOPS[2].lat,
    destLng: STOPS[2].lng,
    description: `A harp, number ${number}`,
    weightKg: 30,
    volumeLitres: 400,
    ...budgetIn(asset, 0.5),
    deadline: deadline.toISOString(),
    terms: { arbiterPubkey: arbiter.address, ...stakeIn(asset, stakeSol), ...CLOCKS[plot] },
  };
}

/** The work of couriers, shipper and arbiter for one package. */
class BoundCouriers {
  readonly #world: World;
  readonly #story: TermsStory;
  readonly #agent: Agent;
  readonly #listed: Listed<PackageDetail>;
  readonly #roles: Roles;
  readonly #turns: Turns<Leg>;

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
    this.#turns = new Turns({
      world,
      agent,
      of: { packageId: listed.id },
      read: async (index) => (await listed.read()).swarm?.legs[index],
      isAlone: isAlone(story),
    });
  }

  async run(): Promise<void> {
    const { plot } = this.#story;
    const { first, silent } = this.#roles;
    await this.#bid(first, [0, plot === 'healed' ? 1 : 2]);
    if (plot === 'healed') await this.#bid(silent, [1, 2]);
    await this.#listed.until(['in_transit']);
    await this.#turns.move(0, first, 'take');
    if (plot === 'healed') await this.#heal();
    else await this.#finish();
  }

  /** One claims; the shipper is silent until the clock pays, or disputes. */
  async #finish(): Promise<void> {
    const { first, shipper, arbiter } = this.#roles;
    const { plot, percent } = this.#story;
    await this.#turns.move(0, first, 'claim', { text: 'It stands in the hall.' });
    if (plot === 'unsigned') return this.#turns.untilTime(0, isAfter('confirm'), ({ until }) => until);
    await this.#turns.move(0, shipper, 'dispute', { text: 'There is no harp in the hall.' });
    await this.#turns.move(0, arbiter, 'rule', { percent });
  }

  async #heal(): Promise<void> {
    const { first, silent, second, rival, shipper } = this.#roles;
    await this.#turns.move(1, silent, 'accept');
    await this.#turns.move(0, first, 'claim', { text: 'At the Potsdamer Platz. Nobody is here.' });
    await this.#turns.untilTime(1, isLeftBy(silent), afterGrace);
    const { costSol } = this.#story;
    // So much more that no reputation makes up for it.
    await this.#bidForOpening(rival, Math.round(costSol * 1000 + 10) / 1000);
    await this.#bidForOpening(second, costSol);
    const closesAt = await this.#closing();
    const isTaken = ({ stage }: Leg) => stage === 'pending' || stage === 'accepted';
    await this.#turns.untilTime(1, isTaken, () => closesAt);
    await this.#turns.move(1, second, 'accept');
    await this.#handOver(0, { receiver: second, courier: first });
    await this.#handOver(1, { receiver: shipper, courier: second });
  }

  async #handOver(legIndex: number, hands: { receiver: KeyPairSigner; courier: KeyPairSigner }): Promise<void> {
    const { id: packageId } = this.#listed;
    if (!isByText(packageId, legIndex)) return this.#turns.move(legIndex, hands.receiver, 'confirm');
    const name = `${packageId}: hand over leg ${legIndex}`;
    await handOverByText({ agent: this.#agent, world: this.#world }, name, { packageId, legIndex }, hands);
    await this.#turns.until(`see leg ${legIndex} handed over`, legIndex, isAfter('confirm'), [], async () => undefined);
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
      const { id: legId, stage } = await this.#turns.leg(1);
      if (stage !== 'vacant') return;
      const bid = { ...this.#offer(courier, STOPS[1], STOPS[2], costSol), legId };
      const { answer } = await this.#agent.ask(`${this.#listed.id}: bid for the opening`, ['invalid_status'], () =>
        this.#agent.clientOf(courier).submitBid(bid),
      );
      if (answer) return;
      await this.#turns.pause('no bid is taken for its vacant leg');
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
      ...costIn(this.#world.asset, costSol),
    };
  }

  /** When the bids for the vacant leg are weighed; long ago when somebody has it already. */
  async #closing(): Promise<Date> {
    const { items } = await this.#agent.step(`${this.#listed.id}: read its opening`, () =>
      this.#agent.clientOf(this.#roles.shipper).listOpenings({ packageId: this.#listed.id }),
    );
    return items[0]?.closesAt ?? new Date(0);
  }
}
