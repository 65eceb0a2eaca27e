import { setTimeout as sleep } from 'node:timers/promises';
import {
  confirmLeg,
  type Coordinate,
  greatCircleKm,
  type Leg,
  type PackageDetail,
  type PackageDraft,
  RelayApiError,
} from '@agent-relay/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import { Agent, type World } from './agent.js';
import { type Posted, postParcel } from './posting.js';
import type { Offer, Posting, Report, Story } from './stories.js';
import { callTool } from './tools.js';

/** Alexanderplatz, Potsdamer Platz, Charlottenburg, Spandau. */
const STOPS: readonly [Coordinate, Coordinate, Coordinate, Coordinate] = [
  { lat: 52.5219, lng: 13.4132 },
  { lat: 52.5096, lng: 13.3759 },
  { lat: 52.5167, lng: 13.3041 },
  { lat: 52.5352, lng: 13.1975 },
];
/** For a package whose deadline is to pass: no chain is chosen that would not be there in time. */
export const NEAR_DEADLINE_SEC = 3 * 3_600;
/** For all others, however many deadlines pass meanwhile. */
const FAR_DEADLINE_SEC = 90 * 86_400;

/** A package that has come to its end. */
export interface Carried {
  readonly item: PackageDetail;
  readonly posting: Posting;
  /** Whose transaction cancelled or reclaimed it, if one did. */
  readonly endedBy: Address;
  /** Whether its account was closed. */
  readonly closed: boolean;
  /** A cancellation and a formation met: the ledger may show the loser, too. */
  readonly raced: boolean;
}

/** The life of one package, by agents who repeat what got no answer. Every one of their calls may be hit by a kill. */
class Journey {
  readonly #world: World;
  readonly #shipper: KeyPairSigner;
  readonly #story: Story;
  readonly #agent: Agent;
  readonly #coordinator: Address;

  constructor(world: World, story: Story, shipper: KeyPairSigner, coordinator: Address) {
    this.#world = world;
    this.#story = story;
    this.#shipper = shipper;
    this.#coordinator = coordinator;
    this.#agent = new Agent(world, story.number);
  }

