import { type RawBuilder, sql } from 'kysely';

/** A change of the mirror, and the audit's finding. */
export interface Tampering<Scene> {
  what: string;
  statement: (scene: Scene) => ReturnType<typeof sql>;
  says: (scene: Scene) => string | RegExp;
}

/** How a line ends that names its transaction. */
export const SIGNED = '\\(tx \\S+\\)$';
/** A line of findings that begins so. */
export const line = (text: string) => new RegExp(`^${text}`, 'm');

/** To be added to an instant. */
export const SECOND_LATER = sql`interval '1 s'`;

/** How rows, events and findings name a kind of listing. */
interface Kind {
  table: 'packages' | 'digital_tasks';
  legs: 'legs' | 'digital_legs';
  topic: 'package' | 'task';
  name: 'package' | 'digital task';
  leg: 'leg' | 'digital leg';
}

export const PACKAGES: Kind = { table: 'packages', legs: 'legs', topic: 'package', name: 'package', leg: 'leg' };
export const TASKS: Kind = {
  table: 'digital_tasks',
  legs: 'digital_legs',
  topic: 'task',
  name: 'digital task',
  leg: 'digital leg',
};

/** A scene: ids by name. */
type Ids<Scene> = { [Name in keyof Scene]: string };

/** One of the terms of a listing. */
export const termsField = <Scene extends Ids<Scene>>(
  { table, name }: Kind,
  of: keyof Scene,
  [field, value, here]: readonly [field: string, value: RawBuilder<unknown>, here: string],
): Tampering<Scene> => ({
  what: `${field} of the terms of a ${name} (T-1)`,
  statement: (scene) =>
    sql`update ${sql.table(table)} set terms = jsonb_set(terms, ${`{${field}}`}, to_jsonb(${value})) where id = ${scene[of]}`,
  says: (scene) => line(`${name} ${scene[of]}: ${field} of its terms is ${here} here, \\S+ on the ledger ${SIGNED}`),
});

/** Each of the terms, changed. */
export const CHANGED_TERMS: readonly (readonly [field: string, value: RawBuilder<unknown>, here: string])[] = [
  ['receiverPubkey', sql`'nobody'::text`, 'nobody'],
  ['arbiterPubkey', sql`'nobody'::text`, 'nobody'],
  ['stakeLamports', sql`1`, '1'],
  ['carrySec', sql`301`, '301'],
  ['handoffSec', sql`301`, '301'],
  ['reviewSec', sql`301`, '301'],
  ['arbitrationSec', sql`301`, '301'],
  ['cosignedPickup', sql`true`, 'true'],
];

/** The id of a leg in the scene. */
export type LegIn<Scene> = (scene: Scene) => RawBuilder<unknown>;

/** A column of a leg. */
export const legColumn = <Scene>(
  { legs, leg: name }: Kind,
  leg: LegIn<Scene>,
  [what, change, says]: readonly [what: string, change: RawBuilder<unknown>, says: string],
): Tampering<Scene> => ({
  what: `${what} of a ${name}`,
  statement: (scene) => sql`update ${sql.table(legs)} set ${change} where id = ${leg(scene)}`,
  says: () => line(`${name} \\S+: ${says}`),
});

/** A column of a move of a leg. */
export const moveColumn = <Scene>(
  { leg: name }: Kind,
  leg: LegIn<Scene>,
  [move, what, change, says]: readonly [move: string, what: string, change: RawBuilder<unknown>, says: string],
): Tampering<Scene> => ({
  what: `the ${what} of ${move}`,
  statement: (scene) => sql`update leg_moves set ${change} where leg_id = ${leg(scene)} and move = ${move}`,
  says: () => line(`${name} \\S+: ${what} of ${move} is ${says} on the ledger ${SIGNED}`),
});

/** A move of a leg, deleted. */
export const moveGone = <Scene>({ leg: name }: Kind, leg: LegIn<Scene>, move: string): Tampering<Scene> => ({
  what: `${move}, deleted`,
  statement: (scene) => sql`delete from leg_moves where leg_id = ${leg(scene)} and move = ${move}`,
  says: () => line(`${name} \\S+: \\S+ is missing among its moves here ${SIGNED}`),
});

/** A change of a field in an event of a leg. */
export const eventField = <Scene extends Ids<Scene>>(
  { topic, name }: Kind,
  [type, of, field, value, says]: readonly [string, keyof Scene, field: string, value: string | number, says: string],
): Tampering<Scene> => ({
  what: `${field} of event ${type}`,
  statement: (scene) =>
    sql`update events set payload = jsonb_set(payload, ${`{${field}}`}, ${JSON.stringify(value)}::jsonb)
      where subject = ${`${topic}:${scene[of]}`} and type = ${type}`,
  says: (scene) =>
    line(`${name} ${scene[of]}: ${field} of event ${type} of leg \\d.* is ${says} on the ledger ${SIGNED}`),
});

/** Whole events of a leg: deleted, twice, and made up where nothing of it has happened. */
export const wholeEvents = <Scene extends Ids<Scene>>(
  { topic, name }: Kind,
  [type, of]: readonly [type: string, of: keyof Scene],
  never: keyof Scene,
): Tampering<Scene>[] => [
  {
    what: `event ${type}, deleted`,
    statement: (scene) => sql`delete from events where subject = ${`${topic}:${scene[of]}`} and type = ${type}`,
    says: (scene) => line(`${name} ${scene[of]}: event ${type} of leg \\d and \\S+ is missing here ${SIGNED}`),
  },
  {
    what: `event ${type}, twice`,
    statement: (scene) =>
      sql`insert into events (seq, type, subject, payload) select 1000000 + id, type, subject, payload from events
        where subject = ${`${topic}:${scene[of]}`} and type = ${type}`,
    says: (scene) => line(`${name} ${scene[of]}: event ${type} of leg \\d and \\S+ is here 2 times ${SIGNED}`),
  },
  {
    what: `event ${type}, made up`,
    statement: (scene) =>
      sql`insert into events (seq, type, subject, payload)
        values (1000000, ${type}, ${`${topic}:${scene[never]}`}, '{"legIndex": 1, "agentPubkey": "nobody"}')`,
    says: (scene) =>
      `${name} ${scene[never]}: event ${type} of leg 1 and nobody is here; nothing of it has happened on the ledger`,
  },
];
