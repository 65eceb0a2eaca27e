import { setTimeout as sleep } from 'node:timers/promises';
import {
  affordable,
  createLegworkClient,
  type ExpectedInstruction,
  LedgerRefusedError,
  LegworkApiError,
  type LegworkClient,
  relay,
  sendTransaction,
  signTransaction,
} from '@legwork/sdk';
import {
  type Address,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import { addressOf, fetchFrom, sendAlone } from './people.js';
import type { Built } from './kind.js';
import type { LedgerTime } from './ledgerTime.js';
import type { Loss } from './loss/loss.js';
import type { Fetch } from './history/record.js';
import type { Gate } from './plan.js';
import { FROZEN, isAhead, isTransient, type Refusal } from './refusals.js';
import type { Unit } from './money/units.js';
import type { Hand, SignedHand } from './stories.js';
import { type CallExtras, callTool } from './tools.js';

/** After the last kill. While parts are killed and started, anything may take as long as that takes. */
const WORK_MS = 180_000;
const CALL_MS = 10_000;
const POLL_MS = 60;

/** The world that agents need to know, and the books that they report to. */
export interface World {
  /** The services; each of them will do for any call. */
  readonly urls: readonly string[];
  /** How the honest call them: what they ask and are answered is recorded. */
  readonly send: Fetch;
  readonly rpc: LedgerRpc;
  readonly time: LedgerTime;
  /** Where the honest pass who call a service. */
  readonly door: Gate;
  /** Where the stranger does. */
  readonly yard: Gate;
  readonly loss: Loss;
  readonly programId: Address;
  readonly coordinator: Address;
  /** The asset of every payment. In a token, nobody has SOL but what ended listings gave back. */
  readonly asset: Unit;
  /** They carry packages and work on digital tasks, any number at a time. */
  readonly agents: readonly KeyPairSigner[];
  /** They work on packages and digital tasks with terms, and have reputation accounts of their own. */
  readonly carriers: readonly KeyPairSigner[];
  /** Rules their disputes. */
  readonly arbiter: KeyPairSigner;
  /** Agents and shippers who sign whatever binds them; the others sign nothing that can go unsigned. */
  readonly signing: Set<Address>;
  /** Hears of every step that begins: a kill may fall into it. */
  readonly step: () => void;
  /** When the last kill had been put right; undefined: there are more to come. */
  readonly calmSince: () => number | undefined;
  /** When the last kill so far had been put right; undefined: something is killed just now. */
  readonly quietSince: () => number | undefined;
  readonly tally: Tally;
}

/** The agents' counts. */
export interface Tally {
  /** Calls, repeats included. */
  calls: number;
  /** Calls that got no answer and were repeated. */
  repeats: number;
  /** Sponsored posts without a name that were heard and not answered: each may have left something that nobody knows. */
  lostPosts: number;
}

/** The services have lost what they knew of a story: others go on with its listing. */
export class DatabaseLost extends Error {}

/** Reports whether it ended because of that. */
export function isOfLoss(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof DatabaseLost) return true;
  return false;
}

/** The service's answer, or the reason of its refusal. */
export type Said<T> =
  | { readonly answer: T; readonly refused?: never }
  | { readonly refused: Refusal; readonly answer?: never };

/** Repeats what got no answer, as any agent can: at either service, with the same call. */
export class Agent {
  readonly #world: World;
  readonly #began = Date.now();
  readonly #losses: number;
  readonly #address: string;
  #turn: number;
  #at = 'the beginning';

  /** @param story - the number of the one it acts in */
  constructor(world: World, story: number) {
    this.#world = world;
    this.#address = addressOf(story);
    this.#turn = story;
    this.#losses = world.loss.times;
  }

