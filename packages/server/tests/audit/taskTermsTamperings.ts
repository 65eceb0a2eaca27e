import { sql } from 'kysely';
import {
  CHANGED_TERMS,
  eventField,
  legColumn,
  type LegIn,
  line,
  moveColumn,
  moveGone,
  SECOND_LATER,
  SIGNED,
  type Tampering,
  TASKS,
  termsField,
  wholeEvents,
} from './tampering.js';
import type { TaskTermsScene } from './taskTermsScene.js';

type Of = keyof TaskTermsScene;

const legOf =
  (of: Of, index = 0): LegIn<TaskTermsScene> =>
  (scene) =>
    sql`(select id from digital_legs where task_id = ${scene[of]} and leg_index = ${index})`;

const ruled = legOf('ruled');
/** A leg that had four agents. */
const replaced = legOf('replaced');
/** A leg whose agent works on it. */
const working = legOf('accepted', 1);

/** A column of a task. */
const task = (what: string, of: Of, change: ReturnType<typeof sql>, says: string): Tampering<TaskTermsScene> => ({
  what: `${what} of a task`,
  statement: (scene) => sql`update digital_tasks set ${change} where id = ${scene[of]}`,
  says: (scene) => `digital task ${scene[of]}: ${says}`,
});

const ofTasks: Tampering<TaskTermsScene>[] = [
  ...CHANGED_TERMS.map((change) => termsField<TaskTermsScene>(TASKS, 'accepted', change)),
  task('the terms, deleted,', 'ruled', sql`terms = null`, 'terms is nothing here, some on the ledger (tx '),
  task(
    'the requirements (T-53)',
    'accepted',
    sql`requirements = '{"minScore": 90}'`,
    'the hash of its title, description, instructions and requirements is ',
  ),
  task(
    'the requirements, dropped,',
    'accepted',
    sql`requirements = null`,
    'the hash of its title, description and instructions is ',
  ),
  task(
    'the requirements, made up,',
    'ruled',
    sql`requirements = '{"minScore": 90}'`,
    'the hash of its title, description, instructions and requirements is ',
  ),
  task(
    'the salt',
    'ruled',
    sql`personal = '{"salt": "00"}'`,
    'the hash of its title, description and instructions is ',
  ),
  task('the number of assignments (T-73)', 'replaced', sql`formation = 1`, 'formation is 1 here, 5 on the ledger (tx '),
  task(
    'the refund with a lost stake',
    'replaced',
    sql`refund_lamports = refund_lamports - 20000000`,
    'refund in lamports is 1 here, 20000001 on the ledger (tx ',
  ),
  task('the refund by a ruling', 'ruled', sql`refund_lamports = 0`, 'refund in lamports is 0 here, 67000001 on '),
];

