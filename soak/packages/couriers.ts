import { setTimeout as sleep } from 'node:timers/promises';
import {
  confirmLeg,
  type Coordinate,
  greatCircleKm,
  type Leg,
  type PackageDetail,
  type PackageDraft,
} from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from '../agent.js';
import { handOverByText, isByText } from '../byText.js';
import { carryOut, type Ended } from '../journey.js';
import type { Listed } from '../listed.js';
import { budgetIn, costIn } from '../money/units.js';
import { PACKAGES } from './story.js';
import type { Offer, PackageStory, Report } from './story.js';

/** Alexanderplatz, Potsdamer Platz, Charlottenburg, Spandau. */
const STOPS: readonly [Coordinate, Coordinate, Coordinate, Coordinate] = [
  { lat: 52.5219, lng: 13.4132 },
  { lat: 52.5096, lng: 13.3759 },
  { lat: 52.5167, lng: 13.3041 },
  { lat: 52.5352, lng: 13.1975 },
];

/** A package that has come to its end. */
export type CarriedPackage = Ended<PackageDetail>;

/** Carries one package as its story says, and waits for its end. */
export function carryPackage(world: World, story: PackageStory, shipper: KeyPairSigner): Promise<CarriedPackage> {
  return carryOut(world, {
    kind: PACKAGES,
    story,
    shipper,
    draft: (deadline) => draftOf(world, story, deadline),
    work: (agent, listed) => new Couriers(world, story, agent, listed).run(),
  });
}

function draftOf({ asset }: World, { number }: PackageStory, deadline: Date): PackageDraft {
  return {
    originLat: STOPS[0].lat,
    originLng: STOPS[0].lng,
    destLat: STOPS[3].lat,
    destLng: STOPS[3].lng,
    description: `A cello in its case, number ${number}`,
    weightKg: 9,
    volumeLitres: 140,
    ...budgetIn(asset, 0.5),
    deadline: deadline.toISOString(),
  };
}

/** The couriers' work for one package. */
class Couriers {
  readonly #world: World;
  readonly #story: PackageStory;
  readonly #agent: Agent;
  readonly #listed: Listed<PackageDetail>;

  constructor(world: World, story: PackageStory, agent: Agent, listed: Listed<PackageDetail>) {
    this.#world = world;
    this.#story = story;
    this.#agent = agent;
    this.#listed = listed;
  }

  async run(): Promise<void> {
    const { fate, offers, legsKept } = this.#story;
    const isLeft = fate === 'cancelled' || fate === 'forgotten';
    await this.#bid(isLeft || fate === 'raced' ? offers.slice(0, -1) : offers);
    if (isLeft) return;
    if (fate === 'raced') await this.#race();
    const formed = await this.#listed.until(fate === 'raced' ? ['in_transit', 'failed'] : ['in_transit']);
    if (formed.status === 'failed') return;
    const legs = formed.swarm?.legs ?? [];
    const kept = fate === 'reclaimed' ? legs.slice(0, legsKept) : legs;
    for (const leg of kept) await this.#confirm(leg, legs);
  }

  async #bid(offers: readonly Offer[]): Promise<void> {
    const [first] = this.#story.offers;
    if (this.#story.withdraws && first) await this.#withdraw(first);
    for (const offer of offers) await this.#submit(offer);
    await this.#look();
  }

