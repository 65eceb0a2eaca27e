import type { AskedAmount } from '../amounts.js';
import type { z } from 'zod';
import type { ErrorCode, LegworkError } from '../errors.js';

/**
 * The callers that an operation lets in.
 * - `open`: anyone; signature headers are ignored.
 * - `signable`: anyone; signature headers, when given, are verified and identify the caller.
 * - `signed`: a caller that signs the request with the key it speaks for.
 * - `key`: as `signable`, and an `X-Api-Key` once the service has keys configured.
 * - `admin`: a caller with the `X-Admin-Key` that the service has configured; no one when it has none.
 */
export type Auth = 'open' | 'signable' | 'signed' | 'key' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Which allowance a request uses up; `none` is for probes. Tool calls also have one of their own. */
export type LimitName = 'reads' | 'writes' | 'bids' | 'parts' | 'none';

/** Largest body that an operation takes unless it says otherwise, in bytes. Rule S-6. */
export const BODY_LIMIT_BYTES = 64 * 1024;
/** Largest body that holds a result or evidence, in bytes: 256 KiB fit, however their characters are escaped. Rule S-62. */
export const RESULT_BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** Largest body that posts a digital task, in bytes: its texts fit, however their characters are escaped. */
export const GOAL_BODY_LIMIT_BYTES = 256 * 1024;

/** A form of an answer other than plain JSON. */
export interface Format {
  /** Media type, without parameters. */
  type: string;
  /** The shape of the text, if it is JSON. */
  schema?: z.ZodType;
  /** The text, of the answer in its wire form. */
  write: (answer: never) => string;
  /** Headers that go with the text, of the answer in its wire form. */
  headers?: (answer: never) => Record<string, string>;
  /** The text of a refusal of the input (400), if this form has one of its own. */
  writeRefusal?: (error: LegworkError) => string;
}

/** The usual form of an answer. */
export const JSON_FORMAT: Format = { type: 'application/json', write: (answer: unknown) => JSON.stringify(answer) };

/** How an operation appears as an MCP tool. Input and answer are the operation's own unless it says otherwise. */
export interface ToolContract {
  name: `svc_${string}`;
  /** A few words for people. */
  title: string;
  /** For a model that has never seen the service: what it does, units, what to call next. */
  description: string;
  /** Its answer holds texts that others wrote; models are told so. */
  quotes?: true;
  /** It changes nothing. */
  readOnly: boolean;
  /** Repeating the call with the same arguments changes nothing more. */
  idempotent: boolean;
  /** Arguments of a call that works, as JSON. */
  example: Readonly<Record<string, unknown>>;
  /** Fields of the body that only REST takes: a model has no use for them. */
  without?: readonly string[];
  /** The amount among its arguments that is asked for in SOL or in base units. */
  amount?: AskedAmount;
  /** Where the answer departs from the operation's: a schema that leaves fields out keeps answers small. */
  answer?: z.ZodType;
  /** The part of the answer that the list of tools describes; left out: all of it. */
  described?: z.ZodType;
}

type Shape = z.ZodObject | undefined;

/**
 * The contract of one operation. REST routes, the OpenAPI document and the SDK's calls are projections of it:
 * nothing about an operation is said twice.
 */
export interface Operation<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Answer extends z.ZodType = z.ZodType,
> {
  /** verbNoun, the SDK's method name and OpenAPI's operationId. */
  name: string;
  /** The noun it belongs to. */
  tag: string;
  /** One line. */
  summary: string;
  /** The things a newcomer must know: units, what to call next. */
  description: string;
  auth: Auth;
  /** It commits the agent that its input names, so a signed-only key has to sign it. Rule S-16. */
  binding: boolean;
  limit: LimitName;
  method: Method;
  /** Path with `:name` parameters. */
  path: string;
  /** The refusals of its own rules, in addition to those that any such request may meet. */
  refuses: readonly ErrorCode[];
  params: Params;
  query: Query;
  body: Body;
  /** Body of a request of the right form, as JSON; undefined: it takes no body. */
  example: Readonly<Record<string, unknown>> | undefined;
  /** Largest body it takes, in bytes. */
  bodyLimit: number;
  /** Wire form by `z.encode`, code form by `z.decode`. */
  answer: Answer;
  /**
   * Forms that a client may ask for by Accept, of an operation of method GET. The first is what a client gets that accepts
   * anything, or none of them. JSON is one of them; it is the last unless it is named.
   */
  formats: readonly Format[];
  /** A client may keep the answer, of an operation of method GET, and ask with its ETag whether it still holds. Rule S-63. */
  kept: boolean;
  /**
   * It costs much, and many ask at the same moment: what one was answered others are given too, as long as no event came. Of an open
   * operation of method GET. Rule S-124.
   */
  shared: boolean;
  /** HTTP status of success. */
  status: 200 | 201;
  /** A list returns a JSON array; the next page's cursor travels in the Link header. */
  paged: boolean;
  /** Its body, or what it answers, is a stream of bytes and not JSON; undefined: neither is. */
  bytes: 'sent' | 'answered' | undefined;
  /** The MCP tool that calls it; undefined: there is none. */
  tool: ToolContract | undefined;
}

type Given = {
  name: string;
  tag: string;
  summary: string;
  description: string;
  auth?: Auth;
  binding?: boolean;
  limit?: LimitName;
  method: Method;
  path: string;
  refuses?: readonly ErrorCode[];
  example?: Readonly<Record<string, unknown>>;
  bodyLimit?: number;
  formats?: readonly Format[];
  kept?: boolean;
  shared?: boolean;
  status?: 200 | 201;
  paged?: boolean;
  bytes?: 'sent' | 'answered';
  tool?: ToolContract;
};

/**
 * Declares an operation; what is left out gets its plain default (open, not binding, 200, no refusals of its own, no params,
 * query or body, no tool; the allowance of reads for GET, else that of writes; {@link BODY_LIMIT_BYTES}; as example the tool's).
 */
export function operation<
  Answer extends z.ZodType,
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends Shape = undefined,
>(
  given: Given & { params?: Params; query?: Query; body?: Body; answer: Answer },
): Operation<Params, Query, Body, Answer> {
  return {
    auth: 'open',
    binding: false,
    limit: given.method === 'GET' ? 'reads' : 'writes',
    bodyLimit: BODY_LIMIT_BYTES,
    formats: [],
    kept: false,
    shared: false,
    refuses: [],
    status: 200,
    paged: false,
    bytes: undefined,
    tool: undefined,
    example: given.body && ofBody(given.body, given.tool),
    ...given,
    params: given.params as Params,
    query: given.query as Query,
    body: given.body as Body,
  };
}

/** Of the arguments in the tool's example those that travel in the body. */
function ofBody({ shape }: z.ZodObject, tool: ToolContract | undefined): Operation['example'] {
  const entries = Object.entries(tool?.example ?? {});
  return tool && Object.fromEntries(entries.filter(([name]) => Object.hasOwn(shape, name)));
}

type Decoded<S> = S extends z.ZodType ? z.output<S> : unknown;
type Wire<S> = S extends z.ZodType ? z.input<S> : unknown;

/** The implementation's input: path, query and body fields in one object, decoded. */
export type InputOf<O extends Operation> = Decoded<O['params']> & Decoded<O['query']> & Decoded<O['body']>;
/** A caller's input: the same fields in their wire form. */
export type CallOf<O extends Operation> = Wire<O['params']> & Wire<O['query']> & Wire<O['body']>;
/** The answer of the implementation and the SDK, decoded (bigint lamports, Date instants). */
export type AnswerOf<O extends Operation> = z.output<O['answer']>;