/** Columns of a leg. */
const ofLegs: Tampering<TaskTermsScene>[] = [
  legColumn(TASKS, replaced, ['the number', sql`formation = 1`, `number is 1 here, 4 on the ledger ${SIGNED}`]),
  legColumn(TASKS, working, [
    'the stage',
    sql`stage = 'pending'`,
    `stage is pending here, accepted on the ledger ${SIGNED}`,
  ]),
  legColumn(TASKS, legOf('claimed'), ['the claim', sql`stage = 'accepted'`, 'stage is accepted here, claimed on ']),
  legColumn(TASKS, working, [
    'the stage, with all that belongs to it,',
    sql`stage = null, since = null, formation = null`,
    'stage is nothing here, accepted on the ledger',
  ]),
  legColumn(TASKS, working, ['the last move', sql`since = since + ${SECOND_LATER}`, 'instant of its last move is ']),
  legColumn(TASKS, working, ['the end of the clock', sql`until = until + ${SECOND_LATER}`, 'end of its clock is ']),
  legColumn(TASKS, legOf('pending'), ['the clock, stopped,', sql`until = null`, 'end of its clock is nothing here, ']),
  legColumn(TASKS, working, ['when it is due', sql`due_at = now()`, 'instant when its time is up is ']),
  legColumn(TASKS, ruled, ['the disputer', sql`disputer_pubkey = 'nobody'`, 'disputer is nobody here, ']),
  legColumn(TASKS, ruled, ['the ruled percentage', sql`percent = 90`, 'percent is 90 here, 33 on the ledger']),
  legColumn(TASKS, ruled, ['the claimed hash', sql`evidence_hash = 'f00'`, 'evidence hash is f00 here, ']),
  legColumn(TASKS, ruled, ['the reason of the dispute', sql`reason_hash = 'f00'`, 'reason hash is f00 here, ']),
  legColumn(TASKS, working, [
    'a lost stake, made up,',
    sql`forfeited_lamports = 7`,
    `forfeited lamports is 7 here, 0 on the ledger ${SIGNED}`,
  ]),
  legColumn(TASKS, ruled, [
    'the payment by a ruling',
    sql`payment_lamports = 100000001`,
    `payment in lamports is 100000001 here, 33000000 on the ledger ${SIGNED}`,
  ]),
  legColumn(TASKS, ruled, ['the result', sql`result = 'else'`, 'the hash of its result is ']),
  legColumn(TASKS, ruled, ['the result, deleted,', sql`result = null`, 'the hash of its result is nothing here, ']),
  legColumn(TASKS, ruled, ['the result hash', sql`result_hash = 'f00'`, 'result hash is f00 here, ']),
  {
    what: 'a file of a result that was claimed (M-78)',
    statement: (scene) => sql`update artifacts set name = 'else.csv' where leg_id = ${replaced(scene)}`,
    says: () => line('digital leg \\S+: the hash of its result is '),
  },
  {
    what: 'the result of a claim, deleted with the evidence, as a note',
    statement: (scene) =>
      sql`with gone as (delete from evidence where leg_id = ${ruled(scene)})
        update digital_legs set result = null where id = ${ruled(scene)}`,
    says: () => line(`note: digital leg \\S+: what it was paid for was not handed in here ${SIGNED}`),
  },
  {
    what: 'the text of evidence (T-63)',
    statement: (scene) => sql`update evidence set text = 'all is well' where leg_id = ${ruled(scene)}`,
    says: () => line('leg \\S+: the hash of evidence is \\S+ here, \\S+ on the ledger$'),
  },
  {
    what: 'what an agent is ranked by after a ruling',
    statement: (scene) =>
      sql`update earnings set lamports = 100000001 from digital_legs leg
        where leg.id = ${ruled(scene)} and leg.agent_pubkey = earnings.agent_pubkey`,
    says: () => line('agent \\S+: is ranked by 100000001 lamports, and its completed legs paid 33000000$'),
  },
];

/** Why an agent lost the leg that had four. */
const reason = (from: string, to: string): Tampering<TaskTermsScene> => ({
  what: `why an agent is barred, ${to} and not ${from} (T-96)`,
  statement: ({ replaced: id }) =>
    sql`update barred_agents set reason = ${to} where task_id = ${id} and reason = ${from}`,
  says: ({ replaced: id }) =>
    line(`digital task ${id}: reason of barred agent \\S+ is ${to} here, ${from} on the ledger ${SIGNED}`),
});

