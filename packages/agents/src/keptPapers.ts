import { setTimeout as sleep } from 'node:timers/promises';
import { decodeRelayAccount, LegworkApiError, papersOf } from '@legwork/sdk';
import type { DigitalTaskDetail, LegworkClient, PackageDetail } from '@legwork/sdk';
import { packageAddress, taskAddress } from '@legwork/program-client';
import { isTerminal, uuidToBytes } from '@legwork/protocol/contract';
import { address, fetchEncodedAccount } from '@solana/kit';
import type { GetAccountInfoApi, Rpc } from '@solana/kit';
import { dropPapers, papersFolderOf, papersIn, readPapers, writePapers } from './papersFolder.js';

type Listing = PackageDetail | DigitalTaskDetail;
type Reading = Pick<LegworkClient, 'getPackage' | 'getDigitalTask' | 'listAgentLegs' | 'listTurns' | 'givePapers'>;

/** The key whose papers are kept, and the parties to ask about them. */
interface Own {
  readonly pubkey: string;
  readonly keyFile: string;
  readonly client: LegworkClient;
  /** Which ledger has the hashes; asked when there is one to check. */
  readonly ledger: () => Promise<{ readonly rpc: Rpc<GetAccountInfoApi>; readonly programId: string }>;
  /** A line for a person, in a log. */
  readonly say: (line: string) => void;
}

/** The most listings of a key whose papers are kept: others can name it in theirs. */
const MOST = 10_000;
/** The most that wait to be read; what is more is heard again. */
const MOST_WAITING = 50;
/** The wait before a listing whose papers could not be kept is read again, milliseconds. */
const AGAIN_MS = 600_000;
const LOOK_EVERY_MS = 60_000;
/** So long a session that ends waits for papers on their way, milliseconds. */
const LEAVES_AFTER_MS = 5_000;

/**
 * Keeps the papers of the listings in which a key has a part, by itself: it hears what the service answers this key, reads each listing
 * named there once, gives its papers back to a service that lost what it says, and drops them when it is over. Nothing waits for it, and
 * nothing fails by it. Rules.
 */
export class KeptPapers {
  readonly folder: string;
  readonly #own: Own;
  /** Their own answers are not heard. */
  readonly #reading: Reading;
  readonly #kept: Set<string>;
  readonly #waiting = new Set<string>();
  /** Listings that were read and not kept, or given back, and until when they are left, milliseconds since 1970. */
  readonly #left = new Map<string, number>();
  readonly #ending = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #tended: number;
  #lookedMs = 0;
  #hasTold = false;

  private constructor(own: Own, folder: string, kept: readonly string[]) {
    this.folder = folder;
    this.#own = own;
    const { getPackage, getDigitalTask, listAgentLegs, listTurns, givePapers } = own.client;
    this.#reading = { getPackage, getDigitalTask, listAgentLegs, listTurns, givePapers };
    this.#kept = new Set(kept);
    // A process that ends soon goes on where no other began.
    this.#tended = Math.floor(Math.random() * kept.length);
  }

  /** Hears what this client is answered from now on. */
  static async open(own: Own): Promise<KeptPapers> {
    const folder = papersFolderOf(own.keyFile);
    const papers = new KeptPapers(own, folder, await papersIn(folder).catch(() => []));
    papers.#hear();
    papers.tend(1);
    return papers;
  }

