import type { AnswerOf, InputOf, Operation } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';

/** Who calls. */
export interface Caller {
  /** The key that signed the request; undefined when the operation is open and the request was not signed. */
  pubkey: string | undefined;
  /** Address of the client: of the connection, or what a trusted proxy says. */
  ip: string;
  /** What stands for the request's Idempotency-Key, unique to caller and operation; undefined: there was none. */
  requestKey?: string | undefined;
}

/** What an implementation answers. `nextCursor` is for paged operations; it travels in the Link header. */
export interface Outcome<T> {
  answer: T;
  nextCursor?: string | undefined;
  /** How many items all pages have; asked for by tools only, because it costs a query. */
  total?: () => Promise<number>;
}

/**
 * What runs an operation: it gets the decoded input (path, query and body fields in one object) and answers the decoded
 * form (bigint lamports, Date instants). The caller's faults are thrown as RelayError.
 */
export type Run<O extends Operation> = (
  context: AppContext,
  input: InputOf<O>,
  caller: Caller,
) => Promise<Outcome<AnswerOf<O>>>;
