import { z } from 'zod';
import { address, salt, timestamp, uuid, visibleText } from '../schemas.js';
import { operation } from './operation.js';

/** Bytes of UTF-8 that the private parts of a package have at most, as JSON. Rule S-140. */
export const MAX_PRIVATE_BYTES = 2048;

/** The private parts of a package, in the order of the journey. */
export const PRIVATE_PARTS = ['pickup', 'dropoff'] as const;
export type PrivatePartName = (typeof PRIVATE_PARTS)[number];

/** As whom a key may read a private part. */
export const PRIVATE_READERS = ['shipper', 'receiver', 'courier', 'arbiter'] as const;
export type PrivateReader = (typeof PRIVATE_READERS)[number];

/** Completed legs that a package with private parts requires of its couriers, unless its requirements say how many. Rule S-150. */
export const PRIVATE_MIN_COMPLETED = 3;

/** The readers of each part, and from when to when. Rule S-142. */
export const WHO_READS_PRIVATE =
  'both parts are for shipper and receiver, and for the arbiter while a leg is disputed; while the package is in transit pickup is for the ' +
  'courier of the first leg once it has accepted, and dropoff for that of the last once it carries the parcel, without terms once the legs ' +
  'before are confirmed';

const utf8 = new TextEncoder();

const privatePart = z.strictObject({
  salt: salt.meta({ description: 'random; of the hash that the terms hold' }),
  address: visibleText(500).meta({ description: 'the exact place' }),
  contact: visibleText(300).optional().meta({ description: 'who is there, and how to reach them' }),
  note: visibleText(1000).optional(),
});
export type PrivatePart = z.output<typeof privatePart>;

/** The parts of a package's ends that only the courier who goes there learns. */
export const privateParts = z
  .strictObject({ pickup: privatePart.optional(), dropoff: privatePart.optional() })
  .refine(({ pickup, dropoff }) => pickup !== undefined || dropoff !== undefined, {
    message: 'must have pickup or dropoff; leave it out otherwise',
    when: ({ issues }) => issues.length === 0,
  })
  .refine((value) => utf8.encode(JSON.stringify(value)).length <= MAX_PRIVATE_BYTES, {
    message: `must have at most ${MAX_PRIVATE_BYTES} bytes of UTF-8 as JSON`,
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    description:
      `exact addresses, kept encrypted: ${WHO_READS_PRIVATE}. Only couriers with ${PRIVATE_MIN_COMPLETED} completed legs get the package, ` +
      'unless requirements say minCompleted. The public place of each is rounded to 2 decimals',
  });
export type PrivateParts = z.output<typeof privateParts>;

const packageParams = z.strictObject({ packageId: uuid });

export const getPrivateParts = operation({
  name: 'getPrivateParts',
  tag: 'packages',
  summary: 'Read the private parts of a package',
  description:
    `Exact addresses and contacts, as far as they are for the key that signs: ${WHO_READS_PRIVATE}. A courier that read of ` +
    'three packages within 30 days and has not carried them reads no more. Every reading is noted for the shipper.',
  auth: 'signed',
  method: 'GET',
  path: '/packages/:packageId/private',
  refuses: ['not_your_turn', 'agent_waits', 'invalid_status', 'ledger_reverted'],
  params: packageParams,
  answer: z
    .strictObject({
      packageId: uuid,
      pickup: privatePart.nullable(),
      dropoff: privatePart.nullable(),
    })
    .meta({ description: 'null: there is none, or it is not for this key' }),
});

export const listPrivateReadings = operation({
  name: 'listPrivateReadings',
  tag: 'packages',
  summary: 'List who read the private parts of a package',
  description: 'For the shipper, who signs: one entry for each part and key that read it, the first to read first.',
  auth: 'signed',
  method: 'GET',
  path: '/packages/:packageId/private/readings',
  refuses: ['not_your_turn'],
  params: packageParams,
  answer: z.array(
    z.strictObject({
      part: z.enum(PRIVATE_PARTS),
      readerPubkey: address,
      readAs: z.enum(PRIVATE_READERS),
      times: z.int().min(1),
      firstAt: timestamp,
      lastAt: timestamp,
    }),
  ),
});

export const erasePackageData = operation({
  name: 'erasePackageData',
  tag: 'packages',
  summary: 'Erase the personal data of a package',
  description:
    'For the shipper, who signs, once the package has ended and its end is final: places, texts, private parts and evidence. Texts become ' +
    'the word "erased", places whole degrees; what was paid, by whom and why stays. Nobody can tell any more whether the hash on the ledger is of some place or text. Safe to repeat.',
  auth: 'signed',
  method: 'DELETE',
  path: '/packages/:packageId/personal-data',
  refuses: ['pubkey_mismatch', 'invalid_status', 'ledger_reverted'],
  params: packageParams,
  answer: z.strictObject({ packageId: uuid, erasedAt: timestamp }),
});

export const eraseTaskData = operation({
  name: 'eraseTaskData',
  tag: 'digital-tasks',
  summary: 'Erase the personal data of a digital task',
  description:
    'For the poster, who signs, once the task has ended and its end is final: title, description, instructions, results and evidence. ' +
    'They hold the word "erased" instead, or nothing. The hashes that the ledger holds stay. Safe to repeat.',
  auth: 'signed',
  method: 'DELETE',
  path: '/digital-tasks/:taskId/personal-data',
  refuses: ['pubkey_mismatch', 'invalid_status', 'ledger_reverted'],
  params: z.strictObject({ taskId: uuid }),
  answer: z.strictObject({ taskId: uuid, erasedAt: timestamp }),
});
