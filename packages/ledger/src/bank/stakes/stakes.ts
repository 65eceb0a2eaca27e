import { createHash } from 'node:crypto';
import type { Store } from '../../store/store.js';
import { SYSTEM_PROGRAM, type Account } from '../account.js';
import type { Accounts, FoundAccount } from '../accounts.js';
import type { Edits } from '../edits.js';
import type { Engine } from '../engine.js';
import { keyOf } from '../keys.js';
import { momentOf, STAKE_HISTORY } from '../sysvars.js';
import { genesisStake, readDelegation, STAKE_PROGRAM, statusOf, VOTE_PROGRAM, type StakeStatus } from './delegation.js';
import { Inflation } from './inflation.js';
import { shareRewards } from './rewards.js';
import { StakeTotals } from './stakeTotals.js';
import { voteStateData } from './voteState.js';

/** The identity of a test validator when it begins: 500 SOL. */
const IDENTITY: Account = {
  lamports: 500_000_000_000n,
  data: new Uint8Array(),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: 0n,
};
/** What it gives both its vote account and the stake that is delegated to it, in lamports. */
const GENESIS_LAMPORTS = 1_000_000_000_000_000n;

/** The parts that the bank lends. */
type StakedBank = {
  readonly engine: Engine;
  readonly accounts: Accounts;
  readonly edits: Edits;
  readonly store: Store;
  /** The time of a slot, in seconds since 1970. */
  readonly blockTime: (slot: number) => number;
};

/**
 * The ledger's only validator, as far as it has stake: its vote account, the stake of all epochs, and the
 * rewards of those that are over. Its votes are no transactions: what they lead to follows from the slot.
 * Rule L-87.
 */
export class Stakes {
  readonly inflation: Inflation;
  readonly node: Uint8Array;
  /** The address of its vote account. */
  readonly vote: Uint8Array;
  /** The accounts that it begins with, the node's own among them. */
  readonly genesis: readonly FoundAccount[];
  readonly #bank: StakedBank;
  readonly #totals: StakeTotals;
  /** The first epoch whose rewards are not paid. */
  #unpaid = 0;
  readonly #epoch: number;
  /** The latest slot with a vote account; before the restore, none. */
  #slot: number | undefined;

  /** @param salt the ledger's: addresses follow from it, and nobody has their keys */
  constructor(bank: StakedBank, salt: Uint8Array) {
    this.#bank = bank;
    this.#epoch = Number(bank.engine.slotsPerEpoch);
    this.inflation = new Inflation(bank.engine.features, this.#epoch);
    const derive = (what: string): Uint8Array => createHash('sha256').update(what).update(salt).digest();
    this.node = derive('node');
    this.vote = derive('vote');
    const stake = derive('stake');
    const reserve = bank.engine.rentExemptMinimum(200n);
    this.genesis = [
      { address: this.node, account: IDENTITY },
      { address: this.vote, account: this.#voteAccount(0, undefined) },
      { address: stake, account: genesisStake(GENESIS_LAMPORTS, reserve, stake, this.vote) },
    ];
    for (const { address, account } of this.genesis) bank.engine.setAccount(address, account);
    this.#totals = new StakeTotals();
  }

  /** Goes on from what is stored, which the engine has by now. */
  restore(slot: number, root: number): void {
    this.#totals.restore(this.#bank.engine.account(STAKE_HISTORY)?.data ?? new Uint8Array());
    this.#unpaid = this.#bank.store.unpaidEpoch();
    this.#slot = root - 1;
    this.moveTo(slot, root);
  }

  /**
   * Moves on to a slot: the vote on the one before, and the end of epochs. After a jump, the slots that are
   * not final have their votes as well, so that reads at `finalized` tell that of their slot.
   */
  moveTo(slot: number, root: number): void {
    if (this.#slot === undefined) return;
    for (let begun = Math.max(this.#slot + 1, root); begun <= slot; begun += 1) {
      const account = this.#voteAccount(begun, this.#bank.accounts.now(this.vote));
      this.#bank.edits.follow([{ address: this.vote, account }], begun, 'derived');
    }
    this.#slot = slot;
    this.#endEpochs(slot, root);
  }

  /** The lamports that count for a vote account in the epoch of a slot. */
  activeStake(voter: Uint8Array, slot: number): bigint {
    const wanted = keyOf(voter);
    return this.#statusIn(Math.floor(slot / this.#epoch), slot, (one) => one === wanted).effective;
  }

  /** The lamports that count for all vote accounts in the epoch of a slot. */
  totalStake(slot: number): bigint {
    return this.#statusIn(Math.floor(slot / this.#epoch), slot, () => true).effective;
  }

  #voteAccount(slot: number, before: Account | undefined): Account {
    const lamports = before?.lamports ?? GENESIS_LAMPORTS;
    const data = voteStateData(momentOf(slot, this.#bank), this, this.#epoch);
    return { lamports, data, owner: VOTE_PROGRAM, executable: false, rentEpoch: before?.rentEpoch ?? 0n };
  }

  /**
   * An epoch's stake is known when the next one begins; its rewards are paid in the slot after that, as on a
   * cluster.
   *
   * @param root the latest final slot, before which nobody asks when something changed
   */
  #endEpochs(slot: number, root: number): void {
    const epoch = Math.floor(slot / this.#epoch);
    const known = this.#totals.next;
    for (;;) {
      if (this.#unpaid < this.#totals.next) {
        const due = (this.#unpaid + 1) * this.#epoch + 1;
        if (slot < due) break;
        this.#pay(this.#unpaid, Math.max(due, root));
        this.#unpaid += 1;
      } else if (this.#totals.next < epoch) {
        this.#totals.add(this.#statusIn(this.#totals.next, slot, () => true));
      } else break;
    }
    if (this.#totals.next > known) this.#tellTotals(Math.max(epoch * this.#epoch, root));
  }

  #tellTotals(slot: number): void {
    const before = this.#bank.engine.account(STAKE_HISTORY);
    if (before === undefined) throw new Error('the engine has no history of stakes');
    const account = { ...before, data: this.#totals.data() };
    this.#bank.edits.follow([{ address: STAKE_HISTORY, account }], slot, 'stored');
  }

  #pay(epoch: number, slot: number): void {
    const { accounts, edits, store } = this.#bank;
    const lamports = this.inflation.rewardsOf(epoch, accounts.supplyAt(slot));
    const terms = { epoch, voter: keyOf(this.vote), lamports, history: this.#totals.of, slotsPerEpoch: this.#epoch };
    const { changes, rewards } = shareRewards(accounts.find('program', STAKE_PROGRAM, slot), terms);
    if (changes.length > 0) edits.follow(changes, slot, 'undoable');
    const balance = accounts.now(this.vote)?.lamports ?? 0n;
    const votes = rewards.length === 0 ? [] : [{ address: this.vote, lamports: 0n, balance }];
    store.putRewards(epoch, { votes, stakes: rewards });
  }

  #statusIn(epoch: number, slot: number, counts: (voter: string) => boolean): StakeStatus {
    let [effective, activating, deactivating] = [0n, 0n, 0n];
    for (const { account } of this.#bank.accounts.find('program', STAKE_PROGRAM, slot)) {
      const delegation = readDelegation(account);
      if (delegation === undefined || !counts(delegation.voter)) continue;
      const status = statusOf(delegation, BigInt(epoch), this.#totals.of);
      effective += status.effective;
      activating += status.activating;
      deactivating += status.deactivating;
    }
    return { effective, activating, deactivating };
  }
}
