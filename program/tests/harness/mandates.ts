import {
  associatedTokenAddress,
  closeMandate,
  createAssociatedToken,
  decodeMandate,
  inTokens,
  type Mandate,
  mandateAddress,
  type MandateLimits,
  PERMITS,
  setMandate,
  type TokenAsset,
  vaultAddress,
} from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { AccountRole, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import { type Delivery, must, SOL } from './delivery.js';
import type { Job } from './job.js';
import type { ForgingLedger } from './ledger.js';
import type { Relay } from './relay.js';
import { NOBODY } from './terms.js';
import { give } from './tokens.js';

export const RENT_OF_MANDATE = 2_004_480n;
export const RENT_OF_VAULT = 890_880n;
/** The rent that listings without terms keep, with the vault's. */
export const RENTS = { package: 2_164_560n + RENT_OF_VAULT, task: 3_062_400n + RENT_OF_VAULT };
export const PERIOD = 3_600;

/** Between whom a mandate of the tests is, and where. */
export interface Mandated {
  readonly owner: KeyPairSigner;
  readonly delegate: KeyPairSigner;
  /** Undefined: SOL. */
  readonly asset: TokenAsset | undefined;
  readonly address: Address;
}

export const LIMITS: MandateLimits = {
  permits: PERMITS.packages | PERMITS.tasks,
  cap: 10n * SOL,
  period: PERIOD,
  expiresAt: 0n,
  maxAhead: 7 * 86_400,
  arbiter: NOBODY,
};

/** Mandates of an owner, whose delegate lists as shipper and as poster. */
export class Mandates {
  readonly #relay: Relay;
  /** Takes instructions as they are. */
  readonly #ledger: ForgingLedger;
  readonly #derived = new Map<string, Address>();

  constructor(relay: Relay, ledger: ForgingLedger = relay.ledger) {
    this.#relay = relay;
    this.#ledger = ledger;
  }

  async between(owner: string, delegate: string, asset?: TokenAsset): Promise<Mandated> {
    const parties = { owner: await this.#relay.person(owner), delegate: await this.#relay.person(delegate), asset };
    const seeds = {
      owner: parties.owner.address,
      delegate: parties.delegate.address,
      asset: asset?.number ?? 0,
    };
    return { ...parties, address: await mandateAddress(this.#relay.programAddress, seeds) };
  }

  set({ owner, delegate, asset }: Mandated, changes: Partial<MandateLimits> = {}): Promise<Instruction> {
    const parties = { owner, delegate: delegate.address, asset };
    return setMandate(this.#relay.programAddress, parties, { ...LIMITS, ...changes });
  }

  /** A mandate that holds so much, and in a token two SOL for rents. */
  async funded(
    changes: Partial<MandateLimits> = {},
    {
      amount = 100n * SOL,
      asset,
      delegate = 'delegate',
    }: { amount?: bigint; asset?: TokenAsset | undefined; delegate?: string } = {},
  ): Promise<Mandated> {
    const mandated = await this.between('owner', delegate, asset);
    must(await this.#ledger.send(await this.set(mandated, changes)));
    if (asset) await give(this.#ledger, mandated.address, asset.mint, amount);
    await this.give(mandated, asset ? 2n * SOL : amount);
    return mandated;
  }

  /** The owner sends lamports. */
  async give({ owner, address }: Mandated, lamports: bigint): Promise<void> {
    if (lamports === 0n) return;
    must(await this.#ledger.send(getTransferSolInstruction({ source: owner, destination: address, amount: lamports })));
  }

  async delivery(number: number, { owner, delegate, address }: Mandated): Promise<Delivery> {
    return { ...(await this.#relay.delivery(number, { shipper: delegate, funder: owner })), mandate: address };
  }

  async job(number: number, { owner, delegate, address }: Mandated): Promise<Job> {
    return { ...(await this.#relay.tasks.job(number, { poster: delegate, funder: owner })), mandate: address };
  }

  /** The instruction as it is for a listing of the mandate: in its token, with the token account of the vault made before. */
  async said(
    instruction: Instruction,
    { address, asset, owner }: Mandated,
    listing?: Address,
    waiting: readonly Address[] = [],
  ): Promise<readonly Instruction[]> {
    if (!asset) return [instruction];
    const holders = [address, owner.address, ...waiting];
    if (listing) holders.push(await vaultAddress(this.#relay.programAddress, listing));
    const made: Instruction[] = [];
    for (const holder of holders) {
      const account = await this.#associated(holder, asset.mint);
      if (!(await this.#ledger.account(account)))
        made.push(await createAssociatedToken(this.#payer, holder, asset.mint));
    }
    return [...made, await inTokens(this.#relay.programAddress, { ...instruction, waiting }, asset)];
  }

  /** Ends it, with its tokens if it is in a token and has any; its owner has an account for them. */
  async closing(mandated: Mandated): Promise<readonly Instruction[]> {
    const { owner, asset } = mandated;
    const ending = await this.ending(mandated);
    return asset ? [await createAssociatedToken(this.#payer, owner.address, asset.mint), ending] : [ending];
  }

  async ending({ owner, delegate, asset, address }: Mandated): Promise<Instruction> {
    const parties = { owner, delegate: delegate.address, asset };
    const hasTokens = asset && (await this.#ledger.account(await this.#associated(address, asset.mint)));
    return closeMandate(this.#relay.programAddress, parties, hasTokens !== undefined);
  }

  /** Derivations are slow enough to be remembered. */
  async #associated(holder: Address, mint: Address): Promise<Address> {
    const key = `${holder} ${mint}`;
    const known = this.#derived.get(key) ?? (await associatedTokenAddress(holder, mint));
    this.#derived.set(key, known);
    return known;
  }

  get #payer() {
    const signer = this.#relay.upgradeAuthority;
    return { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer } as const;
  }

  async state({ address }: Mandated): Promise<Mandate> {
    return decodeMandate(await this.#relay.encoded(address)).data;
  }

  tokens({ address, asset }: Mandated): Promise<Address> {
    if (!asset) throw new Error('A mandate in SOL has no tokens');
    return this.#associated(address, asset.mint);
  }
}

/** Far more than anybody lists, in the caps and in the mandates. */
const PLENTY = 1n << 45n;

/** Mandates of the funder for all that the shipper and the poster list: of a package, and of a task. */
export async function boundless(relay: Relay): Promise<{ mandate: Address }[]> {
  const mandates = new Mandates(relay);
  const found = [];
  for (const delegate of ['shipper', 'poster']) {
    const mandated = await mandates.between('funder', delegate);
    if ((await relay.lamports(mandated.address)) < PLENTY / 2n) {
      await relay.ledger.airdrop(mandated.owner.address, PLENTY);
      must(await relay.ledger.send(await mandates.set(mandated, { cap: 1n << 62n, maxAhead: 1 << 30 })));
      await mandates.give(mandated, PLENTY);
    }
    found.push({ mandate: mandated.address });
  }
  return found;
}
