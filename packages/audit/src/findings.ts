import type { ListingFacts } from '@legwork/program-client/facts';

/** The audit's report about one subject: `package <id>`, `agent <address>`, `account <address>` or `events`. */
export interface Finding {
  subject: string;
  text: string;
}

/** How findings name a package or a digital task. */
export function subjectOf({ kind, id }: Pick<ListingFacts, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

export type Value = string | number | bigint | null;

export function show(value: Value): string {
  return value === null ? 'nothing' : String(value);
}

/** How a finding names the transaction behind it. */
export function by(signature: string | null): string {
  return signature === null ? '' : ` (tx ${signature})`;
}

/** The findings of one reading of ledger and database. */
export class Findings {
  readonly differences: Finding[] = [];
  /** Worth knowing for an operator, with nothing to put right. */
  readonly notes: Finding[] = [];

  differ(subject: string, text: string): void {
    this.differences.push({ subject, text });
  }

  note(subject: string, text: string): void {
    this.notes.push({ subject, text });
  }

  /** Compares a mirrored value with the ledger's. @param signature - of the transaction behind it; null: there is none */
  same(subject: string, what: string, here: Value, ledger: Value, signature: string | null): void {
    if (here === ledger) return;
    this.differ(subject, `${what} is ${show(here)} here, ${show(ledger)} on the ledger${by(signature)}`);
  }

  /**
   * Compares what an account on the ledger holds with what its transactions made.
   *
   * @param signature - of the latest one, so that two readings of a changing account never say the same
   */
  sameOnLedger(subject: string, what: string, account: Value, replayed: Value, signature: string): void {
    if (account === replayed) return;
    this.differ(
      subject,
      `${what} is ${show(account)} in the ledger's account, ${show(replayed)} by its transactions${by(signature)}`,
    );
  }
}

/** The note about a subject that differed in every reading, each time in another way. */
export const MOVING = 'kept changing while it was read; audit it again when it rests';

/** The findings that every reading has, in the words of the last. */
function inAll(readings: readonly (readonly Finding[])[], keyOf: (finding: Finding) => string): Finding[] {
  const earlier = readings.slice(0, -1).map((reading) => new Set(reading.map(keyOf)));
  const last = readings.at(-1) ?? [];
  return last.filter((finding) => earlier.every((keys) => keys.has(keyOf(finding))));
}

/**
 * Combines several readings. A difference stayed the same in all of them; a subject that differed each time in another way is
 * still changing, which is only worth a note.
 */
export function conclude(readings: readonly (readonly Finding[])[]): { differences: Finding[]; moving: Finding[] } {
  const differences = inAll(readings, ({ subject, text }) => `${subject}: ${text}`);
  const resting = new Set(differences.map(({ subject }) => subject));
  const differing = new Set(inAll(readings, ({ subject }) => subject).map(({ subject }) => subject));
  const moving = [...differing].filter((subject) => !resting.has(subject));
  return { differences, moving: moving.map((subject) => ({ subject, text: MOVING })) };
}
