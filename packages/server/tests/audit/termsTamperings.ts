import { createUuid } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import {
  CHANGED_TERMS,
  legColumn,
  line,
  PACKAGES,
  SECOND_LATER,
  SIGNED,
  type Tampering,
  termsField,
} from './tampering.js';
import type { TermsScene } from './termsScene.js';

/** A leg of a package as one of its couriers had it, the first unless told. */
const legOf = (id: string, index: number, courier = 0) =>
  sql`(select l.id from legs l join swarms s on s.id = l.swarm_id where s.package_id = ${id} and l.leg_index = ${index}
    order by l.formation offset ${courier} limit 1)`;

/** A leg as its first, second and third courier had it. */
const first = ({ replaced }: TermsScene) => legOf(replaced, 0, 0);
export const second = ({ replaced }: TermsScene) => legOf(replaced, 0, 1);
export const third = ({ replaced }: TermsScene) => legOf(replaced, 0, 2);
/** A leg that was disputed and ruled. */
export const ruledLeg = ({ ruled }: TermsScene) => legOf(ruled, 0);
/** A leg whose courier waits for the one before. */
export const waiting = ({ claimed }: TermsScene) => legOf(claimed, 1);

/** Every column that terms gave to packages and legs. */
export const legTamperings: Tampering<TermsScene>[] = [
  ...CHANGED_TERMS.map((change) => termsField<TermsScene>(PACKAGES, 'replaced', change)),
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
  legColumn(PACKAGES, second, ['the number', sql`formation = 1`, `number is 1 here, 2 on the ledger ${SIGNED}`]),
  legColumn(PACKAGES, waiting, [
    'the stage',
    sql`stage = 'pending'`,
    `stage is pending here, accepted on the ledger ${SIGNED}`,
  ]),
  legColumn(PACKAGES, first, [
    'the stage of an ended one',
    sql`stage = 'carried'`,
    'stage is carried here, vacant on the ledger',
  ]),
  legColumn(PACKAGES, waiting, [
    'the instant of the last move',
    sql`since = since + ${SECOND_LATER}`,
    'instant of its last move is ',
  ]),
  legColumn(PACKAGES, waiting, ['the end of the clock', sql`until = until + ${SECOND_LATER}`, 'end of its clock is ']),
  legColumn(PACKAGES, waiting, [
    'the end of the clock, taken away',
    sql`until = null`,
    'end of its clock is nothing here, ',
  ]),
  legColumn(PACKAGES, ruledLeg, ['the disputer', sql`disputer_pubkey = 'nobody'`, 'disputer is nobody here, ']),
  legColumn(PACKAGES, ruledLeg, ['the ruled percentage', sql`percent = 90`, 'percent is 90 here, 33 on the ledger']),
  legColumn(PACKAGES, ruledLeg, ['the evidence', sql`evidence_hash = 'f00'`, 'evidence hash is f00 here, ']),
  legColumn(PACKAGES, ruledLeg, ['the reason of the dispute', sql`reason_hash = 'f00'`, 'reason hash is f00 here, ']),
  legColumn(PACKAGES, ruledLeg, [
    'the payment by a ruling',
    sql`paid_lamports = 1`,
    `paid lamports is 1 here, \\d+ on the ledger ${SIGNED}`,
  ]),
  legColumn(PACKAGES, second, [
    'the lost stake',
    sql`forfeited_lamports = 0`,
    `forfeited lamports is 0 here, 100000000 on the ledger ${SIGNED}`,
  ]),
  legColumn(PACKAGES, third, [
    'the payment of a replacement',
    sql`agreed_payment_lamports = 61000000`,
    'payment in lamports is 61000000 here, 60000000 ',
  ]),
  legColumn(PACKAGES, third, [
    'the replacement',
    sql`assign_signature = 'x'`,
    `assign signature is x here, \\S+ on the ledger ${SIGNED}`,
  ]),
  legColumn(PACKAGES, first, [
    'a replacement that is none',
    sql`assign_signature = 'x'`,
    'assign signature is x here, nothing on the ledger',
  ]),
  legColumn(PACKAGES, first, ['the end', sql`ended_at = ended_at + ${SECOND_LATER}`, 'instant of its end is ']),
  legColumn(PACKAGES, waiting, [
    'an end that never came',
    sql`ended_at = now()`,
    'instant of its end is \\S+ here, nothing on the ledger',
  ]),
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
