import { PackageStatus, type Config } from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { AccountRole, isSignerRole, type Instruction } from '@solana/kit';
import fc from 'fast-check';
import { DEADLINE, SOL, type Delivery } from './delivery.js';
import { acceptedCouriers } from './legsWithTerms.js';
import { signedBy, swapped } from './tamper.js';
import { asFunded, onTask, TASK_OPERATIONS, type OnTask } from './taskSteps.js';
import { ARBITRATION, CARRY, HANDOFF, REVIEW, terms } from './terms.js';
import { finished, onTerms, sensibleOnTerms, TERMS_OPERATIONS, type OnTerms, type TermsScene } from './termsSteps.js';
import { COURIERS, DELIVERIES, isOpen, MAX_LEGS, type Town } from './town.js';

const OPERATIONS = [
  'list',
  'cancel',
  'form',
  'assign',
  'confirm',
  'settle',
  'reclaim',
  'close',
  'openReputation',
  'gift',
] as const;
const GOVERNANCE = ['setCoordinator', 'setPaused', 'proposeAuthority', 'acceptAuthority'] as const;
type Governance = (typeof GOVERNANCE)[number];
type OnDelivery = 'sensible' | (typeof OPERATIONS)[number] | OnTerms;
/** Time passes until about the deadline, or for one of the windows. */
type Passing = 'wait' | 'pass';
type Operation = Passing | OnDelivery | OnTask | Governance;

function isGovernance(operation: OnDelivery | OnTask | Governance): operation is Governance {
  return GOVERNANCE.some((name) => name === operation);
}

function isOnTask(operation: OnDelivery | OnTask): operation is OnTask {
  return operation === 'sensibleTask' || TASK_OPERATIONS.some((name) => name === operation);
}

/** One transaction by somebody: what, on which delivery or job, and numbers that its accounts and amounts are taken from. */
export interface Step {
  readonly operation: Operation;
  readonly listing: number;
  /** Undefined: who should sign does. */
  readonly signer: number | undefined;
  /** Undefined: the accounts are the right ones. */
  readonly tampered: { readonly place: number; readonly address: number } | undefined;
  readonly index: number;
  readonly person: number;
  readonly legs: number;
  readonly lamports: bigint;
  /** Where a gift goes, among the accounts of deliveries and jobs. */
  readonly destination: number;
}

function sometimes<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    operation: fc.oneof(
      { weight: 48, arbitrary: fc.constantFrom('sensible', 'sensible', 'sensible', 'sensibleTask') },
      { weight: 14, arbitrary: fc.constantFrom(...OPERATIONS, ...TASK_OPERATIONS, ...TERMS_OPERATIONS) },
      { weight: 3, arbitrary: fc.constant('gift' as const) },
      { weight: 4, arbitrary: fc.constantFrom(...GOVERNANCE) },
      { weight: 1, arbitrary: fc.constant('wait' as const) },
      { weight: 2, arbitrary: fc.constant('pass' as const) },
    ),
    listing: fc.nat(DELIVERIES - 1),
    signer: sometimes(fc.nat(13)),
    tampered: sometimes(fc.record({ place: fc.nat(12), address: fc.nat(73) })),
    index: fc.nat(MAX_LEGS),
    person: fc.nat(10),
    legs: fc.integer({ min: 0, max: MAX_LEGS + 1 }),
    lamports: fc.bigInt({ min: 0n, max: SOL + SOL / 8n }),
    destination: fc.nat(41),
  }),
  { minLength: 20, maxLength: 120, size: 'max' },
);

/** The transaction of a step; undefined when the step only moves the clock, or nothing sensible is left to do. */
export async function instructionOf(town: Town, step: Step): Promise<Instruction | undefined> {
  const { operation } = step;
  if (operation === 'wait') {
    await town.setClock(step.lamports % 3n === 0n ? DEADLINE : DEADLINE - 1n);
    return undefined;
  }
  if (operation === 'pass') {
    await town.wait([CARRY, HANDOFF, REVIEW, ARBITRATION][step.index % 4] ?? CARRY);
    return undefined;
  }
  const instruction = await undisguised(town, step, operation);
  return instruction && disguised(town, step, instruction);
}

