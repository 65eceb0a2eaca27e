import type { sql } from 'kysely';

/** What is done to the mirror, and what the audit says of it. */
export interface Tampering<Scene> {
  what: string;
  statement: (scene: Scene) => ReturnType<typeof sql>;
  says: (scene: Scene) => string | RegExp;
}
