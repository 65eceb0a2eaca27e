import { createUuid } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Tampering } from './tampering.js';
import type { TermsScene } from './termsScene.js';

/** A leg of a package as one of its couriers had it, the first unless told. */
const legOf = (id: string, index: number, courier = 0) =>
  sql`(select l.id from legs l join swarms s on s.id = l.swarm_id where s.package_id = ${id} and l.leg_index = ${index}
    order by l.id offset ${courier} limit 1)`;

/** How a line ends that names its transaction. */
export const SIGNED = '\\(tx \\S+\\)$';
/** A line of findings that begins so. */
export const line = (text: string) => new RegExp(`^${text}`, 'm');

/** One of the terms of a package. */
const termsOf = (field: string, value: RawBuilder<unknown>, here: string): Tampering<TermsScene> => ({
  what: `${field} of the terms of a package (T-1)`,
  statement: ({ replaced }) =>
    sql`update packages set terms = jsonb_set(terms, ${`{${field}}`}, to_jsonb(${value})) where id = ${replaced}`,
  says: ({ replaced }) =>
    line(`package ${replaced}: ${field} of its terms is ${here} here, \\S+ on the ledger ${SIGNED}`),
});

/** A column of a leg. */
const columnOf = (
  what: string,
  leg: (scene: TermsScene) => RawBuilder<unknown>,
  change: RawBuilder<unknown>,
  says: string,
): Tampering<TermsScene> => ({
  what: `${what} of a leg`,
  statement: (scene) => sql`update legs set ${change} where id = ${leg(scene)}`,
  says: () => line(`leg \\S+: ${says}`),
});

/** A leg as its first, second and third courier had it. */
const first = ({ replaced }: TermsScene) => legOf(replaced, 0, 0);
export const second = ({ replaced }: TermsScene) => legOf(replaced, 0, 1);
export const third = ({ replaced }: TermsScene) => legOf(replaced, 0, 2);
/** A leg that was disputed and ruled. */
export const ruledLeg = ({ ruled }: TermsScene) => legOf(ruled, 0);
/** A leg whose courier waits for the one before. */
export const waiting = ({ claimed }: TermsScene) => legOf(claimed, 1);

/** To be added to an instant. */
export const SECOND_LATER = sql`interval '1 s'`;

