import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { SignJWT } from 'jose';
import { derived } from './signing.js';
import type { Message } from './targets.js';

/** With which a browser decrypts what is sent to it, in base64url. */
export interface PushKeys {
  p256dh: string;
  auth: string;
}

const CURVE = 'prime256v1';
/** The bytes before and behind the 32 bytes of a key of this curve in SEC 1. */
const [SEC1_HEAD, SEC1_TAIL] = [Buffer.from('30310201010420', 'hex'), Buffer.from('a00a06082a8648ce3d030107', 'hex')];
/** Every message has this many bytes before it is encrypted, so that how long it is tells nothing. */
const PADDED = 512;
/** Of the content encoding: more than a message has. */
const RECORD = 4096;
/** The delimiter that ends the text in the last record. */
const LAST = 0x02;

const hkdf = (key: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/** True if it is a point of the curve; nothing can be encrypted for anything else. */
export function isPoint(p256dh: string): boolean {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  try {
    return ecdh.computeSecret(p256dh, 'base64url').length > 0;
  } catch {
    return false;
  }
}

function freshKey(): ECDH {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  return ecdh;
}

/** How RFC 8291 encrypts for a browser. @param mine key and salt of this message alone */
export function encryptPush(
  { p256dh, auth }: PushKeys,
  text: Buffer,
  mine: { key: ECDH; salt: Buffer } = { key: freshKey(), salt: randomBytes(16) },
): Buffer {
  const [theirs, ours] = [Buffer.from(p256dh, 'base64url'), mine.key.getPublicKey()];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = hkdf(mine.key.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32);
  const key = hkdf(secret, mine.salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = hkdf(secret, mine.salt, 'Content-Encoding: nonce\0', 12);
  const size = Buffer.alloc(5);
  size.writeUInt32BE(RECORD);
  size.writeUInt8(ours.length, 4);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  return Buffer.concat([mine.salt, size, ours, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** A text with what ends it, and zeros after that. */
function padded(text: string): Buffer {
  const bytes = Buffer.from(text);
  const end = Buffer.alloc(Math.max(1, PADDED - bytes.length));
  end[0] = LAST;
  return Buffer.concat([bytes, end]);
}

/** With which the service shows push services who it is. */
interface Vapid {
  readonly privateKey: KeyObject;
  /** As browsers take it: base64url. */
  readonly publicKey: string;
}

const known = new WeakMap<KeyObject, Vapid>();

function vapidOf(key: KeyObject): Vapid {
  const before = known.get(key);
  if (before !== undefined) return before;
  const secret = derived(key, '', 'legwork push');
  // Below the order of the curve, whatever was derived.
  secret[0] = (secret[0] ?? 0) & 0x7f;
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(secret);
  const privateKey = createPrivateKey({
    key: Buffer.concat([SEC1_HEAD, secret, SEC1_TAIL]),
    format: 'der',
    type: 'sec1',
  });
  const made = { privateKey, publicKey: ecdh.getPublicKey('base64url') };
  known.set(key, made);
  return made;
}

/** The key that browsers subscribe with: it follows from the coordinator's key, so all replicas have the same one. */
export const pushPublicKey = (key: KeyObject): string => vapidOf(key).publicKey;

/** The contact that a push service can tell of trouble. It has to be an address; one of nobody where the operator gave none. */
function contact(securityContact: string | undefined, publicUrl: string): string {
  if (securityContact !== undefined && /^(?:mailto|https):/.test(securityContact)) return securityContact;
  return publicUrl.startsWith('https:') ? publicUrl : 'mailto:nobody@legwork.invalid';
}

export interface Notice {
  /** The message that a page shows: JSON with `title`, `body`, `url` and `tag`. */
  readonly text: string;
  /** The push service keeps the newest of each for a browser that is away: up to 32 characters of base64url. */
  readonly topic: string;
  readonly isUrgent: boolean;
}

/** A browser that is away for longer is told nothing any more, seconds. */
const TTL_SEC = 24 * 3600;
const TOKEN_SEC = 12 * 3600;

/** The notice as RFC 8030 has it sent, encrypted and with the proof of who sends it. Rule S-235. */
export async function pushMessage(
  key: KeyObject,
  { endpoint, keys, now }: { endpoint: string; keys: PushKeys; now: Date },
  { text, topic, isUrgent }: Notice,
  from: { securityContact: string | undefined; publicUrl: string },
): Promise<Message> {
  const { privateKey, publicKey } = vapidOf(key);
  const token = await new SignJWT({})
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(Math.floor(now.getTime() / 1000) + TOKEN_SEC)
    .setSubject(contact(from.securityContact, from.publicUrl))
    .sign(privateKey);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    'user-agent': 'legwork',
    ttl: String(TTL_SEC),
    topic,
    urgency: isUrgent ? 'high' : 'normal',
    authorization: `vapid t=${token}, k=${publicKey}`,
  };
  return { headers, body: encryptPush(keys, padded(text)) };
}
