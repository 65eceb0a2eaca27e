import { type Asset, formatAmount, SOL, toLamports } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import type { TaskTurnView } from '@legwork/protocol/rules';
import { fetchEncodedAccounts, getBase58Decoder, getBase64Encoder, unwrapOption } from '@solana/kit';
import type { Address, Base58EncodedBytes, GetMultipleAccountsApi, GetProgramAccountsApi, Rpc } from '@solana/kit';
import { decodeTask, getTaskLegDecoder, LegStatus, SOL_ASSET, TASK_LEG_KIND } from '@legwork/program-client';
import type { Task, TaskLeg } from '@legwork/program-client';
import type { PaidToken } from '../assets.js';
import type { LegworkClient } from '../client.js';
import { LegworkApiError, TransactionRefusedError } from '../errors.js';
import type { LedgerSigner } from '../signer.js';
import { legOnLedger } from './buildMove.js';
import { claimedHash, readClaimed } from './claimedResult.js';
import type { ClaimedResult } from './claimedResult.js';
import { makeMove } from './makeMove.js';
import type { MadeMove, MoveWithText } from './makeMove.js';
import type { LegOnLedger, TurnRpc } from './readLeg.js';

/** The verdict on a result: it is confirmed, which pays its agent, or disputed with a stake, for this reason. */
export type Verdict = { readonly confirm: true } | { readonly confirm: false; readonly reason: string };

/**
 * Judges a result. Undefined, or an error: there is no verdict yet, and it is asked again half a minute later.
 *
 * @param signal aborted two minutes before the review ends, from when on nobody is asked any more, and when verifying ends
 */
export type Judge = (claimed: ClaimedResult, signal: AbortSignal) => Promise<Verdict | undefined>;

/** The most base units of a token that may lie in disputes at a time. */
export interface TokenStakes {
  readonly of: Asset & { readonly token: Pick<PaidToken, 'mint'> | undefined };
  readonly most: bigint;
}

/** The verifier, its method, and its limits. */
export interface ReviewerParts {
  readonly client: LegworkClient;
  readonly signer: LedgerSigner;
  readonly judge: Judge;
  readonly rpc: TurnRpc & DisputesRpc;
  readonly limits: {
    readonly maxStakesLamports: bigint;
    readonly maxStakesInTokens: readonly TokenStakes[];
    readonly arbiters: readonly string[];
    readonly posters: readonly string[] | undefined;
  };
}

/** A dispute that nobody saw land may still do so until then, milliseconds. */
const MAY_LAND_MS = 120_000;
/** Characters of a reason, so that it fits into the 256 KiB of evidence. */
const MOST_REASON = 60_000;

/** Reviews claims: several at a time, but it makes one move after the other, so that no two of them pass a limit together. Rule A-95. */
export class Reviewer {
  readonly #parts: ReviewerParts;
  /** Stakes of disputes that were signed, by the account of the leg. */
  readonly #signed = new Map<Address, { readonly asset: number; readonly stake: bigint; readonly atMs: number }>();
  #moving: Promise<unknown> = Promise.resolve();

  constructor(parts: ReviewerParts) {
    this.#parts = parts;
  }

  /**
   * @returns undefined when there is no verdict yet, or nothing to review any more
   * @throws {TransactionRefusedError} when a limit forbids the dispute, or the service says otherwise than the ledger
   * @throws as `makeMove` and the judge do, and the signal's reason
   */
  async review(turn: TaskTurnView, signal: AbortSignal): Promise<{ move: MadeMove; verdict: Verdict } | undefined> {
    const { client, signer, rpc, limits } = this.#parts;
    const { legId, taskId } = turn;
    const leg = await legOnLedger(client, signer.address, { legId, taskId }, { rpc });
    const hash = claimedHash(leg);
    const isOurs = leg.lister === signer.address || leg.terms.receiver === signer.address;
    const isWanted = leg.lister === signer.address || limits.posters?.includes(leg.lister) !== false;
    if (hash === undefined || !isOurs || !isWanted) return undefined;
    const claim = { taskId, legId, hash };
    const claimed = await readClaimed(client, rpc, leg, claim);
    const verdict = claimed === undefined ? withoutText(leg, hash) : await this.#judged(claimed, signal);
    if (verdict === undefined) return undefined;
    const move = { legId, taskId, onChainLeg: leg.address, claimedHash: hash };
    return this.#inTurn(async () => ({ verdict, move: await this.#carryOut(leg, move, verdict) }));
  }

  /** A judge that does not listen to the signal is not waited for. */
  async #judged(claimed: ClaimedResult, signal: AbortSignal): Promise<Verdict | undefined> {
    signal.throwIfAborted();
    let abort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([this.#parts.judge(claimed, signal), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #inTurn<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#moving.then(make);
    this.#moving = made.catch(() => undefined);
    return made;
  }

  async #carryOut(leg: LegOnLedger, move: Omit<MoveWithText, 'action'>, verdict: Verdict): Promise<MadeMove> {
    const { client, signer, rpc } = this.#parts;
    if (verdict.confirm) return makeMove(client, signer, { ...move, action: 'confirm' }, { rpc });
    await this.#requireWithin(leg);
    this.#signed.set(leg.address, { asset: assetOf(leg), stake: leg.terms.stake, atMs: Date.now() });
    const text = reasonText(verdict.reason);
    try {
      return await makeMove(client, signer, { ...move, action: 'dispute', text }, { rpc });
    } catch (error) {
      // Where there is no room for a reason any more, the dispute still names it.
      if (!(error instanceof LegworkApiError) || error.code !== 'invalid_status') throw error;
      return makeMove(client, signer, { ...move, action: 'dispute', hash: resultHash(text).hex }, { rpc });
    }
  }

