import { request } from 'node:http';
import { connect } from 'node:net';

export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** Sends what fetch would tidy up or refuse: any method, any Host, the path as it is. */
export function rawRequest(
  port: number,
  { method = 'GET', path, headers = {}, body }: RawRequest,
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Posts a body with its length; as JSON unless told otherwise. */
export function post(
  port: number,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = JSON_TYPE,
) {
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return rawRequest(port, { method: 'POST', path, headers: { ...headers, ...length }, body });
}

/** Sends bytes and gives back all that the server answers until it closes. */
export function rawBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}
