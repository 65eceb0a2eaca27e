/** Something the person at the screen can fix; the message is one sentence for them. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** The command was told something that it cannot work with: an argument, an option, a setting. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** By name: the classes of the other packages are loaded by those commands alone that use them. */
const USAGE: ReadonlySet<string> = new Set(['UsageError', 'PolicyError', 'KeyFileError', 'ConfigError']);

/** Reports whether arguments, settings or a key were wrong. */
export const isUsage = (error: unknown): boolean => error instanceof Error && USAGE.has(error.name);

/** How a command ends. Rule A-92. */
export const EXIT = { done: 0, notDone: 1, wrongUsage: 2 } as const;

/** An error's message, without its class and stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Says on standard error what went wrong: a sentence, or for programs an object on one line.
 *
 * @param json whether `--json` was typed
 */
export function complain(error: unknown, json: boolean): void {
  process.stderr.write(`${json ? JSON.stringify({ error: { message: messageOf(error) } }) : messageOf(error)}\n`);
}

/** Prints what was done: sentences, or with `--json` one line of JSON. */
export function printDone(json: boolean, data: object, text: string): Promise<void> {
  return print(
    json
      ? `${JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))}\n`
      : text,
  );
}

/** Writes to standard output. Resolves when the pipe has taken all of it, so the process may end right after. */
export function print(text: string): Promise<void> {
  return new Promise((taken) => process.stdout.write(text, () => taken()));
}
