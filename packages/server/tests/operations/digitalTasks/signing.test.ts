import { describe, expect, test } from 'vitest';
import { answerOf, callSigned, callTool, failureOf } from '../../mcp/toolCalls.js';
import { withService } from '../../support/service.js';
import { claim, giveBack, handIn, isOpen, legIdOf, postedTask, refused, untilTask } from './scene.js';

const service = withService({ settings: () => ({ UNSIGNED_CALLS: 'all' }) });

/** A task, an agent of its own, and the arguments of tool calls about a leg. */
async function scene() {
  const [{ task }, agent] = await Promise.all([postedTask(service.current), service.current.party(1)]);
  const at = (legIndex: number) => ({ taskId: task.id, legId: legIdOf(task, legIndex), agentPubkey: agent.pubkey });
  return { task, agent, at };
}

const signedIn = (legId: string) =>
  service.current.db.selectFrom('digital_legs').select(['agent_pubkey', 'signed']).where('id', '=', legId).execute();

describe('where every key may be bound by tools without a signature,', () => {
  test('a leg is claimed and completed so (S-38, S-60)', async () => {
    const { at } = await scene();
    const claimed = await answerOf(service.current, 'svc_bid_digital_leg', { ...at(0), bidSol: 0.01 });
    expect(claimed).toMatchObject({ status: 'in_progress' });
    const handed = await answerOf(service.current, 'svc_complete_digital_leg', { ...at(0), result: 'done' });
    expect(handed).toMatchObject({ status: 'completed', paymentLamports: 50_000_000 });
  });

  test('what a signed claim made, they neither complete nor release (S-60)', async () => {
    const { task, agent, at } = await scene();
    await claim(agent, task, 0);
    const failure = await failureOf(service.current, 'svc_complete_digital_leg', { ...at(0), result: 'not mine' });
    expect(failure).toMatchObject({ code: 'signed_before', errors: [{ field: 'agentPubkey' }] });
    expect(await signedIn(at(0).legId)).toEqual([{ agent_pubkey: agent.pubkey, signed: true }]);
    expect((await handIn(agent, task, 0, 'mine')).status).toBe('completed');
  });

  test.for([
    ['claim', claim],
    ['result', handIn],
  ] as const)('a signed %s takes over what they claimed (S-60)', async ([, takeOver]) => {
    const { task, agent, at } = await scene();
    await answerOf(service.current, 'svc_bid_digital_leg', { ...at(0), bidSol: 0.01 });
    expect(await signedIn(at(0).legId)).toEqual([{ agent_pubkey: agent.pubkey, signed: false }]);
    await takeOver(agent, task, 0);
    expect(await signedIn(at(0).legId)).toEqual([{ agent_pubkey: agent.pubkey, signed: true }]);
  });

  test('a signed release gives back what they claimed (S-60)', async () => {
    const { task, agent, at } = await scene();
    await answerOf(service.current, 'svc_bid_digital_leg', { ...at(0), bidSol: 0.01 });
    await giveBack(agent, task, 0);
    const shown = await untilTask(service.current, task.id, isOpen(0));
    expect(shown.legs[0]?.agentPubkey).toBeNull();
  });

  test('an unsigned repeat of a signed claim is answered, and leaves it signed (S-57, S-60)', async () => {
    const { task, agent, at } = await scene();
    await claim(agent, task, 0);
    await answerOf(service.current, 'svc_bid_digital_leg', { ...at(0), bidSol: 0.01 });
    expect(await signedIn(at(0).legId)).toEqual([{ agent_pubkey: agent.pubkey, signed: true }]);
  });

  test('a signed tool call counts as signed (S-38, S-60)', async () => {
    const { agent, at } = await scene();
    const { body } = await callSigned(service.current, agent.signer, 'svc_bid_digital_leg', { ...at(0), bidSol: 0.01 });
    expect(body.isError).toBe(false);
    const unsigned = await callTool(service.current, 'svc_complete_digital_leg', { ...at(0), result: 'x' });
    expect(unsigned.told).toMatchObject({ code: 'signed_before' });
  });
});

test('REST takes claims, results and releases from the agent itself only (S-10, S-14)', async () => {
  const { task, agent } = await scene();
  const stranger = await service.current.party(1);
  const inItsName = { ...stranger, pubkey: agent.pubkey };
  await claim(agent, task, 0);
  for (const call of [claim, giveBack, handIn] as const) {
    expect(await refused(service.current, () => call(inItsName, task, 0))).toMatchObject({
      status: 403,
      code: 'pubkey_mismatch',
    });
  }
  for (const [what, body] of [
    ['bid', { bidSol: 0.01 }],
    ['complete', { result: 'x' }],
    ['release', {}],
  ] as const) {
    const url = `${service.current.server.url}/digital-tasks/${task.id}/legs/${legIdOf(task, 0)}/${what}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agentPubkey: agent.pubkey, ...body }),
    });
    expect([what, response.status, await response.json()]).toMatchObject([what, 401, { code: 'missing_header' }]);
  }
});
