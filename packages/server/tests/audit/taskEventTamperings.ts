import { sql } from 'kysely';
import type { Tampering } from './tampering.js';
import type { TaskScene } from './taskScene.js';

type Of = Exclude<keyof TaskScene, 'worker'>;

/** The events of this type, in a task that has one or two of them. */
const TYPES = {
  TASK_LISTED: 'listed',
  TASK_LEG_ASSIGNED: 'reclaimed',
  TASK_LEG_RELEASED: 'inProgress',
  TASK_LEG_COMPLETED: 'reclaimed',
  TASK_COMPLETED: 'completed',
  TASK_FAILED: 'cancelled',
} as const satisfies Record<string, Of>;

type Type = keyof typeof TYPES;

/** As findings name an event of the type. */
function named(type: Type): string {
  if (type === 'TASK_LEG_COMPLETED') return `${type} of leg \\d`;
  return type === 'TASK_LEG_ASSIGNED' || type === 'TASK_LEG_RELEASED' ? `${type} of leg \\d and \\S+` : type;
}

const types = Object.entries(TYPES) as [Type, Of][];

const missing: Tampering<TaskScene>[] = types.map(([type, of]) => ({
  what: `event ${type}, deleted`,
  statement: (scene) => sql`delete from events where subject = ${`task:${scene[of]}`} and type = ${type}`,
  says: (scene) => new RegExp(`^digital task ${scene[of]}: event ${named(type)} is missing here \\(tx `, 'm'),
}));

const twice: Tampering<TaskScene>[] = types.map(([type, of]) => ({
  what: `event ${type}, twice`,
  statement: (scene) =>
    sql`insert into events (seq, type, subject, payload)
      select 1000000 + seq, type, subject, payload from events where subject = ${`task:${scene[of]}`} and type = ${type}`,
  says: (scene) => new RegExp(`^digital task ${scene[of]}: event ${named(type)} is here 2 times \\(tx `, 'm'),
}));

/** Of something that never happened: the task is listed, and its only agent on the ledger is gone. */
const madeUp: Tampering<TaskScene>[] = types
  .filter(([type]) => type !== 'TASK_LISTED')
  .map(([type]) => ({
    what: `event ${type}, made up`,
    statement: ({ listedAgain }) =>
      sql`insert into events (seq, type, subject, payload)
        values (1000000, ${type}, ${`task:${listedAgain}`},
          '{"legIndex": 0, "agentPubkey": "nobody", "reason": "timeout"}')`,
    says: ({ listedAgain }) =>
      new RegExp(
        `^digital task ${listedAgain}: event ${type}.* is here; nothing of it has happened on the ledger$`,
        'm',
      ),
  }));

/** Every field of each payload that the ledger can tell. */
const FIELDS: Record<Type, readonly string[]> = {
  TASK_LISTED: ['shipperPubkey', 'numLegs', 'maxBudgetLamports', 'deadline', 'onChainTask', 'listSignature'],
  TASK_LEG_ASSIGNED: ['signature'],
  TASK_LEG_RELEASED: ['signature'],
  TASK_LEG_COMPLETED: ['agentPubkey', 'paymentLamports', 'resultHash', 'signature'],
  TASK_COMPLETED: ['settleSignature', 'refundLamports'],
  TASK_FAILED: ['failureReason'],
};

const altered: Tampering<TaskScene>[] = types.flatMap(([type, of]) =>
  FIELDS[type].map((field) => ({
    what: `${field} of event ${type}`,
    statement: (scene: TaskScene) =>
      sql`update events set payload = jsonb_set(payload, ${`{${field}}`}, '"else"')
        where subject = ${`task:${scene[of]}`} and type = ${type}`,
    says: (scene: TaskScene) =>
      new RegExp(`^digital task ${scene[of]}: ${field} of event ${named(type)} is else here, `, 'm'),
  })),
);

const others: Tampering<TaskScene>[] = [
  {
    what: 'the agent of an assignment in the event log',
    statement: ({ inProgress }) =>
      sql`update events set payload = jsonb_set(payload, '{agentPubkey}', '"nobody"')
        where subject = ${`task:${inProgress}`} and type = 'TASK_LEG_ASSIGNED'`,
    says: ({ inProgress }) =>
      `digital task ${inProgress}: event TASK_LEG_ASSIGNED of leg 1 and nobody is here; nothing of it has happened`,
  },
  {
    what: 'a release in the event log, without its signature',
    statement: ({ inProgress }) =>
      sql`update events set payload = payload - 'signature'
        where subject = ${`task:${inProgress}`} and type = 'TASK_LEG_RELEASED'`,
    says: () => /signature of event TASK_LEG_RELEASED of leg 1 and \S+ is nothing here, \S+ on the ledger \(tx /,
  },
  {
    what: 'a withdrawal, with a signature (M-55)',
    statement: ({ listed }) =>
      sql`update events set payload = payload || '{"signature": "x"}'
        where subject = ${`task:${listed}`} and type = 'TASK_LEG_RELEASED'`,
    says: ({ listed }) =>
      new RegExp(`^digital task ${listed}: event TASK_LEG_RELEASED of leg 1 and \\S+ is here; nothing of it`, 'm'),
  },
  {
    what: 'the order of the events of a task (S-30)',
    statement: ({ completed }) =>
      sql`update events set seq = 1000000 where subject = ${`task:${completed}`} and type = 'TASK_LEG_COMPLETED'
        and payload ->> 'legIndex' = '0'`,
    says: ({ completed }) =>
      new RegExp(
        `^digital task ${completed}: event TASK_LEG_COMPLETED of leg 1 has a number below TASK_LEG_COMPLETED of leg 0's`,
        'm',
      ),
  },
];

/** At least one of every way in which the event log may contradict the ledger. */
export const taskEventTamperings: Tampering<TaskScene>[] = [...missing, ...twice, ...madeUp, ...altered, ...others];
