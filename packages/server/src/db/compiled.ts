import type { Compilable, CompiledQuery } from 'kysely';
import type { Db, Trx } from './connect.js';

/** Stands in a query where a parameter goes. */
class Place {
  constructor(readonly name: string) {}
}

/** Has a place of every name. */
const places: unknown = new Proxy({}, { get: (_, name) => new Place(String(name)) });

/** Runs a query with these parameters. */
type Run<Parameters, Row> = (db: Db | Trx, parameters: Parameters) => Promise<Row[]>;

/**
 * A query that is built and compiled at its first use and keeps its text: to do both again takes longer than all the rest that
 * this process does for it.
 *
 * @param build gets something that stands for each parameter, and has to put it into the query as it is
 */
export function compiled<Parameters extends object, Row>(
  build: (db: Db | Trx, parameters: Parameters) => Compilable<Row>,
): Run<Parameters, Row> {
  let kept: CompiledQuery<Row> | undefined;
  return async (db, parameters) => {
    kept ??= build(db, places as Parameters).compile();
    const given = new Map<string, unknown>(Object.entries(parameters));
    const values = kept.parameters.map((value) => (value instanceof Place ? given.get(value.name) : value));
    const { rows } = await db.executeQuery<Row>({ ...kept, parameters: values });
    return rows;
  };
}
