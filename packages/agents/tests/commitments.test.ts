import type { QueuedLeg } from '@legwork/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Commitments } from '../src/engine/commitments.js';
import type { NewEntry } from '../src/index.js';

const MINUTE_MS = 60_000;
const BID_MS = 10 * MINUTE_MS;
const NOW = Date.UTC(2026, 0, 1);

/** The next event, as numbers that choose among the possible ones. */
const step = fc.record({
  what: fc.constantFrom('bid', 'claim', 'arrive', 'answer', 'win', 'read', 'end', 'withdraw', 'wait'),
  which: fc.nat(20),
  minutes: fc.nat(9),
});

/** A service and an agent: what the service knows is the truth that the agent must never underrate. */
class Scene {
  nowMs = NOW;
  readonly commitments = new Commitments();
  /** Live bids and legs of the service, by subject. */
  readonly bids = new Map<string, { untilMs: number; bidId: string }>();
  /** Every bid that the service ever took, as it answers. */
  readonly #answers = new Map<string, { untilMs: number; bidId: string }>();
  readonly legs = new Map<string, QueuedLeg>();
  readonly open: { readonly key: string; readonly subject: string; readonly isBid: boolean; reached: boolean }[] = [];
  #names = 0;

  tell(entry: NewEntry): void {
    this.commitments.take({ ...entry, at: new Date(this.nowMs).toISOString() });
  }

  /** The legs that the agent has, or could have by what is live. */
  get truth(): number {
    const live = [...this.bids].filter(([, { untilMs }]) => untilMs > this.nowMs).map(([subject]) => subject);
    return new Set([...live, ...this.legs.keys()]).size;
  }

  call(isBid: boolean, reached: boolean, legsAtOnce: number): void {
    this.#names += 1;
    const subject = `s${this.#names}`;
    if (!this.commitments.hasRoom(subject, legsAtOnce)) return;
    this.tell({ kind: 'called', call: isBid ? 'submitBid' : 'bidDigitalLeg', subject, key: subject, input: {} });
    this.open.push({ key: subject, subject, isBid, reached: false });
    if (reached) this.arrive(this.open.length - 1);
  }

  /** A call that is under way comes to the service. */
  arrive(which: number): void {
    const call = this.open[which % Math.max(this.open.length, 1)];
    if (!call || call.reached) return;
    call.reached = true;
    const bid = { untilMs: this.nowMs + BID_MS, bidId: `bid ${call.subject}` };
    if (call.isBid) for (const bids of [this.bids, this.#answers]) bids.set(call.subject, bid);
    else this.legs.set(call.subject, legOf('digital', call.subject));
  }

  answer(which: number): void {
    const [call] = this.open.splice(which % Math.max(this.open.length, 1), 1);
    if (!call) return;
    const bid = this.#answers.get(call.subject);
    const said = bid ? { bidId: bid.bidId, expiresAt: new Date(bid.untilMs).toISOString() } : {};
    this.tell({ kind: 'answered', key: call.key, ok: call.reached, said });
  }

  win(which: number): void {
    const live = [...this.bids].filter(([, { untilMs }]) => untilMs > this.nowMs);
    const [subject] = live[which % Math.max(live.length, 1)] ?? [];
    if (subject === undefined) return;
    this.bids.delete(subject);
    this.legs.set(subject, legOf('physical', subject));
  }

  withdraw(which: number): void {
    const standing = this.commitments.bids.filter(({ bidId }) => bidId !== undefined);
    const bid = standing[which % Math.max(standing.length, 1)];
    if (bid?.bidId === undefined || this.legs.has(bid.packageId)) return;
    const key = `withdraw ${bid.bidId}`;
    this.tell({ kind: 'called', call: 'withdrawBid', subject: bid.packageId, key, input: { bidId: bid.bidId } });
    this.bids.delete(bid.packageId);
    this.tell({ kind: 'answered', key, ok: true, said: {} });
  }
}

const legOf = (kind: QueuedLeg['kind'], subject: string) =>
  ({ kind, id: subject, packageId: subject }) as unknown as QueuedLeg;

describe('commitments', () => {
  test('never count fewer legs than the agent has or may still get, so that no limit is passed (A-21)', () => {
    let most = 0;
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 0, max: 4 }),
        (steps, legsAtOnce) => {
          const scene = new Scene();
          for (const { what, which, minutes } of steps) {
            if (what === 'bid' || what === 'claim') scene.call(what === 'bid', which % 3 > 0, legsAtOnce);
            if (what === 'arrive') scene.arrive(which);
            if (what === 'answer') scene.answer(which);
            if (what === 'win') scene.win(which);
            if (what === 'withdraw') scene.withdraw(which);
            if (what === 'wait') scene.nowMs += minutes * MINUTE_MS;
            if (what === 'end') scene.legs.delete([...scene.legs.keys()][which] ?? '');
            if (what === 'read') {
              // The answer is on its way while more happens.
              const read = [[...scene.legs.values()], scene.nowMs] as const;
              scene.nowMs += 1;
              scene.win(which);
              scene.commitments.sawLegs(...read);
            }
            expect(scene.commitments.count).toBeGreaterThanOrEqual(scene.truth);
            expect(scene.truth).toBeLessThanOrEqual(legsAtOnce);
            most = Math.max(most, scene.truth);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(most).toBe(4);
  });

  test('end with their bids: an agent that lost everything is free again (A-21)', () => {
    const scene = new Scene();
    for (let bid = 0; bid < 3; bid += 1) scene.call(true, true, 3);
    scene.call(true, true, 3);
    expect(scene.commitments.count).toBe(3);
    for (let bid = 0; bid < 3; bid += 1) scene.answer(0);
    scene.nowMs += BID_MS + 2 * MINUTE_MS;
    expect(scene.commitments.count).toBe(3);
    scene.commitments.sawLegs([], scene.nowMs);
    expect(scene.commitments.count).toBe(0);
  });

  test('end when a bid cannot be withdrawn any more, once the legs were read after that (A-21)', () => {
    const scene = new Scene();
    scene.call(true, true, 3);
    scene.answer(0);
    const [bid] = scene.commitments.bids;
    const call = { call: 'withdrawBid', subject: bid?.packageId ?? '', key: 'w', input: { bidId: bid?.bidId } };
    scene.tell({ kind: 'called', ...call });
    scene.tell({ kind: 'answered', key: 'w', ok: false, said: { code: 'invalid_status' } });
    expect(scene.commitments.count).toBe(1);
    scene.nowMs += 2 * MINUTE_MS;
    scene.commitments.sawLegs([], scene.nowMs);
    expect(scene.commitments.count).toBe(0);
  });
});
