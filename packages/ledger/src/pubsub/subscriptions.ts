import type { Account } from '../bank/account.js';
import type { Change, LandedTransaction } from '../bank/announcements.js';
import type { Bank } from '../bank/bank.js';
import type { Commitment } from '../bank/commitment.js';
import { bytesOfKey, keyOf, toBase58, type Key } from '../bank/keys.js';
import { encodeJson } from '../json.js';
import { encodeAccountList, encodeAccountView, type AccountView } from '../rpc/accountEncoding.js';
import { mintScalesAt } from '../rpc/parsed/accounts/mintScale.js';
import type { AccountFilter } from '../rpc/programFilters.js';
import type { Store } from '../store/store.js';
import { blockNotification, type BlockInterest, SlotFeed, SlotUpdates } from './slotFeed.js';
import { namedByVotes, voteLog, voteNotification } from './voteFeed.js';

/** The object of a client's subscription. */
export type Interest =
  | { readonly kind: 'slot' }
  | { readonly kind: 'root' }
  | { readonly kind: 'slotsUpdates' }
  | { readonly kind: 'vote' }
  | BlockInterest
  | { readonly kind: 'signature'; readonly signature: Uint8Array; readonly commitment: Commitment }
  | {
      readonly kind: 'account';
      readonly address: Uint8Array;
      readonly commitment: Commitment;
      readonly view: AccountView;
    }
  | {
      readonly kind: 'program';
      readonly program: Uint8Array;
      readonly commitment: Commitment;
      readonly view: AccountView;
      readonly passes: AccountFilter;
    }
  | {
      readonly kind: 'logs';
      readonly mention: Uint8Array | undefined;
      /** Those of votes as well. */
      readonly votes: boolean;
      readonly commitment: Commitment;
    };

type InterestOf<K extends Interest['kind']> = Extract<Interest, { readonly kind: K }>;

export type Subscription = {
  readonly id: number;
  readonly interest: Interest;
  /** Sends one notification frame. */
  readonly send: (frame: string) => void;
  /** Called when the ledger itself ends the subscription. */
  readonly onEnd: () => void;
};

/** The subscriptions of all connections, indexed by topic. Rule L-22. */
export class Subscriptions {
  readonly #bank: Bank;
  readonly #store: Store;
  readonly #byTopic = new Map<string, Set<Subscription>>();
  readonly #slots: SlotFeed;
  readonly #updates = new SlotUpdates();
  readonly #namedByVotes: readonly string[];
  #nextId = 0;
  #count = 0;

