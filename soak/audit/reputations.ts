import { createLegworkClient, fetchRelayAccounts } from '@legwork/sdk';
import type { World } from '../agent.js';
import type { Comparison } from './outcome.js';
import { type GivenLeg, givenLegs, type Outcome } from './outcome.js';
import type { Stray } from './strays.js';

/** An agent's legs of both kinds are what its reputation and its history say, and nothing is left in its queue. */
export async function compareReputations(
  world: World,
  outcome: Outcome,
  strays: readonly Stray[],
  comparison: Comparison,
): Promise<void> {
  const {
    rpc,
    programId,
    agents,
    carriers,
    urls: [url = ''],
  } = world;
  const accounts = await fetchRelayAccounts(rpc, programId);
  const client = createLegworkClient({ url });
  const all = [...givenLegs(outcome), ...strays.flatMap(({ given }) => given)];
  for (const { address: agentPubkey } of [...agents, ...carriers]) {
    const legs = all.filter(({ agent }) => agent === agentPubkey);
    const wanted = standing(legs);
    const account = accounts.find((one) => one.kind === 'reputation' && one.data.agent === agentPubkey);
    if (account?.kind === 'reputation') {
      const { legsAccepted, legsCompleted, reliabilityScore } = account.data;
      const found = [Number(legsAccepted), Number(legsCompleted), reliabilityScore];
      comparison.equal(`reputation of ${agentPubkey} on the ledger`, found, wanted);
    } else comparison.equal(`legs of ${agentPubkey}, who has no reputation`, legs.length, 0);
    if (legs.length === 0) continue;
    const { reputation, history } = await client.getAgent({ agentPubkey });
    const { legsAccepted, legsCompleted, reliabilityScore } = reputation;
    comparison.equal(`reputation of ${agentPubkey}`, [legsAccepted, legsCompleted, reliabilityScore], wanted);
    const { legsPending, legsLost, earnedLamports } = history;
    const found = [legsPending, history.legsCompleted, legsLost, earnedLamports];
    comparison.equal(`history of ${agentPubkey}`, found, past(legs));
    for (const status of ['pending', 'in_progress'] as const) {
      const { items } = await client.listAgentLegs({ agentPubkey, status });
      comparison.equal(`${status} legs of ${agentPubkey}`, items.length, 0);
    }
  }
}

const completedOf = (legs: readonly GivenLeg[]) => legs.flatMap(({ paidLamports }) => paidLamports ?? []);

function standing(legs: readonly GivenLeg[]): number[] {
  const completed = completedOf(legs).length;
  return [legs.length, completed, Math.floor((100 * completed) / Math.max(1, legs.length))];
}

/** Pending, completed and lost legs, and what the completed ones paid in SOL, which alone counts as earned. */
function past(legs: readonly GivenLeg[]): (number | bigint)[] {
  const completed = completedOf(legs).length;
  const earned = completedOf(legs.filter(({ asset }) => asset === 'sol')).reduce((sum, paid) => sum + paid, 0n);
  return [0, completed, legs.length - completed, earned];
}
