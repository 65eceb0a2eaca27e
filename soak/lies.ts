import { setTimeout as sleep } from 'node:timers/promises';
import { signature as toSignature } from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Lie } from '../packages/server/tests/support/lyingNode.js';
import { askDatabase } from './audit/outcome.js';
import { choose, type Random, type Shares } from './plan.js';
import type { Gate } from './plan.js';
import type { Instance } from './instance.js';
import type { LedgerTime } from './ledgerTime.js';
import type { Quiet } from './plan.js';

/** All but what tests make a node say; `lost` is a fork that is never sent again. */
type Kind = Exclude<Lie['kind'], 'says' | 'unreadable'> | 'lost';

const LONGEST_MS = 3_000;
/** Between two lies. */
const LONGEST_TRUTH_MS = 8_000;
/** For what was forgotten to be there again, whatever is killed meanwhile. */
const HEALING_MS = 120_000;
/** About a minute: more than a service is ever away. */
const KEPT_SLOTS = 150;
/** Ledger seconds after which nothing that a fork held can land. */
const EXPIRED_SEC = 120;
/** Statuses that a node gives at once at most. */
const BATCH = 256;

/** All but one: a version that a node cannot show is not shown later either. */
const KINDS: Shares<Kind> = [
  ['forked', 0.16],
  ['lost', 0.04],
  ['behind', 0.15],
  ['unanswered', 0.1],
  ['swallowed', 0.06],
  ['repeated', 0.08],
  ['reordered', 0.08],
  ['unlisted', 0.04],
  ['refused', 0.05],
  ['silent', 0.04],
  ['slow', 0.05],
  ['http', 0.05],
  ['rpc', 0.05],
  ['pruned', 0.03],
  ['unhinted', 0.02],
];

/** One of four signatures, always the same ones. */
const isHidden = (signature: string) => signature.charCodeAt(10) % 4 === 0;

/** The place of the lies, and their listeners. */
export interface Stage {
  readonly instance: Instance;
  /** Of the ledger itself. */
  readonly rpc: LedgerRpc;
  readonly gate: Gate;
  /** Of the services. */
  readonly door: Gate;
  readonly time: LedgerTime;
  readonly coordinator: string;
  readonly quiet: Quiet;
  readonly note: (finding: string) => void;
}

/** The lies of the services' node: one after the other, with the truth in between, until it is stopped. */
export class Lies {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #over = new AbortController();
  readonly #told: Kind[] = [];
  readonly #lived: Promise<void>;
  #hush = new AbortController();
  #telling: Promise<void> = Promise.resolve();

  constructor(stage: Stage, random: Random) {
    this.#stage = stage;
    this.#random = random;
    this.#lived = this.#live().catch((error: unknown) => stage.note(`the node gave up: ${String(error)}`));
  }

  /** Each that was told, for people. */
  get told(): readonly string[] {
    return this.#told;
  }

