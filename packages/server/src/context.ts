import type { Logger } from 'pino';
import { type Chain, connectChain } from './chain/chain.js';
import type { Config } from './config.js';
import { connect, type Db } from './db/connect.js';
import { migrate } from './db/migrate.js';
import { requireOwnDatabase } from './db/ownership.js';

/** The parts that operations and workers work with. */
export interface AppContext {
  config: Config;
  log: Logger;
  db: Db;
  chain: Chain;
  /** The address clients use, without a slash at the end; its host is what signed requests are bound to. */
  publicUrl: string;
  clock: () => Date;
  /** Hints after a commit that save a wait; nothing is lost when one is missed. */
  wake: { evaluator: () => void; outbox: () => void; sequencer: () => void };
}

/**
 * Wires the parts together: the database brought up to date, the ledger connected, the two known to belong together.
 * Nothing runs yet. Whoever creates it ends it with `context.db.destroy()`.
 *
 * @throws ForeignDatabase
 */
export async function createContext(config: Config, publicUrl: string, log: Logger): Promise<AppContext> {
  const db = connect(config.databaseUrl, config.databasePool, (error) =>
    log.warn({ err: error }, 'idle connection lost'),
  );
  try {
    await migrate(db);
    const chain = await connectChain(config);
    await requireOwnDatabase(db, chain.genesisHash, chain.programAddress);
    return {
      config,
      log,
      db,
      chain,
      publicUrl,
      clock: () => new Date(),
      wake: { evaluator: () => undefined, outbox: () => undefined, sequencer: () => undefined },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
