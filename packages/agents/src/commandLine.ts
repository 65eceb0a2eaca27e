import { existsSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileHere, settingsBy } from './settings.js';
import type { Settings } from './settings.js';

/** As whom, and where, the command is to act. */
export type ActsAs = Pick<Settings, 'service' | 'key' | 'file'>;

/**
 * A command as a person types it in the current folder: with the options that the folder and the environment would not say. Rule A-99.
 *
 * @param words the command, its arguments and its own options
 */
export function commandLine(words: string, as: ActsAs): string {
  const here = fileHere();
  const policy = as.file !== undefined && as.file !== here ? as.file : undefined;
  const said = saidBy(policy ?? here);
  const options = [
    ...(policy === undefined ? [] : ['--policy', near(policy)]),
    ...(said?.key === as.key ? [] : ['--key', near(as.key)]),
    ...(said && isSameAddress(said.service, as.service) ? [] : ['--url', as.service]),
  ];
  return [programName(), words, ...options.map(shellWord)].join(' ');
}

/** The same for a person in another folder, whose environment is unknown. */
export function commandLineAnywhere(words: string, { service, key, file }: ActsAs): string {
  const options = [...(file === undefined ? [] : ['--policy', file]), '--key', key, '--url', service];
  return ['legwork', words, ...options.map(shellWord)].join(' ');
}

/** How the command is called here: by npx, where it is installed for this folder alone. */
export function programName(): string {
  const file = process.platform === 'win32' ? 'legwork.cmd' : 'legwork';
  // npm puts these before the path for what it starts; a person's terminal does not have them.
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.endsWith(LOCAL));
  const isOnPath = folders.some((folder) => existsSync(join(folder, file)));
  return !isOnPath && isInstalledFor(process.cwd(), file) ? 'npx legwork' : 'legwork';
}

const LOCAL = join('node_modules', '.bin');

function isInstalledFor(folder: string, file: string): boolean {
  if (existsSync(join(folder, LOCAL, file))) return true;
  return dirname(folder) !== folder && isInstalledFor(dirname(folder), file);
}

function saidBy(file: string | undefined): ActsAs | undefined {
  try {
    return settingsBy(file);
  } catch {
    // A policy that has got a fault since says nothing.
    return undefined;
  }
}

const isSameAddress = (one: string, other: string) => one.replace(/\/$/, '') === other.replace(/\/$/, '');

/** The shorter of a path and of its way from the current folder. */
function near(path: string): string {
  const way = relative(process.cwd(), path);
  return way.length < path.length ? way : resolve(path);
}

/** A word as a shell takes it. */
export const shellWord = (word: string) =>
  /^[\w@%+=:,./[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
