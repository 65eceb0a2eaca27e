import {
  type InstructionName,
  isAboutPackage,
  isAboutTask,
  listingAccounts,
  type RelayInstruction,
} from '@legwork/program-client';
import type { Trx } from '../db/connect.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { lockPackagesAt } from '../packages/packageRows.js';
import { standingSwarm, type SwarmWithLegs } from '../packages/swarmRows.js';
import { lockTasksAt } from '../tasks/taskRows.js';

/** The rows of the listings that a transaction is about, locked. */
export interface Listings {
  packages: ReadonlyMap<string, PackageRow>;
  tasks: ReadonlyMap<string, DigitalTaskRow>;
  subjects: readonly string[];
  seen: Map<string, SwarmWithLegs>;
}

/** What these do to a package depends on its swarm. */
const ABOUT_SWARMS: ReadonlySet<InstructionName> = new Set(['formSwarm', 'confirmLeg', 'settle']);

/** Locks them until the transaction ends, with what their projection reads of them. */
export async function lockListings(trx: Trx, instructions: readonly RelayInstruction[]): Promise<Listings> {
  const [ofPackages, ofTasks] = [instructions.filter(isAboutPackage), instructions.filter(isAboutTask)];
  const swarmsOf = listingAccounts(ofPackages.filter(({ name }) => ABOUT_SWARMS.has(name)));
  // Sent together, and in this order: the swarms are those under the lock.
  const [packages, tasks, ...swarms] = await Promise.all([
    lockPackagesAt(trx, listingAccounts(ofPackages)),
    lockTasksAt(trx, listingAccounts(ofTasks)),
    ...swarmsOf.map((account) => standingSwarm(trx, account)),
  ]);
  return {
    packages: new Map(packages.map((row) => [row.on_chain_package, row])),
    tasks: new Map(tasks.map((row) => [row.on_chain_task, row])),
    subjects: [...packages.map(({ id }) => packageSubject(id)), ...tasks.map(({ id }) => taskSubject(id))],
    seen: new Map(swarms.flatMap((swarm) => (swarm === undefined ? [] : [[swarm.package_id, swarm]]))),
  };
}
