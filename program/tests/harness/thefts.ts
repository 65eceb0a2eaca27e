import { inTokens, TOKEN_PROGRAM_ADDRESS, type TokenAsset } from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { AccountRole, isSignerRole, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { tokenInstruction } from '../../../packages/ledger/tests/support/tokens.js';
import { type Delivery, SOL } from './delivery.js';
import { isTask } from './escrow.js';
import type { Job } from './job.js';
import type { Mandated, Mandates } from './mandates.js';
import type { Relay } from './relay.js';
import { swapped } from './tamper.js';
import { terms } from './terms.js';

export const CAP = 3n * SOL;
export const LISTINGS = 12;
/** Instructions of the program, by number: some of them unknown. */
const NUMBERS = 34;
const TRANSFER_OF_TOKENS = 3;
const APPROVE = 4;
const SET_AUTHORITY = 6;

const OPERATIONS = [
  'list',
  'list',
  'list',
  'end',
  'end',
  'serve',
  'forge',
  'forge',
  'forge',
  'take',
  'govern',
  'own',
  'pass',
] as const;

/** The thief's operation, and numbers that the rest is taken from. */
export interface Theft {
  readonly operation: (typeof OPERATIONS)[number];
  readonly inTokens: boolean;
  readonly listing: number;
  readonly amount: bigint;
  readonly number: number;
  readonly places: readonly number[];
  readonly data: Uint8Array;
}

export const thefts: fc.Arbitrary<Theft[]> = fc.array(
  fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    inTokens: fc.boolean(),
    listing: fc.nat(LISTINGS - 1),
    amount: fc.oneof(
      fc.bigInt({ min: 0n, max: CAP / 2n }),
      fc.bigInt({ min: 0n, max: CAP + 10_000_000n }),
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    ),
    number: fc.nat(NUMBERS),
    places: fc.array(fc.nat(63), { minLength: 12, maxLength: 12 }),
    data: fc.uint8Array({ minLength: 0, maxLength: 70 }),
  }),
  { minLength: 60, maxLength: 160, size: 'max' },
);

/** The thief's means, and the accounts that it can name. */
export interface Loot {
  readonly relay: Relay;
  readonly mandates: Mandates;
  readonly asset: TokenAsset;
  /** In SOL, and in the token. */
  readonly mandated: readonly [Mandated, Mandated];
  /** The delegate's, stolen. */
  readonly key: KeyPairSigner;
  /** Carries and works. */
  readonly accomplice: KeyPairSigner;
  listings: readonly (Delivery | Job)[];
  /** Addresses to put in any place. */
  pool: readonly Address[];
  /** Unix seconds. */
  now: bigint;
}

/** The calls of somebody who has the key of a delegate. */
export class Thefts {
  readonly #scene: Loot;

  constructor(scene: Loot) {
    this.#scene = scene;
  }

