import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type RpcTransport, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, SolanaError } from '@solana/kit';
import { parseJsonWithBigInts, stringifyJsonWithBigInts } from '@solana/rpc-spec-types';

const HEADERS = { accept: 'application/json', 'content-type': 'application/json; charset=utf-8' };

/**
 * Carries JSON-RPC over connections that are kept. `fetch`, over which Kit does it, takes several times as much of the one
 * thread that everything here shares.
 *
 * @param url of the node, http or https
 */
export function keptTransport(url: string): RpcTransport {
  const isSecure = new URL(url).protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const begin = isSecure ? httpsRequest : httpRequest;

  const send = (body: string, signal: AbortSignal | undefined) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { agent, method: 'POST', headers: HEADERS, ...(signal && { signal }) };
      const request = begin(url, options, resolve);
      request.on('error', (error) => {
        // The node closed the kept connection as the request was on its way: it has not read it.
        if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(send(body, signal));
        else reject(error);
      });
      request.end(body);
    });

  return async <T>({ payload, signal }: Parameters<RpcTransport>[0]) =>
    parseJsonWithBigInts(await bodyOf(await send(stringifyJsonWithBigInts(payload), signal))) as T;
}

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
