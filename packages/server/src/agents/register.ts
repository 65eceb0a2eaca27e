import { SOL_ASSET } from '@legwork/program-client';
import { ask } from '@legwork/program-client/history';
import { LAMPORTS_PER_SOL, operations, LegworkError } from '@legwork/protocol/contract';
import { address, lamports } from '@solana/kit';
import { clientKey, RateLimitedError } from '../api/limits.js';
import { callToKeep, signedCallOf } from '../identity/signedCalls.js';
import type { AppContext } from '../context.js';
import { giveTestTokens } from './testTokens.js';
import { giveAirdropBack, recordAirdrop, takeAirdrop, upsertAgent, updateProfile } from './agentRows.js';
import { inTransaction } from '../db/transaction.js';
import { requireWallet, requirePlainAccount } from '../operations/guards.js';
import type { Caller, In, Out } from '../operations/run.js';
import { requiresSignature } from '../identity/signingKeys.js';
import { viewAgent } from './read.js';
import { openReputationInstruction, readReputations } from '../ledger/reputation.js';
import { forWallet } from '../listings/exits.js';
import { agentPrompt, CARRYING, WORKING } from './trades.js';

interface Airdrop {
  status: 'sent' | 'skipped' | 'failed';
  signature: string | null;
  reason: string | null;
}

/** The name of this service in the settings of host applications. */
const HOST_ENTRY = 'legwork';

export async function registerAgent(
  context: AppContext,
  input: In<'registerAgent'>,
  caller: Caller,
): Out<'registerAgent'> {
  const { agentPubkey, displayName, capabilities } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const call = callToKeep(caller, operations.registerAgent, input);
  await inTransaction(context.db, (trx) => upsertAgent(trx, { pubkey: agentPubkey, displayName, capabilities }, call));
  return {
    answer: {
      registered: true,
      agentPubkey,
      ...(await gifts(context, agentPubkey, clientKey(caller.ip))),
      // It may carry, work, or both.
      systemPrompt: agentPrompt(agentPubkey, [CARRYING, WORKING]),
      configSnippets: configSnippets(context),
    },
  };
}

/** The airdrop, and with it tokens for trials where the service may make them. Rule M-95. */
async function gifts(context: AppContext, pubkey: string, client: string) {
  const given = await airdrop(context, pubkey, client);
  return { airdrop: given, tokens: given.status === 'sent' ? await giveTestTokens(context, pubkey) : [] };
}

const skipped = (reason: string): Airdrop => ({ status: 'skipped', signature: null, reason });

/** Takes the wallet's airdrop, then one of its address. @returns why it gets none; undefined: both were taken */
async function takeOne({ clock, db, limits }: AppContext, pubkey: string, client: string): Promise<string | undefined> {
  if (!(await takeAirdrop(db, pubkey))) return 'this wallet had its airdrop within the last 24 hours';
  try {
    await limits.take('airdrops', client);
    return undefined;
  } catch (error) {
    await giveAirdropBack(db, pubkey);
    if (!(error instanceof RateLimitedError)) throw error;
    // The refusal was counted too.
    await limits.giveBack('airdrops', client);
    const { limit, resetMs } = error.allowance;
    const again = new Date(clock().getTime() + resetMs).toISOString();
    return `${limit} airdrops a day are given to one address; try again after ${again}`;
  }
}

/** Asks the faucet for 1 SOL, once in 24 hours for a wallet and within the allowance of the address. Rule S-73. */
async function airdrop(context: AppContext, pubkey: string, client: string): Promise<Airdrop> {
  const { rpc } = context.ledger;
  if (!context.config.airdrop) return skipped('this service gives no airdrops');
  const missing = await takeOne(context, pubkey, client);
  if (missing !== undefined) return skipped(missing);
  try {
    const signature = await ask(rpc.requestAirdrop(address(pubkey), lamports(LAMPORTS_PER_SOL)));
    await recordAirdrop(context.db, pubkey, signature);
    return { status: 'sent', signature, reason: null };
  } catch (error) {
    // Without an answer the lamports may be on their way, so the airdrop counts. A refusal gives it back.
    const unknown = error instanceof LegworkError && error.code === 'ledger_unavailable';
    if (!unknown) await Promise.all([giveAirdropBack(context.db, pubkey), context.limits.giveBack('airdrops', client)]);
    return { status: 'failed', signature: null, reason: error instanceof Error ? error.message : 'the faucet refused' };
  }
}

/** How two host applications connect to the tools: a command, and a file (.cursor/mcp.json). */
function configSnippets({ mcpUrl }: Pick<AppContext, 'mcpUrl'>): { claudeCode: string; cursor: string } {
  return {
    claudeCode: `claude mcp add --transport http ${HOST_ENTRY} ${mcpUrl}`,
    cursor: JSON.stringify({ mcpServers: { [HOST_ENTRY]: { url: mcpUrl } } }, undefined, 2),
  };
}

export async function updateAgent(context: AppContext, input: In<'updateAgent'>, caller: Caller): Out<'updateAgent'> {
  const { agentPubkey, displayName, capabilities, requireSignedCalls } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const changes = { pubkey: agentPubkey, displayName, capabilities, requireSignedCalls };
  const { config, db } = context;
  const call = signedCallOf(caller, operations.updateAgent, input);
  const registered = await inTransaction(db, (trx) => updateProfile(trx, changes, call));
  return { answer: viewAgent(agentPubkey, registered, await requiresSignature(db, config.unsignedCalls, agentPubkey)) };
}

export async function buildOpenReputationTx(
  context: AppContext,
  input: In<'buildOpenReputationTx'>,
): Out<'buildOpenReputationTx'> {
  const { agentPubkey, payerPubkey = agentPubkey } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  requireWallet(context, 'payerPubkey', payerPubkey);
  await requirePlainAccount(context, agentPubkey);
  const { ledger } = context;
  const [reputation] = await readReputations(ledger, [agentPubkey]);
  if (reputation) {
    throw LegworkError.field(
      'invalid_status',
      'agentPubkey',
      `has a reputation already (${reputation.on_chain_pda}); nothing is left to be paid for it`,
    );
  }
  const instruction = await openReputationInstruction(ledger, agentPubkey);
  return { answer: { agentPubkey, ...(await forWallet(ledger, payerPubkey, { asset: SOL_ASSET }, instruction)) } };
}
