/** Where an agent tells what it does; a logger of pino is one. */
export interface Log {
  info(about: object, words: string): void;
  warn(about: object, words: string): void;
  error(about: object, words: string): void;
}

/** An error's message, without its class and stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
