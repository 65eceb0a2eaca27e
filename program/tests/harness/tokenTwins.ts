import {
  associatedTokenAddress,
  createAssociatedToken,
  decodeRelayInstruction,
  inTokens,
  INSTRUCTIONS,
  type RelayInstruction,
  type TokenAsset,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { AccountRole, type AccountMeta, type AccountSignerMeta, type Address, type Instruction } from '@solana/kit';
import type { ForgingLedger } from './ledger.js';
import { Relay } from './relay.js';
import { give, newAsset, RENT_OF_TOKENS, tokensAt } from './tokens.js';
import { TwinLedger } from './twinLedger.js';

const RENT_OF_VAULT = 890_880n;
const PLENTY = 1n << 50n;
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
export async function tokenTwins(): Promise<{ relay: Relay; ledger: TwinLedger }> {
  const ledger = await TwinLedger.create();
  const relay = await Relay.initialised(ledger);
  const tokens = new InTokens(relay, ledger.second, await newAsset(relay));
  ledger.say(
    (instruction) => tokens.say(instruction),
    (one, address) => tokens.shown(one, address),
  );
  return { relay, ledger };
}

/** Has everything that is listed paid in a token, and gives the people what they need of it. */
export class InTokens {
  readonly #relay: Relay;
  readonly #second: ForgingLedger;
  readonly #asset: TokenAsset;
  /** What each wallet was given of the token. */
  readonly #given = new Map<Address, bigint>();
  /** What the ends of listings gave each funder: the rent of token accounts that somebody else had made. */
  readonly #rents = new Map<Address, bigint>();
  /** They hold the stakes too, which in lamports are the legs': what they pay shows in the wallets. */
  readonly #vaults = new Set<Address>();
  #pending: { funder: Address; account: Address } | undefined;

  constructor(relay: Relay, ledger: ForgingLedger, asset: TokenAsset) {
    this.#relay = relay;
    this.#second = ledger;
    this.#asset = asset;
  }

  async say(instruction: Instruction): Promise<readonly Instruction[]> {
    const decoded = decodeRelayInstruction(this.#relay.programAddress, instruction);
    if (!decoded) return [instruction];
    const { deposits, payees } = INSTRUCTIONS[decoded.name];
    const named: Readonly<Record<string, AccountMeta | undefined>> = decoded.accounts;
    const waiting = await this.#waiting(decoded);
    const payer = named[deposits ?? '']?.address;
    if (payer !== undefined) await this.#have(payer, PLENTY);
    for (const wallet of [...waiting, ...payees.flatMap((name) => named[name]?.address ?? [])])
      await this.#have(wallet, 0n);
    const paid = await inTokens(this.#relay.programAddress, { ...instruction, waiting }, this.#asset);
    const { vault, funder } = named;
    if (vault) this.#vaults.add(vault.address);
    if (ENDS.includes(decoded.name) && vault && funder) {
      const account = await associatedTokenAddress(vault.address, this.#asset.mint);
      if (await this.#second.account(account)) this.#pending = { funder: funder.address, account };
    }
    if (payer === undefined || !decoded.name.startsWith('list') || !vault || !funder) return [paid];
    return [await this.#purse(vault.address), ...rentOfVault(funder, vault.address), paid];
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
    const account = await associatedTokenAddress(wallet, this.#asset.mint);
    const before = await tokensAt(this.#second, account);
    if (before >= amount && (await this.#second.account(account))) return;
    await give(this.#second, wallet, this.#asset.mint, before + amount);
    this.#given.set(wallet, (this.#given.get(wallet) ?? 0n) + amount);
  }

  async shown(ledger: ForgingLedger, address: Address): Promise<string | undefined> {
    if (this.#vaults.has(address)) return undefined;
    const isSecond = ledger === this.#second;
    if (isSecond) await this.#noteEnd();
    const state = await ledger.account(address);
    const kind = state?.owner === this.#relay.programAddress ? (state.data[0] ?? 0) : 0;
    if (state && kind !== 0) {
      const at = ASSET_AT.get(kind);
      const data = Buffer.from(at === undefined ? state.data : state.data.with(at, 0)).toString('hex');
      // The stakes of a leg lie in its account, or with the tokens of the vault.
      return kind === LEG || kind === TASK_LEG ? data : `${data} ${state.lamports}`;
    }
    const lamports = state?.lamports ?? 0n;
    if (!isSecond) return `${lamports}`;
    const tokens = await tokensAt(ledger, await associatedTokenAddress(address, this.#asset.mint));
    return `${lamports + tokens - (this.#given.get(address) ?? 0n) - (this.#rents.get(address) ?? 0n)}`;
  }

  /** A listing that has ended gave the rent of its token account to its funder. */
  async #noteEnd(): Promise<void> {
    const ended = this.#pending;
    if (!ended || (await this.#second.account(ended.account))?.owner === TOKEN_PROGRAM_ADDRESS) return;
    this.#pending = undefined;
    this.#rents.set(ended.funder, (this.#rents.get(ended.funder) ?? 0n) + RENT_OF_TOKENS);
  }
}

/** In lamports the vault holds its own rent, which the funder gets back: here as a gift to the vault, which comes back too. */
function rentOfVault(funder: AccountMeta, vault: Address): Instruction[] {
  if (!('signer' in funder)) return [];
  const { signer } = funder as AccountSignerMeta;
  return [getTransferSolInstruction({ source: signer, destination: vault, amount: RENT_OF_VAULT })];
}
