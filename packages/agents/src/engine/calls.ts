import { LedgerRefusedError, LegworkApiError } from '@legwork/sdk';
import type { Journal, JournalEntry, JournalView } from '../journal.js';

type Called = Extract<JournalEntry, { kind: 'called' }>;

/** A call of the service that must not have its effect twice. */
export interface Call {
  readonly call: string;
  /** The package or the leg that it is about. */
  readonly subject: string;
  /** The name under which it is repeated. */
  readonly key: string;
  /** The whole input, in wire form. */
  readonly input: unknown;
  /** The stake that it may come to, base units. */
  readonly stakeLamports?: bigint | undefined;
  /** The mint that the stake is of; undefined: it is SOL. */
  readonly stakeMint?: string | undefined;
}

/** How a call is made, by its name: what comes back is kept in the journal. */
export type Makers = Readonly<Record<string, (call: Call) => Promise<Readonly<Record<string, unknown>>>>>;

/** Refusals that end by themselves: the call stays open and is repeated. */
const PASSING: ReadonlySet<string> = new Set(['idempotency_in_progress', 'ledger_reverted', 'leg_out_of_order']);

/** Refusals of a bid or a claim that no later one of the same agent about the same package or task escapes. */
export const FOR_GOOD: ReadonlySet<string> = new Set([
  'agent_barred',
  'already_on_task',
  'requirements_not_met',
  'self_dealing',
]);

/**
 * Makes calls through the journal: each is on disk with its whole input before it is made, and how it ended after it. A call whose
 * end is not known, after a crash or without an answer, stays open, and is repeated as it was, under the same name. Rule A-23.
 */
export class Calls implements JournalView {
  readonly #makers: Makers;
  readonly #open = new Map<string, Called>();
  /** Being made by this process. */
  readonly #underWay = new Set<string>();

  constructor(makers: Makers) {
    this.#makers = makers;
  }

  take(entry: JournalEntry): void {
    if (entry.kind === 'called') this.#open.set(entry.key, entry);
    if (entry.kind === 'answered') this.#open.delete(entry.key);
  }

  /** Calls whose end is not known, but for those that this process is making. */
  get open(): readonly Called[] {
    return [...this.#open.values()].filter(({ key, call }) => !this.#underWay.has(key) && call in this.#makers);
  }

  /** Reports whether the end of such a call is not known. */
  isOpen(call: string, subject: string): boolean {
    return [...this.#open.values()].some((one) => one.call === call && one.subject === subject);
  }

  /**
   * Makes a call for the first time.
   *
   * @param allow asked when nobody else can write the journal: throws if the call would pass a limit
   */
  async make(journal: Journal, call: Call, allow: () => void = () => undefined) {
    this.#underWay.add(call.key);
    try {
      await journal.decide(() => {
        allow();
        return [{ kind: 'called', ...calledOf(call) }];
      });
      return await this.#finish(journal, call);
    } finally {
      this.#underWay.delete(call.key);
    }
  }

  /** Repeats an open call. */
  async repeat(journal: Journal, call: Call) {
    this.#underWay.add(call.key);
    try {
      return await this.#finish(journal, call);
    } finally {
      this.#underWay.delete(call.key);
    }
  }

  /** Gives up an open call that can have no effect any more. */
  async drop(journal: Journal, { key }: Call, why: string): Promise<void> {
    await journal.append({ kind: 'answered', key, ok: false, said: { why } });
  }

  async #finish(journal: Journal, call: Call) {
    const make = this.#makers[call.call];
    if (!make) throw new TypeError(`no call is named ${call.call}`);
    try {
      const said = await make(call);
      await journal.append({ kind: 'answered', key: call.key, ok: true, said });
      return said;
    } catch (error) {
      if (!isFinal(error)) throw error;
      await journal.append({ kind: 'answered', key: call.key, ok: false, said: { code: codeOf(error) } });
      throw error;
    }
  }
}

const calledOf = ({ stakeLamports, stakeMint, ...call }: Call) => ({
  ...call,
  ...(stakeMint !== undefined && { stakeMint }),
  ...(stakeLamports !== undefined && { stakeLamports }),
});

const codeOf = (error: LegworkApiError | LedgerRefusedError) =>
  error instanceof LegworkApiError ? error.code : 'ledger_refused';

/** Reports whether the service or the ledger refused for good: nothing was done. */
export function isFinal(error: unknown): error is LegworkApiError | LedgerRefusedError {
  if (error instanceof LedgerRefusedError) return true;
  return error instanceof LegworkApiError && error.status < 500 && error.status !== 429 && !PASSING.has(error.code);
}
