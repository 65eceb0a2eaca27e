import { z } from 'zod';
import { transactionBase64 } from '../schemas.js';
import { EXAMPLE_TRANSACTION } from './examples.js';
import { operation } from './operation.js';

export const relayTransaction = operation({
  name: 'relayTransaction',
  tag: 'turns',
  summary: 'Have the coordinator pay the fee of a transaction',
  description:
    'Completes, sends and answers a transaction whose fee payer is feePayerPubkey of GET /config and which all others have signed, so that a wallet ' +
    'without SOL can take part. It has to be one that this service built, with that key as its fee payer and as payer of the token accounts that it ' +
    'creates, at most with a compute budget in front: a move of a leg, a confirmation, or the cancellation, reclaim or closing of a listing of its ' +
    'own, which the ledger would take now. Stakes and budgets are not lent. What is refused costs nothing. Hand in what it answers as if ' +
    'the wallet had paid. Safe to repeat: the same transaction is paid for once.',
  method: 'POST',
  path: '/transactions/relay',
  refuses: [
    'wrong_transaction',
    'transaction_failed',
    'not_confirmed_on_chain',
    'not_your_turn',
    'invalid_status',
    'leg_out_of_order',
    'ledger_reverted',
    'sponsorship_cap',
    'sponsoring_paused',
  ],
  body: z.strictObject({
    transaction: transactionBase64.meta({ description: 'signed by all but its fee payer, base64' }),
  }),
  example: { transaction: EXAMPLE_TRANSACTION },
  answer: z.strictObject({
    signature: z.string().meta({ description: 'of the transaction, which the ledger has confirmed' }),
    transaction: transactionBase64.meta({ description: 'with the signature of its fee payer, base64' }),
  }),
});
