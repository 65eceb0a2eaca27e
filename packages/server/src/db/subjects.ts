import type { Db } from './connect.js';

/** A package or a digital task, as the wire names it. */
export type ListingId = { packageId: string } | { taskId: string };

/** The subject of every intent, event and ledger transaction about a package: its intents run in the order of their decision. */
export function packageSubject(packageId: string): string {
  return `package:${packageId}`;
}

/** The same of a digital task. */
export function taskSubject(taskId: string): string {
  return `task:${taskId}`;
}

/** The listing that a subject names. @throws Error when it names none */
export function listingOf(subject: string): ListingId {
  const [kind, id] = subject.split(':');
  if (kind === 'package' && id !== undefined) return { packageId: id };
  if (kind === 'task' && id !== undefined) return { taskId: id };
  throw new Error(`${subject} names neither a package nor a digital task`);
}

/** The ledger's account of the listing that the subject names; undefined: there is no such listing any more. */
export async function findListingAccount(db: Db, subject: string): Promise<string | undefined> {
  const listing = listingOf(subject);
  if ('taskId' in listing) {
    const tasks = db.selectFrom('digital_tasks').select('on_chain_task').where('id', '=', listing.taskId);
    return (await tasks.executeTakeFirst())?.on_chain_task;
  }
  const parcels = db.selectFrom('packages').select('on_chain_package').where('id', '=', listing.packageId);
  return (await parcels.executeTakeFirst())?.on_chain_package;
}
