import type { Signer } from '../api/signedRequest.js';
import type { AnswerOf, InputOf, Operation, OperationName, operations } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';

/** The caller of an operation. */
export interface Caller {
  /** The key that signed the request; undefined when the operation is open and the request was not signed. */
  pubkey: string | undefined;
  /** The proof of that. */
  signer?: Signer | undefined;
  /** Address of the client: of the connection, or what a trusted proxy says. */
  ip: string;
  /** Where it asks the ledger; undefined: where the service does. */
  ledgerUrl?: string | undefined;
  /** Derived from the request's Idempotency-Key, unique to caller and operation; undefined: it had none. */
  requestKey?: string | undefined;
  /** Told in a sentence what is done, while the operation waits for the ledger; undefined: nobody listens. */
  tell?: ((done: string) => void) | undefined;
}

/** The result of an implementation. `nextCursor` is for paged operations; it travels in the Link header. */
export interface Outcome<T> {
  answer: T;
  nextCursor?: string | undefined;
  /** How many entries all pages hold together; only tools ask for it, because it costs a query. */
  total?: () => Promise<number>;
}

/**
 * The implementation of an operation: it takes the decoded input (path, query and body fields in one object) and returns the decoded
 * answer (bigint lamports, Date instants). It throws the caller's faults as LegworkError.
 */
export type Run<O extends Operation> = (
  context: AppContext,
  input: InputOf<O>,
  caller: Caller,
) => Promise<Outcome<AnswerOf<O>>>;

/** The decoded input of an operation. */
export type In<Name extends OperationName> = InputOf<(typeof operations)[Name]>;
/** The result type of an operation. */
export type Out<Name extends OperationName> = Promise<Outcome<AnswerOf<(typeof operations)[Name]>>>;
