import { z } from 'zod';
import { timestamp, uuid } from '../schemas.js';
import { operation } from './operation.js';

/** An uncompressed point of the curve prime256v1, and 16 bytes, in base64url as browsers give them. */
const P256DH = /^B[A-Za-z0-9_-]{86}$/;
const AUTH = /^[A-Za-z0-9_-]{21}[AQgw]$/;
const MAX_ENDPOINT = 2_000;

export const subscribePush = operation({
  name: 'subscribePush',
  tag: 'webhooks',
  summary: 'Have notices sent to a browser',
  description:
    'By web push, when it is the turn of the key that signs, when it is chosen for a leg, and when a clock of its ends soon. What is sent is ' +
    'encrypted for the browser, and names no place, person or amount. The body is what PushSubscription.toJSON() gives, made with ' +
    'pushPublicKey of GET /config as its applicationServerKey. Safe to repeat: one endpoint is one subscription.',
  auth: 'signed',
  method: 'POST',
  path: '/push',
  refuses: ['too_many_webhooks'],
  body: z.strictObject({
    endpoint: z
      .url({ protocol: /^https$/, error: 'must be the https address that the browser was given by its push service' })
      .max(MAX_ENDPOINT)
      .meta({ examples: ['https://push.example/send/abc'] }),
    expirationTime: z
      .int()
      .nullable()
      .optional()
      .meta({ description: 'is not looked at: a push service says when one is gone' }),
    keys: z
      .strictObject({
        p256dh: z.string().regex(P256DH, 'must be a point of the curve prime256v1, 65 bytes in base64url'),
        auth: z.string().regex(AUTH, 'must be 16 bytes in base64url'),
      })
      .meta({ description: 'with which the browser decrypts' }),
  }),
  example: {
    endpoint: 'https://push.example/send/abc',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
  },
  status: 201,
  answer: z.strictObject({ id: uuid.meta({ description: 'for DELETE /push/{subscriptionId}' }), createdAt: timestamp }),
});

export const unsubscribePush = operation({
  name: 'unsubscribePush',
  tag: 'webhooks',
  summary: 'Send a browser no more notices',
  description: 'Of a subscription of the key that signs. Safe to repeat: one that is gone is gone.',
  auth: 'signed',
  method: 'DELETE',
  path: '/push/:subscriptionId',
  params: z.strictObject({ subscriptionId: uuid }),
  answer: z.strictObject({ id: uuid }),
});
