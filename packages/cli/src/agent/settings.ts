import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Policy, parsePolicy, PolicyError, policySchema } from '@legwork/agents';

/** What every command of an agent takes; `--url` and `--key` also come from the environment. */
export interface SettingOptions {
  readonly url?: string;
  readonly key?: string;
  readonly json?: true;
}

/** Where and as whom a command acts. */
export interface Settings {
  readonly policy: Policy;
  /** Somebody wrote the limits down, so no command may pass them by itself. */
  readonly hasLimits: boolean;
}

const FILE = 'legwork.yaml';

/**
 * The settings of a command: options and environment, then `legwork.yaml` in the current folder, which is a policy, then what is usual.
 * Rule A-91.
 *
 * @throws {PolicyError} naming every fault of the file
 */
export async function readSettings({ url, key }: SettingOptions): Promise<Settings> {
  const text = await readFile(FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  const policy = text === undefined ? policySchema.parse({ key: usualKeyFile() }) : policyIn(text);
  return {
    policy: { ...policy, ...(url !== undefined && { service: url }), ...(key !== undefined && { key: resolve(key) }) },
    hasLimits: text !== undefined,
  };
}

function policyIn(text: string): Policy {
  const read = parsePolicy(FILE, text);
  if ('faults' in read) throw new PolicyError(read.faults.join('\n'));
  return read.policy;
}

/** The key that is used where nothing names another one: in the user's configuration folder. */
export function usualKeyFile(): string {
  // An empty variable counts as none, as the XDG specification has it.
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'legwork', 'key.json');
}
