import { createUuid } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { bidInput, draft } from '../support/market.js';
import { goal, legIdOf, postedTask } from '../operations/digitalTasks/scene.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { answerOf, callSigned, callTool, failureOf, rpc, signatureHeaders, toolsCall } from './toolCalls.js';

const KEY = 'a-key-for-tests-only';
const service = withService();
/** Takes unsigned calls in the name of keys that have signed. */
const open = withService({ settings: () => ({ UNSIGNED_CALLS: 'all' }) });
const keyed = withService({ settings: () => ({ API_KEYS: KEY }) });

/** A package that takes bids for an hour. */
async function openPackage(of: TestService): Promise<string> {
  const { pubkey } = await of.party(0);
  const parcel = { ...draft(), shipperPubkey: pubkey, biddingWindowSec: 3600 };
  return String((await answerOf(of, 'svc_post_task', parcel))['id']);
}

const bidOf = async (agent: Party, of = service.current) =>
  bidInput(agent, await openPackage(of), 'zoo', 'ostkreuz', 0.1);

const bidsOf = (agent: Party, of = service.current) =>
  of.db
    .selectFrom('bids')
    .select(['signed', 'ended_because'])
    .where('agent_pubkey', '=', agent.pubkey)
    .orderBy('id')
    .execute();

describe('a tool call that is signed', () => {
  test('identifies the agent: its bid counts as signed, an unsigned one does not (S-38)', async () => {
    const [signs, signsNot] = [await service.current.party(1), await service.current.party(1)];
    const { body } = await callSigned(service.current, signs.signer, 'svc_submit_bid', await bidOf(signs));
    expect(body.isError).toBe(false);
    await answerOf(service.current, 'svc_submit_bid', await bidOf(signsNot));
    expect(await bidsOf(signs)).toEqual([{ signed: true, ended_because: null }]);
    expect(await bidsOf(signsNot)).toEqual([{ signed: false, ended_because: null }]);
  });

  test('identifies the agent over MCP too (S-38)', async () => {
    const agent = await service.current.party(1);
    const message = JSON.stringify(toolsCall('svc_submit_bid', await bidOf(agent)));
    const headers = await signatureHeaders(service.current, agent.signer, message, '/mcp');
    expect((await rpc(service.current.server.url, message, headers)).body).toMatchObject({
      result: { isError: false },
    });
    expect(await bidsOf(agent)).toEqual([{ signed: true, ended_because: null }]);
  });

  test.for([
    ['another body', { body: '{}' }, 'bad_signature'],
    ['another path', { path: '/mcp' }, 'bad_signature'],
  ] as const)('is refused when the signature is of %s, and changes nothing (S-38)', async ([, changed, code]) => {
    const agent = await service.current.party(1);
    const bid = await bidOf(agent);
    const body = 'body' in changed ? changed.body : JSON.stringify({ tool: 'svc_submit_bid', arguments: bid });
    const path = 'path' in changed ? changed.path : '/mcp/call';
    const headers = await signatureHeaders(service.current, agent.signer, body, path);
    await untilQuiet(service.current);
    const before = await snapshot(service.current);
    expect(await failureOf(service.current, 'svc_submit_bid', bid, headers)).toMatchObject({ code });
    expect(changesBetween(before, await snapshot(service.current))).toEqual([]);
  });

  test('is refused when another agent signed it, or when it is sent again (S-38)', async () => {
    const [agent, stranger] = [await service.current.party(1), await service.current.party(1)];
    const bid = await bidOf(agent);
    const { told } = await callSigned(service.current, stranger.signer, 'svc_submit_bid', bid);
    expect(told).toMatchObject({ code: 'pubkey_mismatch', errors: [{ field: 'agentPubkey' }] });
    const body = JSON.stringify({ tool: 'svc_submit_bid', arguments: bid });
    const headers = await signatureHeaders(service.current, agent.signer, body);
    expect((await callTool(service.current, 'svc_submit_bid', bid, headers)).body.isError).toBe(false);
    expect(await failureOf(service.current, 'svc_submit_bid', bid, headers)).toMatchObject({ code: 'replayed_nonce' });
  });

  test('may hold headers of a wrong signature where none is looked at: reading is open (S-38)', async () => {
    const { status, body } = await callTool(service.current, 'svc_leaderboard', {}, { 'x-pubkey': 'nonsense' });
    expect([status, body.isError]).toEqual([200, false]);
  });
});

