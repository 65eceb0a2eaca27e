import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { type RpcTransport, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, SolanaError } from '@solana/kit';
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types';
import { noteFailed, step, tracedHeader } from '../tracing/spans.js';

const HEADERS = { accept: 'application/json', 'content-type': 'application/json; charset=utf-8' };

/**
 * Carries JSON-RPC over connections that are kept. `fetch`, over which Kit does it, takes several times as much of the one
 * thread that everything here shares.
 *
 * @param url of the node, http or https
 */
export function keptTransport(url: string): RpcTransport {
  const node = new URL(url);
  const isSecure = node.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const begin = isSecure ? httpsRequest : httpRequest;
  const options = { ...urlToHttpOptions(node), agent, method: 'POST' };

  const send = (body: string, signal: AbortSignal | undefined) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      signal?.throwIfAborted();
      const request = begin({ ...options, headers: { ...HEADERS, ...tracedHeader() } }, resolve);
      request.on('error', (error) => {
        // The node closed the kept connection as the request was on its way: it has not read it.
        if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(send(body, signal));
        else reject(error);
      });
      // Left to the request, it would cost as much as all the rest of it.
      const abort = () => request.destroy(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
      request.on('close', () => signal?.removeEventListener('abort', abort));
      request.end(body);
    });

  return <T>({ payload, signal }: Parameters<RpcTransport>[0]) => {
    const method = methodOf(payload);
    const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': method } as const;
    return step({ name: `rpc ${method}`, kind: 'client', attributes }, async () => {
      const answer = parseJson(await bodyOf(await send(stringifyJsonWithBigInts(payload), signal)));
      if (typeof answer === 'object' && answer !== null && 'error' in answer) noteFailed('refused', true);
      return answer as T;
    });
  };
}

/** Kit's own word, which the text of a client never reaches. */
const methodOf = (payload: unknown): string =>
  typeof payload === 'object' && payload !== null && 'method' in payload ? String(payload.method) : 'unknown';

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** No node has longer ones, and it takes long to read them. */
const INTEGER = /^-?\d{1,40}$/;

/** JSON whose integers become bigints, as Kit wants it. Kit's own way goes through it letter by letter, and transactions are long. */
function parseJson(json: string): unknown {
  const marked = json.replace(STRING_OR_NUMBER, (token) => (INTEGER.test(token) ? `{"$n":"${token}"}` : token));
  return JSON.parse(marked, (_, value: unknown) => (isMarked(value) ? BigInt(value.$n) : value));
}

/** Also of a node that marks by itself, nothing is taken that is no integer. */
const isMarked = (value: unknown): value is { $n: string } =>
  typeof value === 'object' &&
  value !== null &&
  '$n' in value &&
  typeof value.$n === 'string' &&
  INTEGER.test(value.$n);

/** @throws SolanaError when the node's HTTP server refused the request */
async function bodyOf(answer: IncomingMessage): Promise<string> {
  const { statusCode = 0, statusMessage: message = '' } = answer;
  const body = await new Promise<string>((resolve, reject) => {
    let read = '';
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => (read += chunk));
    answer.on('end', () => resolve(read));
    answer.on('error', reject);
  });
  if (statusCode >= 200 && statusCode < 300) return body;
  const headers = new Headers();
  throw new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, { headers, message, statusCode });
}
