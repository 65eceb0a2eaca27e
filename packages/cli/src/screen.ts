/** Something the person at the screen can fix; the message is one sentence for them. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** The command was told something that it cannot work with: an argument, an option, a setting. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error's message, without its class and stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Writes to standard output. Resolves when the pipe has taken all of it, so the process may end right after. */
export function print(text: string): Promise<void> {
  return new Promise((taken) => process.stdout.write(text, () => taken()));
}