describe('what a signed call made', () => {
  test('an unsigned bid does not replace, also where unsigned calls may bind every key (M-38)', async () => {
    const agent = await open.current.party(1);
    const bid = await bidOf(agent, open.current);
    await callSigned(open.current, agent.signer, 'svc_submit_bid', bid);
    const { told } = await callTool(open.current, 'svc_submit_bid', { ...bid, costSol: 0.4 });
    expect(told).toMatchObject({ code: 'signed_before', hint: expect.stringContaining('signed') });
    expect(await bidsOf(agent, open.current)).toEqual([{ signed: true, ended_because: null }]);
  });

  test('an unsigned registration leaves alone, a signed one changes (S-16)', async () => {
    const agent = await service.current.party(0);
    const nameOf = async () => (await agent.client.getAgent({ agentPubkey: agent.pubkey })).displayName;
    const register = (displayName: string) => ({ agentPubkey: agent.pubkey, displayName });
    await answerOf(service.current, 'svc_register_agent', register('a stranger'));
    expect(await nameOf()).toBe('a stranger');
    await callSigned(service.current, agent.signer, 'svc_register_agent', register('Ada'));
    expect(await nameOf()).toBe('Ada');
    await answerOf(service.current, 'svc_register_agent', register('a stranger'));
    expect(await nameOf()).toBe('Ada');
    await callSigned(service.current, agent.signer, 'svc_register_agent', register('Ada Lovelace'));
    expect(await nameOf()).toBe('Ada Lovelace');
  });
});

describe('a leg that a signed call claimed', () => {
  const claimOf = async (agent: Party) => {
    const { task } = await postedTask(open.current, { legs: [{ instruction: 'Do it.' }] });
    return { taskId: task.id, legId: legIdOf(task, 0), agentPubkey: agent.pubkey };
  };

  test('an unsigned call does not complete, a signed one does (S-60)', async () => {
    const agent = await open.current.party(0);
    const claim = await claimOf(agent);
    const done = { ...claim, result: 'Done.' };
    await callSigned(open.current, agent.signer, 'svc_bid_digital_leg', { ...claim, bidSol: 0.05 });
    await untilQuiet(open.current);
    const before = await snapshot(open.current);
    const refused = await failureOf(open.current, 'svc_complete_digital_leg', { ...done, result: 'Forged.' });
    expect(refused).toMatchObject({ code: 'signed_before', hint: expect.stringContaining('signed') });
    expect(changesBetween(before, await snapshot(open.current))).toEqual([]);
    const { told } = await callSigned(open.current, agent.signer, 'svc_complete_digital_leg', done);
    expect(told).toMatchObject({ resultHash: resultHash('Done.').hex });
  });

  test('is taken over from the one who claimed it unsigned in the name of its agent (S-60)', async () => {
    const agent = await open.current.party(0);
    const claim = await claimOf(agent);
    await answerOf(open.current, 'svc_bid_digital_leg', { ...claim, bidSol: 0.05 });
    const bid = { ...claim, bidSol: 0.05 };
    expect((await callSigned(open.current, agent.signer, 'svc_bid_digital_leg', bid)).body.isError).toBe(false);
    expect(await failureOf(open.current, 'svc_complete_digital_leg', { ...claim, result: 'x' })).toMatchObject({
      code: 'signed_before',
    });
  });

  test('is refused to a caller who signs with another key (S-38)', async () => {
    const [agent, stranger] = [await open.current.party(0), await open.current.party(0)];
    const claim = await claimOf(agent);
    for (const [tool, args] of [
      ['svc_bid_digital_leg', { ...claim, bidSol: 0.05 }],
      ['svc_complete_digital_leg', { ...claim, result: 'x' }],
    ] as const) {
      const { told } = await callSigned(open.current, stranger.signer, tool, args);
      expect([tool, told]).toMatchObject([tool, { code: 'pubkey_mismatch', errors: [{ field: 'agentPubkey' }] }]);
    }
  });
});

describe('X-Api-Key', () => {
  test('is asked for by the tools that spend the coordinator’s SOL alone, once the service has keys (S-17)', async () => {
    const { address: shipperPubkey } = await generateKeyPairSigner();
    for (const [tool, wanted] of [
      ['svc_post_task', { ...draft(), shipperPubkey }],
      ['svc_post_digital_task', { ...goal(), shipperPubkey }],
    ] as const) {
      const failure = await failureOf(keyed.current, tool, wanted);
      expect(failure).toMatchObject({ code: 'api_key_required', hint: expect.stringContaining('X-Api-Key') });
      const guess = { 'x-api-key': 'wrong-key-wrong-key' };
      expect(await failureOf(keyed.current, tool, wanted, guess)).toMatchObject({ code: 'api_key_required' });
      const { body } = await callTool(keyed.current, tool, wanted, { 'x-api-key': KEY });
      expect(body.isError).toBe(false);
    }
    await answerOf(keyed.current, 'svc_list_packages');
    await answerOf(keyed.current, 'svc_list_digital_tasks');
    await answerOf(keyed.current, 'svc_register_agent', { agentPubkey: shipperPubkey });
  });
});