  async attempt(theft: Theft): Promise<readonly Instruction[]> {
    const listing = this.#scene.listings[theft.listing];
    if (!listing) throw new Error('a call is about one of the listings');
    switch (theft.operation) {
      case 'list':
        return this.#listing(listing, theft);
      case 'end':
        return this.ending(listing, this.#scene.key, theft.number);
      case 'serve':
        return this.#serving(listing, theft);
      case 'take':
        return [await this.#taking(theft)];
      case 'govern':
        return [await this.#governing(theft)];
      case 'forge':
        return [await this.#forged(theft)];
      case 'own':
      case 'pass':
        break;
    }
    return [];
  }

  async #said(instruction: Instruction, listing: Delivery | Job): Promise<readonly Instruction[]> {
    const mandated = this.#scene.mandated.find(({ address }) => address === listing.mandate) ?? this.#scene.mandated[0];
    return this.#scene.mandates.said(instruction, mandated, isTask(listing) ? listing.task : listing.package);
  }

  /** With or without terms, for whatever time, now and then from the mandate of the other asset. */
  async #listing(listing: Delivery | Job, { amount, number }: Theft): Promise<readonly Instruction[]> {
    const offer = {
      maxBudget: amount,
      deadline: this.#scene.now + (number % 5 === 0 ? 30n * 86_400n : 86_400n),
      ...(number % 3 === 0 ? { terms: await terms({ stake: amount > SOL ? SOL / 10n : 2_000_000n }) } : {}),
    };
    const made = isTask(listing)
      ? this.#scene.relay.tasks.list(listing, { ...offer, numLegs: 1 })
      : this.#scene.relay.list(listing, offer);
    const said = await this.#said(made, listing);
    if (number % 7 !== 0) return said;
    const [own, other] = [
      listing.mandate,
      this.#scene.mandated.find(({ address }) => address !== listing.mandate)?.address,
    ];
    return own && other ? said.map((one, index) => (index === said.length - 1 ? swapped(one, 0, other) : one)) : said;
  }

  async ending(listing: Delivery | Job, signer: KeyPairSigner, number: number): Promise<readonly Instruction[]> {
    const { tasks } = this.#scene.relay;
    if (isTask(listing)) {
      const ends = [
        tasks.cancel(listing, signer),
        await tasks.reclaim(listing, [{ index: 0 }], signer),
        await tasks.settle(listing, [{ index: 0 }], signer),
        tasks.close(listing, signer),
      ];
      return this.#said(ends[number % 4] ?? tasks.cancel(listing, signer), listing);
    }
    const ends = [
      this.#scene.relay.cancel(listing, signer),
      await this.#scene.relay.reclaim(listing, 1, signer),
      await this.#scene.relay.settle(listing, 1, signer),
      this.#scene.relay.close(listing, signer),
    ];
    return this.#said(ends[number % 4] ?? this.#scene.relay.cancel(listing, signer), listing);
  }

  /** The coordinator takes the listing for an honest one, and the accomplice earns by it. */
  async #serving(listing: Delivery | Job, { amount, number }: Theft): Promise<readonly Instruction[]> {
    const accomplice = this.#scene.accomplice.address;
    if (isTask(listing)) {
      const { tasks } = this.#scene.relay;
      return number % 2 === 0
        ? [await tasks.assign(listing, 0, accomplice)]
        : this.#said(await tasks.confirm(listing, 0, accomplice), listing);
    }
    const payment = (amount % CAP) + 1n;
    const steps = [
      this.#scene.relay.form(listing, 1, payment),
      await this.#scene.relay.assign(listing, 0, accomplice, payment),
      await this.#scene.relay.confirm(listing, { index: 0, courier: accomplice, recipient: this.#scene.key }),
    ];
    const step = steps[number % 3] ?? this.#scene.relay.form(listing, 1, payment);
    return number % 3 === 2 ? this.#said(step, listing) : [step];
  }

  /** By the programs that move money. */
  async #taking({ amount, number, inTokens: tokens }: Theft): Promise<Instruction> {
    const mandated = this.#scene.mandated[tokens ? 1 : 0];
    const account = await this.#scene.mandates.tokens(this.#scene.mandated[1]);
    const signing = { address: this.#scene.key.address, role: AccountRole.READONLY_SIGNER, signer: this.#scene.key };
    const from = { address: account, role: AccountRole.WRITABLE };
    const to = { address: this.#scene.key.address, role: AccountRole.WRITABLE };
    if (number % 4 === 0) {
      const transfer = getTransferSolInstruction({
        source: this.#scene.key,
        destination: this.#scene.key.address,
        amount,
      });
      const accounts = [{ address: mandated.address, role: AccountRole.WRITABLE }, to];
      return { ...transfer, accounts };
    }
    if (number % 4 === 1)
      return tokenInstruction(TOKEN_PROGRAM_ADDRESS, [from, to, signing], TRANSFER_OF_TOKENS, amount);
    if (number % 4 === 2) return tokenInstruction(TOKEN_PROGRAM_ADDRESS, [from, to, signing], APPROVE, amount);
    return tokenInstruction(TOKEN_PROGRAM_ADDRESS, [from, signing], SET_AUTHORITY, 2, 1, this.#scene.key.address);
  }

  /** As if the thief were the owner, or the owner of a mandate of its own. */
  async #governing({ number, inTokens: tokens, amount }: Theft): Promise<Instruction> {
    const mandated = this.#scene.mandated[tokens ? 1 : 0];
    const own = { ...mandated, owner: this.#scene.key };
    const cap = amount % (1n << 63n);
    if (number % 3 === 0) return swapped(await this.#scene.mandates.set(own, { cap }), 2, mandated.address);
    if (number % 3 === 1) return this.#scene.mandates.set(own, { cap });
    return swapped(await this.#scene.mandates.ending(own), 1, mandated.address);
  }

  /** Any instruction about any accounts, the mandates among them, with the one signature that the thief has. */
  async #forged({ number, places, data, inTokens: tokens, listing }: Theft): Promise<Instruction> {
    const templates = this.#templates(listing);
    const template = await templates[number % (templates.length + 4)]?.();

    const at = (place: number) => this.#scene.pool[place % this.#scene.pool.length] ?? this.#scene.key.address;
    if (!template) {
      const accounts = places.map((place, index) =>
        index === 0
          ? { address: this.#scene.key.address, role: AccountRole.WRITABLE_SIGNER, signer: this.#scene.key }
          : { address: at(place), role: AccountRole.WRITABLE },
      );
      const bytes = Uint8Array.of(number % NUMBERS, ...data);
      return { programAddress: this.#scene.relay.programAddress, accounts, data: bytes };
    }
    const [from = 0, to = 0, second = 0, third = 0] = places;
    const said = tokens ? await inTokens(this.#scene.relay.programAddress, template, this.#scene.asset) : template;
    const count = said.accounts?.length ?? 1;
    const once = swappedUnsigned(said, from % count, at(to));
    return this.#signed(second % 2 === 0 ? swappedUnsigned(once, second % count, at(third)) : once);
  }

  #templates(index: number): readonly (() => Instruction | Promise<Instruction>)[] {
    const listing = this.#scene.listings[index];
    const delivery = this.#scene.listings.find((one) => !isTask(one) && one !== listing);
    const job = this.#scene.listings.find((one) => isTask(one) && one !== listing);
    if (!listing || !delivery || isTask(delivery) || !job || !isTask(job)) return [];
    const { tasks } = this.#scene.relay;
    const accomplice = this.#scene.accomplice.address;
    const { relay, mandates, mandated, key } = this.#scene;
    return [
      () => relay.list(delivery),
      () => tasks.list(job),
      () => relay.cancel(delivery),
      () => tasks.cancel(job),
      () => relay.settle(delivery, 1),
      () => tasks.settle(job, [{ index: 0 }]),
      () => relay.reclaim(delivery, 1),
      () => tasks.reclaim(job, [{ index: 0 }]),
      () => relay.close(delivery),
      () => tasks.close(job),
      () => relay.confirm(delivery, { index: 0, courier: accomplice, recipient: key }),
      () => tasks.confirm(job, 0, accomplice),
      () => relay.openReputation(accomplice),
      () => mandates.set(mandated[0]),
      () => mandates.set(mandated[1]),
      () => mandates.ending(mandated[0]),
      () => mandates.ending(mandated[1]),
    ];
  }

  /** Of all signatures the thief gives its own. */
  #signed(instruction: Instruction): Instruction {
    const accounts = (instruction.accounts ?? []).map((meta) =>
      isSignerRole(meta.role) ? { address: this.#scene.key.address, role: meta.role, signer: this.#scene.key } : meta,
    );
    return { ...instruction, accounts };
  }
}

function swappedUnsigned(instruction: Instruction, place: number, address: Address): Instruction {
  return isSignerRole(instruction.accounts?.[place]?.role ?? AccountRole.READONLY)
    ? instruction
    : swapped(instruction, place, address);
}
