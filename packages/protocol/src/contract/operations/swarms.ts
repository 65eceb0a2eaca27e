import { z } from 'zod';
import { swarm } from '../resources/swarm.js';
import { LEG_STATUSES, SWARM_STATUSES } from '../statuses.js';
import { address, finality, proof, transactionBase64, uuid, walletPubkey } from '../schemas.js';
import { EXAMPLE_KEY, EXAMPLE_SIGNATURE } from './examples.js';
import { operation } from './operation.js';

const legParams = z.strictObject({ legId: uuid });

export const buildConfirmTx = operation({
  name: 'buildConfirmTx',
  tag: 'swarms',
  summary: 'Build the transaction that confirms a leg',
  description:
    'Answers the unsigned confirm_leg transaction and who has to sign it: the courier of the next leg, who takes the package ' +
    'over, or for the last leg the shipper. Sign it, then call confirmLeg with the signed transaction, or send it yourself and ' +
    'call confirmLeg with its signature.',
  method: 'POST',
  path: '/swarms/legs/:legId/build-confirm-tx',
  refuses: ['invalid_status', 'leg_out_of_order', 'ledger_reverted'],
  params: legParams,
  answer: z.strictObject({
    legId: uuid,
    legIndex: z.int(),
    isFinal: z.boolean(),
    recipientPubkey: address,
    transaction: transactionBase64.meta({ description: 'unsigned, base64; the recipient pays the fee' }),
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
  }),
});

export const confirmLeg = operation({
  name: 'confirmLeg',
  tag: 'swarms',
  summary: 'Confirm a leg',
  description:
    'Takes the signed confirm_leg transaction (and sends it) or the signature of one that was sent and is confirmed. The leg ' +
    'becomes completed; after the last one the coordinator settles and the surplus returns to the funder of the package; the ' +
    'answer waits for that, 5 seconds at most. Safe to repeat with the same signature or transaction.',
  auth: 'signed',
  method: 'POST',
  path: '/swarms/legs/:legId/confirm',
  refuses: [
    'wrong_recipient',
    'invalid_status',
    'leg_out_of_order',
    'wrong_transaction',
    'transaction_failed',
    'not_confirmed_on_chain',
    'ledger_reverted',
  ],
  params: legParams,
  body: proof,
  example: { signature: EXAMPLE_SIGNATURE },
  answer: z.strictObject({
    legId: uuid,
    status: z.enum(LEG_STATUSES),
    finality,
    swarmStatus: z.enum(SWARM_STATUSES),
    settleSignature: z.string().nullable(),
  }),
});

export const getSwarm = operation({
  name: 'getSwarm',
  tag: 'swarms',
  summary: 'Read a swarm with its legs',
  description: 'Also of one that failed or was settled; the package shows only its newest.',
  method: 'GET',
  path: '/swarms/:swarmId',
  params: z.strictObject({ swarmId: uuid }),
  answer: swarm,
});

export const mirrorLeg = operation({
  name: 'mirrorLeg',
  tag: 'swarms',
  summary: 'Have the service read a confirmation from the ledger',
  description:
    'Looks on the ledger for the confirmation of the leg and records what it shows; 409 not_confirmed_on_chain when it shows ' +
    'none. It signs nothing: the recipient confirms with their own wallet (buildConfirmTx).',
  auth: 'signable',
  method: 'POST',
  path: '/swarms/legs/:legId/mirror',
  refuses: ['wrong_recipient', 'not_confirmed_on_chain', 'ledger_reverted'],
  params: legParams,
  body: z.strictObject({
    agentPubkey: walletPubkey.meta({ description: 'the courier of the leg, or the one who confirms it' }),
  }),
  answer: z.strictObject({
    legId: uuid,
    status: z.enum(LEG_STATUSES),
    finality,
    swarmStatus: z.enum(SWARM_STATUSES),
    confirmSignature: z.string().nullable(),
    settleSignature: z.string().nullable(),
    recipientPubkey: address.meta({ description: 'who confirms this leg on-chain' }),
  }),
  tool: {
    name: 'svc_confirm_leg',
    title: 'Record a confirmed leg',
    description:
      'Records in the database that a leg is confirmed, if the ledger shows it. It does not confirm by itself: the on-chain ' +
      'confirm_leg needs the signature of the wallet that receives the parcel (the next courier, or the shipper for the ' +
      'last leg). Error not_confirmed_on_chain: nobody has confirmed yet; POST /swarms/legs/{legId}/build-confirm-tx builds ' +
      'the transaction to sign. Next: svc_get_package.',
    readOnly: false,
    idempotent: true,
    example: {
      legId: '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b12',
      agentPubkey: EXAMPLE_KEY,
    },
  },
});
