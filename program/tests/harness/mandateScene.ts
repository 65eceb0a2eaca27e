import { associatedTokenAddress } from '@legwork/program-client';
import type { Address, Instruction } from '@solana/kit';
import { type Delivery, must, SOL } from './delivery.js';
import { LiteSvmLedger } from './liteSvmLedger.js';
import { type Mandated, Mandates } from './mandates.js';
import { Relay } from './relay.js';
import { terms } from './terms.js';
import { give, newAsset, tokensAt } from './tokens.js';

export const HALF = SOL / 2n;

/** A mandate, and what its delegate has listed. */
export class MandateScene {
  readonly relay: Relay;
  readonly mandates: Mandates;
  readonly mandated: Mandated;

  private constructor(relay: Relay, mandates: Mandates, mandated: Mandated) {
    this.relay = relay;
    this.mandates = mandates;
    this.mandated = mandated;
  }

  static async of(inTokens: boolean): Promise<MandateScene> {
    const relay = await Relay.initialised(await LiteSvmLedger.create());
    const mandates = new Mandates(relay);
    const asset = inTokens ? await newAsset(relay) : undefined;
    return new MandateScene(relay, mandates, await mandates.funded({}, { asset }));
  }

  async send(instruction: Instruction, listing?: Address, waiting: readonly Address[] = []) {
    const { asset } = this.mandated;
    if (asset) await this.#have(await this.relay.courier(0), await this.relay.courier(1));
    return this.relay.ledger.send(...(await this.mandates.said(instruction, this.mandated, listing, waiting)));
  }

  async #have(...wallets: readonly { address: Address }[]): Promise<void> {
    const { asset } = this.mandated;
    for (const { address } of asset ? wallets : []) {
      const account = asset && (await associatedTokenAddress(address, asset.mint));
      const has = account && (await this.relay.ledger.account(account));
      if (asset && !has) await give(this.relay.ledger, address, asset.mint, 100n * SOL);
    }
  }

  async listed(number = 1, withTerms = false): Promise<Delivery> {
    const delivery = await this.mandates.delivery(number, this.mandated);
    const listing = this.relay.list(delivery, withTerms ? { terms: await terms() } : {});
    must(await this.send(listing, delivery.package));
    return delivery;
  }

  async inTransit(number = 1, withTerms = false): Promise<Delivery> {
    return this.relay.inTransit([HALF], await this.listed(number, withTerms));
  }

  async held() {
    const { address, asset } = this.mandated;
    const tokens = asset ? await tokensAt(this.relay.ledger, await associatedTokenAddress(address, asset.mint)) : 0n;
    return { lamports: await this.relay.lamports(address), tokens };
  }

  /** The mandate's gains since, in its asset and, if that is a token, in lamports. */
  async gained(since: { lamports: bigint; tokens: bigint }) {
    const { lamports, tokens } = await this.held();
    return { lamports: lamports - since.lamports, tokens: tokens - since.tokens };
  }
}
