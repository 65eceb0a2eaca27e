import { createUuid } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import {
  eventField,
  line,
  moveColumn,
  moveGone,
  PACKAGES,
  SECOND_LATER,
  SIGNED,
  type Tampering,
  wholeEvents,
} from './tampering.js';
import type { TermsScene } from './termsScene.js';
import { ruledLeg, second, third, waiting } from './termsTamperings.js';

const MANY_TEXTS = 200;

/** Every column of a move, and whole moves. */
export const moveTamperings: Tampering<TermsScene>[] = [
  moveColumn(PACKAGES, ruledLeg, ['take', 'name', sql`move = 'accept'`, 'accept here, take']),
  moveColumn(PACKAGES, ruledLeg, ['claim', 'signer', sql`signer_pubkey = 'nobody'`, 'nobody here, \\S+']),
  moveColumn(PACKAGES, ruledLeg, ['rule', 'ruler', sql`by_whom = 'silence'`, 'silence here, arbiter']),
  moveColumn(PACKAGES, ruledLeg, ['rule', 'percent', sql`percent = 90`, '90 here, 33']),
  moveColumn(PACKAGES, ruledLeg, ['claim', 'hash', sql`hash = 'f00'`, 'f00 here, \\S+']),
  moveColumn(PACKAGES, ruledLeg, ['dispute', 'hash', sql`hash = null`, 'nothing here, \\S+']),
  moveColumn(PACKAGES, ruledLeg, [
    'dispute',
    'lamports',
    sql`movements = '[]'`,
    'none here, 100000000 stake from \\S+ to \\S+',
  ]),
  moveColumn(PACKAGES, ruledLeg, [
    'rule',
    'lamports',
    sql`movements = jsonb_set(movements, '{2,lamports}', '1')`,
    '.*, 1 arbiter_fee from \\S+ to \\S+ here, .*, 50000000 arbiter_fee from \\S+ to \\S+',
  ]),
  moveColumn(PACKAGES, ruledLeg, ['confirm', 'signature', sql`signature = 'x'`, 'x here, \\S+']),
  moveColumn(PACKAGES, ruledLeg, ['claim', 'instant', sql`at = at + ${SECOND_LATER}`, '\\S+ here, \\S+']),
  moveGone(PACKAGES, ruledLeg, 'confirm'),
  {
    what: 'what a reclaim did with a stake, deleted',
    statement: () => sql`delete from leg_moves where move = 'reclaim'`,
    says: () => line(`leg \\S+: reclaim is missing among its moves here ${SIGNED}`),
  },
  {
    what: 'a move, made up',
    statement: (scene) =>
      sql`insert into leg_moves (leg_id, move, signer_pubkey, movements, signature, at)
        values (${waiting(scene)}, 'take', 'nobody', '[]', 'x', now())`,
    says: () => line('leg \\S+: take is here; nothing of it has happened on the ledger \\(tx x\\)$'),
  },
  {
    what: 'the text of evidence (T-63)',
    statement: (scene) => sql`update evidence set text = 'all is well' where leg_id = ${ruledLeg(scene)}`,
    says: () => line('leg \\S+: the hash of evidence is \\S+ here, \\S+ on the ledger$'),
  },
  {
    what: 'the hash of evidence (T-63)',
    statement: (scene) =>
      sql`update evidence set hash = 'f00' where leg_id = ${ruledLeg(scene)} 
        and hash = encode(sha256(convert_to('at the door', 'UTF8')), 'hex')`,
    says: () => line('leg \\S+: the hash of evidence is f00 here, '),
  },
  {
    what: 'the text of evidence behind more than are read at once (T-63)',
    statement: (scene) =>
      sql`insert into evidence (leg_id, hash, author_pubkey, text)
        select ${ruledLeg(scene)}, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'somebody',
          case n when ${MANY_TEXTS} then 'all is well' else n::text end
        from generate_series(1, ${MANY_TEXTS}) as n order by n`,
    says: () => line('leg \\S+: the hash of evidence is \\S+ here, \\S+ on the ledger$'),
  },
];