  #hear(): void {
    const { client } = this.#own;
    const whole = (listing: Listing) => this.#next(listing.id, () => this.#take(listing));
    Object.assign(client, {
      getPackage: after(client.getPackage, whole),
      getDigitalTask: after(client.getDigitalTask, whole),
      submitPackage: after(client.submitPackage, whole),
      submitDigitalTask: after(client.submitDigitalTask, whole),
      bidDigitalLeg: after(client.bidDigitalLeg, ({ taskId }) => this.see(taskId)),
      listAgentLegs: after(client.listAgentLegs, ({ items }) => items.forEach((leg) => this.#seeLeg(leg))),
      listTurns: after(client.listTurns, ({ items }) => items.forEach((turn) => this.see(listingOf(turn)))),
    });
  }

  /** Reads this listing soon, unless its papers are kept, and keeps them if the key has a part in it. */
  see(listingId: string): void {
    if (this.#kept.has(listingId) || (this.#left.get(listingId) ?? 0) > Date.now()) return;
    this.#next(listingId, () => this.#read(listingId));
  }

  #seeLeg({ status, ...leg }: Awaited<ReturnType<LegworkClient['listAgentLegs']>>['items'][number]): void {
    if (status === 'pending' || status === 'in_progress') this.see(listingOf(leg));
  }

  /** Reads in the listings that the key has a part in, unless that was within a minute: for a caller that does not read them anyway. */
  look(): void {
    if (this.#lookedMs + LOOK_EVERY_MS > Date.now()) return;
    this.#lookedMs = Date.now();
    const { pubkey } = this.#own;
    this.#next(pubkey, async () => {
      const options = { signal: this.#ending.signal };
      const asked = { agentPubkey: pubkey, limit: 200 };
      for (const status of ['pending', 'in_progress'] as const) {
        const { items } = await this.#reading.listAgentLegs({ ...asked, status }, options);
        for (const leg of items) this.#seeLeg(leg);
      }
      const { items } = await this.#reading.listTurns({ pubkey }, options);
      for (const turn of items) this.see(listingOf(turn));
    });
    this.tend(1);
  }

  /** Asks about so many of those that are kept, one after another in turn, whether they are over. */
  tend(most: number): void {
    const ids = [...this.#kept];
    for (let count = Math.min(most, ids.length); count > 0; count -= 1) {
      this.#tended = (this.#tended + 1) % ids.length;
      const id = ids[this.#tended] as string;
      this.#next(id, () => this.#read(id));
    }
  }

  /** Ends what is on its way, within seconds. */
  async close(): Promise<void> {
    const late = new AbortController();
    const given = sleep(LEAVES_AFTER_MS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.#last, given]);
    late.abort();
    this.#ending.abort();
    await this.#last;
  }

  /** One after another. */
  #next(name: string, act: () => Promise<void>): void {
    if (this.#waiting.has(name) || this.#waiting.size >= MOST_WAITING || this.#ending.signal.aborted) return;
    this.#waiting.add(name);
    this.#last = this.#inTurn(this.#last, name, act);
  }

  async #inTurn(last: Promise<void>, name: string, act: () => Promise<void>): Promise<void> {
    await last;
    try {
      if (!this.#ending.signal.aborted) await act();
    } catch {
      // The service or the ledger does not answer: what was not kept is heard again.
    } finally {
      this.#waiting.delete(name);
    }
  }

  async #read(id: string): Promise<void> {
    const options = { signal: this.#ending.signal };
    const listing = await this.#reading.getPackage({ packageId: id }, options).catch((error: unknown) => {
      if (!(error instanceof LegworkApiError) || error.code !== 'not_found') throw error;
      return this.#reading.getDigitalTask({ taskId: id }, options);
    });
    await this.#take(listing);
  }

  async #take(listing: Listing): Promise<void> {
    const { id } = listing;
    if (isOver(listing)) {
      if (this.#kept.delete(id)) await dropPapers(this.folder, id).catch((error: unknown) => this.#tell(error));
      return;
    }
    if (!listing.documentKnown) return this.#giveBack(id);
    const isToKeep = hasPart(listing, this.#own.pubkey);
    if (!isToKeep || this.#kept.has(id) || this.#kept.size >= MOST || (this.#left.get(id) ?? 0) > Date.now()) return;
    if (this.#left.size >= MOST) this.#left.clear();
    this.#left.set(id, Date.now() + AGAIN_MS);
    if (!(await this.#isOnLedger(listing))) return;
    try {
      await writePapers(this.folder, papersOf(listing));
      this.#kept.add(id);
      this.#left.delete(id);
    } catch (error) {
      this.#tell(error);
    }
  }

  /** The service knew the text once, and shows it to everybody: it gets the same bytes again. */
  async #giveBack(id: string): Promise<void> {
    if (!this.#kept.has(id) || (this.#left.get(id) ?? 0) > Date.now()) return;
    this.#left.set(id, Date.now() + AGAIN_MS);
    const papers = await readPapers(this.folder, id);
    if (papers === undefined) return;
    const { isNew } = await this.#reading.givePapers({ ...papers }, { signal: this.#ending.signal });
    if (isNew) this.#own.say(`The service lost what ${id} says: its papers are given back.`);
  }

  /** Reports whether the ledger has the listing with this hash: nobody takes any other back. */
  async #isOnLedger(listing: Listing): Promise<boolean> {
    const { rpc, programId } = await this.#own.ledger();
    const of = [address(programId), address(listing.shipperPubkey), uuidToBytes(listing.id)] as const;
    const at = await ('legs' in listing ? taskAddress(...of) : packageAddress(...of));
    const account = await fetchEncodedAccount(rpc, at, { commitment: 'confirmed', abortSignal: this.#ending.signal });
    const read = account.exists ? decodeRelayAccount(account.data) : undefined;
    if (read?.kind !== 'package' && read?.kind !== 'task') return false;
    const hash = Buffer.from(read.data.termsHash).toString('hex');
    if (hash !== listing.termsHash) {
      this.#own.say(`No papers of ${listing.id} are kept: the service shows another text than was signed for.`);
    }
    return hash === listing.termsHash;
  }

  /** A failure to write is told once. */
  #tell(error: unknown): void {
    if (!this.#hasTold) this.#own.say(`No papers are kept in ${this.folder}: ${String(error)}`);
    this.#hasTold = true;
  }
}

const listingOf = (of: { readonly packageId: string } | { readonly taskId: string }) =>
  'packageId' in of ? of.packageId : of.taskId;

/** The same call; what it was answered is heard. */
function after<Arguments extends unknown[], Answer>(
  call: (...args: Arguments) => Promise<Answer>,
  hear: (answer: Answer) => void,
): (...args: Arguments) => Promise<Answer> {
  return async (...args) => {
    const answer = await call(...args);
    hear(answer);
    return answer;
  };
}

/** For good: nothing of it can be erased before, and nobody needs its text to go on. Rule A-171. */
function isOver(listing: Listing): boolean {
  const isEnded = 'legs' in listing ? isTerminal('task', listing.status) : isTerminal('package', listing.status);
  return listing.erasedAt !== null || (isEnded && listing.finality === 'final');
}

/** As its lister, receiver or arbiter, or by a leg of it. */
function hasPart(listing: Listing, pubkey: string): boolean {
  const legs = 'legs' in listing ? listing.legs : (listing.swarm?.legs ?? []);
  const { shipperPubkey, terms } = listing;
  const named = [shipperPubkey, terms?.receiverPubkey, terms?.arbiterPubkey];
  return [...named, ...legs.map(({ agentPubkey }) => agentPubkey)].includes(pubkey);
}
