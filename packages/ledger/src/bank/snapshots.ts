import type { Store } from '../store/store.js';
import type { UndoEntry } from '../store/undoLog.js';
import type { Account } from './account.js';
import type { ChangedAccount } from './accounts.js';
import type { Key } from './keys.js';

type Snapshot = {
  readonly id: number;
  /** The accounts as they were then, of those that changed before the next snapshot. */
  readonly former: Map<Key, Account | undefined>;
};

/** Moments to which the accounts can go back. The former state of an account is kept when it first changes after one. Rule L-82. */
export class Snapshots {
  /** The oldest first. */
  #snapshots: Snapshot[];

  constructor(store: Store) {
    this.#snapshots = store.snapshots().map((id) => ({ id, former: new Map() }));
    const byId = new Map(this.#snapshots.map(({ id, former }) => [id, former]));
    for (const { snapshot, address, former } of store.undoEntries()) byId.get(snapshot)?.set(address, former);
  }

  get ids(): readonly number[] {
    return this.#snapshots.map(({ id }) => id);
  }

  /** Takes one. */
  take(): number {
    const id = (this.#snapshots.at(-1)?.id ?? 0) + 1;
    this.#snapshots.push({ id, former: new Map() });
    return id;
  }

  /** Notes that accounts changed. Returns what is to be stored of that. */
  note(changed: readonly ChangedAccount[]): readonly UndoEntry[] {
    const latest = this.#snapshots.at(-1);
    if (latest === undefined) return [];
    const fresh = changed.filter(({ address }) => !latest.former.has(address));
    for (const { address, before } of fresh) latest.former.set(address, before);
    return fresh.map(({ address, before }) => ({ snapshot: latest.id, address, former: before }));
  }

  /** The state at a snapshot of the accounts that changed since; undefined: there is no such snapshot. */
  formerAt(id: number): ReadonlyMap<Key, Account | undefined> | undefined {
    const since = this.#since(id);
    // Of an account that changed after several snapshots, the oldest of these states counts.
    return since && new Map(since.toReversed().flatMap(({ former }) => [...former]));
  }

  /** Notes that the accounts are again what they were at a snapshot: later ones are gone. Returns what is to be stored of that. */
  goneBackTo(id: number): readonly UndoEntry[] {
    const since = this.#since(id) ?? [];
    const undone = since.flatMap(({ id: snapshot, former }) =>
      [...former.keys()].map((address) => ({ snapshot, address, former: null })),
    );
    this.#snapshots = [...this.#snapshots.filter((one) => one.id < id), { id, former: new Map() }];
    return undone;
  }

  #since(id: number): Snapshot[] | undefined {
    const first = this.#snapshots.findIndex((one) => one.id === id);
    return first === -1 ? undefined : this.#snapshots.slice(first);
  }
}