const ofMoves: Tampering<TaskTermsScene>[] = [
  moveColumn(TASKS, ruled, ['accept', 'name', sql`move = 'take'`, 'take here, accept']),
  moveColumn(TASKS, ruled, ['claim', 'signer', sql`signer_pubkey = 'nobody'`, 'nobody here, \\S+']),
  moveColumn(TASKS, ruled, ['claim', 'hash', sql`hash = 'f00'`, 'f00 here, \\S+']),
  moveColumn(TASKS, ruled, ['claim', 'instant', sql`at = at + ${SECOND_LATER}`, '\\S+ here, \\S+']),
  moveColumn(TASKS, ruled, ['dispute', 'hash', sql`hash = null`, 'nothing here, \\S+']),
  moveColumn(TASKS, ruled, [
    'dispute',
    'lamports',
    sql`movements = '[]'`,
    'none here, 20000000 stake from \\S+ to \\S+',
  ]),
  moveColumn(TASKS, ruled, ['rule', 'ruler', sql`by_whom = 'silence'`, 'silence here, arbiter']),
  moveColumn(TASKS, ruled, ['rule', 'hash', sql`hash = null`, 'nothing here, \\S+']),
  moveColumn(TASKS, legOf('agreed'), ['rule', 'ruler', sql`by_whom = 'arbiter'`, 'arbiter here, agreement']),
  moveColumn(TASKS, ruled, ['rule', 'percent', sql`percent = 90`, '90 here, 33']),
  moveColumn(TASKS, legOf('defaulted'), [
    'rule',
    'lamports',
    sql`movements = jsonb_set(movements, '{2,lamports}', '1')`,
    '.*, 1 burnt from \\S+ to \\S+ here, .*, 10000000 burnt from \\S+ to \\S+',
  ]),
  moveColumn(TASKS, legOf('accepted'), ['confirm', 'signature', sql`signature = 'x'`, 'x here, \\S+']),
  moveColumn(TASKS, legOf('accepted'), [
    'confirm',
    'lamports',
    sql`movements = jsonb_set(movements, '{0,to}', '"nobody"')`,
    '20000000 stake_returned from \\S+ to nobody here, 20000000 stake_returned from \\S+ to \\S+',
  ]),
  moveColumn(TASKS, replaced, [
    'evict',
    'lamports',
    sql`movements = jsonb_set(movements, '{0,what}', '"stake_returned"')`,
    '20000000 stake_returned from \\S+ to \\S+ here, 20000000 stake_forfeited from \\S+ to \\S+',
  ]),
  moveColumn(TASKS, legOf('reclaimed', 1), [
    'reclaim',
    'lamports',
    sql`movements = '[]'`,
    'none here, 20000000 stake_returned from \\S+ to \\S+',
  ]),
  ...['leave', 'evict', 'reject', 'confirm'].map((move) => moveGone(TASKS, replaced, move)),
  moveGone(TASKS, legOf('reclaimed', 1), 'reclaim'),
  {
    what: 'a move, made up',
    statement: (scene) =>
      sql`insert into leg_moves (leg_id, move, signer_pubkey, movements, signature, at)
        values (${working(scene)}, 'claim', 'nobody', '[]', 'x', now())`,
    says: () => line('digital leg \\S+: claim is here; nothing of it has happened on the ledger \\(tx x\\)$'),
  },
];

const CHANGED: readonly Parameters<typeof eventField<TaskTermsScene>>[1][] = [
  ['TASK_LEG_ASSIGNED', 'accepted', 'dueAt', 'never', 'never here, \\S+'],
  ['TASK_LEG_RELEASED', 'replaced', 'reason', 'withdrawn', 'withdrawn here, \\S+'],
  ['TASK_LEG_COMPLETED', 'ruled', 'paymentLamports', 100000001, '100000001 here, 33000000'],
  ['TASK_LEG_COMPLETED', 'ruled', 'resultHash', 'f00', 'f00 here, \\S+'],
  ['LEG_ACCEPTED', 'accepted', 'stakeLamports', 1, '1 here, 20000000'],
  ['LEG_ACCEPTED', 'accepted', 'signature', 'x', 'x here, \\S+'],
  ['LEG_VACATED', 'replaced', 'forfeitedLamports', 7, '7 here, \\d+'],
  ['LEG_CLAIMED', 'claimed', 'evidenceHash', 'f00', 'f00 here, \\S+'],
  ['LEG_CLAIMED', 'claimed', 'until', 'never', 'never here, \\S+'],
  ['LEG_DISPUTED', 'ruled', 'disputerPubkey', 'nobody', 'nobody here, \\S+'],
  ['LEG_DISPUTED', 'ruled', 'reasonHash', 'f00', 'f00 here, \\S+'],
  ['LEG_DISPUTED', 'disputed', 'until', 'never', 'never here, \\S+'],
  ['LEG_RULED', 'agreed', 'by', 'silence', 'silence here, agreement'],
  ['LEG_RULED', 'ruled', 'percent', 90, '90 here, 33'],
];

/** The types of events that moves make, with a task that has one. */
const TOLD: readonly (readonly [type: string, of: Of])[] = [
  ['LEG_ACCEPTED', 'claimed'],
  ['LEG_VACATED', 'replaced'],
  ['LEG_CLAIMED', 'claimed'],
  ['LEG_DISPUTED', 'disputed'],
  ['LEG_RULED', 'defaulted'],
];

/** At least one of every fact about terms of digital tasks that the ledger knows. */
export const taskTermsTamperings: Tampering<TaskTermsScene>[] = [
  ...ofTasks,
  ...ofLegs,
  reason('released', 'timeout'),
  reason('timeout', 'rejected'),
  reason('rejected', 'released'),
  ...ofMoves,
  ...CHANGED.map((change) => eventField(TASKS, change)),
  ...TOLD.flatMap((told) => wholeEvents(TASKS, told, 'pending')),
];
