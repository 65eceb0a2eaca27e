import { getLegDecoder, PackageStatus } from '@agent-relay/program-client';
import { AccountRole, isSignerRole, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { signedBy, swapped } from './harness/tamper.js';

const RENT_OF_VAULT = 890_880n;
const DELIVERIES = 3;
const COURIERS = 4;
const MAX_LEGS = 3;
const ENDED: readonly PackageStatus[] = [PackageStatus.Delivered, PackageStatus.Cancelled, PackageStatus.Reclaimed];

const OPERATIONS = ['sensible', 'list', 'cancel', 'form', 'assign', 'confirm', 'settle', 'reclaim', 'wait'] as const;
type Operation = (typeof OPERATIONS)[number];

/** One transaction by somebody: what, on which delivery, and numbers that its accounts and amounts are taken from. */
interface Step {
  readonly operation: Operation;
  readonly delivery: number;
  /** Undefined: who should sign does. */
  readonly signer: number | undefined;
  /** Undefined: the accounts are the right ones. */
  readonly tampered: { readonly place: number; readonly address: number } | undefined;
  readonly index: number;
  readonly courier: number;
  readonly legs: number;
  readonly lamports: bigint;
}

function sometimes<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const step: fc.Arbitrary<Step> = fc.record({
  operation: fc.oneof(
    { weight: 12, arbitrary: fc.constant('sensible' as const) },
    { weight: 8, arbitrary: fc.constantFrom(...OPERATIONS.filter((name) => name !== 'wait')) },
    { weight: 1, arbitrary: fc.constant('wait' as const) },
  ),
  delivery: fc.nat(DELIVERIES - 1),
  signer: sometimes(fc.nat(7)),
  tampered: sometimes(fc.record({ place: fc.nat(8), address: fc.nat(40) })),
  index: fc.nat(MAX_LEGS),
  courier: fc.nat(COURIERS - 1),
  legs: fc.integer({ min: 0, max: MAX_LEGS + 1 }),
  lamports: fc.bigInt({ min: 0n, max: SOL + SOL / 8n }),
});

/** The people, the deliveries and every account that lamports can be in. */
class Town {
  readonly relay: Relay;
  readonly deliveries: readonly Delivery[];
  readonly people: readonly KeyPairSigner[];
  readonly addresses: readonly Address[];

  private constructor(
    relay: Relay,
    deliveries: readonly Delivery[],
    people: readonly KeyPairSigner[],
    addresses: Address[],
  ) {
    this.relay = relay;
    this.deliveries = deliveries;
    this.people = people;
    this.addresses = addresses;
  }

  /** Three deliveries that begin with this number, at a time before their deadline. */
  static async create(relay: Relay, first: number): Promise<Town> {
    await relay.ledger.setClock(NOW);
    const people = [relay.coordinator, relay.authority];
    for (const name of ['shipper', 'funder', 'stranger']) people.push(await relay.person(name));
    for (let index = 0; index < COURIERS; index += 1) people.push(await relay.courier(index));
    const deliveries = [
      await relay.delivery(first),
      await relay.delivery(first + 1, { funder: await relay.person('shipper') }),
      await relay.delivery(first + 2, { funder: relay.coordinator }),
    ];
    const addresses = [relay.config];
    for (const delivery of deliveries) {
      addresses.push(delivery.package, delivery.vault, delivery.swarm);
      for (let index = 0; index <= MAX_LEGS; index += 1) addresses.push(await relay.leg(delivery, index));
    }
    for (const { address } of people) addresses.push(address, await relay.reputationOf(address));
    return new Town(relay, deliveries, people, addresses);
  }

  async balances(): Promise<ReadonlyMap<Address, bigint>> {
    const balances = new Map<Address, bigint>();
    for (const address of this.addresses) balances.set(address, await this.relay.lamports(address));
    return balances;
  }

  async status(delivery: Delivery): Promise<PackageStatus | undefined> {
    const exists = (await this.relay.lamports(delivery.package)) > 0n;
    return exists ? (await this.relay.package(delivery)).status : undefined;
  }

  /** The delivery with its funder: whoever signed the listing. */
  async asListed(delivery: Delivery): Promise<Delivery> {
    if ((await this.status(delivery)) === undefined) return delivery;
    const { funder } = await this.relay.package(delivery);
    return { ...delivery, funder: this.people.find(({ address }) => address === funder) ?? delivery.funder };
  }

  courier(index: number): Address {
    const courier = this.people[5 + (index % COURIERS)];
    if (!courier) throw new Error('couriers come after the five others');
    return courier.address;
  }

  /** The courier whom a leg was assigned to, or the one who would be. */
  async carrier(delivery: Delivery, index: number): Promise<KeyPairSigner> {
    const leg = await this.relay.ledger.account(await this.relay.leg(delivery, index));
    const isHere = (person: KeyPairSigner) => leg && getLegDecoder().decode(leg.data).courier === person.address;
    return this.people.find(isHere) ?? this.relay.courier(index);
  }

  async instruction(chosen: Step): Promise<Instruction | undefined> {
    const { relay } = this;
    const planned = this.deliveries[chosen.delivery];
    if (!planned) return undefined;
    const delivery = await this.asListed(planned);
    const { index, legs, lamports } = chosen;
    switch (chosen.operation) {
      case 'sensible':
        return this.sensible(chosen, delivery);
      case 'list':
        return relay.list(delivery);
      case 'cancel':
        return relay.cancel(delivery);
      case 'form':
        return relay.form(delivery, legs, lamports);
      case 'assign':
        return relay.assign(delivery, index, this.courier(chosen.courier), lamports);
      case 'confirm':
        return this.confirm(delivery, index, legs);
      case 'settle':
        return relay.settle(delivery, legs);
      case 'reclaim':
        return relay.reclaim(delivery, legs);
      case 'wait':
        await relay.ledger.setClock(lamports % 3n === 0n ? DEADLINE : DEADLINE - 1n);
    }
    return undefined;
  }

  async confirm(delivery: Delivery, index: number, legs: number): Promise<Instruction> {
    const courier = (await this.carrier(delivery, index)).address;
    if (index + 1 === legs) return this.relay.confirm(delivery, { index, courier, recipient: delivery.shipper });
    const recipient = await this.carrier(delivery, index + 1);
    return this.relay.confirm(delivery, { index, courier, recipient, next: index + 1 });
  }

  /** What would bring the delivery forward. */
  async sensible(chosen: Step, delivery: Delivery): Promise<Instruction | undefined> {
    const { relay } = this;
    const status = await this.status(delivery);
    if (status === undefined) return relay.list(delivery, { shipperSigns: delivery.funder !== relay.coordinator });
    const total = (chosen.lamports % SOL) + 1n;
    if (status === PackageStatus.Listed) return relay.form(delivery, (chosen.legs % MAX_LEGS) + 1, total);
    if (ENDED.includes(status)) return undefined;
    const swarm = await relay.swarm(delivery);
    if (status === PackageStatus.Forming) {
      const left = swarm.totalLamports - swarm.assignedLamports;
      const isLast = swarm.assignedLegs + 1 === swarm.totalLegs;
      const payment = isLast ? left : left / 2n;
      return relay.assign(delivery, swarm.assignedLegs, this.courier(swarm.assignedLegs + chosen.courier), payment);
    }
    if (swarm.completedLegs === swarm.totalLegs) return relay.settle(delivery, swarm.totalLegs);
    return this.confirm(delivery, swarm.completedLegs, swarm.totalLegs);
  }

  /** The funder's way out of a package that is not over. */
  async exit(delivery: Delivery): Promise<Instruction> {
    const { relay } = this;
    if ((await this.status(delivery)) === PackageStatus.Listed) return relay.cancel(delivery);
    const { assignedLegs, completedLegs, totalLegs } = await relay.swarm(delivery);
    if (completedLegs === totalLegs) return relay.settle(delivery, totalLegs, delivery.funder);
    return relay.reclaim(delivery, assignedLegs);
  }

  /** Packages whose vault is not what is owed from it, or that are over and still have a vault or a swarm. */
  async uncovered(): Promise<string[]> {
    const found: string[] = [];
    for (const delivery of this.deliveries) {
      const status = await this.status(delivery);
      if (status === undefined) continue;
      const vault = await this.relay.lamports(delivery.vault);
      const swarm = await this.relay.lamports(delivery.swarm);
      const { maxBudget, paid } = await this.relay.package(delivery);
      const isCovered = ENDED.includes(status) ? vault + swarm === 0n : vault === maxBudget - paid + RENT_OF_VAULT;
      if (paid > maxBudget || !isCovered) found.push(`${delivery.package} in status ${status} has ${vault}`);
    }
    return found;
  }
}

function sum(balances: ReadonlyMap<Address, bigint>): bigint {
  return [...balances.values()].reduce((total, balance) => total + balance, 0n);
}

/** The transaction of a step, with the signer and the accounts that the step puts in it. */
function disguised(town: Town, chosen: Step, instruction: Instruction): Instruction {
  const person = chosen.signer === undefined ? undefined : town.people[chosen.signer];
  const signed = person ? signedBy(instruction, 0, person) : instruction;
  const address = chosen.tampered && town.addresses[chosen.tampered.address];
  if (!address || !chosen.tampered) return signed;
  const place = 1 + (chosen.tampered.place % ((instruction.accounts?.length ?? 0) - 1));
  const role = instruction.accounts?.[place]?.role ?? AccountRole.READONLY;
  return isSignerRole(role) ? signed : swapped(signed, place, address);
}

test('[P-10] over random transactions by random people, lamports are conserved, vaults cover what is owed, and every package has an exit', async () => {
  const relay = await Relay.initialised();
  let runs = 0;
  let steps = 0;
  let accepted = 0;
  const play = async (chosen: readonly Step[]) => {
    const { ledger } = relay;
    const town = await Town.create(relay, runs * DELIVERIES);
    runs += 1;
    let before = await town.balances();
    const total = sum(before);
    for (const one of chosen) {
      const instruction = await town.instruction(one);
      if (!instruction) continue;
      const { error } = await ledger.send(disguised(town, one, instruction));
      steps += 1;
      accepted += error === undefined ? 1 : 0;
      const after = await town.balances();
      // What is refused changes nothing; what is accepted only moves lamports.
      expect(sum(after)).toBe(total);
      expect(after).toEqual(error === undefined ? after : before);
      expect(await town.uncovered()).toEqual([]);
      before = after;
    }
    await ledger.setClock(DEADLINE);
    for (const delivery of town.deliveries) {
      const status = await town.status(delivery);
      if (status !== undefined && !ENDED.includes(status))
        must(await ledger.send(await town.exit(await town.asListed(delivery))));
    }
    expect(await town.uncovered()).toEqual([]);
    expect(sum(await town.balances())).toBe(total);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), play), {
    numRuns: 60,
    interruptAfterTimeLimit: 20_000,
  });
  process.stdout.write(`${steps} random transactions, ${accepted} of them accepted\n`);
  expect(accepted).toBeGreaterThan(steps / 10);
}, 60_000);