  constructor(bank: Bank, store: Store) {
    this.#bank = bank;
    this.#store = store;
    this.#namedByVotes = namedByVotes(bank).map((key) => `logs:${key}`);
    this.#slots = new SlotFeed(bank, async (reached, slot) => {
      this.#tellUpdates(this.#updates[reached](slot, bank.clock.nowMs()));
      this.#tellVote(reached, slot);
      await this.#tellBlock(reached, slot);
    });
    bank.on('landed', (transaction) => this.#updates.count(transaction));
    bank.on('slot', ({ slot, root }) => this.#onSlot(slot, root));
    bank.on('landed', (transaction) => this.#onTransaction(transaction, (commitment) => commitment !== 'finalized'));
    bank.on('finalized', (transaction) => this.#onTransaction(transaction, (commitment) => commitment === 'finalized'));
    bank.on('set', (change) => this.#onChange(change, (commitment) => commitment !== 'finalized'));
    bank.on('setFinally', (change) => this.#onChange(change, (commitment) => commitment === 'finalized'));
  }

  get count(): number {
    return this.#count;
  }

  add(interest: Interest, send: (frame: string) => void, onEnd: () => void): Subscription {
    const subscription: Subscription = { id: this.#nextId, interest, send, onEnd };
    this.#nextId += 1;
    this.#count += 1;
    const topic = topicOf(interest);
    const sameTopic = this.#byTopic.get(topic);
    if (sameTopic === undefined) this.#byTopic.set(topic, new Set([subscription]));
    else sameTopic.add(subscription);
    return subscription;
  }

  remove(subscription: Subscription): void {
    const topic = topicOf(subscription.interest);
    const sameTopic = this.#byTopic.get(topic);
    if (sameTopic?.delete(subscription) !== true) return;
    this.#count -= 1;
    if (sameTopic.size === 0) this.#byTopic.delete(topic);
  }

  /** Notifies of a signature that landed before the subscription. */
  async tellIfLanded(subscription: Subscription): Promise<void> {
    const { interest } = subscription;
    if (interest.kind !== 'signature') return;
    await this.#bank.durable();
    const status = this.#bank.recentStatus(interest.signature) ?? this.#store.transaction(interest.signature);
    if (status === undefined) return;
    if (interest.commitment === 'finalized' && !this.#bank.isFinal(status.slot)) return;
    this.#tellSignature(subscription, status.slot, status.err);
  }

  #onSlot(slot: number, root: number): void {
    for (const one of this.#of('slot')) notify(one, encodeJson({ slot, parent: Math.max(0, slot - 1), root }));
    for (const one of this.#of('root')) notify(one, String(root));
    this.#slots.onSlot(slot, root);
    // A transaction from before a restart becomes final without an event.
    for (const one of this.#of('final-signatures')) void this.tellIfLanded(one).catch(() => undefined);
  }

  #onTransaction(transaction: LandedTransaction, wants: (commitment: Commitment) => boolean): void {
    if (this.#count === 0) return;
    const { signature, slot, err, logs } = transaction;
    const key = keyOf(signature);
    for (const topic of [`signature:${key}`, 'final-signatures']) {
      for (const one of this.#of(topic)) {
        if (hasKind(one, 'signature') && wants(one.interest.commitment) && keyOf(one.interest.signature) === key) {
          this.#tellSignature(one, slot, err);
        }
      }
    }
    let result: string | undefined;
    for (const topic of ['logs:', ...transaction.mentions.map((mention) => `logs:${keyOf(mention)}`)]) {
      for (const one of this.#of(topic)) {
        if (!hasKind(one, 'logs') || !wants(one.interest.commitment)) continue;
        result ??= encodeJson({ context: { slot }, value: { signature: toBase58(signature), err, logs } });
        notify(one, result);
      }
    }
    this.#onChange(transaction, wants);
  }

  #onChange({ slot, changed }: Change, wants: (commitment: Commitment) => boolean): void {
    for (const { address, account } of changed) this.#onAccount(address, account ?? CLOSED, slot, wants);
  }

  #onAccount(address: Key, account: Account, slot: number, wants: (commitment: Commitment) => boolean): void {
    for (const one of this.#of(`account:${address}`)) {
      if (!hasKind(one, 'account') || !wants(one.interest.commitment)) continue;
      const { view, commitment } = one.interest;
      const value = encodeAccountView(bytesOfKey(address), account, view, mintScalesAt(this.#bank, commitment));
      notify(one, encodeJson({ context: { slot }, value }));
    }
    for (const one of this.#of(`program:${keyOf(account.owner)}`)) {
      if (!hasKind(one, 'program') || !wants(one.interest.commitment) || !one.interest.passes(account)) continue;
      const { view, commitment } = one.interest;
      const found = [{ address: bytesOfKey(address), account }];
      const [value] = encodeAccountList(found, view, mintScalesAt(this.#bank, commitment));
      if (value !== undefined) notify(one, encodeJson({ context: { slot }, value }));
    }
  }

  #tellUpdates(updates: readonly object[]): void {
    for (const one of this.#of('slotsUpdates')) for (const update of updates) notify(one, encodeJson(update));
  }

  #tellVote(reached: BlockInterest['commitment'], slot: number): void {
    if (reached === 'confirmed') {
      for (const one of this.#of('vote')) notify(one, encodeJson(voteNotification(slot, this.#bank)));
    }
    if (slot === 0) return;
    for (const topic of ['logs:', ...this.#namedByVotes]) {
      for (const one of this.#of(topic)) {
        if (!hasKind(one, 'logs') || !one.interest.votes) continue;
        const isFinal = one.interest.commitment === 'finalized';
        if (isFinal === (reached === 'finalized')) notify(one, encodeJson(voteLog(slot, this.#bank)));
      }
    }
  }

  async #tellBlock(commitment: BlockInterest['commitment'], slot: number): Promise<void> {
    // Subscribers who want the same get one text.
    const texts = new Map<string, Promise<string | undefined>>();
    for (const one of this.#of(`block:${commitment}`)) {
      if (!hasKind(one, 'block')) continue;
      const { mention, view } = one.interest;
      const wish = encodeJson({ mention: mention === undefined ? null : keyOf(mention), ...view });
      const text = texts.get(wish) ?? blockNotification(slot, one.interest, { bank: this.#bank, store: this.#store });
      texts.set(wish, text);
      const result = await text;
      // It may have ended meanwhile.
      if (result !== undefined && this.#of(`block:${commitment}`).has(one)) notify(one, result);
    }
  }

  #tellSignature(subscription: Subscription, slot: number, err: unknown): void {
    // Notified once: a second call finds it gone.
    if (!this.#of(topicOf(subscription.interest)).has(subscription)) return;
    this.remove(subscription);
    notify(subscription, encodeJson({ context: { slot }, value: { err } }));
    subscription.onEnd();
  }

  #of(topic: string): ReadonlySet<Subscription> {
    return this.#byTopic.get(topic) ?? NONE;
  }
}

const NONE: ReadonlySet<Subscription> = new Set();

/** A closed account, as its subscribers see it. */
const CLOSED: Account = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: new Uint8Array(32),
  executable: false,
  rentEpoch: 0n,
};

function topicOf(interest: Interest): string {
  if (interest.kind === 'signature') {
    return interest.commitment === 'finalized' ? 'final-signatures' : `signature:${keyOf(interest.signature)}`;
  }
  if (interest.kind === 'account') return `account:${keyOf(interest.address)}`;
  if (interest.kind === 'program') return `program:${keyOf(interest.program)}`;
  if (interest.kind === 'block') return `block:${interest.commitment}`;
  if (interest.kind === 'logs') return `logs:${interest.mention === undefined ? '' : keyOf(interest.mention)}`;
  return interest.kind;
}

function hasKind<K extends Interest['kind']>(
  subscription: Subscription,
  kind: K,
): subscription is Subscription & { readonly interest: InterestOf<K> } {
  return subscription.interest.kind === kind;
}

function notify(subscription: Subscription, result: string): void {
  const { id, interest, send } = subscription;
  send(`{"jsonrpc":"2.0","method":"${interest.kind}Notification","params":{"result":${result},"subscription":${id}}}`);
}
