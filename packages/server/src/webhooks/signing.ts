import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { tracedHeader } from '../tracing/spans.js';
import type { WebhookFilter } from '@legwork/protocol/contract';
import type { PushKeys } from './push.js';
import type { Message } from './targets.js';

/** The secrets of a webhook. */
export interface Private {
  /** Of a subscription to notices: its endpoint. */
  url: string;
  filter: WebhookFilter;
  /** `whsec_…`. */
  secret: string;
  /** The one before it, until an instant: ISO 8601. */
  former?: { secret: string; until: string };
  /** Of a subscription to notices alone, which has no secret. */
  push?: PushKeys;
  /** Of a follower over A2A alone, which has no secret: the id of its config, and the headers that it asked for. */
  a2a?: { configId: string; headers: Readonly<Record<string, string>>; scheme?: string };
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;
/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key for one purpose, from the one that follows from the coordinator's. */
export const derived = (key: KeyObject, salt: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key, salt, purpose, 32));

/** A secret for somebody who gave none. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Encrypts for one webhook. @param key that the coordinator's is behind: with another coordinator nothing opens */
export function seal(key: KeyObject, webhookId: string, kept: Private): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derived(key, '', 'legwork webhooks'), iv).setAAD(Buffer.from(webhookId));
  const text = Buffer.concat([cipher.update(JSON.stringify(kept)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/** The secrets that {@link seal} encrypted; undefined: under another key, or by somebody else. */
export function open(key: KeyObject, webhookId: string, sealed: Buffer): Private | undefined {
  const [iv, tag] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv('aes-256-gcm', derived(key, '', 'legwork webhooks'), iv)
      .setAAD(Buffer.from(webhookId))
      .setAuthTag(tag);
    const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString()) as Private;
  } catch {
    return undefined;
  }
}

/** A key of its own for each webhook, so that what one receiver got proves nothing to another. The coordinator's signs money. */
function signingKey(key: KeyObject, webhookId: string): KeyObject {
  const seed = derived(key, webhookId, 'legwork webhooks ed25519');
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
}

/** With which a receiver verifies `v1a`, as Standard Webhooks writes it. */
export function publicKeyOf(key: KeyObject, webhookId: string): string {
  const { x = '' } = createPublicKey(signingKey(key, webhookId)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** A message to post: its id, which every repetition has too, and its body. */
export interface Delivery {
  id: string;
  body: string;
}

/** The signed message of a delivery, as of now; without a secret it has `v1a` alone. Rule S-185. */
export function signedMessage(
  key: KeyObject,
  webhookId: string,
  { secret, former }: Pick<Private, 'secret' | 'former'>,
  { id, body }: Delivery,
  now: Date,
): Message {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const text = Buffer.from(`${id}.${timestamp}.${body}`);
  const formers = former !== undefined && new Date(former.until) > now ? [former.secret] : [];
  const secrets = secret === '' ? [] : [secret, ...formers];
  const signatures = [
    ...secrets.map(
      (one) =>
        `v1,${createHmac('sha256', Buffer.from(one.slice(6), 'base64'))
          .update(text)
          .digest('base64')}`,
    ),
    `v1a,${sign(null, text, signingKey(key, webhookId)).toString('base64')}`,
  ];
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'legwork',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    ...tracedHeader(),
  };
  return { headers, body };
}
