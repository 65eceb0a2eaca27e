import type { IncomingHttpHeaders } from 'node:http';
import { RelayError } from '@legwork/protocol/contract';
import type { ByteRange } from '../artifacts/store.js';

const DIGEST = /(?:^|[\s,])sha-256=:([A-Za-z0-9+/]{43}=):(?:$|[\s,])/;

/** The sha256 of the body that comes, hex, as Content-Digest (RFC 9530) says. @throws RelayError `invalid_input` */
export function declaredDigest(header: string | readonly string[] | undefined): string {
  const [, base64] = DIGEST.exec(String(header ?? '')) ?? [];
  if (base64 !== undefined) return Buffer.from(base64, 'base64').toString('hex');
  throw RelayError.field('invalid_input', 'Content-Digest', 'must be sha-256=:<sha256 of the body in base64>:');
}

/** Content-Disposition (RFC 6266) that has the file saved under its name. Old clients see ASCII, `_` in place of the rest. */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The one range that a request asks for; undefined: all of it, also for several ranges, for what is no range, and where If-Range
 * names another file (RFC 9110). `none`: the file has no such bytes.
 */
export function bytesAsked(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  bytes: number,
  etag: string,
): ByteRange | 'none' | undefined {
  const [, from, to] = RANGE.exec(range ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  return first > last ? 'none' : { first, last };
}
