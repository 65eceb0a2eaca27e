import { associatedTokenAddress } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { type Listing, must, SOL } from './delivery.js';
import { LiteSvmLedger } from './liteSvmLedger.js';
import { type Mandated, Mandates } from './mandates.js';
import { Relay } from './relay.js';
import { newAsset, tokensAt } from './tokens.js';

type What = 'package' | 'task';
type Changes = Parameters<Mandates['funded']>[0];

/** A delegate with a mandate, and what it tries to list. */
export class ListingScene {
  readonly relay: Relay;
  readonly mandates: Mandates;
  readonly mandated: Mandated;
  readonly what: What;
  #number = 0;

  private constructor(relay: Relay, mandates: Mandates, mandated: Mandated, what: What) {
    this.relay = relay;
    this.mandates = mandates;
    this.mandated = mandated;
    this.what = what;
  }

  static async of({ what, inTokens }: { what: What; inTokens: boolean }, changes: Changes = {}, amount = 100n * SOL) {
    const relay = await Relay.initialised(await LiteSvmLedger.create());
    const mandates = new Mandates(relay);
    const asset = inTokens ? await newAsset(relay) : undefined;
    return new ListingScene(relay, mandates, await mandates.funded(changes, { amount, asset }), what);
  }

  /** The next listing, its address and its vault. */
  async listing(listing: Listing = {}, mandated = this.mandated) {
    this.#number += 1;
    const { relay, mandates } = this;
    if (this.what === 'package') {
      const delivery = await mandates.delivery(this.#number, mandated);
      return { instruction: relay.list(delivery, listing), at: delivery.package, vault: delivery.vault };
    }
    const job = await mandates.job(this.#number, mandated);
    return { instruction: relay.tasks.list(job, listing), at: job.task, vault: job.vault };
  }

  async said(listing: Listing = {}, mandated = this.mandated): Promise<readonly Instruction[]> {
    const { instruction, at } = await this.listing(listing, mandated);
    return this.mandates.said(instruction, mandated, at);
  }

  /** The outcome of a listing; a refusal moves nothing of the mandate. */
  async list(listing: Listing = {}, change: (instruction: Instruction) => Instruction = (same) => same) {
    const said = [...(await this.said(listing))];
    const last = said.pop();
    if (!last) throw new Error('nothing is said');
    if (said.length > 0) must(await this.relay.ledger.send(...said));
    const before = await this.held();
    const { error } = await this.relay.ledger.send(change(last));
    const after = await this.held();
    const hasMoved = JSON.stringify(before, written) !== JSON.stringify(after, written);
    if (error !== undefined && hasMoved) throw new Error(`A refusal moved something: ${error}`);
    return error;
  }

  async held() {
    const { address, asset, delegate } = this.mandated;
    const tokens = asset ? await tokensAt(this.relay.ledger, await associatedTokenAddress(address, asset.mint)) : 0n;
    const state = await this.relay.ledger.account(address);
    const spent = state?.owner === this.relay.programAddress ? (await this.mandates.state(this.mandated)).spent : 0n;
    return { lamports: state?.lamports ?? 0n, tokens, spent, delegate: await this.relay.lamports(delegate.address) };
  }
}

const written = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
