import { createUuid } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Scene } from './scene.js';
import type { Tampering } from './tampering.js';

const legOf = (id: string, index: number) =>
  sql`(select l.id from legs l join swarms s on s.id = l.swarm_id where s.package_id = ${id} and l.leg_index = ${index})`;

/** At least one of every kind of row, and of every fact in it that the ledger knows. */
export const tamperings: Tampering<Scene>[] = [
  {
    what: 'the status of a package',
    statement: ({ delivered }) => sql`update packages set status = 'in_transit' where id = ${delivered}`,
    says: ({ delivered }) => `package ${delivered}: status is in_transit here, delivered on the ledger (tx `,
  },
  {
    what: 'the reason of a failure',
    statement: ({ cancelled }) => sql`update packages set failure_reason = 'reclaimed' where id = ${cancelled}`,
    says: ({ cancelled }) => `package ${cancelled}: failure reason is reclaimed here, cancelled on the ledger (tx `,
  },
  {
    what: 'the budget of a package',
    statement: ({ listed }) =>
      sql`update packages set max_budget_lamports = max_budget_lamports + 1 where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: budget in lamports is 500000001 here, 500000000 on the ledger (tx `,
  },
  {
    what: 'the deadline of a package',
    statement: ({ listed }) => sql`update packages set deadline = deadline + interval '1 s' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: deadline in unix seconds is `,
  },
  {
    what: 'the funder of a package',
    statement: ({ listed }) => sql`update packages set funder_pubkey = 'nobody' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: funder is nobody here, `,
  },
  {
    what: 'the id of a package',
    statement: ({ listed }) => sql`update packages set id = ${createUuid()} where id = ${listed}`,
    says: ({ listed }) => new RegExp(`^package \\S+: id is \\S+ here, ${listed} on the ledger \\(tx `, 'm'),
  },
  {
    what: 'the vault of a package',
    statement: ({ listed }) => sql`update packages set on_chain_vault = 'somewhere' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: vault is somewhere here, `,
  },
  {
    what: 'what the shipper described (M-30)',
    statement: ({ listed }) => sql`update packages set description = 'a box of gold' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: the hash of its description, places, weight and volume is `,
  },
  {
    what: 'where a package goes (M-30)',
    statement: ({ inTransit }) => sql`update packages set personal = null where id = ${inTransit}`,
    says: ({ inTransit }) => `package ${inTransit}: the hash of its description, places, weight and volume is `,
  },
  {
    what: 'where lists look for a package (S-148)',
    statement: ({ inTransit }) => sql`update packages set dest_lat = dest_lat + 1 where id = ${inTransit}`,
    says: ({ inTransit }) => `package ${inTransit}: lists look for it in another place than it shows`,
  },
  {
    what: 'the mirrored terms hash',
    statement: ({ listed }) => sql`update packages set terms_hash = 'f00' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: terms hash is f00 here, `,
  },
  {
    what: 'the signature of a listing',
    statement: ({ listed }) => sql`update packages set list_signature = 'x' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: list signature is x here, `,
  },
  {
    what: 'the refund of a delivery',
    statement: ({ delivered }) =>
      sql`update packages set refund_lamports = refund_lamports - 1 where id = ${delivered}`,
    says: ({ delivered }) => `package ${delivered}: refund in lamports is `,
  },
  {
    what: 'the signature of a settlement',
    statement: ({ delivered }) => sql`update packages set settle_signature = 'x' where id = ${delivered}`,
    says: ({ delivered }) => `package ${delivered}: settle signature is x here, `,
  },
  {
    what: 'the signature of a reclaim',
    statement: ({ reclaimed }) => sql`update packages set end_signature = null where id = ${reclaimed}`,
    says: ({ reclaimed }) => `package ${reclaimed}: end signature is nothing here, `,
  },
  {
    what: 'the signature of a closing',
    statement: ({ closed }) => sql`update packages set close_signature = null where id = ${closed}`,
    says: ({ closed }) => `package ${closed}: close signature is nothing here, `,
  },
  {
    what: 'the formation of a package (P-27)',
    statement: ({ inTransit }) => sql`update packages set formation = 2 where id = ${inTransit}`,
    says: ({ inTransit }) => `package ${inTransit}: formation is 2 here, 1 on the ledger (tx `,
  },
  {
    what: 'the status of a swarm',
    statement: ({ inTransit }) => sql`update swarms set status = 'settled' where package_id = ${inTransit}`,
    says: () => /^swarm \S+: status is settled here, active on the ledger \(tx /m,
  },
  {
    what: 'the total of a swarm',
    statement: ({ inTransit }) => sql`update swarms set total_lamports = 1 where package_id = ${inTransit}`,
    says: () => /^swarm \S+: total in lamports is 1 here, /m,
  },
  {
    what: 'the signature of a formation',
    statement: ({ inTransit }) => sql`update swarms set form_signature = 'x' where package_id = ${inTransit}`,
    says: () => /^swarm \S+: form signature is x here, /m,
  },
  {
    what: 'a swarm that the ledger never formed',
    statement: ({ listed }) =>
      sql`insert into swarms (id, package_id, status, formation, on_chain_swarm, total_legs, total_lamports, exact)
        values (${createUuid()}, ${listed}, 'active', 1, 'somewhere', 1, 5, true)`,
    says: () => /^swarm \S+: status is active here; the ledger has not formed it, its package is listed there/m,
  },
  {
    what: 'the payment of a leg',
    statement: ({ delivered }) =>
      sql`update legs set agreed_payment_lamports = agreed_payment_lamports + 1 where id = ${legOf(delivered, 1)}`,
    says: () => /^leg \S+: payment in lamports is \d+ here, \d+ on the ledger \(tx /m,
  },
  {
    what: 'the courier of a leg',
    statement: ({ inTransit }) => sql`update legs set agent_pubkey = 'nobody' where id = ${legOf(inTransit, 1)}`,
    says: () => /^leg \S+: courier is nobody here, /m,
  },
  {
    what: 'the status of a leg: completed, and the ledger knows nothing of it',
    statement: ({ inTransit }) =>
      sql`update legs set status = 'completed', confirm_signature = 'x', completed_at = now(), paid_lamports = 1
        where id = ${legOf(inTransit, 1)}`,
    says: () => /^leg \S+: status is completed here, pending on the ledger$/m,
  },
  {
    what: 'the status of a leg: pending, though it was confirmed',
    statement: ({ reclaimed }) =>
      sql`update legs set status = 'pending', confirm_signature = null, completed_at = null, paid_lamports = null
        where id = ${legOf(reclaimed, 0)}`,
    says: () => /^leg \S+: status is pending here, completed on the ledger \(tx /m,
  },
  {
    what: 'the signature of a confirmation',
    statement: ({ closed }) => sql`update legs set confirm_signature = 'x' where id = ${legOf(closed, 0)}`,
    says: () => /^leg \S+: confirm signature is x here, /m,
  },
  {
    what: 'a stage of a leg without terms',
    statement: ({ inTransit }) =>
      sql`update legs set stage = 'accepted', since = now() where id = ${legOf(inTransit, 1)}`,
    says: () => /^leg \S+: stage is accepted here, nothing on the ledger \(tx /m,
  },
  {
    what: 'a clock of a leg without terms',
    statement: ({ inTransit }) => sql`update legs set until = now() where id = ${legOf(inTransit, 1)}`,
    says: () => /^leg \S+: end of its clock is \S+ here, nothing on the ledger \(tx /m,
  },
  {
    what: 'terms of a package without any',
    statement: ({ listed }) => sql`update packages set terms = '{}' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: terms is some here, nothing on the ledger (tx `,
  },
  {
    what: 'a leg, deleted',
    statement: ({ delivered }) => sql`delete from legs where id = ${legOf(delivered, 0)}`,
    says: () => /^swarm \S+: leg 0 has no row here \(tx /m,
  },
  {
    what: 'a reputation',
    statement: () =>
      sql`update reputations set legs_accepted = 9 where agent_pubkey = (select max(agent_pubkey) from reputations)`,
    says: () => /^agent \S+: legs accepted is 9 here, 1 on the ledger \(tx /m,
  },
  {
    what: 'a score (P-45)',
    statement: () => sql`update reputations set reliability_score = 99 where reliability_score = 100`,
    says: () => /^agent \S+: reliability score is 99 here, 100 on the ledger \(tx /m,
  },
  {
    what: 'what an agent is ranked by',
    statement: () => sql`update earnings set lamports = lamports + 1`,
    says: () => /^agent \S+: is ranked by \d+ lamports, and its completed legs paid \d+$/m,
  },
  {
    what: 'a reputation, deleted',
    statement: () => sql`delete from reputations where agent_pubkey = (select max(agent_pubkey) from reputations)`,
    says: () => /^agent \S+: has no reputation here \(tx /m,
  },
  {
    what: 'a reputation, made up',
    statement: () => sql`insert into reputations values ('somebody', 'somewhere', 3, 3, 100, 1)`,
    says: () => 'agent somebody: has a reputation here; no transaction of the ledger made one',
  },
  {
    what: 'an event, deleted',
    statement: ({ delivered }) =>
      sql`delete from events where subject = ${`package:${delivered}`} and type = 'LEG_CONFIRMED'
        and payload ->> 'legIndex' = '1'`,
    says: ({ delivered }) => `package ${delivered}: event LEG_CONFIRMED of leg 1 is missing here (tx `,
  },
  {
    what: 'an event, twice',
    statement: ({ cancelled }) =>
      sql`insert into events (seq, type, subject, payload)
        select 1000000, type, subject, payload from events
        where subject = ${`package:${cancelled}`} and type = 'PACKAGE_FAILED'`,
    says: ({ cancelled }) => `package ${cancelled}: event PACKAGE_FAILED is here 2 times (tx `,
  },
  {
    what: 'an event of something that never happened',
    statement: ({ listed }) =>
      sql`insert into events (seq, type, subject, payload)
        values (1000000, 'PACKAGE_DELIVERED', ${`package:${listed}`}, '{}')`,
    says: ({ listed }) =>
      `package ${listed}: event PACKAGE_DELIVERED is here; nothing of it has happened on the ledger`,
  },
  {
    what: 'what an event says',
    statement: ({ delivered }) =>
      sql`update events set payload = jsonb_set(payload, '{refundLamports}', '1')
        where subject = ${`package:${delivered}`} and type = 'PACKAGE_DELIVERED'`,
    says: ({ delivered }) => `package ${delivered}: refundLamports of event PACKAGE_DELIVERED is 1 here, `,
  },
  {
    what: 'the deadline that an event says',
    statement: ({ listed }) =>
      sql`update events set payload = jsonb_set(payload, '{deadline}', '"else"')
        where subject = ${`package:${listed}`} and type = 'PACKAGE_LISTED'`,
    says: ({ listed }) => `package ${listed}: deadline of event PACKAGE_LISTED is else here, `,
  },
  {
    what: 'the order of events (S-30)',
    statement: ({ delivered }) =>
      sql`update events set seq = 1000000 where subject = ${`package:${delivered}`} and type = 'SWARM_FORMED'`,
    says: ({ delivered }) => `package ${delivered}: event BID_RECEIVED of leg 0 has a number below SWARM_FORMED's`,
  },
  {
    what: 'the number of an event (S-30)',
    statement: ({ listed }) => sql`update events set seq = null where subject = ${`package:${listed}`}`,
    says: () => /^events: 1 of \d+ have no number$/m,
  },
  {
    what: 'a package, made up',
    statement: ({ listed }) =>
      sql`insert into packages select (json_populate_record(p, ${JSON.stringify({
        id: createUuid(),
        on_chain_package: 'somewhere',
      })}::json)).* from packages p where id = ${listed}`,
    says: () => /^package \S+: status is listed here, and no transaction of the ledger lists somewhere$/m,
  },
  {
    what: 'a package, deleted with its bids and swarm',
    statement: ({ delivered }) =>
      sql`with gone as (select id from swarms where package_id = ${delivered}),
          legs_gone as (delete from legs where swarm_id in (select id from gone)),
          swarms_gone as (delete from swarms where package_id = ${delivered}),
          bids_gone as (delete from bids where package_id = ${delivered})
        delete from packages where id = ${delivered}`,
    says: ({ delivered }) => `package ${delivered}: has no row here; the ledger formed a swarm for it (tx `,
  },
  {
    what: 'a package, deleted while only its events remain',
    statement: ({ listed }) => sql`delete from packages where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: event PACKAGE_LISTED is here; its package is not`,
  },
  {
    what: 'a package, a draft again',
    statement: ({ listed }) => sql`update packages set status = 'draft' where id = ${listed}`,
    says: ({ listed }) => `package ${listed}: status is draft here, listed on the ledger (tx `,
  },
];
