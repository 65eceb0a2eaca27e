import { LegworkApiError } from '@legwork/sdk';
import type { Journal } from '../journal.js';
import { FundsError, LimitError } from '../wallet/spending.js';
import { FOR_GOOD } from './calls.js';
import { messageOf } from './desk.js';
import type { Log } from './desk.js';
import { StakesError } from './commitments.js';

/** The obstacle to a bid or a claim, in short: a metric has them as a label. */
export type ReasonCode =
  | 'way'
  | 'vehicle'
  | 'room'
  | 'time'
  | 'price'
  | 'asset'
  | 'capability'
  | 'arbiter'
  | 'stake'
  | 'clocks'
  | 'funds'
  | 'excluded'
  | 'refused';

/** Takes why something is left alone; `words` say the figure and the field of the policy that would change it. */
export type Tell = (code: ReasonCode, words: string) => void;

interface Reason {
  readonly subject: string;
  readonly code: ReasonCode;
  readonly words: string;
}

/** Listings and reasons that are remembered; of more, the oldest may be told again. */
const MOST_KNOWN = 10_000;
/** Of these there are many. */
const FAR: ReadonlySet<ReasonCode> = new Set(['way', 'capability']);
const MOST_WAITING = 1_000;
const LINES_A_MINUTE = 30;
const MINUTE_MS = 60_000;

/**
 * Why listings are left alone: a line in the log and the journal for each listing and reason, once, and no more lines a minute than
 * somebody reads; all are counted. Rule A-100.
 */
export class Reasons {
  readonly #journal: Pick<Journal, 'append'>;
  readonly #log: Log;
  readonly #known = new Set<string>();
  readonly #waiting: Reason[] = [];
  readonly #counts = new Map<ReasonCode, number>();
  #minute = { beganMs: -Infinity, lines: 0 };

  constructor(journal: Pick<Journal, 'append'>, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** How many listings were left alone, by reason. */
  get counts(): ReadonlyMap<ReasonCode, number> {
    return this.#counts;
  }

  /** @param subject the work that is left alone, as `package …` */
  about(subject: string): Tell {
    return (code, words) => {
      const key = `${code} ${subject}`;
      if (this.#known.has(key) || this.#waiting.length >= MOST_WAITING) return;
      this.#known.add(key);
      for (const oldest of this.#known) {
        if (this.#known.size <= MOST_KNOWN) break;
        this.#known.delete(oldest);
      }
      this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
      this.#waiting.push({ subject, code, words });
    };
  }

  /** Makes a bid or a claim; what stands in its way then is a reason as well. */
  async orTold<T>(subject: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const code = codeOf(error);
      if (code !== undefined) this.about(subject)(code, messageOf(error));
      throw error;
    }
  }

  /** Tells the waiting reasons, as far as a minute has room. Work beyond any policy like this one comes last: there may be a whole country of it. */
  async tell(nowMs: number): Promise<void> {
    if (nowMs - this.#minute.beganMs >= MINUTE_MS) this.#minute = { beganMs: nowMs, lines: 0 };
    const told = [...this.#waiting]
      .sort((a, b) => Number(FAR.has(a.code)) - Number(FAR.has(b.code)))
      .slice(0, LINES_A_MINUTE - this.#minute.lines);
    if (told.length === 0) return;
    this.#minute.lines += told.length;
    for (const one of told) this.#waiting.splice(this.#waiting.indexOf(one), 1);
    await this.#journal.append(
      ...told.map(({ subject, code, words }) => ({ kind: 'passed' as const, subject, reason: code, why: words })),
    );
    for (const { subject, code, words } of told) this.#log.info({ reason: code }, `${subject} is left alone: ${words}`);
  }
}

function codeOf(error: unknown): ReasonCode | undefined {
  if (error instanceof StakesError) return 'stake';
  if (error instanceof FundsError || error instanceof LimitError) return 'funds';
  return error instanceof LegworkApiError && FOR_GOOD.has(error.code) ? 'refused' : undefined;
}
