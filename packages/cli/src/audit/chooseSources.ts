import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AuditOptions } from '@legwork/audit';
import { runningPostgres } from '@legwork/postgres';
import { environment } from '@legwork/server';
import { personalDataKeysFolder } from '../paths.js';
import { findInstance } from '../start/instanceFile.js';
import { UsageError } from '../screen.js';

const settings = environment.pick({ DATABASE_URL: true, SOLANA_RPC_URL: true, RELAY_PROGRAM_ID: true });

/** How long the service keeps personal data, and where its keys are. */
const kept = environment.pick({ PERSONAL_DATA_DAYS: true, PERSONAL_DATA_KEYS: true });

/** The settings that the running instance provides. */
async function settingsOf(dataDir: string): Promise<Record<string, string>> {
  const instance = await findInstance(dataDir);
  if (instance === undefined) return {};
  const databaseUrl = await runningPostgres(dataDir);
  return {
    SOLANA_RPC_URL: instance.rpcUrl,
    RELAY_PROGRAM_ID: instance.programId,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
}

/**
 * Chooses what to compare: the environment's settings; for missing ones, the instance that runs in the folder.
 *
 * @throws UsageError naming what is missing or wrong
 */
export async function chooseSources(
  folder: string,
  env: Record<string, string | undefined>,
): Promise<Pick<AuditOptions, 'databaseUrl' | 'rpcUrl' | 'programId' | 'personalDataDays' | 'personalDataKeys'>> {
  const dataDir = resolve(folder);
  const names = Object.keys(settings.shape);
  const set = Object.fromEntries(Object.entries(env).filter(([name, value]) => names.includes(name) && value));
  const given = { ...(names.some((name) => set[name] === undefined) && (await settingsOf(dataDir))), ...set };
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set, and no instance runs in ${dataDir} ` +
        'to provide them. Set them, start the instance, or name its folder with --data.',
    );
  }
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new UsageError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  const days = kept.safeParse(env);
  if (!days.success)
    throw new UsageError(days.error.issues.map(({ message }) => `PERSONAL_DATA_DAYS: ${message}`).join('; '));
  const { DATABASE_URL, SOLANA_RPC_URL, RELAY_PROGRAM_ID } = parsed.data;
  const { PERSONAL_DATA_DAYS: personalDataDays, PERSONAL_DATA_KEYS: keys } = days.data;
  const ofInstance = personalDataKeysFolder(dataDir);
  const personalDataKeys = keys ?? (existsSync(ofInstance) ? ofInstance : undefined);
  return {
    databaseUrl: DATABASE_URL,
    rpcUrl: SOLANA_RPC_URL,
    programId: RELAY_PROGRAM_ID,
    personalDataDays,
    personalDataKeys,
  };
}
