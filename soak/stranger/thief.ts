import { setTimeout as sleep } from 'node:timers/promises';
import { ANY_ARBITER, mandateAddress, PERMITS, setMandate } from '@legwork/program-client';
import { createLegworkClient, LedgerRefusedError, LegworkApiError } from '@legwork/sdk';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Address, KeyPairSigner } from '@solana/kit';
import { fundedWallet, type LedgerRpc } from '../../packages/cli/tests/support/wallets.js';
import type { World } from '../agent.js';
import { isTransient } from '../refusals.js';
import type { Issuer } from '../money/issuer.js';
import { fetchFrom, sendAlone } from '../people.js';
import { PACKAGES } from '../packages/story.js';
import { TASKS } from '../tasks/kind.js';
import { below, type Random } from '../plan.js';
import { strangePackage, strangeTask } from './calls.js';

const SOL = 1_000_000_000n;
const ADDRESS = '203.0.113.8';
const EVERY_MS = 400;
const CALL_MS = 10_000;
/** Longer than all the time that passes in a soak: there is one period. */
const PERIOD_SEC = 315_360_000;
const MONTHS_SEC = 100 * 86_400;

/** Somebody who stole a delegate's key, and lists with the owner's tokens whatever it can, as fast as it can. */
export class Thief {
  readonly mandate: Address;
  /** Base units. */
  readonly cap = 50_000_000n;
  readonly wallets: readonly KeyPairSigner[];
  readonly #owner: KeyPairSigner;
  readonly #key: KeyPairSigner;
  readonly #over = new AbortController();
  #stealing: Promise<void> = Promise.resolve();
  readonly #counts = { listed: 0, refused: 0 };

  private constructor(owner: KeyPairSigner, key: KeyPairSigner, mandate: Address) {
    this.#owner = owner;
    this.#key = key;
    this.mandate = mandate;
    this.wallets = [owner, key];
  }

  /** With a mandate that holds twenty times its cap. */
  static async create(rpc: LedgerRpc, programAddress: Address, issuer: Issuer): Promise<Thief> {
    const [owner, key] = [await fundedWallet(rpc, 5n * SOL), await fundedWallet(rpc, 5n * SOL)];
    const { asset } = issuer;
    const seeds = { owner: owner.address, delegate: key.address, asset: asset.number };
    const mandate = await mandateAddress(programAddress, seeds);
    const thief = new Thief(owner, key, mandate);
    const limits = {
      permits: PERMITS.packages | PERMITS.tasks,
      cap: thief.cap,
      period: PERIOD_SEC,
      expiresAt: 0n,
      maxAhead: MONTHS_SEC,
      arbiter: ANY_ARBITER,
    };
    const parties = { owner, delegate: key.address, asset };
    const rents = getTransferSolInstruction({ source: owner, destination: mandate, amount: 2n * SOL });
    await sendAlone(rpc, owner, await setMandate(programAddress, parties, limits), rents);
    await issuer.give(rpc, mandate, 20n * thief.cap);
    return thief;
  }

  begin(world: World, random: Random, note: (finding: string) => void): void {
    this.#stealing = this.#steal(world, random).catch((error: unknown) =>
      note(`the thief gave up: ${error instanceof Error ? error.stack : String(error)}`),
    );
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#stealing;
  }

  get told(): string {
    return `a thief listed ${this.#counts.listed} times with a stolen key and was refused ${this.#counts.refused} times`;
  }

  async #steal(world: World, random: Random): Promise<void> {
    const { signal } = this.#over;
    for (let turn = 0; !signal.aborted; turn += 1) {
      await sleep(2 * EVERY_MS * random(), undefined, { signal }).catch(() => undefined);
      const url = world.urls[turn % world.urls.length] ?? '';
      const client = createLegworkClient({ url, fetch: fetchFrom(ADDRESS), timeoutMs: CALL_MS, patienceMs: 0 });
      const amount = {
        maxBudget: String(1_000_000 + below(4_000_000, random)),
        asset: 'usdc',
        maxBudgetSol: undefined,
      };
      const from = { ...amount, mandateOwnerPubkey: this.#owner.address, terms: 'plain' } as const;
      try {
        const now = await world.time.now();
        const listed =
          turn % 2 === 0
            ? await PACKAGES.sign(client, this.#key, { ...strangePackage(now), ...from })
            : await TASKS.sign(client, this.#key, { ...strangeTask(now, 1), ...from });
        await listed.submit(client);
        this.#counts.listed += 1;
      } catch (error) {
        const isRefused = error instanceof LegworkApiError || error instanceof LedgerRefusedError;
        if (!isRefused && !isTransient(error)) throw error;
        this.#counts.refused += 1;
      }
    }
  }
}