async function undisguised(
  town: Town,
  step: Step,
  operation: Exclude<Operation, Passing>,
): Promise<Instruction | undefined> {
  const settings = await town.settings();
  if (isGovernance(operation)) return governance(town, operation, step, settings);
  if (isOnTask(operation)) {
    const job = await asFunded(town, listingOf(town.jobs, step));
    return onTask(town, operation, step, { job, settings });
  }
  const delivery = await asListed(town, listingOf(town.deliveries, step));
  return regular(town, operation, step, { delivery, settings });
}

function listingOf<T>(listings: readonly T[], { listing }: Step): T {
  const chosen = listings[listing];
  if (chosen === undefined) throw new Error('a step is about one of the deliveries or jobs');
  return chosen;
}

/** The delivery with its funder: whoever signed the listing. */
export async function asListed(town: Town, delivery: Delivery): Promise<Delivery> {
  const state = await town.package(delivery);
  if (typeof state !== 'object') return delivery;
  return { ...delivery, funder: town.personAt(state.funder, delivery.funder) };
}

/** The funder's way out of an open package. */
export async function exitOf(town: Town, planned: Delivery): Promise<Instruction> {
  const delivery = await asListed(town, planned);
  const swarm = await town.swarm(delivery);
  if (!swarm) return town.relay.cancel(delivery);
  const legs = await town.legs(delivery, swarm);
  const unfinished = await finished(town, delivery, legs, swarm.completedLegs);
  if (unfinished) return unfinished;
  const isComplete = swarm.completedLegs === swarm.totalLegs;
  const exit = isComplete
    ? await town.relay.settle(delivery, swarm.totalLegs, delivery.funder)
    : await town.relay.reclaim(delivery, swarm.assignedLegs, delivery.funder, acceptedCouriers(legs));
  return swapped(exit, RENT_PAYER, swarm.rentPayer);
}

/** Place of the rent payer in settle and reclaim. */
const RENT_PAYER = 6;

interface Scene {
  readonly delivery: Delivery;
  readonly settings: Config;
}

async function regular(
  town: Town,
  operation: OnDelivery,
  step: Step,
  { delivery, settings }: Scene,
): Promise<Instruction | undefined> {
  const { relay } = town;
  const { index, legs, lamports } = step;
  const coordinator = town.personAt(settings.coordinator, relay.coordinator);
  const person = town.people[step.person % town.people.length] ?? relay.authority;
  switch (operation) {
    case 'sensible':
      return sensible(town, step, delivery, settings);
    case 'list':
      return listing(town, step, delivery);
    case 'cancel':
      return relay.cancel(delivery);
    case 'form':
      return signedBy(relay.form(delivery, legs, lamports), 0, coordinator);
    case 'assign':
      return signedBy(await relay.assign(delivery, index, person.address, lamports), 0, coordinator);
    case 'confirm':
      return confirmation(town, delivery, index, legs);
    case 'settle':
      return relay.settle(delivery, legs, coordinator);
    case 'reclaim':
      return relay.reclaim(delivery, legs);
    case 'accept':
    case 'take':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
    case 'replace':
    case 'crank': {
      const scene = await termsScene(town, step, { delivery, settings });
      return scene && onTerms(scene, operation);
    }
    case 'close':
      return relay.close(delivery);
    case 'openReputation':
      return relay.openReputation((town.people[legs] ?? person).address, person);
    case 'gift':
      return getTransferSolInstruction({
        source: person,
        destination: town.addresses[step.destination + 1] ?? delivery.vault,
        amount: lamports,
      });
  }
  return undefined;
}

function governance(town: Town, operation: Governance, step: Step, settings: Config): Instruction {
  const { relay } = town;
  const authority = town.personAt(settings.authority, relay.authority);
  const person = town.people[step.person % town.people.length] ?? authority;
  const instructions: Readonly<Record<Governance, () => Instruction>> = {
    setCoordinator: () => relay.setCoordinator(person.address, authority),
    // More often running than paused, so that something happens.
    setPaused: () => relay.setPaused(step.person < 3, authority),
    proposeAuthority: () => relay.proposeAuthority(person.address, authority),
    acceptAuthority: () => relay.acceptAuthority(town.personAt(settings.pendingAuthority, person)),
  };
  return instructions[operation]();
}

