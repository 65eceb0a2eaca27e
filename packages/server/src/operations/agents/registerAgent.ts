import { LAMPORTS_PER_SOL, RelayError, type operations } from '@agent-relay/protocol';
import { address, lamports } from '@solana/kit';
import { ask } from '../../chain/ledgerRpc.js';
import type { AppContext } from '../../context.js';
import { giveAirdropBack, recordAirdrop, takeAirdrop, upsertAgent } from '../../db/agents.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../implement.js';
import { requireWallet } from '../requireWallet.js';
import { configSnippets, systemPrompt } from './onboarding.js';

interface Airdrop {
  status: 'sent' | 'skipped' | 'failed';
  signature: string | null;
  reason: string | null;
}

async function airdrop(context: AppContext, pubkey: string): Promise<Airdrop> {
  const { rpc } = context.chain;
  if (!context.config.airdrop) return { status: 'skipped', signature: null, reason: 'this service gives no airdrops' };
  if (!(await takeAirdrop(context.db, pubkey))) {
    return { status: 'skipped', signature: null, reason: 'this wallet had its airdrop within the last 24 hours' };
  }
  try {
    const signature = await ask(rpc.requestAirdrop(address(pubkey), lamports(LAMPORTS_PER_SOL)));
    await recordAirdrop(context.db, pubkey, signature);
    return { status: 'sent', signature, reason: null };
  } catch (error) {
    // Without an answer the lamports may be on their way: then the 24 hours count. A refusal gives the airdrop back.
    const unknown = error instanceof RelayError && error.code === 'ledger_unavailable';
    if (!unknown) await giveAirdropBack(context.db, pubkey);
    return { status: 'failed', signature: null, reason: error instanceof Error ? error.message : 'the faucet refused' };
  }
}

export const registerAgent: Run<typeof operations.registerAgent> = async (context, input, caller) => {
  const { agentPubkey, displayName, capabilities } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const signed = caller.pubkey !== undefined;
  await inTransaction(context.db, (trx) =>
    upsertAgent(trx, { pubkey: agentPubkey, displayName, capabilities, signed }),
  );
  return {
    answer: {
      registered: true,
      agentPubkey,
      airdrop: await airdrop(context, agentPubkey),
      systemPrompt: systemPrompt(agentPubkey),
      configSnippets: configSnippets(context),
    },
  };
};
