import { getReputationSize } from '@legwork/program-client';
import { type Lamports, OPEN_REPUTATION, LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { type ChargedNewcomers, clientOf, type Newcomer, readCharged } from '../agents/newcomerRows.js';
import type { ReputationRow, TermsJson } from '../db/schema.js';
import { countUnproven } from '../legs/waitingRows.js';
import { rentOf } from '../ledger/ledger.js';
import { taskLegBytes } from '../ledger/terms.js';

type Candidate = Newcomer & { is_newcomer: boolean };

/** How many reputation accounts a day's budget pays for. */
function accountsFor({ ledger }: Pick<AppContext, 'ledger'>, budget: Lamports): number {
  return Number(budget / rentOf(ledger, getReputationSize()));
}

/**
 * Of the candidates, first come first, those whom the coordinator may take on: everybody who has a reputation account, and
 * newcomers as long as the budgets of their address and of the day pay for theirs. One who was charged today is paid for.
 * Rule M-71.
 */
export async function withinBudget<T extends Candidate>(
  context: Pick<AppContext, 'ledger' | 'config'>,
  db: Db | Trx,
  candidates: readonly T[],
): Promise<readonly T[]> {
  const newcomers = candidates.filter(({ is_newcomer }) => is_newcomer);
  if (newcomers.length === 0) return candidates;
  return withinBudgetOf(context, await readCharged(db, newcomers), candidates);
}

/** As {@link withinBudget}, by what is charged already. */
function withinBudgetOf<T extends Candidate>(
  context: Pick<AppContext, 'ledger' | 'config'>,
  charged: ChargedNewcomers,
  candidates: readonly T[],
): readonly T[] {
  const { address, day } = context.config.newcomerBudgets;
  const most = { byClient: accountsFor(context, address), inAll: accountsFor(context, day) };
  const paidFor = new Set(charged.agents);
  const byClient = new Map(charged.byClient);
  let { inAll } = charged;
  for (const newcomer of candidates.filter(({ is_newcomer }) => is_newcomer)) {
    const client = clientOf(newcomer);
    const used = byClient.get(client) ?? 0;
    if (paidFor.has(newcomer.agent_pubkey) || used >= most.byClient || inAll >= most.inAll) continue;
    paidFor.add(newcomer.agent_pubkey);
    byClient.set(client, used + 1);
    inAll += 1;
  }
  return candidates.filter(({ is_newcomer, agent_pubkey }) => !is_newcomer || paidFor.has(agent_pubkey));
}

/** Of each of the candidates whether the coordinator may take it on, in their order, as if it were the only one. */
export async function eachWithinBudget(
  context: Pick<AppContext, 'ledger' | 'config'>,
  db: Db | Trx,
  candidates: readonly Candidate[],
): Promise<boolean[]> {
  const newcomers = candidates.filter(({ is_newcomer }) => is_newcomer);
  if (newcomers.length === 0) return candidates.map(() => true);
  const charged = await readCharged(db, newcomers);
  return candidates.map((candidate) => withinBudgetOf(context, charged, [candidate]).length > 0);
}

/**
 * Reports whether the coordinator can advance the rent of one more leg of a task with terms for an agent without completed legs: its
 * advances for such agents, until they accept, stay within the budgets for newcomers. The transaction holds the funds. Rule T-112.
 */
export async function mayAdvanceRent(
  { ledger, config }: Pick<AppContext, 'ledger' | 'config'>,
  trx: Trx,
  { reputation, client }: { reputation: ReputationRow | undefined; client: string | null },
  terms: TermsJson,
): Promise<boolean> {
  if (reputation !== undefined && reputation.legs_completed > 0n) return true;
  const { byClient, inAll } = await countUnproven(trx, client ?? '');
  const rent = rentOf(ledger, taskLegBytes(terms));
  // One at a time fits any budget: who paid for its account itself must not be shut out where the coordinator pays for none.
  const fits = (legs: number, budget: Lamports) => legs === 0 || BigInt(legs + 1) * rent <= budget;
  return fits(byClient, config.newcomerBudgets.address) && fits(inAll, config.newcomerBudgets.day);
}

/** To pay for an account helps nothing here: it is to wait. @returns LegworkError `assigning_paused` */
export function unprovenBudget(): LegworkError {
  return LegworkError.field(
    'assigning_paused',
    'agentPubkey',
    'has completed no leg, and the coordinator advances no more rent now for such agents of this address or in all; claim again ' +
      'once they have accepted their legs or lost them, or complete another leg first',
  );
}

/** The reason that a newcomer is not considered, and the way out. */
export function overBudget(agentPubkey: string): string {
  return (
    `${agentPubkey} has no reputation account, and the coordinator pays for no more of them today for this address or in ` +
    `all; pay for it yourself, or have somebody pay, with ${OPEN_REPUTATION}, or come back tomorrow`
  );
}

/** @returns LegworkError `newcomer_budget` */
export function newcomerBudget(agentPubkey: string): LegworkError {
  return LegworkError.field('newcomer_budget', 'agentPubkey', overBudget(agentPubkey));
}
