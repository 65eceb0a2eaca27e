import type { Database } from '@legwork/server/schema';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** int8 is a bigint here, as the tables' types say. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return (value: string) => BigInt(value);
    return pg.types.getTypeParser(oid, format) as unknown;
  },
};

/** Opens one connection; queries take as long as they take. */
export function openDatabase(connectionString: string): Db {
  const pool = new pg.Pool({ connectionString, max: 1, types, application_name: 'legwork audit' });
  // Without a listener an idle connection that breaks would end the process; the next query says what is wrong.
  pool.on('error', () => undefined);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
