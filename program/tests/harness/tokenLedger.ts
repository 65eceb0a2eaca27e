import type { TokenAsset } from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner, TransactionSigner } from '@solana/kit';
import type { AccountState, ForgingLedger, Outcome } from './ledger.js';
import { LiteSvmLedger } from './liteSvmLedger.js';
import { Relay } from './relay.js';
import { newAsset } from './tokens.js';
import { InTokens } from './tokenTwins.js';

/** A ledger on which whatever the tests list in lamports is paid in a token. */
export class TokenLedger implements ForgingLedger {
  readonly programAddress: Address;
  readonly upgradeAuthority: TransactionSigner;
  /** Takes instructions as they are. */
  readonly plain: LiteSvmLedger;
  #tokens: InTokens | undefined;

  private constructor(plain: LiteSvmLedger) {
    this.programAddress = plain.programAddress;
    this.upgradeAuthority = plain.upgradeAuthority;
    this.plain = plain;
  }

  static async create(): Promise<{ relay: Relay; ledger: TokenLedger; asset: TokenAsset }> {
    const ledger = new TokenLedger(await LiteSvmLedger.create());
    const relay = await Relay.initialised(ledger);
    const asset = await newAsset(relay);
    ledger.#tokens = new InTokens(relay, ledger.plain, asset);
    return { relay, ledger, asset };
  }

  /** The instructions as they are paid in tokens; the last one is the one that was given. */
  async said(instruction: Instruction): Promise<readonly Instruction[]> {
    return this.#tokens?.say(instruction) ?? [instruction];
  }

  async send(...instructions: readonly Instruction[]): Promise<Outcome> {
    return this.plain.send(...(await this.#all(instructions)));
  }

  async sendPaidBy(payer: KeyPairSigner, ...instructions: readonly Instruction[]): Promise<Outcome> {
    return this.plain.sendPaidBy(payer, ...(await this.#all(instructions)));
  }

  async #all(instructions: readonly Instruction[]): Promise<Instruction[]> {
    const said: Instruction[] = [];
    for (const instruction of instructions) said.push(...(await this.said(instruction)));
    return said;
  }

  account(address: Address): Promise<AccountState | undefined> {
    return this.plain.account(address);
  }

  airdrop(address: Address, lamports: bigint): Promise<void> {
    return this.plain.airdrop(address, lamports);
  }

  setClock(seconds: bigint): Promise<void> {
    return this.plain.setClock(seconds);
  }

  forge(address: Address, state: AccountState): Promise<void> {
    return this.plain.forge(address, state);
  }
}
