import { z } from 'zod';
import { checkEventFilter, eventFilterFields } from '../events.js';
import { MAX_RADIUS_KM, timestamp, uuid } from '../schemas.js';
import { operation } from './operation.js';

const MAX_URL = 2_000;

const url = z
  .url({ protocol: /^https?$/, error: 'must be the address of the receiver, such as https://agent.example/events' })
  .max(MAX_URL)
  .meta({ examples: ['https://agent.example/events'] });

/** 24 to 64 bytes in base64, as Standard Webhooks has it. */
const SECRET =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?:[A-Za-z0-9+/]{4}){21}(?:[A-Za-z0-9+/]{2}==)?)$/;

const secret = z
  .string()
  .regex(SECRET, 'must be whsec_ and 24 to 64 random bytes in base64; leave it out to have one made')
  .meta({
    description: 'key of the HMAC: whsec_ and 24 to 64 bytes in base64',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });

/** In a body numbers are numbers. */
const since = z.int('must be the seq of an event, an integer from 0 (0 replays everything)').min(0).meta({
  description: 'seq of the last event seen; 0: of none',
});
const filter = z
  .strictObject({ ...eventFilterFields, radiusKm: z.number().positive().max(MAX_RADIUS_KM).optional() })
  .superRefine(checkEventFilter);

/** The answer shows the filter as it was given. */
const filterView = z
  .strictObject({ ...eventFilterFields, radiusKm: z.number().optional() })
  .meta({ description: 'what it is told of' });
export type WebhookFilter = z.output<typeof filterView>;

const webhook = {
  id: uuid,
  url: z.string(),
  filter: filterView,
  status: z.enum(['active', 'failing', 'disabled']).meta({
    description:
      'failing: tried again at nextTryAt; disabled: nothing is sent until POST /webhooks/{webhookId}/redeliver',
  }),
  ackedSeq: z.int().min(0).meta({ description: 'every event up to this seq was taken, or is not one it wants' }),
  attempts: z.int().min(0).meta({ description: 'tries of the next event that came to nothing' }),
  failingSince: timestamp.nullable(),
  nextTryAt: timestamp.nullable().meta({ description: 'null unless it is failing' }),
  lastError: z.string().nullable().meta({ description: 'why the last try came to nothing; null: it did not' }),
  deliveredAt: timestamp.nullable().meta({ description: 'when its receiver last took an event' }),
  disabledAt: timestamp.nullable(),
  publicKey: z
    .string()
    .meta({ description: 'whpk_ and an Ed25519 key in base64: verifies v1a signatures of this webhook' }),
  createdAt: timestamp,
};
const webhookView = z.strictObject(webhook);
export type WebhookView = z.output<typeof webhookView>;

const params = z.strictObject({ webhookId: uuid });
const CHALLENGE =
  'The receiver is sent a WEBHOOK_CHALLENGE first and has to answer it with {"answer": "<the challenge>"}: nobody is sent what they ' +
  'did not ask for.';

export const registerWebhook = operation({
  name: 'registerWebhook',
  tag: 'webhooks',
  summary: 'Have events posted to an address',
  description:
    'One event a request, in the order of seq, at least once, signed as Standard Webhooks 1.0 has it. The address is https, its own and ' +
    `final (redirects are not followed), and public. ${CHALLENGE} The secret is shown this once.`,
  auth: 'signed',
  method: 'POST',
  path: '/webhooks',
  refuses: ['webhook_refused', 'too_many_webhooks'],
  body: z.strictObject({
    url,
    filter: filter.optional(),
    secret: secret.optional(),
    since: since.optional().meta({ description: 'begin behind this seq; left out: with what happens next' }),
  }),
  example: { url: 'https://agent.example/events', filter: { topics: 'PACKAGE_LISTED', near: '52.52,13.405' } },
  status: 201,
  answer: z.strictObject({ ...webhook, secret: z.string() }),
});

export const listWebhooks = operation({
  name: 'listWebhooks',
  tag: 'webhooks',
  summary: 'List the webhooks of a key',
  description:
    'Those of the key that signs, oldest first, with how they fare: what fails and why, and what was disabled.',
  auth: 'signed',
  method: 'GET',
  path: '/webhooks',
  answer: z.array(webhookView),
});

export const testWebhook = operation({
  name: 'testWebhook',
  tag: 'webhooks',
  summary: 'Send a webhook something at once',
  description: 'A WEBHOOK_TEST, signed like an event. It is tried once and changes nothing.',
  auth: 'signed',
  method: 'POST',
  path: '/webhooks/:webhookId/test',
  refuses: ['invalid_status'],
  params,
  answer: z.strictObject({
    delivered: z.boolean(),
    status: z.int().nullable().meta({ description: 'HTTP status of the answer; null: there was none' }),
    error: z.string().nullable(),
  }),
});

export const rotateWebhookSecret = operation({
  name: 'rotateWebhookSecret',
  tag: 'webhooks',
  summary: 'Give a webhook another secret',
  description:
    'For a day, deliveries are signed with both, so that a receiver can change over at any moment. The secret is shown this once.',
  auth: 'signed',
  method: 'POST',
  path: '/webhooks/:webhookId/rotate',
  refuses: ['invalid_status'],
  params,
  body: z.strictObject({ secret: secret.optional() }),
  example: {},
  answer: z.strictObject({ id: uuid, secret: z.string(), formerUntil: timestamp }),
});

export const redeliverWebhook = operation({
  name: 'redeliverWebhook',
  tag: 'webhooks',
  summary: 'Deliver again from an event on',
  description: `What it wants of the events behind since is sent, again or at last; one that was disabled is active again. ${CHALLENGE}`,
  auth: 'signed',
  method: 'POST',
  path: '/webhooks/:webhookId/redeliver',
  refuses: ['webhook_refused', 'invalid_status'],
  params,
  body: z.strictObject({ since }),
  example: { since: 0 },
  answer: webhookView,
});

export const deleteWebhook = operation({
  name: 'deleteWebhook',
  tag: 'webhooks',
  summary: 'End a webhook',
  description: 'Nothing is sent to it any more, but for what is under way.',
  auth: 'signed',
  method: 'DELETE',
  path: '/webhooks/:webhookId',
  params,
  answer: z.strictObject({ id: uuid }),
});