  async run(): Promise<Carried> {
    const { fate, posting, offers, closes } = this.#story;
    const now = await this.#agent.step("read the ledger's clock", () => this.#world.time.now());
    const deadline = now + (waitsForDeadline(this.#story) ? NEAR_DEADLINE_SEC : FAR_DEADLINE_SEC);
    const posted = await this.#post(deadline);
    const { packageId } = posted;
    await this.#until(packageId, ['listed', 'swarm_forming', 'in_transit']);
    const isLeft = fate === 'cancelled' || fate === 'forgotten';
    await this.#bid(packageId, isLeft || fate === 'raced' ? offers.slice(0, -1) : offers);
    if (fate === 'raced') await this.#race(packageId);
    const isSponsored = posting !== 'reported' && posting !== 'silent';
    const item = await this.#finish(packageId, isSponsored, deadline);
    if (posted.repeat) await this.#requireSame(posted);
    if (closes && !isSponsored) {
      await this.#agent.sendSilently(`${packageId}: close`, this.#shipper, 'closePackage', (client) =>
        client.buildCloseTx({ packageId }),
      );
    }
    const byCoordinator = isSponsored && fate !== 'cancelled';
    return {
      item,
      posting,
      endedBy: byCoordinator ? this.#coordinator : this.#shipper.address,
      closed: isSponsored || closes,
      raced: fate === 'raced',
    };
  }

  /** @param deadline - Unix seconds */
  #post(deadline: number): Promise<Posted> {
    const draft: PackageDraft = {
      originLat: STOPS[0].lat,
      originLng: STOPS[0].lng,
      destLat: STOPS[3].lat,
      destLng: STOPS[3].lng,
      description: `A cello in its case, number ${this.#story.number}`,
      weightKg: 9,
      volumeLitres: 140,
      maxBudgetSol: 0.5,
      deadline: new Date(deadline * 1000).toISOString(),
    };
    return postParcel(this.#world, this.#agent, this.#story.posting, { shipper: this.#shipper, draft });
  }

  /** From the bids to the end. */
  async #finish(packageId: string, isSponsored: boolean, deadline: number): Promise<PackageDetail> {
    const { fate, legsKept } = this.#story;
    if (fate === 'cancelled') {
      await this.#cancel(packageId);
      return this.#until(packageId, ['failed']);
    }
    if (fate === 'forgotten') {
      await this.#pass(deadline);
      return this.#until(packageId, ['failed']);
    }
    const formed = await this.#until(packageId, fate === 'raced' ? ['in_transit', 'failed'] : ['in_transit']);
    if (formed.status === 'failed') return formed;
    const legs = formed.swarm?.legs ?? [];
    const kept = fate === 'reclaimed' ? legs.slice(0, legsKept) : legs;
    for (const leg of kept) await this.#confirm(packageId, leg, legs);
    if (fate !== 'reclaimed') return this.#until(packageId, ['delivered']);
    await this.#pass(deadline);
    // What the coordinator advanced it takes back by itself.
    if (!isSponsored) {
      await this.#agent.sendSilently(`${packageId}: reclaim`, this.#shipper, 'reclaimPackage', (client) =>
        client.buildReclaimTx({ packageId }),
      );
    }
    return this.#until(packageId, ['failed']);
  }

  async #pass(deadline: number): Promise<void> {
    await this.#agent.step('let the deadline pass', () => this.#world.time.passUntil(deadline));
  }

  #cancel(packageId: string): Promise<void> {
    return this.#agent.sendSilently(`${packageId}: cancel`, this.#shipper, 'cancelPackage', (client) =>
      client.buildCancelTx({ packageId }),
    );
  }

  async #bid(packageId: string, offers: readonly Offer[]): Promise<void> {
    const [first] = this.#story.offers;
    if (this.#story.withdraws && first) await this.#withdraw(packageId, first);
    for (const offer of offers) await this.#submit(packageId, offer);
  }

  /** The last bid makes the chain complete, and the shipper cancels. */
  async #race(packageId: string): Promise<void> {
    const { offers, cancelsAfterMs } = this.#story;
    const last = offers.at(-1);
    if (!last) throw new RangeError('There is nothing to bid on.');
    const cancelled = sleep(cancelsAfterMs).then(() => this.#cancel(packageId));
    await Promise.all([this.#submit(packageId, last), cancelled]);
  }

  /** Bids on a stretch of which no chain can be made, and thinks better of it. */
  async #withdraw(packageId: string, offer: Offer): Promise<void> {
    const bidId = await this.#submit(packageId, { ...offer, from: 1, to: 2 });
    // The package is cancelled already.
    if (bidId === undefined) return;
    const { status } = await this.#agent.step(`${packageId}: withdraw a bid`, () =>
      this.#agent.clientOf(this.#courier(offer)).withdrawBid({ bidId }),
    );
    if (status !== 'withdrawn') throw new Error(`bid ${bidId} was withdrawn and is ${status}`);
  }

  /** @returns the id of the bid; undefined when the package was not open for bids any more */
  #submit(packageId: string, offer: Offer): Promise<string | undefined> {
    const courier = this.#courier(offer);
    const [pickup, dropoff] = [STOPS[offer.from], STOPS[offer.to]];
    if (!pickup || !dropoff) throw new RangeError('There are too few stops.');
    const bid = {
      packageId,
      agentPubkey: courier.address,
      pickupLat: pickup.lat,
      pickupLng: pickup.lng,
      dropoffLat: dropoff.lat,
      dropoffLng: dropoff.lng,
      distanceKm: greatCircleKm(pickup, dropoff),
      estimatedDurationMin: 20,
      costSol: offer.costSol,
    };
    return this.#agent.step(`${packageId}: bid${offer.byTool ? ' with a tool' : ''}`, async () => {
      try {
        if (offer.byTool) return String((await callTool(this.#agent.url, 'svc_submit_bid', bid))['id']);
        return (await this.#agent.clientOf(courier).submitBid(bid)).id;
      } catch (error) {
        // Repeated after a lost answer, when the first one has already won; or the package is cancelled.
        if (!(error instanceof RelayApiError && error.code === 'invalid_status')) throw error;
        return undefined;
      }
    });
  }

  #courier({ courier }: Offer): KeyPairSigner {
    const found = this.#world.couriers[courier];
    if (!found) throw new RangeError('There are too few couriers.');
    return found;
  }

  async #confirm(packageId: string, leg: Leg, legs: readonly Leg[]): Promise<void> {
    const next = legs[leg.legIndex + 1]?.agentPubkey;
    const recipient = this.#world.couriers.find(({ address }) => address === next) ?? this.#shipper;
    const name = `${packageId}: confirm leg ${leg.legIndex}`;
    const report: Report = this.#story.reports[leg.legIndex] ?? 'sdk';
    if (report === 'sdk') {
      const { rpc } = this.#world;
      await this.#agent.step(name, () => confirmLeg(this.#agent.clientOf(recipient), rpc, recipient, leg.id));
      return;
    }
    await this.#agent.sendSilently(name, recipient, 'confirmLeg', (client) => client.buildConfirmTx({ legId: leg.id }));
    if (report === 'tool') {
      const args = { legId: leg.id, agentPubkey: recipient.address };
      await this.#agent.step(`${name}, with a tool`, () => callTool(this.#agent.url, 'svc_confirm_leg', args));
    }
    await this.#untilMirrored(name, packageId, leg.id);
  }

  async #untilMirrored(name: string, packageId: string, legId: string): Promise<void> {
    const read = async () => {
      const { swarm } = await this.#agent.clientOf(this.#shipper).getPackage({ packageId });
      return swarm?.legs.find(({ id }) => id === legId)?.status === 'completed' || undefined;
    };
    await this.#agent.poll(`${name}: mirrored`, read, 'it is confirmed by a silent wallet and not mirrored');
  }

  async #until(packageId: string, statuses: readonly PackageDetail['status'][]): Promise<PackageDetail> {
    const wanted = statuses.join(' or ');
    let found = 'not known';
    const read = async () => {
      try {
        const status = (await callTool(this.#agent.url, 'svc_get_package', { packageId }))['status'];
        found = String(status);
        if (!statuses.some((one) => one === status)) return undefined;
        const item = await this.#agent.clientOf(this.#shipper).getPackage({ packageId });
        return statuses.includes(item.status) ? item : undefined;
      } catch (error) {
        // A listing that nobody reported is a draft until the service has seen it.
        if (error instanceof RelayApiError && error.code === 'not_found') return undefined;
        throw error;
      }
    };
    return this.#agent.poll(`${packageId}: ${wanted}`, read, `wanted ${wanted}`).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${found}`, { cause: error });
    });
  }

  async #requireSame({ packageId, repeat }: Posted): Promise<void> {
    const again = await repeat?.();
    if (again !== packageId)
      throw new Error(`${packageId} was posted under a name, and a repeat of it posted ${again}`);
  }
}

function waitsForDeadline({ fate }: Story): boolean {
  return fate === 'reclaimed' || fate === 'forgotten';
}

/** Does what the story says, and waits for the end of the package. */
export function carryPackage(
  world: World,
  story: Story,
  shipper: KeyPairSigner,
  coordinator: Address,
): Promise<Carried> {
  const carry = () => new Journey(world, story, shipper, coordinator).run();
  return waitsForDeadline(story) ? world.time.alone(carry) : carry();
}