async function confirmation(town: Town, delivery: Delivery, index: number, legs: number): Promise<Instruction> {
  const courier = (await town.carrier(delivery, index)).address;
  if (index + 1 === legs) return town.relay.confirm(delivery, { index, courier, recipient: delivery.shipper });
  const recipient = await town.carrier(delivery, index + 1);
  return town.relay.confirm(delivery, { index, courier, recipient, next: index + 1 });
}

/** With terms or without. */
async function listing(town: Town, step: Step, delivery: Delivery): Promise<Instruction> {
  return town.relay.list(delivery, step.person % 3 === 0 ? {} : { terms: await terms() });
}

/** The scene that a move of a delivery with terms depends on; undefined: it has none, or is not under way. */
async function termsScene(town: Town, step: Step, { delivery, settings }: Scene): Promise<TermsScene | undefined> {
  const swarm = await town.swarm(delivery);
  const legs = swarm ? await town.legs(delivery, swarm) : [];
  return swarm && legs.length > 0 ? { town, step, delivery, settings, swarm, legs } : undefined;
}

/** An instruction that brings the delivery forward. */
async function sensible(
  town: Town,
  step: Step,
  delivery: Delivery,
  settings: Config,
): Promise<Instruction | undefined> {
  const { relay } = town;
  const coordinator = town.personAt(settings.coordinator, relay.coordinator);
  const state = await town.package(delivery);
  if (state === 'closed') return undefined;
  if (state === 'unlisted') return listing(town, step, delivery);
  if (!isOpen(state)) return step.index === 0 ? relay.close(delivery) : undefined;
  const total = (step.lamports % SOL) + 1n;
  const swarm = await town.swarm(delivery);
  if (!swarm) return signedBy(relay.form(delivery, (step.legs % MAX_LEGS) + 1, total), 0, coordinator);
  if (state.status === PackageStatus.Forming && step.index === 0) {
    return swapped(await relay.reclaim(delivery, swarm.assignedLegs), RENT_PAYER, swarm.rentPayer);
  }
  if (state.status === PackageStatus.Forming) {
    const left = swarm.totalLamports - swarm.assignedLamports;
    const isLast = swarm.assignedLegs + 1 === swarm.totalLegs;
    const courier = town.courier(swarm.assignedLegs + (step.person % COURIERS)).address;
    const assign = await relay.assign(delivery, swarm.assignedLegs, courier, isLast ? left : left / 2n);
    return signedBy(assign, 0, coordinator);
  }
  const scene = await termsScene(town, step, { delivery, settings });
  if (scene && swarm.completedLegs < swarm.totalLegs) return sensibleOnTerms(scene);
  if (swarm.completedLegs < swarm.totalLegs) {
    return confirmation(town, delivery, swarm.completedLegs, swarm.totalLegs);
  }
  return swapped(await relay.settle(delivery, swarm.totalLegs, coordinator), RENT_PAYER, swarm.rentPayer);
}

/** The instruction with the signer and the accounts that the step puts in it. */
function disguised(town: Town, step: Step, instruction: Instruction): Instruction {
  const person = step.signer === undefined ? undefined : town.people[step.signer];
  // A mandate signs nothing: its delegate comes second.
  const first = isSignerRole(instruction.accounts?.[0]?.role ?? AccountRole.READONLY) ? 0 : 1;
  const signed = person ? signedBy(instruction, first, person) : instruction;
  const address = step.tampered && town.addresses[step.tampered.address];
  if (!address || !step.tampered) return signed;
  const place = 1 + (step.tampered.place % ((instruction.accounts?.length ?? 0) - 1));
  const role = instruction.accounts?.[place]?.role ?? AccountRole.READONLY;
  return isSignerRole(role) ? signed : swapped(signed, place, address);
}
