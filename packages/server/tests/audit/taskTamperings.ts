import { createUuid } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Tampering } from './tampering.js';
import type { TaskScene } from './taskScene.js';

type Of = Exclude<keyof TaskScene, 'worker'>;

const legOf = (id: string, index: number) =>
  sql`(select id from digital_legs where task_id = ${id} and leg_index = ${index})`;

/** A column of the task is set to something else. */
function task(what: string, of: Of, set: ReturnType<typeof sql>, says: string): Tampering<TaskScene> {
  return {
    what: `the ${what} of a task`,
    statement: (scene) => sql`update digital_tasks set ${set} where id = ${scene[of]}`,
    says: (scene) => `digital task ${scene[of]}: ${says}`,
  };
}

/** A column of a leg is set to something else. */
function leg(what: string, [of, index]: [Of, number], set: ReturnType<typeof sql>, says: RegExp): Tampering<TaskScene> {
  return {
    what: `the ${what} of a digital leg`,
    statement: (scene) => sql`update digital_legs set ${set} where id = ${legOf(scene[of], index)}`,
    says: () => new RegExp(`^digital leg \\S+: ${says.source}`, 'm'),
  };
}

/** A column of the files of a result is set to something else. Rule M-83. */
function file(what: string, set: ReturnType<typeof sql>): Tampering<TaskScene> {
  return {
    what: `the ${what} of a result (M-83)`,
    statement: ({ completed }) => sql`update artifacts set ${set} and leg_id = ${legOf(completed, 0)}`,
    says: () => /^digital leg \S+: the hash of its result is /m,
  };
}

const ofTasks: Tampering<TaskScene>[] = [
  task('status', 'inProgress', sql`status = 'listed'`, 'status is listed here, in_progress on the ledger (tx '),
  task(
    'status, which was raised again,',
    'listedAgain',
    sql`status = 'in_progress'`,
    'status is in_progress here, listed on the ledger (tx ',
  ),
  task(
    'reason of the failure',
    'cancelled',
    sql`failure_reason = 'reclaimed'`,
    'failure reason is reclaimed here, cancelled on the ledger (tx ',
  ),
  task('shipper', 'listed', sql`shipper_pubkey = 'nobody'`, 'shipper is nobody here, '),
  task('funder', 'listed', sql`funder_pubkey = 'nobody'`, 'funder is nobody here, '),
  task(
    'budget',
    'listed',
    sql`max_budget_lamports = max_budget_lamports + 1`,
    'budget in lamports is 50000001 here, 50000000 on the ledger (tx ',
  ),
  task('deadline', 'listed', sql`deadline = deadline + interval '1 s'`, 'deadline in unix seconds is '),
  task('number of legs', 'listed', sql`num_legs = 3`, 'number of legs is 3 here, 2 on the ledger (tx '),
  task('terms hash', 'listed', sql`terms_hash = 'f00'`, 'terms hash is f00 here, '),
  task('title (M-50)', 'listed', sql`title = 'Else'`, 'the hash of its title, description and instructions is '),
  task(
    'description (M-50)',
    'completed',
    sql`description = 'Else'`,
    'the hash of its title, description and instructions is ',
  ),
  {
    what: 'an instruction (M-50)',
    statement: ({ closed }) => sql`update digital_legs set instruction = 'Else' where id = ${legOf(closed, 0)}`,
    says: ({ closed }) => `digital task ${closed}: the hash of its title, description and instructions is `,
  },
  task('vault', 'listed', sql`on_chain_vault = 'somewhere'`, 'vault is somewhere here, '),
  task('list signature', 'listed', sql`list_signature = 'x'`, 'list signature is x here, '),
  task('settle signature', 'completed', sql`settle_signature = 'x'`, 'settle signature is x here, '),
  task('refund (M-59)', 'completed', sql`refund_lamports = 7`, 'refund in lamports is 7 here, 0 on the ledger (tx '),
  task('end signature', 'reclaimed', sql`end_signature = 'x'`, 'end signature is x here, '),
  task('close signature', 'closed', sql`close_signature = null`, 'close signature is nothing here, '),
  {
    what: 'the address of a task',
    statement: ({ listed }) => sql`update digital_tasks set on_chain_task = 'somewhere' where id = ${listed}`,
    says: ({ listed }) =>
      `digital task ${listed}: status is listed here, and no transaction of the ledger lists somewhere`,
  },
  {
    what: 'a task, a draft again',
    statement: ({ listed }) => sql`update digital_tasks set status = 'draft' where id = ${listed}`,
    says: ({ listed }) => `digital task ${listed}: status is draft here, listed on the ledger (tx `,
  },
  {
    what: 'a task, a draft with another number of legs, as a note',
    statement: ({ listed }) => sql`update digital_tasks set status = 'draft', num_legs = 3 where id = ${listed}`,
    says: ({ listed }) => `note: digital task ${listed}: was listed with other terms than its draft's (tx `,
  },
  {
    what: 'a task, deleted with its events, of which nothing was assigned, as a note',
    statement: ({ listed }) =>
      sql`with events_gone as (delete from events where subject = ${`task:${listed}`})
        delete from digital_tasks where id = ${listed}`,
    says: ({ listed }) => `note: digital task ${listed}: was not posted through this service (tx `,
  },
  {
    what: 'a task, deleted with its legs',
    statement: ({ inProgress }) =>
      sql`with files_gone as (delete from artifacts where leg_id = ${legOf(inProgress, 0)}),
        barred_gone as (delete from barred_agents where task_id = ${inProgress})
        delete from digital_tasks where id = ${inProgress}`,
    says: ({ inProgress }) => `digital task ${inProgress}: has no row here; the ledger assigned a leg of it (tx `,
  },
  {
    what: 'a task, deleted while only its events remain',
    statement: ({ listed }) => sql`delete from digital_tasks where id = ${listed}`,
    says: ({ listed }) => `digital task ${listed}: event TASK_LISTED is here; its digital task is not`,
  },
];

