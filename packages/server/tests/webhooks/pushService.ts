import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  type ECDH,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { jwtVerify } from 'jose';
import { openCertificate } from '../../src/http/certificate.js';
import { until } from '../events/log.js';

/** The bytes before a point of prime256v1 in a public key. */
const SPKI = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** HKDF by its definition (RFC 5869), for outputs of one hash. */
function hkdf(salt: Buffer, key: Buffer, info: Buffer, length: number): Buffer {
  const extracted = createHmac('sha256', salt).update(key).digest();
  return createHmac('sha256', extracted)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length);
}

/** Decrypts a message as a browser does, by RFC 8291 and RFC 8188. */
export function decryptPush(body: Buffer, mine: ECDH, auth: Buffer): string {
  const [salt, length] = [body.subarray(0, 16), body[20] ?? 0];
  const theirs = body.subarray(21, 21 + length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), mine.getPublicKey(), theirs]);
  const secret = hkdf(auth, mine.computeSecret(theirs), info, 32);
  const key = hkdf(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12);
  const record = body.subarray(21 + length);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = text.lastIndexOf(2);
  if (end < 0 || text.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('the record does not end');
  return text.subarray(0, end).toString();
}

/** A browser's subscription, with what only the browser has. */
export interface Browser {
  readonly subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  readonly key: ECDH;
  readonly auth: Buffer;
}

/** The message as the browser reads it. */
export interface Shown {
  readonly path: string;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly tag: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  readonly subject: string | undefined;
}

/** A push service of a browser's maker: it takes what a known sender proves to have sent (RFC 8030, RFC 8292), over TLS. */
export class PushService {
  readonly shown: Shown[] = [];
  /** All requests, also what was refused. */
  asked = 0;
  /** Says another status than 201. */
  status: number | undefined;
  readonly ca: string;
  readonly #browsers = new Map<string, Browser>();
  readonly #server: Server;

  private constructor(pem: string) {
    this.ca = new X509Certificate(pem).toString();
    this.#server = createServer({ key: pem, cert: pem }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.asked += 1;
        void this.#take(request.url ?? '', request.headers, Buffer.concat(chunks)).then(
          (status) => response.writeHead(status).end(),
          (error: unknown) => response.writeHead(400).end(String(error)),
        );
      });
    });
  }

  static async start(folder: string): Promise<PushService> {
    const service = new PushService((await openCertificate(folder, new Date())).pem);
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get origin(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The sender that subscriptions are for: `pushPublicKey`. */
  sender = '';

  subscribe(): Browser {
    const [key, auth] = [createECDH('prime256v1'), randomBytes(16)];
    key.generateKeys();
    const path = `/send/${randomBytes(8).toString('hex')}`;
    const keys = { p256dh: key.getPublicKey('base64url'), auth: auth.toString('base64url') };
    const browser = { subscription: { endpoint: this.origin + path, keys }, key, auth };
    this.#browsers.set(path, browser);
    return browser;
  }

  async until(count: number): Promise<void> {
    await until(() => this.shown.length >= count);
  }

  titles({ subscription }: Browser): string[] {
    return this.shown.filter(({ path }) => subscription.endpoint.endsWith(path)).map(({ title }) => title);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(path: string, headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
    if (this.status !== undefined) return this.status;
    const browser = this.#browsers.get(path);
    if (browser === undefined) return 404;
    const [, token = '', sender = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? [];
    if (sender !== this.sender) return 403;
    const point = Buffer.from(sender, 'base64url');
    const key = createPublicKey({ key: Buffer.concat([SPKI, point]), format: 'der', type: 'spki' });
    const { payload } = await jwtVerify(token, key, { audience: this.origin, algorithms: ['ES256'] });
    if (Number(payload.exp) > Date.now() / 1000 + 24 * 3600) return 403;
    const told = JSON.parse(decryptPush(body, browser.key, browser.auth)) as Pick<
      Shown,
      'title' | 'body' | 'url' | 'tag'
    >;
    this.shown.push({ path, ...told, headers, bytes: body.length, subject: payload.sub });
    return 201;
  }
}
