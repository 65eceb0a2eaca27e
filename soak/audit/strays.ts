import { vaultAddress } from '@legwork/program-client';
import { createLegworkClient, fetchRelayAccounts, type LegworkClient } from '@legwork/sdk';
import type { Address } from '@solana/kit';
import { balanceOf } from '../../packages/cli/tests/support/wallets.js';
import type { World } from '../agent.js';
import { NEWCOMERS_LAMPORTS, SPONSORED_LAMPORTS } from '../people.js';
import type { Listing, Kind } from '../kind.js';
import { PACKAGES } from '../packages/story.js';
import { STRANGE } from '../stranger/calls.js';
import { TASKS } from '../tasks/kind.js';
import type { Comparison } from './outcome.js';
import { askDatabase } from './outcome.js';
import { type Entry, historyOf, type Ledger } from './ledgerHistory.js';
import type { GivenLeg } from './outcome.js';

/** A package or digital task that the stranger posted, in whatever name. It may be anything by now. */
export interface Stray {
  readonly noun: 'package' | 'task';
  readonly id: string;
  readonly account: Address;
  readonly funder: Address;
  /** What it pays in, and base units of that. */
  readonly asset: string;
  readonly budgetLamports: bigint;
  /** What its vault holds still. */
  readonly vaultLamports: bigint;
  /** Its legs that were completed. */
  readonly paid: readonly GivenLeg[];
}

type Paid = Pick<GivenLeg, 'agent' | 'paidLamports'>;

/** Everything that the stranger posted. */
export async function findStrays(world: World): Promise<Stray[]> {
  const packages = await findOf(world, PACKAGES, 'package', ({ maxBudget, swarm }) => ({
    budget: maxBudget,
    paid: (swarm?.legs ?? []).flatMap(({ agentPubkey: agent, agreedPayment: paidLamports, confirmSignature }) =>
      confirmSignature === null ? [] : [{ agent, paidLamports }],
    ),
  }));
  const tasks = await findOf(world, TASKS, 'task', ({ maxBudget, legs }) => ({
    budget: maxBudget,
    paid: legs.flatMap(({ agentPubkey: agent, payment: paidLamports }) =>
      agent === null || paidLamports === null ? [] : [{ agent, paidLamports }],
    ),
  }));
  return [...packages, ...tasks];
}

async function findOf<Known extends Listing>(
  { urls: [url = ''], rpc, programId }: World,
  kind: Kind<Known, never>,
  noun: Stray['noun'],
  moneyOf: (listing: Known) => { readonly budget: bigint; readonly paid: readonly Paid[] },
): Promise<Stray[]> {
  const client: LegworkClient = createLegworkClient({ url });
  const strays: Stray[] = [];
  for await (const { id, text } of kind.list(client)) {
    if (text !== STRANGE) continue;
    const listing = await kind.get(client, id);
    const account = kind.accountOf(listing) as Address;
    const funder = listing.funderPubkey as Address;
    const { budget, paid } = moneyOf(listing);
    const vaultLamports = await balanceOf(rpc, { address: await vaultAddress(programId, account) });
    const given = paid.map((leg) => ({ ...leg, funder, asset: listing.asset }));
    const { asset } = listing;
    strays.push({ noun, id, account, funder, asset, budgetLamports: budget, vaultLamports, paid: given });
  }
  return strays;
}

/** What intents about it are filed under. */
export const subjectOf = ({ noun, id }: Stray) => `${noun}:${id}`;

/** Every transaction about any of them. */
export async function historiesOf(ledger: Ledger, strays: readonly Stray[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { account } of strays) entries.push(...(await historyOf(ledger, account)));
  return entries;
}

/**
 * The stranger got no more out of the coordinator than the budget and the cap of its one address, and nothing was done in the
 * names of those who sign. @returns what it got, for people
 */
export async function compareStranger(
  { rpc, programId, coordinator, agents, carriers, signing }: World,
  strays: readonly Stray[],
  connectionString: string,
  comparison: Comparison,
): Promise<string> {
  const honest = new Set<string>([...agents, ...carriers].map(({ address }) => address));
  const accounts = await fetchRelayAccounts(rpc, programId);
  const burnt = accounts.filter((one) => one.kind === 'reputation' && !honest.has(one.data.agent));
  const rent = burnt.reduce((sum, { lamports }) => sum + lamports, 0n);
  comparison.atMost(`lamports for ${burnt.length} reputation accounts of a stranger's keys`, rent, NEWCOMERS_LAMPORTS);
  const sponsored = strays.filter(({ funder, asset }) => funder === coordinator && asset === 'sol');
  const advanced = sponsored.reduce((sum, { budgetLamports }) => sum + budgetLamports, 0n);
  comparison.atMost(`lamports advanced to a stranger's address`, advanced, SPONSORED_LAMPORTS);
  for (const finding of await findUnsigned(connectionString, [...signing])) comparison.findings.push(finding);
  return (
    `${strays.length} posts of a stranger, ${sponsored.length} of them sponsored with ${advanced} of ` +
    `${SPONSORED_LAMPORTS} lamports; ${burnt.length} reputation accounts of its keys for ${rent} of ${NEWCOMERS_LAMPORTS}`
  );
}

/** Bids and claims in the names of those who sign that they did not sign. */
async function findUnsigned(connectionString: string, signing: readonly string[]): Promise<string[]> {
  const { rows } = await askDatabase(connectionString, (database) =>
    database.query<{ finding: string }>(
      `select format('bid %s on package %s is in the name of %s, who did not sign it', id, package_id, agent_pubkey) as finding
         from bids where agent_pubkey = any($1) and not signed
       union all
       select format('leg %s of task %s is in the name of %s, who did not sign for it', id, task_id, agent_pubkey)
         from digital_legs where agent_pubkey = any($1) and signed is not true`,
      [signing],
    ),
  );
  return rows.map(({ finding }) => finding);
}