const CHANGED: readonly Parameters<typeof eventField<TermsScene>>[1][] = [
  ['LEG_ACCEPTED', 'silent', 'stakeLamports', 1, '1 here, 100000000'],
  ['LEG_ACCEPTED', 'silent', 'signature', 'x', 'x here, \\S+'],
  ['LEG_CARRIED', 'silent', 'until', 'never', 'never here, \\S+'],
  ['LEG_VACATED', 'replaced', 'forfeitedLamports', 7, '7 here, \\d+'],
  ['LEG_REPLACED', 'replaced', 'formerAgentPubkey', 'nobody', 'nobody here, \\S+'],
  ['LEG_REPLACED', 'replaced', 'agreedPaymentLamports', 7, '7 here, \\d+'],
  ['LEG_CLAIMED', 'ruled', 'evidenceHash', 'f00', 'f00 here, \\S+'],
  ['LEG_CLAIMED', 'ruled', 'until', 'never', 'never here, \\S+'],
  ['LEG_DISPUTED', 'ruled', 'disputerPubkey', 'nobody', 'nobody here, \\S+'],
  ['LEG_DISPUTED', 'ruled', 'reasonHash', 'f00', 'f00 here, \\S+'],
  ['LEG_DISPUTED', 'ruled', 'until', 'never', 'never here, \\S+'],
  ['LEG_RULED', 'ruled', 'by', 'silence', 'silence here, arbiter'],
  ['LEG_RULED', 'ruled', 'percent', 90, '90 here, 33'],
  ['LEG_CONFIRMED', 'ruled', 'paymentLamports', 1, '1 here, \\d+'],
];

/** The types of events that moves make, with a package that has one. */
const TOLD: readonly (readonly [type: string, of: keyof TermsScene])[] = [
  ['LEG_ACCEPTED', 'silent'],
  ['LEG_CARRIED', 'replaced'],
  ['LEG_VACATED', 'vacant'],
  ['LEG_REPLACED', 'replaced'],
  ['LEG_CLAIMED', 'claimed'],
  ['LEG_DISPUTED', 'disputed'],
  ['LEG_RULED', 'defaulted'],
];

/** Changes to the fields of move events, and to whole events. */
export const moveEventTamperings: Tampering<TermsScene>[] = [
  ...CHANGED.map((change) => eventField(PACKAGES, change)),
  ...TOLD.flatMap((told) => wholeEvents(PACKAGES, told, 'claimed')),
];

/** Changes to the decisions of replacements. */
export const openingTamperings: Tampering<TermsScene>[] = [
  {
    what: 'a decision of a replacement, deleted',
    statement: () => sql`delete from decisions where kind = 'assign_leg'`,
    says: ({ replaced }) => line(`package ${replaced}: no decision of leg \\S+ is kept ${SIGNED}`),
  },
  {
    what: 'a better bid that was not chosen (T-59)',
    statement: (scene) =>
      sql`with better as (insert into bids select (json_populate_record(b, ${JSON.stringify({ id: createUuid(), cost_lamports: 1 })}::json)).*
          from bids b join legs l on l.bid_id = b.id where l.id = ${third(scene)} returning id)
        update decisions set considered = (considered::jsonb || jsonb_build_array(jsonb_build_array(better.id, 100)))::text
        from better where decisions.kind = 'assign_leg' and decisions.unique_key like '%' || ${second(scene)} || '%'`,
    says: ({ replaced }) => line(`package ${replaced}: the choice of leg \\S+ does not hold: another bid is the best$`),
  },
  {
    what: 'a payment that the bid did not ask for (T-59)',
    statement: (scene) => sql`update legs set agreed_payment_lamports = 61000000 where id = ${third(scene)}`,
    says: () => line('package \\S+: the choice of leg \\S+ does not hold: its payment is not what its bid asks$'),
  },
  {
    what: 'a payment above what the leg may cost (T-58)',
    statement: (scene) => sql`update legs set forfeited_lamports = 0 where id = ${second(scene)}`,
    says: () => line('package \\S+: the choice of leg \\S+ does not hold: its bid asks more than the leg may cost$'),
  },
  {
    what: 'bids that are for another leg',
    statement: (scene) => sql`update bids set leg_id = null where leg_id = ${second(scene)}`,
    says: () =>
      line('package \\S+: the choice of leg \\S+ does not hold: bids that it was made of are for another leg$'),
  },
  {
    what: 'what a decision says of a replacement',
    statement: () =>
      sql`update decisions set chosen = jsonb_set(chosen::jsonb, '{agent}', '"nobody"')::text where kind = 'assign_leg'`,
    says: () => line('package \\S+: the choice of leg \\S+ does not hold: its agent is nobody in the decision$'),
  },
  {
    what: 'the clocks that a chain was chosen by (T-65)',
    statement: () => sql`update decisions set chosen = '{"clocks": {"carrySec": 9999}}' where kind = 'form_swarm'`,
    says: () => line('package \\S+: the choice of swarm \\S+ does not hold: its clocks are not those of its package$'),
  },
];