/** Every column that terms gave to packages and legs. */
export const legTamperings: Tampering<TermsScene>[] = [
  termsOf('receiverPubkey', sql`'nobody'::text`, 'nobody'),
  termsOf('arbiterPubkey', sql`'nobody'::text`, 'nobody'),
  termsOf('stakeLamports', sql`1`, '1'),
  termsOf('carrySec', sql`301`, '301'),
  termsOf('handoffSec', sql`301`, '301'),
  termsOf('reviewSec', sql`301`, '301'),
  termsOf('arbitrationSec', sql`301`, '301'),
  termsOf('cosignedPickup', sql`true`, 'true'),
  {
    what: 'the terms of a package, deleted',
    statement: ({ claimed }) => sql`update packages set terms = null where id = ${claimed}`,
    says: ({ claimed }) => `package ${claimed}: terms is nothing here, some on the ledger (tx `,
  },
  {
    what: 'what a package requires of its couriers (T-53)',
    statement: ({ claimed }) => sql`update packages set requirements = '{"minScore": 90}' where id = ${claimed}`,
    says: ({ claimed }) =>
      `package ${claimed}: the hash of its description, places, weight, volume and requirements is `,
  },
  {
    what: 'requirements, made up',
    statement: ({ ruled }) => sql`update packages set requirements = '{"minScore": 90}' where id = ${ruled}`,
    says: ({ ruled }) => `package ${ruled}: the hash of its description, places, weight, volume and requirements is `,
  },
  {
    what: 'how often legs of a package were given away (T-30)',
    statement: ({ replaced }) => sql`update packages set formation = 1 where id = ${replaced}`,
    says: ({ replaced }) => `package ${replaced}: formation is 1 here, 3 on the ledger (tx `,
  },
  {
    what: 'the refund of a package that kept a stake',
    statement: ({ replaced }) =>
      sql`update packages set refund_lamports = refund_lamports - 100000000 where id = ${replaced}`,
    says: ({ replaced }) => `package ${replaced}: refund in lamports is `,
  },
  columnOf('the number', second, sql`formation = 1`, `number is 1 here, 2 on the ledger ${SIGNED}`),
  columnOf('the stage', waiting, sql`stage = 'pending'`, `stage is pending here, accepted on the ledger ${SIGNED}`),
  columnOf('the stage of an ended one', first, sql`stage = 'carried'`, 'stage is carried here, vacant on the ledger'),
  columnOf(
    'the instant of the last move',
    waiting,
    sql`since = since + ${SECOND_LATER}`,
    'instant of its last move is ',
  ),
  columnOf('the end of the clock', waiting, sql`until = until + ${SECOND_LATER}`, 'end of its clock is '),
  columnOf('the end of the clock, taken away', waiting, sql`until = null`, 'end of its clock is nothing here, '),
  columnOf('the disputer', ruledLeg, sql`disputer_pubkey = 'nobody'`, 'disputer is nobody here, '),
  columnOf('the ruled percentage', ruledLeg, sql`percent = 90`, 'percent is 90 here, 33 on the ledger'),
  columnOf('the evidence', ruledLeg, sql`evidence_hash = 'f00'`, 'evidence hash is f00 here, '),
  columnOf('the reason of the dispute', ruledLeg, sql`reason_hash = 'f00'`, 'reason hash is f00 here, '),
  columnOf(
    'the payment by a ruling',
    ruledLeg,
    sql`paid_lamports = 1`,
    `paid lamports is 1 here, \\d+ on the ledger ${SIGNED}`,
  ),
  columnOf(
    'the lost stake',
    second,
    sql`forfeited_lamports = 0`,
    `forfeited lamports is 0 here, 100000000 on the ledger ${SIGNED}`,
  ),
  columnOf(
    'the payment of a replacement',
    third,
    sql`agreed_payment_lamports = 61000000`,
    'payment in lamports is 61000000 here, 60000000 ',
  ),
  columnOf(
    'the replacement',
    third,
    sql`assign_signature = 'x'`,
    `assign signature is x here, \\S+ on the ledger ${SIGNED}`,
  ),
  columnOf(
    'a replacement that is none',
    first,
    sql`assign_signature = 'x'`,
    'assign signature is x here, nothing on the ledger',
  ),
  columnOf('the end', first, sql`ended_at = ended_at + ${SECOND_LATER}`, 'instant of its end is '),
  columnOf(
    'an end that never came',
    waiting,
    sql`ended_at = now()`,
    'instant of its end is \\S+ here, nothing on the ledger',
  ),
  {
    what: 'a former courier of a leg, deleted',
    statement: (scene) =>
      sql`with moves_gone as (delete from leg_moves where leg_id = ${second(scene)}),
          bids_gone as (update bids set leg_id = null where leg_id = ${second(scene)})
        delete from legs where id = ${second(scene)}`,
    says: () => line(`swarm \\S+: leg 0 has no row here ${SIGNED}`),
  },
  {
    what: 'a courier of a leg, made up',
    statement: (scene) =>
      sql`insert into legs select (json_populate_record(l, ${JSON.stringify({ id: createUuid() })}::json)).*
        from legs l where id = ${first(scene)}`,
    says: () => line('leg \\S+: is of a courier that leg 0 never had$'),
  },
  {
    what: 'what an agent is ranked by after a ruling',
    statement: (scene) =>
      sql`update earnings set lamports = leg.agreed_payment_lamports from legs leg
        where leg.id = ${ruledLeg(scene)} and leg.agent_pubkey = earnings.agent_pubkey`,
    says: () => line('agent \\S+: is ranked by \\d+ lamports, and its completed legs paid \\d+$'),
  },
];