  /** @throws {TransactionRefusedError} when a limit forbids a dispute about the leg */
  async #requireWithin(at: LegOnLedger): Promise<void> {
    const { signer, rpc, limits } = this.#parts;
    const {
      programId,
      address: place,
      terms: { arbiter, stake },
    } = at;
    if (!limits.arbiters.includes(arbiter)) {
      throw new TransactionRefusedError(`the dispute would be ruled by ${arbiter}, whose rulings are not taken`);
    }
    const { of, most } = this.#limitOf(at);
    const asset = assetOf(at);
    const lying = await disputeStakes(rpc, programId, signer.address, asset);
    for (const [leg, signed] of this.#signed) {
      if (Date.now() - signed.atMs >= MAY_LAND_MS) this.#signed.delete(leg);
      else if (signed.asset === asset) lying.set(leg, signed.stake);
    }
    const others = [...lying].reduce((sum, [leg, one]) => (leg === place ? sum : sum + one), 0n);
    if (others + stake <= most) return;
    const [own, allowed] = [others + stake, most].map((amount) => formatAmount(toLamports(amount), of));
    throw new TransactionRefusedError(`with this dispute ${own} would lie in disputes, and ${allowed} may`);
  }

  /** @throws {TransactionRefusedError} for a leg that pays in a token in which nothing may be staked */
  #limitOf({ token }: LegOnLedger): { readonly of: Asset; readonly most: bigint } {
    const { maxStakesLamports, maxStakesInTokens } = this.#parts.limits;
    if (token === undefined) return { of: SOL, most: maxStakesLamports };
    const found = maxStakesInTokens.find(({ of }) => of.token?.mint === token.mint);
    if (found !== undefined) return found;
    throw new TransactionRefusedError(`a dispute stakes the token ${token.mint}, of which nothing may lie in disputes`);
  }
}

const assetOf = ({ token }: LegOnLedger): number => token?.number ?? SOL_ASSET;

/** A third of the review is for a service that is late; silence to the end would pay for nothing. */
function withoutText({ now, turn, terms }: LegOnLedger, hash: string): Verdict | undefined {
  if (now < turn.since + BigInt(terms.review) / 3n) return undefined;
  return { confirm: false, reason: `There is no text whose sha256 is ${hash}, which the claim names.` };
}

/** Well-formed, not empty and not too long: a reason may be whatever a program wrote. */
function reasonText(reason: string): string {
  const text = new TextDecoder().decode(new TextEncoder().encode(reason.slice(0, MOST_REASON))).replace(/\0/g, ' ');
  return text.trim() === '' ? 'No reason was given.' : text;
}

/** The RPC methods that finding disputes needs. */
export type DisputesRpc = Rpc<GetMultipleAccountsApi & GetProgramAccountsApi>;

/** Where the status stands in a leg's account, and what an account may be asked for at a time. */
const STATUS_OFFSET = 3n;
const MOST_ACCOUNTS = 100;
const DISPUTED_BY_RECEIVER = 2;

/**
 * The stakes that a key has in disputes about legs of tasks, by the account of the leg, as the ledger has them.
 *
 * @param asset its number on the ledger; what tasks of others stake does not count
 */
export async function disputeStakes(
  rpc: DisputesRpc,
  programId: Address,
  own: Address,
  asset: number = SOL_ASSET,
): Promise<Map<Address, bigint>> {
  const disputed = await disputedLegs(rpc, programId);
  const tasks = await tasksAt(rpc, [...new Set(disputed.map(({ leg }) => leg.task))]);
  const stakes = new Map<Address, bigint>();
  for (const { place, leg } of disputed) {
    const task = tasks.get(leg.task);
    const terms = task && unwrapOption(task.terms);
    if (terms && task.asset === asset && disputerOf(leg, task.poster, terms.receiver) === own)
      stakes.set(place, terms.stake);
  }
  return stakes;
}

function disputerOf({ turn }: TaskLeg, poster: Address, receiver: Address): Address {
  return unwrapOption(turn)?.note === DISPUTED_BY_RECEIVER ? receiver : poster;
}

async function disputedLegs(rpc: DisputesRpc, programId: Address) {
  const filters = [startsWith(0n, TASK_LEG_KIND), startsWith(STATUS_OFFSET, LegStatus.Disputed)];
  const asked = { commitment: 'confirmed', encoding: 'base64', filters } as const;
  const found = await rpc.getProgramAccounts(programId, asked).send();
  return found.map(({ pubkey, account }) => ({
    place: pubkey,
    leg: getTaskLegDecoder().decode(getBase64Encoder().encode(account.data[0])),
  }));
}

function startsWith(offset: bigint, byte: number) {
  const bytes = getBase58Decoder().decode(Uint8Array.of(byte)) as Base58EncodedBytes;
  return { memcmp: { offset, bytes, encoding: 'base58' } } as const;
}

async function tasksAt(rpc: DisputesRpc, places: readonly Address[]): Promise<Map<Address, Task>> {
  const tasks = new Map<Address, Task>();
  for (let from = 0; from < places.length; from += MOST_ACCOUNTS) {
    const asked = places.slice(from, from + MOST_ACCOUNTS);
    for (const account of await fetchEncodedAccounts(rpc, asked, { commitment: 'confirmed' })) {
      if (account.exists) tasks.set(account.address, decodeTask(account).data);
    }
  }
  return tasks;
}
