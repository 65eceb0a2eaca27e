import { z } from 'zod';
import { address, uuid } from '../schemas.js';
import { operation } from './operation.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** See `legwork.receipt/1`: its hash is that of these members but `landed`, in canonical JSON. */
const receipt = z.strictObject({
  v: z.literal('legwork.receipt/1'),
  program: address,
  listing: address.meta({ description: 'the account of the package or digital task' }),
  document: hash.meta({ description: 'the termsHash of the listing' }),
  legIndex: z.int().min(0),
  formation: z.int().min(0),
  said: z.enum(['picked up', 'taken over', 'received', 'accepted']),
  from: address,
  to: address.meta({ description: 'who has it from now on' }),
  condition: z
    .enum(['as described', 'noted', 'not said'])
    .meta({ description: 'not said: it was handed over by a transaction, without a text' }),
  hash: hash.nullable().meta({ description: 'sha256 of what is noted, or of the accepted result' }),
  at: z.string().meta({ description: 'when the text was signed, else the time of the block; UTC, whole seconds' }),
  signed: z
    .strictObject({ signer: address, signature: z.string(), text: z.string() })
    .nullable()
    .meta({ description: 'the text and the base58 signature of its bytes; null: by a transaction' }),
  previous: hash.nullable().meta({ description: 'sha256 of the receipt before' }),
  landed: z.strictObject({ transaction: z.string(), slot: z.string() }).nullable(),
});

const CHAIN =
  'Who gave it to whom, in which condition, one receipt each, chained by their hashes and signed by who took it. Made from the ledger ' +
  'alone: verifyReceipts of the SDK checks them without this service. What silence or a ruling ended was handed to nobody.';

export const getPackageReceipts = operation({
  name: 'getPackageReceipts',
  tag: 'packages',
  summary: 'Read the receipts of a package',
  description: CHAIN,
  method: 'GET',
  path: '/packages/:packageId/receipts',
  refuses: ['ledger_unavailable'],
  params: z.strictObject({ packageId: uuid }),
  answer: z.strictObject({ packageId: uuid, receipts: z.array(receipt) }),
});

export const getTaskReceipts = operation({
  name: 'getTaskReceipts',
  tag: 'digital-tasks',
  summary: 'Read the receipts of a digital task',
  description: CHAIN,
  method: 'GET',
  path: '/digital-tasks/:taskId/receipts',
  refuses: ['ledger_unavailable'],
  params: z.strictObject({ taskId: uuid }),
  answer: z.strictObject({ taskId: uuid, receipts: z.array(receipt) }),
});

export const getPackageCustody = operation({
  name: 'getPackageCustody',
  tag: 'packages',
  summary: 'Get the receipts of a package as one credential',
  description:
    'The receipts as a verifiable credential of the coordinator, as of now: a compact JWT as text, or {jwt} with Accept: ' +
    'application/json. It says what it was shown, and each receipt in it proves itself.',
  method: 'GET',
  path: '/packages/:packageId/custody',
  refuses: ['ledger_unavailable'],
  params: z.strictObject({ packageId: uuid }),
  answer: z.strictObject({ jwt: z.string() }),
  formats: [{ type: 'text/plain', write: ({ jwt }: { jwt: string }) => jwt }],
});
