import {
  associatedTokenAddress,
  createAssociatedToken,
  decodeRelayInstruction,
  inTokens,
  INSTRUCTIONS,
  mandateAddress,
  type RelayInstruction,
  setMandate,
  type TokenAsset,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  AccountRole,
  type AccountMeta,
  type AccountSignerMeta,
  type Address,
  getAddressEncoder,
  getU64Decoder,
  type Instruction,
} from '@solana/kit';
import type { ForgingLedger } from './ledger.js';
import { Relay } from './relay.js';
import { swapped } from './tamper.js';
import { newAsset, RENT_OF_TOKENS, tokenAccount, tokensAt } from './tokens.js';
import { TwinLedger } from './twinLedger.js';

const RENT_OF_VAULT = 890_880n;
const PLENTY = 1n << 50n;
const AMOUNT_OF_TRANSFER_AT = 4;
/** Where a package's and a task's asset is. */
const ASSET_AT: ReadonlyMap<number, number> = new Map([
  [2, 159],
  [6, 290],
]);
const [LEG, TASK_LEG] = [4, 7];
const ENDS = ['settle', 'reclaimPackage', 'cancelPackage', 'settleTask', 'reclaimTask', 'cancelTask'];

/**
 * A program on two ledgers: what is paid in lamports on the first one is paid in as many tokens on the second. Everything else
 * must be the same: what is accepted, every account but for the asset, and what each wallet has.
 */
export async function tokenTwins(): Promise<{ relay: Relay; ledger: TwinLedger; tokens: InTokens }> {
  const ledger = await TwinLedger.create();
  const relay = await Relay.initialised(ledger);
  const tokens = new InTokens(relay, ledger.second, await newAsset(relay));
  ledger.say(
    (instruction) => tokens.say(instruction),
    (one, address) => tokens.shown(one, address),
  );
  return { relay, ledger, tokens };
}

/** Has everything that is listed paid in a token, and gives the people what they need of it. */
export class InTokens {
  readonly #relay: Relay;
  readonly #second: ForgingLedger;
  readonly #asset: TokenAsset;
  /** The tokens given to each wallet, and to each vault by strangers, until it ends. */
  readonly #given = new Map<Address, bigint>();
  /** All that there is of the token, and what is at each address at which some of it can be. */
  #issued = 0n;
  readonly #amounts = new Map<Address, bigint>();
  /** Addresses whose content may have changed. */
  readonly #touched = new Set<Address>();
  /** Gifts of strangers in tokens. */
  gifts = 0;
  /** The rent that the ends of listings gave each funder: that of token accounts that somebody else had made. */
  readonly #rents = new Map<Address, bigint>();
  /** They hold the stakes too, which in lamports are the legs': what they pay shows in the wallets. */
  readonly #vaults = new Set<Address>();
  /** Those in the token, by the addresses of those in SOL; and what accounts say of either, in hex. */
  readonly #mandates = new Map<Address, Address>();
  readonly #said = new Map<string, string>();
  /** To derive an address takes as long as to send a transaction. */
  readonly #accounts = new Map<Address, Address>();
  #pending: { funder: Address; vault: Address; account: Address } | undefined;

  constructor(relay: Relay, ledger: ForgingLedger, asset: TokenAsset) {
    this.#relay = relay;
    this.#second = ledger;
    this.#asset = asset;
  }

