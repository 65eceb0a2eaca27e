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
import { assignedIn, type Entry, historyOf, type Ledger } from './ledgerHistory.js';
import type { GivenLeg, Outcome } from './outcome.js';

/**
 * A package or digital task that the stranger posted, in whatever name, or that was under way when the database was lost. It may be
 * anything by now.
 */
export interface Stray {
  readonly noun: 'package' | 'task';
  readonly id: string;
  readonly account: Address;
  readonly funder: Address;
  /** The asset that it pays in, and base units of that. */
  readonly asset: string;
  readonly budgetLamports: bigint;
  /** The rest in its vault. */
  readonly vaultLamports: bigint;
  /** Its legs that were given to somebody. */
  readonly given: readonly GivenLeg[];
  /** The stranger posted it. */
  readonly isStrange: boolean;
}

type Given = Pick<GivenLeg, 'agent' | 'paidLamports'>;

/** Everything that the stranger posted, and of what the database was lost of what is not known to have ended. */
export async function findStrays(world: World, { packages: ended, tasks: done }: Outcome): Promise<Stray[]> {
  const known = new Set([...ended, ...done].map(({ listing }) => listing.id));
  const packages = await findOf(world, PACKAGES, 'package', known, ({ maxBudget, swarm }) => ({
    budget: maxBudget,
    given: (swarm?.formSignature == null ? [] : swarm.legs).map(
      ({ agentPubkey: agent, agreedPayment, confirmSignature }) => ({
        agent,
        paidLamports: confirmSignature === null ? undefined : agreedPayment,
      }),
    ),
  }));
  const tasks = await findOf(world, TASKS, 'task', known, ({ maxBudget, legs }, history) => ({
    budget: maxBudget,
    given: assignedIn(history).map(({ leg, agent }) => {
      const { agentPubkey, payment } = legs[leg] ?? {};
      return { agent, paidLamports: (agentPubkey === agent && payment) || undefined };
    }),
  }));
  return [...packages, ...tasks];
}

async function findOf<Known extends Listing>(
  world: World,
  kind: Kind<Known, never>,
  noun: Stray['noun'],
  known: ReadonlySet<string>,
  moneyOf: (listing: Known, history: readonly Entry[]) => { readonly budget: bigint; readonly given: readonly Given[] },
): Promise<Stray[]> {
  const { urls, rpc, programId, loss } = world;
  const client: LegworkClient = createLegworkClient({ url: urls[0] ?? '' });
  const strays: Stray[] = [];
  for await (const { id, text } of kind.list(client)) {
    const isStrange = text === STRANGE;
    if (!isStrange && (known.has(id) || !loss.has(id))) continue;
    const listing = await kind.get(client, id);
    const account = kind.accountOf(listing) as Address;
    const funder = listing.funderPubkey as Address;
    const { budget, given } = moneyOf(listing, await historyOf(world, account));
    const vaultLamports = await balanceOf(rpc, { address: await vaultAddress(programId, account) });
    const { asset } = listing;
    const legs = given.map((leg) => ({ ...leg, funder, asset }));
    strays.push({ noun, id, account, funder, asset, budgetLamports: budget, vaultLamports, given: legs, isStrange });
  }
  return strays;
}

/** The subject that intents about it are filed under. */
export const subjectOf = ({ noun, id }: Stray) => `${noun}:${id}`;

/** Every transaction about any of them. */
export async function historiesOf(ledger: Ledger, strays: readonly Stray[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { account } of strays) entries.push(...(await historyOf(ledger, account)));
  return entries;
}

/**
 * The stranger got no more out of the coordinator than the budget and the cap of its one
 * address, and nothing was done in the names of those who sign. @returns its gains, for people
 */
export async function compareStranger(
  { rpc, programId, coordinator, agents, carriers, signing, loss }: World,
  strays: readonly Stray[],
  connectionString: string,
  comparison: Comparison,
): Promise<string> {
  // Budgets begin anew with a database.
  const lives = BigInt(1 + loss.times);
  const honest = new Set<string>([...agents, ...carriers].map(({ address }) => address));
  const accounts = await fetchRelayAccounts(rpc, programId);
  const burnt = accounts.filter((one) => one.kind === 'reputation' && !honest.has(one.data.agent));
  const rent = burnt.reduce((sum, { lamports }) => sum + lamports, 0n);
  comparison.atMost(
    `lamports for ${burnt.length} reputation accounts of a stranger's keys`,
    rent,
    NEWCOMERS_LAMPORTS * lives,
  );
  const sponsored = strays.filter((one) => one.isStrange && one.funder === coordinator && one.asset === 'sol');
  const advanced = sponsored.reduce((sum, { budgetLamports }) => sum + budgetLamports, 0n);
  comparison.atMost(`lamports advanced to a stranger's address`, advanced, SPONSORED_LAMPORTS * lives);
  for (const finding of await findUnsigned(connectionString, [...signing], loss.ids)) comparison.findings.push(finding);
  return (
    `${strays.length} posts of a stranger, ${sponsored.length} of them sponsored with ${advanced} of ` +
    `${SPONSORED_LAMPORTS} lamports; ${burnt.length} reputation accounts of its keys for ${rent} of ${NEWCOMERS_LAMPORTS}`
  );
}

/** Bids and claims in the names of those who sign that they did not sign. */
async function findUnsigned(
  connectionString: string,
  signing: readonly string[],
  lost: readonly string[],
): Promise<string[]> {
  const { rows } = await askDatabase(connectionString, (database) =>
    database.query<{ finding: string }>(
      `select format('bid %s on package %s is in the name of %s, who did not sign it', id, package_id, agent_pubkey) as finding
         from bids where agent_pubkey = any($1) and not signed and package_id <> all($2)
       union all
       select format('leg %s of task %s is in the name of %s, who did not sign for it', id, task_id, agent_pubkey)
         from digital_legs where agent_pubkey = any($1) and signed is not true and task_id <> all($2)`,
      [signing, lost],
    ),
  );
  return rows.map(({ finding }) => finding);
}