  /** Tells the truth while something is started, which asks the ledger for what it needs once. */
  async hush<T>(start: () => Promise<T>): Promise<T> {
    this.#hush.abort();
    await this.#telling;
    try {
      return await start();
    } finally {
      if (!this.#over.signal.aborted) this.#hush = new AbortController();
    }
  }

  /** Resolves when the last lie has ended, and what it made the services believe is true. */
  async stop(): Promise<void> {
    this.#over.abort();
    this.#hush.abort();
    await this.#lived;
  }

  async #live(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await sleep(this.#random() * LONGEST_TRUTH_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const kind = choose(KINDS, this.#random);
      this.#told.push(kind);
      await this.#tell(kind);
    }
  }

  async #tell(kind: Kind): Promise<unknown> {
    const { gate, door, time, quiet } = this.#stage;
    if (kind === 'forked') return quiet.during(() => gate.closed(() => this.#forget()));
    const lose = () => quiet.during(() => gate.closed(() => this.#forget(() => time.passUnasked(EXPIRED_SEC))));
    if (kind === 'lost') return time.alone(() => door.closed(lose));
    return quiet.during(async () => this.#say(await this.#lieOf(kind)));
  }

  /**
   * Lets the services live on a fork for a while, alone: all deeds of the coordinator there can be done again. Deeds
   * of others on the ledger meanwhile could rule that out for good; texts that wallets hand to a service reach both.
   *
   * @param expire - makes that impossible before the services are back on the ledger: they have to heal what they believed
   */
  async #forget(expire?: () => Promise<void>): Promise<void> {
    const fork = await this.#stage.instance.fork();
    await this.#say({ kind: 'forked', rpcUrl: fork.ledger.rpcUrl, payer: this.#stage.coordinator }, expire);
    await fork.close();
    await this.#healed();
  }

  #say(lie: Lie, before = async (): Promise<void> => undefined): Promise<void> {
    const ms = this.#random() * LONGEST_MS;
    const say = async () => {
      // It may have been chosen before something was to be started, and come to be told only now.
      if (this.#hush.signal.aborted) return;
      const told = await this.#stage.instance.node.begin(lie);
      await sleep(ms, undefined, { signal: this.#hush.signal }).catch(() => undefined);
      // Where the ledger has just been killed, it is a fork like others: whoever waits for it here keeps it from being started.
      await before().catch(() => undefined);
      await told.end();
    };
    this.#telling = say();
    return this.#telling;
  }

  async #lieOf(kind: Exclude<Kind, 'forked' | 'lost'>): Promise<Lie> {
    if (kind === 'slow') return { kind, ms: 50 + this.#random() * 400 };
    if (kind === 'http') return { kind, status: this.#random() < 0.5 ? 429 : 502 };
    if (kind === 'rpc') return { kind, code: -32_005, message: 'Node is unhealthy' };
    if (kind === 'reordered') return { kind, random: this.#random };
    if (kind === 'unlisted') return { kind, signatures: { has: isHidden } };
    if (kind === 'pruned') return { kind, below: Math.max(0, Number(await this.#newestSlot()) - KEPT_SLOTS) };
    return { kind };
  }

  #newestSlot(): Promise<bigint> {
    return patiently(() => this.#stage.rpc.getSlot({ commitment: 'confirmed' }).send());
  }

  /** Waits until the ledger shows everything that the services believe. */
  async #healed(): Promise<void> {
    const { instance, rpc, note } = this.#stage;
    for (const until = Date.now() + HEALING_MS; ; await sleep(200)) {
      const missing = await patiently(() => missingFrom(rpc, instance.connectionString));
      if (missing.length === 0) return;
      if (Date.now() > until) return note(`the services believe what the ledger does not show: ${missing.join(', ')}`);
    }
  }
}

/** Of the transactions that the services have applied and that are not final, those that the ledger does not show; and listings that are due again. */
async function missingFrom(rpc: LedgerRpc, connectionString: string): Promise<string[]> {
  const open = await askDatabase(connectionString, async (database) => {
    const { rows } = await database.query<{ signature: string }>(
      'select signature from ledger_transactions where position is null order by slot desc',
    );
    const { rows: due } = await database.query<{ subject: string }>(
      `select subject from outbox where status in ('pending', 'sent') and kind in ('list_package', 'list_task')
        and subject in (select subject from events where type = 'LEDGER_HEALED')`,
    );
    return { signatures: rows.map(({ signature }) => toSignature(signature)), due: due.map(({ subject }) => subject) };
  });
  const missing: string[] = [...open.due];
  for (let from = 0; from < open.signatures.length; from += BATCH) {
    const batch = open.signatures.slice(from, from + BATCH);
    const { value } = await rpc.getSignatureStatuses(batch, { searchTransactionHistory: true }).send();
    missing.push(...batch.filter((_, index) => value[index] === null));
  }
  return missing;
}

/** Asks what may just be killed, until it answers. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await sleep(200);
    }
  }
}
