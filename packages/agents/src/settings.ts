import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { policySchema } from './policy/policy.js';
import type { Policy } from './policy/policy.js';
import { parsePolicy, PolicyError } from './policy/readPolicy.js';
import type { PolicyOfFile } from './policy/readPolicy.js';

/** The values of the options; `url` and `key` also come from the environment. */
export interface SettingOptions {
  readonly url?: string;
  readonly key?: string;
  /** The file that stands for `legwork.yaml` of the current folder. */
  readonly policy?: string;
}

/** Where and as whom a command acts; `file` is the policy that says so, and whose limits hold. */
export type Settings = Policy & { readonly file?: string };

/** The policy of the current folder. */
export const SETTINGS_FILE = 'legwork.yaml';

/**
 * The settings of a command: options and environment, then the policy of the current folder, then what is usual. Rule A-91.
 *
 * @throws {PolicyError} naming every fault of the file
 */
export async function readSettings({ url, key, policy: named }: SettingOptions): Promise<Settings> {
  const file = named ?? SETTINGS_FILE;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (named === undefined && error.code === 'ENOENT') return undefined;
    throw new PolicyError(`The policy ${file} cannot be read: ${whyNot(error)}.`);
  });
  const read = text === undefined ? usualSettings() : policyIn(file, text);
  return { ...read, ...(url !== undefined && { service: url }), ...(key !== undefined && { key: resolve(key) }) };
}

const whyNot = ({ code, message }: NodeJS.ErrnoException) =>
  code === 'ENOENT'
    ? 'there is no such file'
    : code === 'EISDIR'
      ? 'it is a folder; give the file of one policy'
      : message;

function policyIn(file: string, text: string): PolicyOfFile {
  const read = parsePolicy(file, text);
  if ('faults' in read) throw new PolicyError(read.faults.join('\n'));
  return read.policy;
}

const usualSettings = (): Settings => policySchema.parse({ key: usualKeyFile() });

/** The key that is used where nothing names another one: in the user's configuration folder. */
export function usualKeyFile(): string {
  // An empty variable counts as none, as the XDG specification has it.
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'legwork', 'key.json');
}

/** The settings of a command without options from this file, and from the environment, in the current folder. */
export function settingsBy(file: string | undefined): Settings {
  const { LEGWORK_URL: url, LEGWORK_KEY: key } = process.env;
  const read = file === undefined ? usualSettings() : policyIn(file, readFileSync(file, 'utf8'));
  return { ...read, ...(url && { service: url }), ...(key && { key: resolve(key) }) };
}

/** The policy of the current folder, if it has one. */
export function fileHere(): string | undefined {
  const file = resolve(SETTINGS_FILE);
  return existsSync(file) ? file : undefined;
}
