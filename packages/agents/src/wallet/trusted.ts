import { access } from 'node:fs/promises';
import { Journal, type JournalEntry } from '../journal.js';
import { journalOf, type Trusted } from './session.js';

/**
 * The programs and ledgers that a key has worked with, by the journal beside it, without asking any service: that of this service first.
 *
 * @throws {JournalError} when the journal cannot be read
 */
export async function trustedBy(keyFile: string, service: string): Promise<readonly Trusted[]> {
  const file = journalOf(keyFile);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return [];
  const known = new Map<string, Trusted>();
  const take = (entry: JournalEntry) => {
    if (entry.kind === 'trusted') known.set(entry.service, entry);
  };
  const journal = await Journal.open(file, [{ take }]);
  await journal.close();
  return [...known.values()].toSorted((one, two) => Number(two.service === service) - Number(one.service === service));
}