  /** Another service has to show them: the checker of histories compares what it says. */
  async #look(): Promise<void> {
    const { id, shipper } = this.#listed;
    await this.#agent.step(`${id}: read the bids`, () => this.#agent.clientOf(shipper).listBids({ packageId: id }));
  }

  /** The last bid makes the chain complete, and the shipper cancels. */
  async #race(): Promise<void> {
    const { offers, cancelsAfterMs } = this.#story;
    const last = offers.at(-1);
    if (!last) throw new RangeError('There is nothing to bid on.');
    const cancelled = sleep(cancelsAfterMs).then(() => this.#listed.cancel());
    await Promise.all([this.#submit(last), cancelled]);
  }

  /** Bids on a stretch of which no chain can be made, and thinks better of it. */
  async #withdraw(offer: Offer): Promise<void> {
    const bidId = await this.#submit({ ...offer, from: 1, to: 2 });
    // The package is cancelled already.
    if (bidId === undefined) return;
    const { status } = await this.#agent.step(`${this.#listed.id}: withdraw a bid`, () =>
      this.#agent.clientOf(this.#courier(offer)).withdrawBid({ bidId }),
    );
    if (status !== 'withdrawn') throw new Error(`bid ${bidId} was withdrawn and is ${status}`);
    await this.#look();
  }

  /** @returns the id of the bid; undefined when the package was not open for bids any more */
  async #submit(offer: Offer): Promise<string | undefined> {
    const courier = this.#courier(offer);
    const [pickup, dropoff] = [STOPS[offer.from], STOPS[offer.to]];
    if (!pickup || !dropoff) throw new RangeError('There are too few stops.');
    const bid = {
      packageId: this.#listed.id,
      agentPubkey: courier.address,
      pickupLat: pickup.lat,
      pickupLng: pickup.lng,
      dropoffLat: dropoff.lat,
      dropoffLng: dropoff.lng,
      distanceKm: greatCircleKm(pickup, dropoff),
      estimatedDurationMin: 20,
      ...costIn(this.#world.asset, offer.costSol),
    };
    const hand = this.#agent.handOf(courier, offer.hand);
    const name = `${this.#listed.id}: bid (${hand})`;
    // Repeated after a lost answer, when the first one has already won; or the package is cancelled.
    const { answer } = await this.#agent.ask(name, ['invalid_status'], async () =>
      hand === 'rest'
        ? (await this.#agent.clientOf(courier).submitBid(bid)).id
        : String((await this.#agent.callAsUsual(courier, 'svc_submit_bid', bid))['id']),
    );
    return answer;
  }

  #courier({ courier }: Offer): KeyPairSigner {
    const found = this.#world.agents[courier];
    if (!found) throw new RangeError('There are too few agents.');
    return found;
  }

  async #confirm(leg: Leg, legs: readonly Leg[]): Promise<void> {
    const next = legs[leg.legIndex + 1]?.agentPubkey;
    const recipient = this.#world.agents.find(({ address }) => address === next) ?? this.#listed.shipper;
    const name = `${this.#listed.id}: confirm leg ${leg.legIndex}`;
    const courier = this.#world.agents.find(({ address }) => address === leg.agentPubkey);
    if (courier && isByText(this.#listed.id, leg.legIndex)) {
      const about = { packageId: this.#listed.id, legIndex: leg.legIndex };
      const place = { agent: this.#agent, world: this.#world };
      await handOverByText(place, name, about, { receiver: recipient, courier });
      return this.#untilMirrored(name, leg.id);
    }
    const report: Report = this.#story.reports[leg.legIndex] ?? 'sdk';
    if (report === 'sdk') {
      const { rpc } = this.#world;
      await this.#agent.step(name, () => confirmLeg(this.#agent.clientOf(recipient), rpc, recipient, leg.id));
      // The service finds by itself the transactions that landed while it was down.
      return this.#untilMirrored(name, leg.id);
    }
    await this.#agent.sendSilently(name, recipient, 'confirmLeg', (client) => client.buildConfirmTx({ legId: leg.id }));
    if (report === 'tool') {
      const args = { legId: leg.id, agentPubkey: recipient.address };
      await this.#agent.step(`${name}, with a tool`, () => this.#agent.call('svc_confirm_leg', args));
    }
    await this.#untilMirrored(name, leg.id);
  }

  async #untilMirrored(name: string, legId: string): Promise<void> {
    const read = async () => {
      const { swarm } = await this.#listed.read();
      return swarm?.legs.find(({ id }) => id === legId)?.status === 'completed' || undefined;
    };
    await this.#agent.poll(`${name}: mirrored`, read, 'it is confirmed by a silent wallet and not mirrored');
  }
}
