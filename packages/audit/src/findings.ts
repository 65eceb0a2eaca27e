/** Something the audit has to tell of one subject: `package <id>`, `agent <address>`, `account <address>` or `events`. */
export interface Finding {
  subject: string;
  text: string;
}

export type Value = string | number | bigint | null;

export function show(value: Value): string {
  return value === null ? 'nothing' : String(value);
}

/** The transaction that says so, as every finding names it. */
export function by(signature: string | null): string {
  return signature === null ? '' : ` (tx ${signature})`;
}

/** What one reading of ledger and database found. */
export class Findings {
  readonly differences: Finding[] = [];
  /** What an operator may like to know and nobody has to put right. */
  readonly notes: Finding[] = [];

  differ(subject: string, text: string): void {
    this.differences.push({ subject, text });
  }

  note(subject: string, text: string): void {
    this.notes.push({ subject, text });
  }

  /** A mirrored value and the ledger's. @param signature - of the transaction that made it so; null: none did */
  same(subject: string, what: string, here: Value, ledger: Value, signature: string | null): void {
    if (here === ledger) return;
    this.differ(subject, `${what} is ${show(here)} here, ${show(ledger)} on the ledger${by(signature)}`);
  }

  /**
   * What an account of the ledger holds and what its transactions made of it.
   *
   * @param signature - of the latest of them, so that two readings of an account that moves never say the same
   */
  sameOnLedger(subject: string, what: string, account: Value, replayed: Value, signature: string): void {
    if (account === replayed) return;
    this.differ(
      subject,
      `${what} is ${show(account)} in the ledger's account, ${show(replayed)} by its transactions${by(signature)}`,
    );
  }
}

/** What is said of a subject that differed in every reading, and each time in another way. */
export const MOVING = 'kept changing while it was read; audit it again when it rests';

/** What is in every reading, in the words of the last. */
function inAll(readings: readonly (readonly Finding[])[], keyOf: (finding: Finding) => string): Finding[] {
  const earlier = readings.slice(0, -1).map((reading) => new Set(reading.map(keyOf)));
  const last = readings.at(-1) ?? [];
  return last.filter((finding) => earlier.every((keys) => keys.has(keyOf(finding))));
}

/**
 * What several readings together say. A difference is one that stayed the same in all of them; a subject that differed each
 * time in another way is on the move, which is only worth a note.
 */
export function conclude(readings: readonly (readonly Finding[])[]): { differences: Finding[]; moving: Finding[] } {
  const differences = inAll(readings, ({ subject, text }) => `${subject}: ${text}`);
  const resting = new Set(differences.map(({ subject }) => subject));
  const differing = new Set(inAll(readings, ({ subject }) => subject).map(({ subject }) => subject));
  const moving = [...differing].filter((subject) => !resting.has(subject));
  return { differences, moving: moving.map((subject) => ({ subject, text: MOVING })) };
}
