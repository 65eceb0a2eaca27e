/** No whole answer came. The message says why; addresses, headers and bodies are not in it, because they may hold secrets. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** True if certainly nobody worked for it. */
  readonly costNothing: boolean;

  constructor(message: string, { costNothing = false } = {}) {
    super(message);
    this.costNothing = costNothing;
  }
}

/** How to post. */
export interface Post {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Travels as JSON. */
  readonly body: unknown;
  /** Bound of the whole exchange, milliseconds. */
  readonly timeoutMs: number;
  /** Bound of the answer's body when unpacked; what is longer is cut off and counts as no answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** An answer of any status; a redirect is not followed. */
interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Posts JSON once, without a retry, and reads the answer as UTF-8 while it comes.
 *
 * @throws {NoAnswerError} when there is no whole answer in time and size
 * @throws the signal's reason when it is aborted before or meanwhile
 */
export async function postForText(post: Post): Promise<TextAnswer> {
  const { signal, timeoutMs } = post;
  signal.throwIfAborted();
  // Not AbortSignal.any: a long-lived signal would keep every one that was ever made from it.
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await exchange(post, controller.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (controller.signal.aborted) throw new NoAnswerError(`no whole answer within ${timeoutMs / 1000} s`);
    throw toNoAnswer(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    abort();
  }
}

async function exchange({ url, headers, body, maxBytes }: Post, signal: AbortSignal): Promise<TextAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    // A redirect could take key and texts elsewhere.
    redirect: 'manual',
    signal,
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new NoAnswerError(`the answer has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return { status: response.status, text: decode(Buffer.concat(parts)) };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NoAnswerError('the answer is not UTF-8');
  }
}

/** Before the connection stood. */
const UNHEARD: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Errors of fetch may quote the address with its name and password, so only their code is kept. */
function toNoAnswer(error: unknown): NoAnswerError {
  if (error instanceof NoAnswerError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'connection failed';
  return new NoAnswerError(`no answer (${code})`, { costNothing: UNHEARD.has(code) });
}
