import { formatSol, toLamports } from '@legwork/protocol/contract';
import { ask } from '@legwork/program-client/history';
import { address } from '@solana/kit';
import type { AppContext } from '../../context.js';
import type { TermsJson } from '../../db/schema.js';
import { readTerms } from '../../ledger/terms.js';

/** The fee of an acceptance, lamports: one signature. */
const FEE_LAMPORTS = 5_000n;

/**
 * What a bidder has to know whose wallet cannot pay the stake as things stand: the bid is considered, and a leg that is not accepted in time
 * goes to others. Rule S-167.
 *
 * @returns null: it can, or nothing is staked, or the ledger does not say what it has
 */
export async function stakeWarning(
  { ledger }: Pick<AppContext, 'ledger'>,
  terms: TermsJson | null,
  agentPubkey: string,
): Promise<string | null> {
  if (terms === null) return null;
  const { stakeLamports, handoffSec } = readTerms(terms);
  const held = await balanceOf(ledger, agentPubkey);
  if (held === undefined) return null;
  // What stays behind has to be nothing, or the rent minimum.
  const left = held - stakeLamports - FEE_LAMPORTS;
  if (left === 0n || left >= ledger.rentExemptMinimum) return null;
  const needed = toLamports(stakeLamports + FEE_LAMPORTS + ledger.rentExemptMinimum);
  return (
    `${agentPubkey} has ${formatSol(toLamports(held))} SOL, and who wins a leg stakes ${formatSol(stakeLamports)} SOL when it accepts, ` +
    `within ${handoffSec} seconds of being given the leg: have ${formatSol(needed)} SOL by then, with the fee and the rent minimum of a ` +
    'wallet, or anyone can take the leg from you'
  );
}

async function balanceOf({ rpc }: AppContext['ledger'], agentPubkey: string): Promise<bigint | undefined> {
  try {
    return (await ask(rpc.getBalance(address(agentPubkey), { commitment: 'confirmed' }))).value;
  } catch {
    // The bid is stored: what is only a warning must not make a failure of it.
    return undefined;
  }
}