  async say(instruction: Instruction): Promise<readonly Instruction[]> {
    const given = decodeRelayInstruction(this.#relay.programAddress, instruction);
    if (given?.name === 'setMandate') return [await this.#mandate(given)];
    if (instruction.programAddress === SYSTEM_PROGRAM_ADDRESS) await this.#gift(instruction);
    const own = this.#ofToken(instruction);
    const decoded = given && decodeRelayInstruction(this.#relay.programAddress, own);
    if (!decoded) return [own];
    const { deposits, payees } = INSTRUCTIONS[decoded.name];
    const named: Readonly<Record<string, AccountMeta | undefined>> = decoded.accounts;
    const waiting = await this.#waiting(decoded);
    const payer = named[deposits ?? '']?.address;
    if (payer !== undefined) await this.#have(payer, PLENTY);
    for (const wallet of [...waiting, ...payees.flatMap((name) => named[name]?.address ?? [])])
      await this.#have(wallet, 0n);
    const paid = await inTokens(this.#relay.programAddress, { ...own, waiting }, this.#asset);
    for (const { address } of paid.accounts ?? []) this.#touched.add(address);
    const { vault, funder } = named;
    if (vault) this.#vaults.add(vault.address);
    if (ENDS.includes(decoded.name) && vault && funder) {
      const account = await this.#accountOf(vault.address);
      const ending = { funder: funder.address, vault: vault.address, account };
      if (await this.#second.account(account)) this.#pending = ending;
    }
    if (payer === undefined || !decoded.name.startsWith('list') || !vault || !funder) return [paid];
    return [await this.#purse(vault.address), this.#rentOfVault(funder, vault.address), paid];
  }

  /** A mandate in SOL is one in the token, which has another address. */
  async #mandate({ accounts, data }: Extract<RelayInstruction, { name: 'setMandate' }>): Promise<Instruction> {
    const { owner, delegate, mandate } = accounts;
    const [programAddress, asset] = [this.#relay.programAddress, this.#asset.number];
    const seeds = { owner: owner.address, delegate: delegate.address, asset };
    const inToken = await mandateAddress(programAddress, seeds);
    this.#mandates.set(mandate.address, inToken);
    this.#said.set(hex(inToken), hex(mandate.address));
    const parties = { owner: await this.#relay.known(owner.address), delegate: delegate.address, asset: this.#asset };
    return setMandate(programAddress, parties, data);
  }

  /** With the mandates in the token in the places of those in SOL. */
  #ofToken(instruction: Instruction): Instruction {
    const accounts = instruction.accounts ?? [];
    const found = accounts.findIndex(({ address }) => this.#mandates.has(address));
    const other = this.#mandates.get(accounts[found]?.address ?? this.#relay.config);
    return other === undefined ? instruction : this.#ofToken(swapped(instruction, found, other));
  }

  /**
   * In lamports the vault holds its own rent, which the funder gets back: here as a gift to the vault, which comes back too. A mandate
   * makes no gifts: somebody else does, so that the vault can receive as little as that in lamports.
   */
  #rentOfVault(funder: AccountMeta, vault: Address): Instruction {
    const source = 'signer' in funder ? (funder as AccountSignerMeta).signer : this.#relay.upgradeAuthority;
    return getTransferSolInstruction({ source, destination: vault, amount: RENT_OF_VAULT });
  }

  async #purse(vault: Address): Promise<Instruction> {
    const signer = this.#relay.upgradeAuthority;
    const payer: AccountSignerMeta = { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer };
    return createAssociatedToken(payer, vault, this.#asset.mint);
  }

  /** The couriers, or the agent, of accepted legs that a reclaim names. */
  async #waiting(decoded: RelayInstruction): Promise<Address[]> {
    if (decoded.name === 'reclaimTask') return decoded.agent ? [decoded.agent.address] : [];
    if (decoded.name !== 'reclaimPackage') return [];
    const waiting: Address[] = [];
    for (const { address } of decoded.legsThenCouriers) {
      const state = await this.#second.account(address);
      if (state?.owner !== this.#relay.programAddress) waiting.push(address);
    }
    return waiting;
  }

  /** The wallet has an associated token account, as whoever sends the instruction would make it. */
  async #have(wallet: Address, amount: bigint): Promise<void> {
    const account = await this.#accountOf(wallet);
    const before = await tokensAt(this.#second, account);
    if (before >= amount && (await this.#second.account(account))) return;
    await this.#give(wallet, before, amount);
  }

  async #give(to: Address, before: bigint, amount: bigint): Promise<void> {
    const account = await this.#accountOf(to);
    await this.#second.forge(account, tokenAccount({ mint: this.#asset.mint, owner: to, amount: before + amount }));
    this.#touched.add(account);
    this.#given.set(to, (this.#given.get(to) ?? 0n) + amount);
    this.#issued += amount;
  }

  async #accountOf(wallet: Address): Promise<Address> {
    const known = this.#accounts.get(wallet) ?? (await associatedTokenAddress(wallet, this.#asset.mint));
    this.#accounts.set(wallet, known);
    return known;
  }

  /** Whoever sends lamports somewhere sends tokens there too, be it a wallet, a vault before, in or after its time, or an account of the program. */
  async #gift({ accounts, data }: Instruction): Promise<void> {
    const to = accounts?.[1]?.address;
    if (to === undefined || !data) return;
    const place = this.#mandates.get(to) ?? to;
    const before = await tokensAt(this.#second, await this.#accountOf(place));
    await this.#give(place, before, getU64Decoder().decode(data, AMOUNT_OF_TRANSFER_AT));
    this.gifts += 1;
  }

  /** @throws Error when not every token that was made is at one of the addresses that can have some, or one more is */
  async requireConserved(): Promise<void> {
    for (const place of this.#touched) this.#amounts.set(place, await tokensAt(this.#second, place));
    this.#touched.clear();
    const total = [...this.#amounts.values()].reduce((sum, amount) => sum + amount, 0n);
    if (total !== this.#issued) throw new Error(`${total - this.#issued} tokens too many`);
  }

  async shown(ledger: ForgingLedger, address: Address): Promise<string | undefined> {
    // A mandate's balances differ by the rents of vaults, which it lends in lamports only.
    if (this.#vaults.has(address) || this.#mandates.has(address)) return undefined;
    const isSecond = ledger === this.#second;
    if (isSecond) await this.#noteEnd();
    const state = await ledger.account(address);
    const kind = state?.owner === this.#relay.programAddress ? (state.data[0] ?? 0) : 0;
    if (state && kind !== 0) {
      const at = ASSET_AT.get(kind);
      const data = this.#inSol(Buffer.from(at === undefined ? state.data : state.data.with(at, 0)).toString('hex'));
      // The stakes of a leg lie in its account, or with the tokens of the vault.
      return kind === LEG || kind === TASK_LEG ? data : `${data} ${state.lamports}`;
    }
    const lamports = state?.lamports ?? 0n;
    if (!isSecond) return `${lamports}`;
    const tokens = await tokensAt(ledger, await this.#accountOf(address));
    return `${lamports + tokens - (this.#given.get(address) ?? 0n) - (this.#rents.get(address) ?? 0n)}`;
  }

  /** The text of an account, with the mandates in SOL for those in the token. */
  #inSol(data: string): string {
    let said = data;
    for (const [inToken, inSol] of this.#said) said = said.replace(inToken, inSol);
    return said;
  }

  /** A listing that has ended gave the rent of its token account to its funder, and what strangers had sent there. */
  async #noteEnd(): Promise<void> {
    const ended = this.#pending;
    if (!ended || (await this.#second.account(ended.account))?.owner === TOKEN_PROGRAM_ADDRESS) return;
    this.#pending = undefined;
    this.#rents.set(ended.funder, (this.#rents.get(ended.funder) ?? 0n) + RENT_OF_TOKENS);
    const gifts = this.#given.get(ended.vault) ?? 0n;
    this.#given.delete(ended.vault);
    this.#given.set(ended.funder, (this.#given.get(ended.funder) ?? 0n) + gifts);
  }
}

const hex = (at: Address) => Buffer.from(getAddressEncoder().encode(at)).toString('hex');
