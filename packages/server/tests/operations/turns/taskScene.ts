import type { MoveAction } from '@legwork/protocol/contract';
import type { DigitalTaskDetail, DigitalTaskDraft } from '@legwork/sdk';
import type { Party, TestService } from '../../support/service.js';
import { claim, goal, legIdOf, untilTask } from '../digitalTasks/scene.js';
import { courier, signedWith } from './scene.js';

/** Terms of a poster's own, as they are sent. */
type OwnTerms = Exclude<NonNullable<DigitalTaskDraft['terms']>, string>;

/** The people in a task with terms. */
export interface Bound {
  poster: Party;
  arbiter: Party;
  task: DigitalTaskDetail;
}

/** A listed task with terms, whose arbiter is a key of the test's. */
export async function boundTask(
  service: TestService,
  choice: OwnTerms = {},
  changes: Parameters<typeof goal>[0] = {},
): Promise<Bound> {
  const [poster, arbiter] = [await service.party(3), await service.party(1)];
  const terms = { arbiterPubkey: arbiter.pubkey, ...choice };
  const { taskId, transaction } = await poster.client.buildListDigitalTaskTx({
    ...goal(changes),
    shipperPubkey: poster.pubkey,
    terms,
  });
  const signed = await signedWith(transaction, [poster.signer]);
  return { poster, arbiter, task: await poster.client.submitDigitalTask({ taskId, transaction: signed }) };
}

/** Makes a move of a leg: built by the service, signed by the party, handed in. */
export async function moveInTask(
  { task }: Pick<Bound, 'task'>,
  index: number,
  by: Party,
  action: MoveAction,
  given: { hash?: string; percent?: number; with?: Party } = {},
) {
  const legId = legIdOf(task, index);
  const { with: other, ...rest } = given;
  const built = await by.client.buildTurnTx({ legId, action, pubkey: by.pubkey, ...rest });
  const known = [by, ...(other ? [other] : [])];
  const signers = built.signers.flatMap((key) => known.find(({ pubkey }) => pubkey === key)?.signer ?? []);
  return by.client.submitTurn({ legId, transaction: await signedWith(built.transaction, signers) });
}

/** The agent hands in a result, and signs its claim. */
export async function claimResult(bound: Bound, index: number, agent: Party, result: string) {
  const legId = legIdOf(bound.task, index);
  const path = { taskId: bound.task.id, legId };
  const answer = await agent.client.completeDigitalLeg({ ...path, agentPubkey: agent.pubkey, result });
  const transaction = await signedWith(answer.claimTransaction ?? '', [agent.signer]);
  return { answer, claimed: await agent.client.submitTurn({ legId, transaction }) };
}

/** A new agent that has claimed and accepted the leg. */
export async function begunBy(service: TestService, bound: Bound, index: number): Promise<Party> {
  const agent = await courier(service);
  await claim(agent, bound.task, index);
  await untilTask(service, bound.task.id, ({ legs }) => legs[index]?.stage === 'pending');
  await moveInTask(bound, index, agent, 'accept');
  return agent;
}

/** The hash of a reason to dispute that the party has stored. */
export async function reasonOf(by: Party, task: DigitalTaskDetail, index: number): Promise<string> {
  return (await by.client.putEvidence({ legId: legIdOf(task, index), text: 'It sums up nothing.' })).hash;
}
