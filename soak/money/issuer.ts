import { setTimeout as sleep } from 'node:timers/promises';
import { setAsset } from '@legwork/deploy';
import { TOKEN_PROGRAM_ADDRESS, type TokenAsset } from '@legwork/program-client';
import { LedgerRefusedError } from '@legwork/sdk';
import {
  type Address,
  generateKeyPairSigner,
  getAddressDecoder,
  getBase64Encoder,
  getU64Decoder,
  type KeyPairSigner,
} from '@solana/kit';
import { fundedWallet, type LedgerRpc } from '../../packages/cli/tests/support/wallets.js';
import { newMint, newTokens, setFrozen } from '../../program/tests/harness/issuing.js';
import { isTransient } from '../refusals.js';
import { sendAlone } from '../people.js';
import { below, type Random } from '../plan.js';

const SOL = 1_000_000_000n;
/** The ledger's own test token, which nobody can freeze, is number 1. */
const NUMBER = 2;
/** Base units; any amount that the soak draws is more. */
const MIN_AMOUNT = 1_000n;
const LONGEST_FREEZE_MS = 3_000;
const LONGEST_PAUSE_MS = 2_000;
const TRIES = 100;
const HOLDING_BYTES = 165;
const [AMOUNT_AT, STATE_AT, FROZEN] = [64, 108, 2];

/** A token account. */
export interface Holding {
  readonly account: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly isFrozen: boolean;
}

/** Makes a token of which the soak's services say that it is `usdc`, and freezes what others have of it, for a while, at random. */
export class Issuer {
  readonly asset: TokenAsset;
  readonly #key: KeyPairSigner;
  readonly #over = new AbortController();
  #freezing: Promise<void> = Promise.resolve();
  #frozen = 0;

  private constructor(key: KeyPairSigner, asset: TokenAsset) {
    this.#key = key;
    this.asset = asset;
  }

  /** @param authority - of the program, which names the token an asset */
  static async create(
    { rpc, rpcUrl }: { rpc: LedgerRpc; rpcUrl: string },
    programAddress: Address,
    authority: KeyPairSigner,
  ): Promise<Issuer> {
    const [key, mint] = [await fundedWallet(rpc, 100n * SOL), await generateKeyPairSigner()];
    await sendAlone(rpc, key, ...newMint(key, mint));
    const asset = { number: NUMBER, mint: mint.address };
    await setAsset({ rpcUrl, programAddress, authority }, { ...asset, isOpen: true, minAmount: MIN_AMOUNT });
    return new Issuer(key, asset);
  }

  async give(rpc: LedgerRpc, wallet: Address, amount: bigint): Promise<void> {
    await sendAlone(rpc, this.#key, ...(await newTokens(this.#key, this.asset.mint, wallet, amount)));
  }

  /** Every account that holds or could hold some of it. */
  async holdings(rpc: LedgerRpc): Promise<Holding[]> {
    const options = { commitment: 'confirmed', encoding: 'base64' } as const;
    const found = await rpc.getProgramAccounts(TOKEN_PROGRAM_ADDRESS, options).send();
    return found.flatMap(({ pubkey, account }) => {
      const data = getBase64Encoder().encode(account.data[0]);
      if (data.length !== HOLDING_BYTES || getAddressDecoder().decode(data) !== this.asset.mint) return [];
      const [owner, amount] = [getAddressDecoder().decode(data, 32), getU64Decoder().decode(data, AMOUNT_AT)];
      return { account: pubkey, owner, amount, isFrozen: data[STATE_AT] === FROZEN };
    });
  }

  /** Freezes one account after the other, but those of wallets that have to pay out of them, until it is stopped. */
  begin(rpc: LedgerRpc, spared: ReadonlySet<Address>, random: Random, note: (finding: string) => void): void {
    this.#freezing = this.#freeze(rpc, spared, random).catch((error: unknown) =>
      note(`the issuer gave up: ${error instanceof Error ? error.message : String(error)}`),
    );
  }

  /** Resolves when nothing is frozen. @returns how often something was */
  async stop(): Promise<number> {
    this.#over.abort();
    await this.#freezing;
    return this.#frozen;
  }

  async #freeze(rpc: LedgerRpc, spared: ReadonlySet<Address>, random: Random): Promise<void> {
    const { signal } = this.#over;
    const pause = (ms: number) => sleep(ms * random(), undefined, { signal }).catch(() => undefined);
    while (!signal.aborted) {
      await pause(LONGEST_PAUSE_MS);
      const all = await this.holdings(rpc).catch(() => []);
      const victims = all.filter(({ owner }) => !spared.has(owner));
      const victim = victims[below(victims.length, random)];
      if (victim) await this.#set(rpc, victim.account, true);
      await pause(LONGEST_FREEZE_MS);
      await this.#thaw(rpc);
    }
  }

  /** Thaws every frozen account: the freeze may have got no answer. */
  async #thaw(rpc: LedgerRpc): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const all = await this.holdings(rpc).catch(() => undefined);
      const frozen = all?.filter(({ isFrozen }) => isFrozen);
      if (frozen?.length === 0) return;
      for (const { account } of frozen ?? []) await this.#set(rpc, account, false);
      await sleep(100);
    }
    throw new Error('a token account stays frozen');
  }

  /** Once: the ledger may be down, or the account gone. */
  async #set(rpc: LedgerRpc, account: Address, isFrozen: boolean): Promise<void> {
    try {
      await sendAlone(rpc, this.#key, setFrozen(this.#key, this.asset.mint, account, isFrozen));
      if (isFrozen) this.#frozen += 1;
    } catch (error) {
      if (!isTransient(error) && !(error instanceof LedgerRefusedError)) throw error;
    }
  }
}
