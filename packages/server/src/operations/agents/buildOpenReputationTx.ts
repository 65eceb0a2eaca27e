import { type operations, RelayError } from '@legwork/protocol/contract';
import { openReputationInstruction, readReputations } from '../../ledger/reputation.js';
import { forWallet } from '../exits.js';
import { requirePlainAccount, requireWallet } from '../guards.js';
import type { Run } from '../run.js';

export const buildOpenReputationTx: Run<typeof operations.buildOpenReputationTx> = async (context, input) => {
  const { agentPubkey, payerPubkey = agentPubkey } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  requireWallet(context, 'payerPubkey', payerPubkey);
  await requirePlainAccount(context, agentPubkey);
  const { ledger } = context;
  const [reputation] = await readReputations(ledger, [agentPubkey]);
  if (reputation) {
    throw RelayError.field(
      'invalid_status',
      'agentPubkey',
      `has a reputation already (${reputation.on_chain_pda}); nothing is left to be paid for it`,
    );
  }
  const instruction = await openReputationInstruction(ledger, agentPubkey);
  return { answer: { agentPubkey, ...(await forWallet(ledger, payerPubkey, instruction)) } };
};
