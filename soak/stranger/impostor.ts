import { type Address, createSignableMessage, type KeyPairSigner } from '@solana/kit';
import { below, choose, type Random, type Shares } from '../plan.js';
import type { Calls } from './calls.js';
import type { Sights } from './sights.js';

/** A deed in another's name. */
type Deed = 'bid' | 'claim' | 'result' | 'release' | 'confirmation';

const DEEDS: Shares<Deed> = [
  ['bid', 0.2],
  ['claim', 0.2],
  ['result', 0.3],
  ['release', 0.15],
  ['confirmation', 0.15],
];
const FORGED_SHARE = 0.3;

/** Bids, claims, hands in, gives back and confirms in the names of agents who sign. */
export class Impostor {
  readonly #calls: Calls;
  readonly #sights: Sights;
  readonly #victims: readonly Address[];
  readonly #own: KeyPairSigner;
  readonly #random: Random;

  /** @param own - the key that forged requests are signed with */
  constructor(calls: Calls, sights: Sights, victims: readonly Address[], own: KeyPairSigner, random: Random) {
    this.#calls = calls;
    this.#sights = sights;
    this.#victims = victims;
    this.#own = own;
    this.#random = random;
  }

  async act(): Promise<void> {
    const deed = choose(DEEDS, this.#random);
    if (deed === 'bid') return this.#bid();
    if (deed === 'confirmation') return this.#confirm();
    const leg = this.#leg();
    if (leg === undefined) return;
    if (deed === 'claim') return this.#pretend('svc_bid_digital_leg', { ...leg, bidSol: 0.01 });
    if (deed === 'result')
      return this.#pretend('svc_complete_digital_leg', { ...leg, result: 'Not what was asked for.' });
    return this.#release(leg);
  }

  /** At a price that nobody could beat. */
  async #bid(): Promise<void> {
    const listing = this.#sights.package('listed', this.#random);
    if (listing === undefined) return;
    await this.#pretend('svc_submit_bid', {
      packageId: listing.id,
      agentPubkey: this.#victim(),
      pickupLat: listing.originLat,
      pickupLng: listing.originLng,
      dropoffLat: listing.destLat,
      dropoffLng: listing.destLng,
      distanceKm: 20,
      estimatedDurationMin: 20,
      costSol: 0.001,
    });
  }

  /** Nothing is bound by it: what the ledger shows confirmed is confirmed. */
  async #confirm(): Promise<void> {
    const listing = this.#sights.package('in_transit', this.#random);
    if (listing === undefined) return;
    const read = await this.#calls.ask('read a package', () =>
      this.#calls.clientOf().getPackage({ packageId: listing.id }),
    );
    const legs = read?.answer?.swarm?.legs ?? [];
    const leg = legs[below(legs.length, this.#random)];
    if (leg === undefined) return;
    const said = await this.#calls.ask('svc_confirm_leg, unsigned', () =>
      this.#calls.tool('svc_confirm_leg', { legId: leg.id, agentPubkey: leg.agentPubkey }),
    );
    if (said?.answer !== undefined) await this.#requireConfirmed(listing.id, leg.id);
  }

  async #requireConfirmed(packageId: string, legId: string): Promise<void> {
    const read = await this.#calls.ask('read a package', () => this.#calls.clientOf().getPackage({ packageId }));
    const leg = read?.answer?.swarm?.legs.find(({ id }) => id === legId);
    if (leg === undefined || leg.confirmSignature !== null) return;
    this.#calls.note(`svc_confirm_leg confirmed leg ${legId} of package ${packageId}, which the ledger does not show`);
  }

  /** A leg of a task; of those that somebody has, its holder's if that is one of the victims. */
  #leg() {
    const task = this.#sights.task(this.#random);
    const leg = task?.legs[below(task.legs.length, this.#random)];
    if (task === undefined || leg === undefined) return undefined;
    const holder = this.#victims.find((victim) => victim === leg.agentPubkey);
    return { taskId: task.id, legId: leg.id, agentPubkey: holder ?? this.#victim() };
  }

  /** Without a signature, or with one by another key. */
  async #pretend(
    tool: string,
    args: { readonly agentPubkey: Address; readonly [name: string]: unknown },
  ): Promise<void> {
    const isForged = this.#random() < FORGED_SHARE;
    const forged = isForged ? { ...this.#own, address: args.agentPubkey } : undefined;
    const about = `in the name of ${args.agentPubkey}: ${JSON.stringify(args)}`;
    await this.#calls.expectRefusal(`${tool}, ${isForged ? 'forged' : 'unsigned'}`, about, () =>
      this.#calls.tool(tool, args, forged),
    );
  }

  /** There is no tool for it. */
  async #release(leg: {
    readonly taskId: string;
    readonly legId: string;
    readonly agentPubkey: Address;
  }): Promise<void> {
    const client = this.#calls.clientOf(forgedBy(this.#own, leg.agentPubkey));
    await this.#calls.expectRefusal('releaseDigitalLeg, forged', JSON.stringify(leg), () =>
      client.releaseDigitalLeg(leg),
    );
  }

  #victim(): Address {
    const victim = this.#victims[below(this.#victims.length, this.#random)];
    if (victim === undefined) throw new RangeError('There is nobody who signs.');
    return victim;
  }
}

/** Says that it is the victim, and signs with its own key. */
function forgedBy(own: KeyPairSigner, victim: Address): KeyPairSigner {
  return {
    ...own,
    address: victim,
    signMessages: async (messages) => {
      const signed = await own.signMessages(messages.map(({ content }) => createSignableMessage(content)));
      return signed.flatMap((signatures) => {
        const signature = signatures[own.address];
        return signature === undefined ? [] : [{ [victim]: signature }];
      });
    },
  };
}
