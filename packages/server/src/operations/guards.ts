import { type ListedAsset, requireAsset, requireOpen } from '../ledger/assets.js';
import { ask } from '@legwork/program-client/history';
import {
  parseWalletPubkey,
  PubkeyError,
  type Lamports,
  LegworkError,
  type Terms,
  type TermsChoice,
  amountOf,
  formatAmount,
} from '@legwork/protocol/contract';
import { checkTerms, chosenTerms, type PayableAsset } from '@legwork/protocol/rules';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { address } from '@solana/kit';
import { sql } from 'kysely';
import type { AppContext } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { readHalted } from '../db/finality.js';
import type { Named } from '../listings/kinds.js';

/** Refuses the keys of the program and the coordinator, which no agent or poster can have. @throws LegworkError `invalid_input` */
export function requireWallet(context: AppContext, field: string, pubkey: string): void {
  const { programAddress, coordinator } = context.ledger;
  try {
    parseWalletPubkey(pubkey, [programAddress, coordinator.address]);
  } catch (error) {
    if (!(error instanceof PubkeyError)) throw error;
    throw LegworkError.field('invalid_input', field, error.message);
  }
}

/**
 * An agent is paid on an account of the system program, or on one that does not exist yet. An account owned by another
 * program would make every swarm and every assignment with that agent fail on the ledger, and hold up the others. One that its
 * agent gives away later, within the minute that this is remembered too, costs the agent its bids (rule M-42).
 *
 * @throws LegworkError `invalid_input` when the account belongs to another program
 */
export async function requirePlainAccount({ ledger }: AppContext, agentPubkey: string): Promise<void> {
  if (ledger.payable.has(agentPubkey)) return;
  const { value: account } = await ask(
    ledger.rpc.getAccountInfo(address(agentPubkey), {
      commitment: 'confirmed',
      encoding: 'base64',
      dataSlice: { offset: 0, length: 0 },
    }),
  );
  if (account === null || account.owner === SYSTEM_PROGRAM_ADDRESS) {
    ledger.payable.set(agentPubkey, true);
    return;
  }
  throw LegworkError.field(
    'invalid_input',
    'agentPubkey',
    `is an account of the program ${account.owner} on the ledger and no leg can be assigned to it; bid with the key of a plain wallet`,
  );
}

/** The most that a listing is to pay, and its asset. */
interface BudgetWish {
  maxBudgetSol?: number | undefined;
  maxBudget?: Lamports | undefined;
  asset?: string | undefined;
}

/** The budget that somebody wants to lock. Rule M-92. @throws LegworkError `invalid_input` */
export async function requireBudget(
  { ledger }: AppContext,
  wish: BudgetWish,
): Promise<{ asset: ListedAsset; budget: Lamports }> {
  const asset = requireAsset(ledger.assets, wish.asset);
  await requireOpen(ledger, asset);
  const budget = amountOf(wish.maxBudgetSol, wish.maxBudget);
  if (asset.token === null || budget >= asset.minAmount) return { asset, budget };
  const [given, least] = [formatAmount(budget, asset), formatAmount(asset.minAmount, asset)];
  throw LegworkError.field('invalid_input', 'maxBudget', `is ${given}; a budget in it is at least ${least}`);
}

/** A wish to list something with terms. */
interface TermsWish {
  kind: 'package' | 'task';
  terms?: TermsChoice | undefined;
  shipperPubkey: string;
  funderPubkey: string;
  budget: Lamports;
  asset: PayableAsset;
  /** The usual time for it, seconds. */
  carrySec: number;
}

/** The terms that bind both sides; null: none. @throws LegworkError `invalid_input` */
export function requireTerms({ config, ledger }: AppContext, wish: TermsWish): Terms | null {
  const { kind, carrySec, shipperPubkey, funderPubkey, asset, budget: budgetLamports } = wish;
  const arbiterPubkey = config.arbiterPubkey ?? null;
  const terms = chosenTerms(wish.terms, { kind, budgetLamports, asset, carrySec, arbiterPubkey });
  if (terms === null) return null;
  const parties = {
    kind,
    shipperPubkey,
    funderPubkey,
    coordinatorPubkey: ledger.coordinator.address,
    budgetLamports,
    asset,
  };
  const fault = 'code' in terms ? terms : checkTerms(terms, parties);
  if (fault) throw LegworkError.field(fault.code, fault.field, fault.message);
  return 'code' in terms ? null : terms;
}

/** Nobody bids on what nobody knows, or claims it. Rule S-258. @throws LegworkError `invalid_status` */
export function requireDocument(listing: { document_known: boolean }, { noun, field }: Named): void {
  if (listing.document_known) return;
  throw LegworkError.field(
    'invalid_status',
    field,
    `names a ${noun} that was rebuilt from the ledger alone: nobody here knows what it is, so nobody can offer to do it until somebody who ` +
      'has its papers gives them (POST /papers)',
  );
}

/**
 * Refuses what would change a listing of which the ledger took a transaction back, or build on it: what is shown of it may
 * not be so. Rule S-107.
 *
 * @param field of the request that names the listing, or something of it
 * @throws LegworkError `ledger_reverted`
 */
export async function requireNotHalted(
  db: Db | Trx,
  { noun }: Named,
  id: string,
  field: Named['field'] | 'legId',
): Promise<void> {
  if (await readHalted(db, sql`${`${noun}:${id}`}`)) throw haltedError({ noun }, field);
}

/** What a listing is refused with of which the ledger took a transaction back. */
export function haltedError({ noun }: Pick<Named, 'noun'>, field: Named['field'] | 'legId'): LegworkError {
  return LegworkError.field(
    'ledger_reverted',
    field,
    `is of a ${noun} of which the ledger took back a transaction that it had shown as confirmed: nothing is sent or changed ` +
      'for it until it stands as the ledger has it, as a rule within a minute; do no work for it meanwhile, ' +
      'hand nothing over, and then read it again',
  );
}
