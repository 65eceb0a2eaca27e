import { LegStatus, type Config, type Swarm } from '@legwork/program-client';
import type { Instruction, KeyPairSigner } from '@solana/kit';
import type { Delivery } from './delivery.js';
import type { Escrow, LegWithTurn, TaskLegWithTurn } from './escrow.js';
import { confirmationOf, rulingOf } from './legsWithTerms.js';
import type { Step } from './steps.js';
import { signedBy } from './tamper.js';
import { ARBITRATION, REVIEW } from './terms.js';
import { COURIERS, type Town } from './town.js';

export const TERMS_OPERATIONS = ['accept', 'take', 'vacate', 'claim', 'dispute', 'rule', 'replace', 'crank'] as const;
export type OnTerms = (typeof TERMS_OPERATIONS)[number];

export interface TermsScene {
  readonly town: Town;
  readonly step: Step;
  readonly delivery: Delivery;
  readonly settings: Config;
  readonly swarm: Swarm;
  readonly legs: readonly LegWithTurn[];
}

/** A move of the leg that the step names, by the holder of its role. */
export async function onTerms(scene: TermsScene, operation: OnTerms): Promise<Instruction | undefined> {
  const { step, legs } = scene;
  const leg = legs[step.index % Math.max(legs.length, 1)];
  return leg && move(scene, operation, leg);
}

async function move(scene: TermsScene, operation: OnTerms, leg: LegWithTurn): Promise<Instruction> {
  const { town, step, delivery } = scene;
  const { moves } = town.relay;
  const courier = town.personAt(leg.courier, town.relay.authority);
  const of = { index: leg.index, courier, formation: leg.turn.formation };
  const stranger = town.people[step.person % town.people.length] ?? courier;
  switch (operation) {
    case 'accept':
    case 'take':
      return moves.accept(delivery, { ...of, take: operation === 'take' });
    case 'vacate':
      return moves.vacate(delivery, { ...of, signer: step.legs % 2 === 0 ? courier : delivery.shipper });
    case 'claim':
      return moves.claim(delivery, of);
    case 'dispute':
      return moves.dispute(delivery, {
        ...of,
        disputer: step.legs % 2 === 0 ? delivery.shipper : await town.relay.person('receiver'),
      });
    case 'rule':
      return judgement({ town, step, escrow: delivery }, leg, { courier, signer: stranger });
    case 'replace':
      return replace(scene, leg);
    case 'crank':
      return confirm(scene, leg, stranger);
  }
  throw new Error('There is no such move');
}

/** An agreement, what silence means, or a ruling: the step says which, and the percentage. */
export async function judgement(
  { town, step, escrow }: { readonly town: Town; readonly step: Step; readonly escrow: Escrow },
  leg: LegWithTurn | TaskLegWithTurn,
  { courier, signer }: { readonly courier: KeyPairSigner; readonly signer: KeyPairSigner },
): Promise<Instruction> {
  const percent = Number(step.lamports % 101n);
  if (step.legs === 0) return rulingOf(town.relay, escrow, leg, { form: 'agreed', courier, percent });
  if (step.legs === 1) return rulingOf(town.relay, escrow, leg, { form: 'default', courier, signer, percent: 50 });
  return rulingOf(town.relay, escrow, leg, { courier, percent });
}

/** For at most what the pool has left. */
async function replace(
  { town, step, delivery, settings, swarm, legs }: TermsScene,
  leg: LegWithTurn,
): Promise<Instruction> {
  const coordinator = town.personAt(settings.coordinator, town.relay.coordinator);
  const courier = town.courier(leg.index + (step.person % COURIERS)).address;
  const most = leg.paymentLamports + swarm.totalLamports - swarm.assignedLamports;
  const offer = { paymentLamports: 1n + (step.lamports % (most + 1n)), legs: legs.length };
  return signedBy(await town.relay.moves.replace(delivery, leg.index, courier, offer), 0, coordinator);
}

async function confirm(
  { town, delivery, legs }: TermsScene,
  leg: LegWithTurn,
  recipient: KeyPairSigner,
): Promise<Instruction> {
  const next = legs[leg.index + 1];
  const takesOver = next?.courier === recipient.address && next.status === LegStatus.Accepted && !town.isLate;
  return confirmationOf(town.relay, delivery, { leg, next }, { recipient, takesOver });
}

/** An instruction that brings a delivery with terms forward, and now and then back. */
export async function sensibleOnTerms(scene: TermsScene): Promise<Instruction | undefined> {
  const { step, swarm, legs } = scene;
  const [leg, next] = legs.slice(swarm.completedLegs);
  const other = legs.slice(swarm.completedLegs)[step.index % Math.max(legs.length - swarm.completedLegs, 1)];
  if (!leg || !other) return undefined;
  if (step.legs === 0) return move(scene, 'vacate', other);
  if (other !== leg && other.status === LegStatus.Pending) return move(scene, 'accept', other);
  if (other !== leg && other.status === LegStatus.Vacant) return move(scene, 'replace', other);
  return forward(scene, leg, next);
}

async function forward(scene: TermsScene, leg: LegWithTurn, next: LegWithTurn | undefined): Promise<Instruction> {
  const { town, step, delivery } = scene;
  const recipient = next ? town.personAt(next.courier, town.relay.authority) : delivery.shipper;
  switch (leg.status) {
    case LegStatus.Pending:
    case LegStatus.Accepted:
      return move(scene, 'take', leg);
    case LegStatus.Carried:
      if (next?.status === LegStatus.Pending) return move(scene, 'accept', next);
      return step.person % 2 === 0 ? move(scene, 'claim', leg) : confirm(scene, leg, recipient);
    case LegStatus.Claimed:
      if (step.person % 3 === 0) return move(scene, 'dispute', leg);
      return step.person % 3 === 1 ? move(scene, 'crank', leg) : confirm(scene, leg, recipient);
    case LegStatus.Disputed:
      return move(scene, 'rule', leg);
    case LegStatus.Vacant:
      return move(scene, 'replace', leg);
    case LegStatus.Ruled:
    case LegStatus.Completed:
      return move(scene, 'crank', leg);
  }
  throw new Error('A leg has no such status');
}

/**
 * Anyone's move on a claim, a dispute or a ruling that a funder has to
 * wait for, at the time from which it may; undefined where there is none.
 */
export async function finished(
  town: Town,
  delivery: Delivery,
  legs: readonly LegWithTurn[],
  completed: number,
): Promise<Instruction | undefined> {
  const { relay } = town;
  const [leg, next] = legs.slice(completed);
  const recipient = delivery.funder;
  if (leg?.status === LegStatus.Disputed) {
    await town.waitUntil(leg.turn.since + ARBITRATION);
    const courier = town.personAt(leg.courier, recipient);
    return rulingOf(relay, delivery, leg, { form: 'default', courier, signer: recipient, percent: 50 });
  }
  if (leg?.status === LegStatus.Claimed) await town.waitUntil(leg.turn.since + REVIEW);
  if (leg?.status !== LegStatus.Claimed && leg?.status !== LegStatus.Ruled) return undefined;
  return confirmationOf(relay, delivery, { leg, next }, { recipient, takesOver: false });
}
