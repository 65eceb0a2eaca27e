import { sql } from 'kysely';
import type { Scene } from './scene.js';
import type { Tampering } from './tampering.js';

/** The transaction that listed the package. */
const listingOf = (id: string) => sql`(select list_signature from packages where id = ${id})`;

/** Says that the ledger took back transaction `x` of the package, which it never showed. */
const tell = (id: string) => sql`insert into events (seq, type, subject, payload) values (1000000, 'LEDGER_REVERTED',
  ${`package:${id}`}, ${JSON.stringify({ packageId: id, instruction: 'settle', signature: 'x' })})`;

/** Changes that a writer of rows can make to the applied transactions, and the service's own when the ledger takes one back. */
export const transactionTamperings: Tampering<Scene>[] = [
  {
    what: 'a final transaction that the ledger never showed (S-112)',
    statement: () => sql`insert into ledger_transactions (signature, slot, position) values ('x', 1, 1000000)`,
    says: () => 'transaction x: is final here; the ledger does not show it',
  },
  {
    what: 'a confirmed transaction that the ledger never showed (S-112)',
    statement: () => sql`insert into ledger_transactions (signature, slot) values ('x', 1000000)`,
    says: () => 'transaction x: is confirmed here; the ledger does not show it',
  },
  {
    what: 'another order of what is final (S-112)',
    statement: ({ listed }) =>
      sql`update ledger_transactions set slot = 100000000 where signature = ${listingOf(listed)}`,
    says: () => /^transaction \S+: stands behind \S+ here, before it on the ledger$/m,
  },
  {
    what: 'an applied transaction, deleted (S-112)',
    statement: ({ delivered }) => sql`delete from ledger_transactions where signature = ${listingOf(delivered)}`,
    says: ({ delivered }) => new RegExp(`^package ${delivered}: transaction \\S+ was not applied here$`, 'm'),
  },
  {
    what: 'a transaction that could not be read here, and is not applied (S-112)',
    statement: ({ delivered }) =>
      sql`update ledger_transactions set unreadable = 'its form is unknown' where signature = ${listingOf(delivered)}`,
    says: ({ delivered }) => new RegExp(`^package ${delivered}: transaction \\S+ was not applied here$`, 'm'),
  },
  {
    what: 'a transaction marked as taken back that the ledger shows (S-112)',
    statement: ({ listed }) =>
      sql`update ledger_transactions set position = null, reverted_at = now() where signature = ${listingOf(listed)}`,
    says: () => /^transaction \S+: was taken back here; the ledger shows it$/m,
  },
  {
    what: 'a package that is halted (S-112)',
    statement: ({
      listed,
    }) => sql`insert into ledger_transactions (signature, slot, subjects, instructions, reverted_at)
      values ('x', 1, array[${`package:${listed}`}], array['settle'], now())`,
    says: ({ listed }) => `package ${listed}: is halted: the ledger took back settle (tx x)`,
  },
  {
    what: 'a package that is halted, of which no event was told (S-112)',
    statement: ({
      listed,
    }) => sql`insert into ledger_transactions (signature, slot, subjects, instructions, reverted_at)
      values ('x', 1, array[${`package:${listed}`}], array['settle'], now())`,
    says: ({ listed }) => `package ${listed}: event LEDGER_REVERTED is missing here (tx x)`,
  },
  {
    what: 'a transaction of no package that was taken back (S-112)',
    statement: () => sql`insert into ledger_transactions (signature, slot, instructions, reverted_at)
      values ('x', 1, array['openReputation'], now())`,
    says: () => 'transaction x: the ledger took back openReputation (tx x)',
  },
  {
    what: 'event LEDGER_REVERTED when nothing was taken back (S-112)',
    statement: ({ listed }) => tell(listed),
    says: ({ listed }) => `package ${listed}: event LEDGER_REVERTED is here; nothing was taken back (tx x)`,
  },
];
