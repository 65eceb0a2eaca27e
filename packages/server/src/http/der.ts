import { type KeyObject, createPublicKey, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/*
 * The little of ASN.1 that a self-signed certificate needs, as X.690 and RFC 5280 have it: Node reads certificates, and makes none.
 */

const [BOOLEAN, INTEGER, BITS, OCTETS, OID, UTF8, UTC_TIME] = [0x01, 0x02, 0x03, 0x04, 0x06, 0x0c, 0x17];
const [SEQUENCE, SET] = [0x30, 0x31];
/** Tags whose meaning is their place: the version and the extensions of a certificate, and kinds of names. */
const [VERSION, EXTENSIONS, DNS_NAME, IP_ADDRESS] = [0xa0, 0xa3, 0x82, 0x87];

/** One value: its tag, how long it is, and what is in it. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const bytes = (...values: readonly number[]) => Buffer.from(values);
const oid = (hex: string) => der(OID, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = der(SEQUENCE, oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');

const extension = (id: string, value: Buffer, ...critical: readonly Buffer[]) =>
  der(SEQUENCE, oid(id), ...critical, der(OCTETS, value));
const CRITICAL = der(BOOLEAN, bytes(0xff));
/** Of a server, which signs its handshakes and no certificates. */
const OF_A_SERVER = [
  extension('551d13', der(SEQUENCE), CRITICAL),
  extension('551d0f', der(BITS, bytes(7, 0x80)), CRITICAL),
  extension('551d25', der(SEQUENCE, oid('2b06010505070301'))),
];

/** With two digits of the year, which are those of 1950 to 2049. */
const utcTime = (at: Date) => der(UTC_TIME, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

/** A host: by its name, by its IPv4 address, or as `::1`, the one IPv6 address that is asked for. */
function alternative(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return der(DNS_NAME, Buffer.from(host));
  return der(IP_ADDRESS, family === 4 ? bytes(...host.split('.').map(Number)) : bytes(...Array(15).fill(0), 1));
}

/** The contents of a certificate. */
export interface CertificateFacts {
  readonly commonName: string;
  /** Names and addresses of the server: plain ASCII. */
  readonly hosts: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

/** A certificate of a server that vouches for itself, in DER. @param key its private key, of the curve prime256v1 */
export function selfSigned(key: KeyObject, { commonName, hosts, from, until }: CertificateFacts): Buffer {
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from(commonName)))));
  const serial = randomBytes(16);
  // Positive, and not shorter than it looks.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, bytes(2))),
    der(INTEGER, serial),
    ECDSA_SHA256,
    name,
    der(SEQUENCE, utcTime(from), utcTime(until)),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, extension('551d11', der(SEQUENCE, ...hosts.map(alternative))), ...OF_A_SERVER)),
  );
  return der(SEQUENCE, signed, ECDSA_SHA256, der(BITS, bytes(0), sign('sha256', signed, key)));
}