const ofLegs: Tampering<TaskScene>[] = [
  leg(
    'status, pending again,',
    ['inProgress', 1],
    sql`status = 'pending'`,
    /status is pending here, in_progress on the ledger \(tx /,
  ),
  leg(
    'status, completed though the ledger knows nothing of it,',
    ['inProgress', 1],
    sql`status = 'completed', confirm_signature = 'x', payment_lamports = 1, completed_at = now()`,
    /status is completed here, in_progress on the ledger \(tx /,
  ),
  leg(
    'status, open again after the task ended,',
    ['cancelled', 0],
    sql`status = 'pending'`,
    /status is pending here, failed on the ledger \(tx /,
  ),
  leg('agent', ['inProgress', 1], sql`agent_pubkey = 'nobody'`, /agent is nobody here, /),
  leg(
    'agent, gone',
    ['inProgress', 1],
    sql`status = 'pending', agent_pubkey = null, claimed_at = null, bid_lamports = null, signed = null,
      assign_signature = null, due_at = null`,
    /agent is nothing here, /,
  ),
  leg('assign signature', ['completed', 0], sql`assign_signature = 'x'`, /assign signature is x here, /),
  leg(
    'assignment, which only is a reservation (M-55),',
    ['listed', 1],
    sql`status = 'in_progress', assign_signature = 'x', due_at = now()`,
    /assign signature is x here, nothing on the ledger$/,
  ),
  leg('confirm signature', ['completed', 1], sql`confirm_signature = 'x'`, /confirm signature is x here, /),
  leg(
    'payment (M-52)',
    ['reclaimed', 0],
    sql`payment_lamports = payment_lamports + 1`,
    /payment in lamports is 25000001 here, 25000000 on the ledger \(tx /,
  ),
  leg('result hash (M-58)', ['completed', 0], sql`result_hash = 'f00'`, /result hash is f00 here, /),
  leg('result (M-58)', ['completed', 1], sql`result = 'else'`, /the hash of its result is /),
  file('name of a file', sql`name = 'else.csv' where position = 0`),
  file('content type of a file', sql`content_type = 'text/html' where position = 0`),
  file('size of a file', sql`bytes = bytes + 1, received = received + 1 where position = 1`),
  file('sha256 of a file', sql`sha256 = ${'f00d'.repeat(16)} where position = 1`),
  file('order of the files', sql`position = 1 - position where true`),
  file('files, unnamed', sql`position = null, name = null, content_type = null where true`),
  leg(
    'result, gone (M-58)',
    ['closed', 0],
    sql`result = null, result_hash = null`,
    /the hash of its result is nothing here, /,
  ),
  leg('address', ['inProgress', 0], sql`on_chain_leg = 'somewhere'`, /address is somewhere here, /),
  {
    what: 'a digital leg, deleted',
    statement: ({ completed }) => sql`delete from digital_legs where id = ${legOf(completed, 1)}`,
    says: ({ completed }) => `digital task ${completed}: leg 1 has no row here (tx `,
  },
  {
    what: 'a digital leg, made up',
    statement: ({ closed }) =>
      sql`insert into digital_legs (id, task_id, leg_index, instruction, on_chain_leg)
        values (${createUuid()}, ${closed}, 1, 'Do more.', 'somewhere')`,
    says: () => /^digital leg \S+: is leg 1 here; the ledger's task has none of that number$/m,
  },
];

const ofBarred: Tampering<TaskScene>[] = [
  {
    what: 'the signature of a release',
    statement: ({ inProgress }) => sql`update barred_agents set release_signature = 'x' where task_id = ${inProgress}`,
    says: ({ inProgress }) =>
      new RegExp(
        `^digital task ${inProgress}: release signature of barred agent \\S+ is x here, \\S+ on the ledger`,
        'm',
      ),
  },
  {
    what: 'a release by the ledger, called a refusal',
    statement: ({ inProgress }) =>
      sql`update barred_agents set reason = 'refused', release_signature = null where task_id = ${inProgress}`,
    says: () => /release signature of barred agent \S+ is nothing here, \S+ on the ledger \(tx /,
  },
  {
    what: 'the leg that a barred agent lost',
    statement: ({ inProgress }) =>
      sql`update barred_agents set leg_id = ${legOf(inProgress, 2)} where task_id = ${inProgress}`,
    says: () => /number of the leg of barred agent \S+ is 2 here, 1 on the ledger \(tx /,
  },
  {
    what: 'a barred agent, forgiven (M-57)',
    statement: ({ listedAgain }) => sql`delete from barred_agents where task_id = ${listedAgain}`,
    says: ({ listedAgain }) =>
      new RegExp(`^digital task ${listedAgain}: agent \\S+ is not barred here, and lost leg 0 \\(tx `, 'm'),
  },
  {
    what: 'a barred agent that never lost a leg',
    statement: ({ completed, worker }) =>
      sql`insert into barred_agents values (${completed}, ${worker}, ${legOf(completed, 0)}, 'timeout', 'x')`,
    says: ({ completed, worker }) =>
      `digital task ${completed}: release signature of barred agent ${worker} is x here, nothing on the ledger`,
  },
  {
    what: 'a reputation over legs of both kinds',
    statement: ({ worker }) => sql`update reputations set legs_completed = 1 where agent_pubkey = ${worker}`,
    says: ({ worker }) => `agent ${worker}: legs completed is 1 here, 2 on the ledger (tx `,
  },
];

/** Changes that the audit does not notice: the ledger has nothing to compare them with. */
export const unknownToLedger: Omit<Tampering<TaskScene>, 'says'>[] = [
  {
    what: 'who has reserved a leg (M-55)',
    statement: ({ listed }) =>
      sql`update digital_legs set agent_pubkey = 'nobody', bid_lamports = 1 where id = ${legOf(listed, 1)}`,
  },
  {
    what: 'a result that is not confirmed (M-58)',
    statement: ({ inProgress }) =>
      sql`update digital_legs set result = 'mine', result_hash = 'f00' where id = ${legOf(inProgress, 1)}`,
  },
  {
    what: 'a release that is decided (M-57)',
    statement: ({ inProgress }) =>
      sql`update digital_legs set release_reason = 'timeout', due_at = now() where id = ${legOf(inProgress, 1)}`,
  },
  {
    what: 'an agent that the ledger never took (M-61)',
    statement: ({ listed }) =>
      sql`insert into barred_agents values (${listed}, 'nobody', ${legOf(listed, 0)}, 'refused', null)`,
  },
  {
    what: 'a claim that ended before it was assigned (M-56, M-61)',
    statement: ({ listed }) =>
      sql`insert into events (seq, type, subject, payload) select 1000000 + n, 'TASK_LEG_RELEASED', ${`task:${listed}`},
        jsonb_build_object('legIndex', 1, 'agentPubkey', 'nobody', 'reason', reason)
        from unnest(array['withdrawn', 'lapsed', 'refused']) with ordinality as t (reason, n)`,
  },
];

/** At least one of every fact about digital tasks that the ledger knows. */
export const taskTamperings: Tampering<TaskScene>[] = [...ofTasks, ...ofLegs, ...ofBarred];