describe('Idempotency-Key', () => {
  const parcelOf = async () => ({ ...draft(), shipperPubkey: (await generateKeyPairSigner()).address });

  test('makes a repeat of a call get the first answer, and do nothing (S-25)', async () => {
    const parcel = await parcelOf();
    const headers = { 'idempotency-key': createUuid() };
    const first = await callTool(service.current, 'svc_post_task', parcel, headers);
    const again = await callTool(service.current, 'svc_post_task', parcel, headers);
    expect([first.body.isError, again.body]).toEqual([false, first.body]);
    expect([first, again].map((call) => call.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const other = await callTool(service.current, 'svc_post_task', { ...parcel, weightKg: 9 }, headers);
    expect([other.status, (other.body as Record<string, unknown>)['code']]).toEqual([422, 'idempotency_key_reused']);
  });

  test('asks for a fresh signature of a repeat, and then gives the first answer again (S-25)', async () => {
    const agent = await service.current.party(0);
    const args = { agentPubkey: agent.pubkey, displayName: 'Ada' };
    const named = { 'idempotency-key': createUuid() };
    const body = JSON.stringify({ tool: 'svc_register_agent', arguments: args });
    const headers = { ...named, ...(await signatureHeaders(service.current, agent.signer, body)) };
    const first = await callTool(service.current, 'svc_register_agent', args, headers);
    expect(await failureOf(service.current, 'svc_register_agent', args, headers)).toMatchObject({
      code: 'replayed_nonce',
    });
    const again = await callSigned(service.current, agent.signer, 'svc_register_agent', args, named);
    expect([first.body.isError, again.headers.get('idempotency-replayed'), again.body]).toEqual([
      false,
      'true',
      first.body,
    ]);
  });

  test('gives a refusal again, unless the next try may pass (S-25)', async () => {
    const headers = { 'idempotency-key': createUuid() };
    const args = { ...(await bidOf(await service.current.party(1))), packageId: createUuid() };
    await failureOf(service.current, 'svc_submit_bid', args, headers);
    const again = await callTool(service.current, 'svc_submit_bid', args, headers);
    expect([again.told['code'], again.headers.get('idempotency-replayed')]).toEqual(['not_found', 'true']);

    const agent = await service.current.party(1);
    const bid = await bidOf(agent);
    await agent.client.updateAgent({ agentPubkey: agent.pubkey, requireSignedCalls: true });
    const named = { 'idempotency-key': createUuid() };
    for (let times = 0; times < 2; times += 1) {
      const { told, headers: of } = await callTool(service.current, 'svc_submit_bid', bid, named);
      expect([told['code'], of.get('idempotency-replayed')]).toEqual(['signature_required', null]);
    }
  });

  test('means nothing to a tool that only reads: nothing is kept, and the answer is of now (S-25)', async () => {
    const headers = { 'idempotency-key': createUuid() };
    const agent = await service.current.party(0);
    const args = { agentPubkey: agent.pubkey };
    for (const body of [args, { agentPubkey: (await service.current.party(0)).pubkey }]) {
      const { status, headers: of } = await callTool(service.current, 'svc_get_reputation', body, headers);
      expect([status, of.get('idempotency-replayed')]).toEqual([200, null]);
    }
    const kept = service.current.db.selectFrom('idempotency_keys').where('key', '=', headers['idempotency-key']);
    expect(await kept.select('key').execute()).toEqual([]);
  });

  test('runs a call once when it is sent many times at once (S-25)', async () => {
    const parcel = await parcelOf();
    const headers = { 'idempotency-key': createUuid() };
    const calls = await Promise.all(
      Array.from({ length: 8 }, () => callTool(service.current, 'svc_post_task', parcel, headers)),
    );
    for (const { status } of calls) expect([200, 409]).toContain(status);
    const made = service.current.db.selectFrom('packages').where('shipper_pubkey', '=', parcel.shipperPubkey);
    expect(await made.select('id').execute()).toHaveLength(1);
  });
});
