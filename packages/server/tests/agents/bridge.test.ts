import { listDigitalTask } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { connectBridge, fundedKey } from './bridgeClient.js';

const service = withService();
const url = () => service.current.server.url;

describe('a bridge', () => {
  test('lets a model claim a leg and hand it in with nothing but tools, and every call is signed (A-70)', async () => {
    const { key, pubkey } = await fundedKey(service.current);
    const poster = await service.current.party();
    const goal = { title: 'Notes', description: 'Group the notes.', legs: [{ instruction: 'Group them.' }] };
    const task = await listDigitalTask(poster.client, poster.signer, { ...goal, maxBudgetSol: 0.1 });
    const bridge = await connectBridge(['--key', key, '--url', url()]);
    const { tools } = await bridge.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['svc_bid_digital_leg', 'due_now', 'wallet']));
    await bridge.answerOf('svc_register_agent', { displayName: 'Ada' });
    const leg = { taskId: task.id, legId: task.legs[0]?.id };
    await bridge.answerOf('svc_bid_digital_leg', { ...leg, bidSol: 0.1 });
    expect(await bridge.answerOf('due_now')).toMatchObject({ due: [{ about: { legId: leg.legId } }] });
    const done = await bridge.answerOf('svc_complete_digital_leg', { ...leg, result: 'One group.' });
    expect(done).toMatchObject({ legId: leg.legId, resultBytes: 10 });
    const signed = await poster.client.getAgent({ agentPubkey: pubkey });
    expect(signed.requireSignedCalls).toBe(true);
  });
});