  /** The services in turn, so that what one of them does is asked of the other. */
  get url(): string {
    const { urls } = this.#world;
    this.#turn += 1;
    return urls[this.#turn % urls.length] ?? '';
  }

  clientOf(signer: KeyPairSigner): LegworkClient {
    return createLegworkClient({ ...this.#reach, signer });
  }

  /** As clientOf, but unsigned for agents that sign only what must be signed. */
  clientAsUsual(signer: KeyPairSigner): LegworkClient {
    return this.#signs(signer) ? this.clientOf(signer) : createLegworkClient(this.#reach);
  }

  /** How the wallet calls what binds it: as it would sign it, or unsigned because it never does. */
  handOf(signer: KeyPairSigner, signed: SignedHand): Hand {
    return this.#signs(signer) ? signed : 'tool';
  }

  /** Calls a tool as an agent without the SDK does. @throws as callTool */
  call(tool: string, args: Readonly<Record<string, unknown>>, extras?: CallExtras): Promise<Record<string, unknown>> {
    return callTool({ url: this.url, address: this.#address, send: this.#world.send }, tool, args, extras);
  }

  /** As call, signed by the agents that sign. */
  callAsUsual(
    signer: KeyPairSigner,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    extras?: CallExtras,
  ): Promise<Record<string, unknown>> {
    return this.call(tool, args, { ...extras, signer: this.#signs(signer) ? signer : undefined });
  }

  /**
   * Does it until it is answered.
   *
   * @param mayBeHit - true if a kill may wait for it
   * @throws Error with the step's name when it is refused for good, or time runs out
   */
  async step<T>(name: string, action: () => Promise<T>, mayBeHit = true): Promise<T> {
    const { step, tally, door } = this.#world;
    this.#at = name;
    if (mayBeHit) step();
    for (;;) {
      tally.calls += 1;
      try {
        return await door.pass(() => this.#stillKnown(action));
      } catch (error) {
        if (error instanceof DatabaseLost) throw error;
        if (!isTransient(error) && !isAhead(error) && !this.#mayBeFrozen(error)) {
          throw new Error(`${name}: ${String(error)}`, { cause: error });
        }
        tally.repeats += 1;
        this.requireTime(String(error));
        await sleep(100);
      }
    }
  }

  #stillKnown<T>(action: () => Promise<T>): Promise<T> {
    if (this.#world.loss.times > this.#losses) throw new DatabaseLost(`the database was lost at ${this.#at}`);
    return action();
  }

  /** As step, where these refusals are no error. */
  async ask<T>(name: string, refusals: readonly Refusal[], action: () => Promise<T>): Promise<Said<T>> {
    return this.step(name, async () => {
      try {
        return { answer: await action() };
      } catch (error) {
        if (error instanceof LegworkApiError && refusals.includes(error.code)) return { refused: error.code };
        throw error;
      }
    });
  }

  /** Reads until there is something to give back. @param missing - the error text when time runs out */
  async poll<T>(name: string, read: () => Promise<T | undefined>, missing: string, everyMs = POLL_MS): Promise<T> {
    for (;;) {
      const found = await this.step(name, read, false);
      if (found !== undefined) return found;
      this.requireTime(missing);
      await sleep(everyMs);
    }
  }

  /**
   * Signs what the service builds, sends it to the ledger, and tells nobody. That it was done before, or can be done no
   * more, is no error: what the service shows afterwards counts.
   */
  async sendSilently(
    name: string,
    signer: KeyPairSigner,
    instruction: ExpectedInstruction['name'],
    build: (client: LegworkClient) => Promise<Built>,
  ): Promise<void> {
    const { rpc, programId } = this.#world;
    await this.step(`${name}, silently`, async () => {
      try {
        const client = this.clientOf(signer);
        const { transaction, lastValidBlockHeight } = await build(client);
        const signed = await signTransaction(transaction, signer, { programId, name: instruction });
        if (this.#world.asset !== 'sol' && (await this.#isRelayed(client, transaction, signer))) return;
        await sendTransaction(rpc, signed, lastValidBlockHeight);
      } catch (error) {
        const isRefused = error instanceof LedgerRefusedError && error.programError !== undefined;
        const isOver = error instanceof LegworkApiError && error.status === 409 && !isTransient(error);
        if (!isRefused && !isOver) throw error;
      }
    });
  }

  /** As sendSilently, with what the wallet makes itself. */
  async sendAlone(name: string, signer: KeyPairSigner, instruction: Instruction): Promise<void> {
    await this.step(`${name}, alone`, async () => {
      try {
        await sendAlone(this.#world.rpc, signer, instruction);
      } catch (error) {
        if (!(error instanceof LedgerRefusedError && error.programError !== undefined)) throw error;
      }
    });
  }

  /** Reports whether a service has paid for it, because the wallet has too little. @throws LegworkApiError when it refuses */
  async #isRelayed(client: LegworkClient, transaction: string, signer: KeyPairSigner): Promise<boolean> {
    const built = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
    const payable = await affordable({ client, rpc: this.#world.rpc, transaction: built });
    if (payable === built) return false;
    await relay(client, getBase64EncodedWireTransaction(await partiallySignTransaction([signer.keyPair], payable)));
    return true;
  }

  /**
   * The issuer of a token may have frozen an account for a while, or thawed it since the transaction was built: what the ledger would
   * refuse then, it takes later, and the service pays for another one.
   */
  #mayBeFrozen(error: unknown): boolean {
    if (this.#world.asset === 'sol') return false;
    return error instanceof LegworkApiError ? FROZEN.has(error.code) : error instanceof LedgerRefusedError;
  }

  get #reach() {
    return { url: this.url, timeoutMs: CALL_MS, fetch: fetchFrom(this.#address, this.#world.send) };
  }

  #signs({ address }: KeyPairSigner): boolean {
    return this.#world.signing.has(address);
  }

  requireTime(last: string): void {
    const calmSince = this.#world.calmSince();
    if (calmSince === undefined || Date.now() - Math.max(calmSince, this.#began) < WORK_MS) return;
    throw new Error(`stuck at ${this.#at}: ${last}`);
  }
}
