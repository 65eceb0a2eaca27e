import { Client } from 'pg';

/** Asks the services' database over a connection of its own. */
export async function askDatabase<T>(connectionString: string, ask: (database: Client) => Promise<T>): Promise<T> {
  const database = new Client({ connectionString });
  await database.connect();
  try {
    return await ask(database);
  } finally {
    await database.end();
  }
}
