import type { AnswerOf, InputOf, Operation } from '@agent-relay/protocol';
import type { AppContext } from '../context.js';

/** Who calls. */
export interface Caller {
  /** The key that signed the request; undefined when the operation is open and the request was not signed. */
  pubkey: string | undefined;
  /** Address of the connection. */
  ip: string;
}

/** What an implementation answers. `nextCursor` is for paged operations; it travels in the Link header. */
export interface Outcome<T> {
  answer: T;
  nextCursor?: string | undefined;
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
