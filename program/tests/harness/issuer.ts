import { associatedTokenAddress, type TokenAsset } from '@legwork/program-client';
import type { Address, KeyPairSigner } from '@solana/kit';
import { must } from './delivery.js';
import { newMint, newTokens, setFrozen } from './issuing.js';
import { keyOf } from './keys.js';
import type { Relay } from './relay.js';
import { setAsset } from './tokens.js';

/** The issuer of a token by the token program itself, as on any cluster, which can freeze what others have of it. */
export class Issuer {
  readonly asset: TokenAsset;
  readonly #relay: Relay;
  readonly #key: KeyPairSigner;

  private constructor(relay: Relay, key: KeyPairSigner, asset: TokenAsset) {
    this.#relay = relay;
    this.#key = key;
    this.asset = asset;
  }

  /** A new token of six decimals, which is an asset of the program. */
  static async create(relay: Relay, number = 1): Promise<Issuer> {
    const [key, mint] = [await relay.person('issuer'), await keyOf(`mint ${number} of ${relay.programAddress}`)];
    must(await relay.ledger.send(...newMint(key, mint)));
    const asset = { number, mint: mint.address };
    await relay.ledger.airdrop(relay.authority.address, 10_000_000n);
    must(await relay.ledger.send(await setAsset(relay, asset, { minAmount: 1_000n })));
    return new Issuer(relay, key, asset);
  }

  /** A token account for the wallet, with so many tokens more. */
  async give(wallet: Address, amount = 0n): Promise<Address> {
    must(await this.#relay.ledger.send(...(await newTokens(this.#key, this.asset.mint, wallet, amount))));
    return associatedTokenAddress(wallet, this.asset.mint);
  }

  async freeze(account: Address): Promise<void> {
    must(await this.#relay.ledger.send(setFrozen(this.#key, this.asset.mint, account, true)));
  }

  async thaw(account: Address): Promise<void> {
    must(await this.#relay.ledger.send(setFrozen(this.#key, this.asset.mint, account, false)));
  }
}
