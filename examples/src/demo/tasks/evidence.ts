import { createHash } from 'node:crypto';
import { fetchRelayAccounts, readTransaction } from '@legwork/sdk';
import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import { signature } from '@solana/kit';
import { DemoError } from '../stage.js';
import type { Stage } from '../stage.js';
import { AGENTS } from './cast.js';
import type { Goal } from './cast.js';

/** A completed leg as the demo, the service and the ledger tell of it. */
export interface LegEvidence {
  /** For people: which leg of which task. */
  readonly place: string;
  readonly agent: string;
  /** The result that it has to be. */
  readonly expected: string;
  /** The result that the service shows. */
  readonly result: string;
  /** The hash in the transaction that paid, hex. */
  readonly ledgerHash: string;
  /** An equal share of the budget, and what the agent's wallet gained, in lamports. */
  readonly share: bigint;
  readonly gained: bigint;
}

/** An agent's reputation account, and what it did here. */
export interface ReputationEvidence {
  readonly agent: string;
  readonly completedHere: number;
  readonly legsAccepted: bigint;
  readonly legsCompleted: bigint;
  readonly reliabilityScore: number;
}

/** The faults of a leg; none, if all three tell the same. */
export function faultsOfLeg({ place, agent, expected, result, ledgerHash, share, gained }: LegEvidence): string[] {
  return [
    ...(result === expected ? [] : [`${agent}'s result of ${place} should be ${JSON.stringify(expected)}`]),
    ...(ledgerHash === sha256(result) ? [] : [`the ledger holds ${ledgerHash} for ${place}, not the result shown`]),
    ...(gained === share ? [] : [`${agent} gained ${gained} lamports for ${place}, not ${share}`]),
  ];
}

/** The faults of a reputation: every agent is new, takes only what it does, and does it. */
export function faultsOfReputation(evidence: ReputationEvidence): string[] {
  const { agent, completedHere, legsAccepted, legsCompleted, reliabilityScore } = evidence;
  const score = completedHere === 0 ? 0 : 100;
  const isRight = [legsAccepted, legsCompleted].every((legs) => legs === BigInt(completedHere));
  if (isRight && reliabilityScore === score) return [];
  return [`${agent} completed ${completedHere} legs here, but the ledger has ${legsCompleted} of ${legsAccepted}`];
}

/** The ledger's word on finished tasks, as lines, and its faults. */
export async function hearLedger(stage: Stage, done: ReadonlyMap<Goal, DigitalTaskDetail>) {
  const legs: LegEvidence[] = [];
  for (const [goal, task] of done) {
    for (const leg of task.legs) legs.push(await legEvidence(stage, goal, task, leg));
  }
  const reputations = await reputationEvidence(stage, legs);
  return {
    lines: [
      '\nThe results, as the ledger holds them',
      ...legs.map(({ agent, place, ledgerHash, result }) => {
        const told = ledgerHash === sha256(result) ? 'sha256 of the result shown' : 'NOT of the result shown';
        return `    ${agent.padEnd(6)} ${place.padEnd(28)} ${ledgerHash.slice(0, 16)}… = ${told}`;
      }),
      '\nReputation, on-chain',
      ...reputations.map(
        ({ agent, legsAccepted, legsCompleted, reliabilityScore }) =>
          `    ${agent.padEnd(6)} accepted ${legsAccepted}, completed ${legsCompleted}, score ${reliabilityScore}`,
      ),
    ],
    faults: [...legs.flatMap(faultsOfLeg), ...reputations.flatMap(faultsOfReputation)],
  };
}

/** The transaction that confirmed the leg tells the hash and what the agent was paid. */
async function legEvidence(
  { ledger, company, folder }: Stage,
  goal: Goal,
  task: DigitalTaskDetail,
  leg: DigitalLegDetail,
): Promise<LegEvidence> {
  const { agentPubkey, confirmSignature, legIndex, result } = leg;
  const place = `${goal.title}, leg ${legIndex + 1}`;
  if (agentPubkey === null || confirmSignature === null) throw new DemoError(`nobody was paid for ${place}`);
  const confirmed = signature(confirmSignature);
  const expected = { programId: folder.record.programId, name: 'confirmTaskLeg' } as const;
  const { instruction } = readTransaction(await ledger.wireOf(confirmed), expected);
  if (instruction.accounts.taskLeg.address !== leg.onChainLeg) {
    throw new DemoError(`transaction ${confirmSignature} confirms another leg than ${place}`);
  }
  const { deltas } = await ledger.changeOf(confirmed);
  return {
    place,
    agent: company.nameOf(agentPubkey),
    expected: goal.results[legIndex] ?? '',
    result: result ?? '',
    ledgerHash: Buffer.from(instruction.data.resultHash).toString('hex'),
    share: task.maxBudget / BigInt(task.numLegs),
    gained: deltas.get(agentPubkey) ?? 0n,
  };
}

async function reputationEvidence(
  { ledger, company, folder }: Stage,
  legs: readonly LegEvidence[],
): Promise<ReputationEvidence[]> {
  const accounts = await fetchRelayAccounts(ledger.rpc, folder.record.programId);
  return Object.keys(AGENTS).map((agent) => {
    const { address } = company.named(agent).signer;
    const account = accounts.find((one) => one.kind === 'reputation' && one.data.agent === address);
    const data = account?.kind === 'reputation' ? account.data : undefined;
    return {
      agent,
      completedHere: legs.filter((leg) => leg.agent === agent).length,
      legsAccepted: data?.legsAccepted ?? 0n,
      legsCompleted: data?.legsCompleted ?? 0n,
      reliabilityScore: data?.reliabilityScore ?? 0,
    };
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
