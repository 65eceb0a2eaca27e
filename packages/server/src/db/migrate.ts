import { Migrator } from 'kysely';
import type { Db } from './connect.js';
import * as market from './migrations/0001_market.js';
import * as marketplace from './migrations/0002_marketplace.js';
import * as digitalTasks from './migrations/0003_digital_tasks.js';
import * as identityRewards from './migrations/0004_identity_rewards.js';
import * as confirmedElsewhere from './migrations/0005_confirmed_elsewhere.js';

const migrations = {
  '0001_market': market,
  '0002_marketplace': marketplace,
  '0003_digital_tasks': digitalTasks,
  '0004_identity_rewards': identityRewards,
  '0005_confirmed_elsewhere': confirmedElsewhere,
};

/** Brings the schema up to date. Safe to run from several replicas at once: the migrator holds an advisory lock. */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
