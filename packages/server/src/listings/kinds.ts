import { type Assets } from '../ledger/assets.js';
import { PackageStatus, type RelayInstruction, TaskStatus } from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import type { Instruction, TransactionSigner } from '@solana/kit';
import type { Db, Trx } from '../db/connect.js';
import { type ListingRow, packageSubject, taskSubject } from '../db/listings.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { readPackageAccount, readTaskAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { cancelPackageInstruction, closePackageInstruction } from '../ledger/packageInstructions.js';
import { cancelTaskInstruction, closeTaskInstruction } from '../ledger/taskInstructions.js';
import { paidLegs } from '../legs/legRows.js';
import type { PaidLeg } from '../money/escrow.js';
import { packageListingDepartures } from '../packages/mirrorPackage.js';
import {
  findByRequestKey,
  findPackage,
  isListed,
  type ListedPackageRow,
  lockPackage,
} from '../packages/packageRows.js';
import { erasePackage, eraseTask } from '../personal/erasure.js';
import { taskListingDepartures } from '../tasks/mirrorTask.js';
import { paidDigitalLegs } from '../tasks/taskLegRows.js';
import { findTask, findTaskByRequestKey, isTaskListed, type ListedTaskRow, lockTask } from '../tasks/taskRows.js';

/** How refusals name a package or a digital task. */
export interface Named {
  /** The field of the request that names it. */
  field: 'packageId' | 'taskId';
  noun: 'package' | 'task';
}

/**
 * The differences between a package and a digital task where the rest of an operation is the same. `db/listings` has those in
 * their tables.
 */
export interface Kind<Draft extends ListingRow, Row extends Draft> extends Named {
  /** Its name in full. */
  words: 'package' | 'digital task';
  /** Where its routes begin. */
  path: '/packages' | '/digital-tasks';
  /** Why it cannot be cancelled while somebody works on it, and how it ends well. */
  underWay: { status: string; because: string; end: string };
  /** Its legs are given out all at once, which may be begun and not completed. */
  forms: boolean;
  subject: (id: string) => string;
  find: (db: Db | Trx, id: string) => Promise<Draft | undefined>;
  lock: (trx: Trx, id: string) => Promise<Draft | undefined>;
  /** The draft that an earlier try of the same request posted. */
  findEarlier: (db: Db | Trx, requestKey: string) => Promise<Draft | undefined>;
  /** A draft is not listed yet. */
  isListed: (row: Draft) => row is Row;
  /** Its status on the ledger, as of this slot or later; undefined: there is no such account. */
  shown: (ledger: Ledger, row: Draft, since?: bigint) => Promise<string | undefined>;
  /** How the instruction departs from the draft, in words; undefined when it does not list it at all. */
  departures: (assets: Assets, instruction: RelayInstruction, draft: Draft) => string[] | undefined;
  paid: (trx: Trx, id: string) => Promise<readonly PaidLeg[]>;
  /** Erases what is personal. The caller holds the row's lock. */
  erase: typeof erasePackage;
  cancel: (ledger: Ledger, row: Row, signer: TransactionSigner) => Instruction;
  close: (ledger: Ledger, row: Row, signer: TransactionSigner) => Instruction;
}

export const PACKAGE: Kind<PackageRow, ListedPackageRow> = {
  field: 'packageId',
  noun: 'package',
  words: 'package',
  path: '/packages',
  underWay: { status: 'in_transit', because: 'couriers are under way', end: 'delivered' },
  forms: true,
  subject: packageSubject,
  find: findPackage,
  lock: lockPackage,
  findEarlier: findByRequestKey,
  isListed,
  async shown(ledger, { on_chain_package: at }, since) {
    const account = await readPackageAccount(ledger, at, since);
    return account && PackageStatus[account.status];
  },
  departures: packageListingDepartures,
  paid: async (trx, id) => (await paidLegs(trx, id)).filter((leg) => leg.payment_lamports > 0n),
  erase: erasePackage,
  cancel: cancelPackageInstruction,
  close: closePackageInstruction,
};

export const TASK: Kind<DigitalTaskRow, ListedTaskRow> = {
  field: 'taskId',
  noun: 'task',
  words: 'digital task',
  path: '/digital-tasks',
  underWay: { status: 'in_progress', because: 'agents work on it or were paid', end: 'completed' },
  forms: false,
  subject: taskSubject,
  find: findTask,
  lock: lockTask,
  findEarlier: findTaskByRequestKey,
  isListed: isTaskListed,
  async shown(ledger, { on_chain_task: at }, since) {
    const account = await readTaskAccount(ledger, at, since);
    return account && TaskStatus[account.status];
  },
  departures: taskListingDepartures,
  paid: paidDigitalLegs,
  erase: eraseTask,
  cancel: cancelTaskInstruction,
  close: closeTaskInstruction,
};

/** The row as a listing; a draft is not one yet. @throws LegworkError `not_found` */
export function listed<Draft extends ListingRow, Row extends Draft>(
  { field, words, isListed: isNoDraft }: Kind<Draft, Row>,
  row: Draft | undefined,
): Row {
  if (row !== undefined && isNoDraft(row)) return row;
  throw LegworkError.field('not_found', field, `no ${words} has this id, or it is a draft that is not listed yet`);
}

/** The package that the path names. @throws LegworkError `not_found` */
export async function requirePackage(db: Db | Trx, packageId: string): Promise<ListedPackageRow> {
  return listed(PACKAGE, await findPackage(db, packageId));
}

/** The task that the path names. @throws LegworkError `not_found` */
export async function requireTask(db: Db | Trx, taskId: string): Promise<ListedTaskRow> {
  return listed(TASK, await findTask(db, taskId));
}
