/** Something the person at the screen can set right; the message is one sentence for them. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** An error's message, without its class and its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
