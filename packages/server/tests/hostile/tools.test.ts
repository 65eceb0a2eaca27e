import { beforeAll, describe, expect, test } from 'vitest';
import { type Party, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { signatureHeaders } from '../mcp/toolCalls.js';
import { type Answered, callText, rightArguments, sendCall, TOOLS, WAYS, type Way } from './toolRequests.js';
import { createWorld, type World, WORLD_SETTINGS, walletsOf } from './world.js';

const service = withService(WORLD_SETTINGS);
let world: World;

beforeAll(async () => {
  world = await createWorld(service.current);
});

const stateOf = () => snapshot(service.current, walletsOf(world));

test.each(TOOLS)('calls of $name are taken when nothing is wrong', async (tool) => {
  for (const way of WAYS) {
    const answer = await sendCall(service.current, way, callText(way, tool.name, rightArguments(world, tool)));
    expect([answer.status, answer.isError, answer.failure]).toEqual([200, false, {}]);
  }
  await untilQuiet(service.current);
});

/** Arguments of a tool with some replaced. */
function callWith(way: Way, name: string, changes: Record<string, unknown>): string {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  const kept = rightArguments(world, tool).filter(([own]) => !(own in changes));
  return callText(way, name, [
    ...kept,
    ...Object.entries(changes).map(([own, value]) => [own, JSON.stringify(value)] as const),
  ]);
}

/** The refusals of a call by both ways, which have to leave everything as it was. */
async function refusals(name: string, changes: Record<string, unknown>): Promise<Answered['failure'][]> {
  const before = await stateOf();
  const failures: Answered['failure'][] = [];
  for (const way of WAYS) {
    const { status, failure, text } = await sendCall(service.current, way, callWith(way, name, changes));
    expect([status, text.length < 4000]).toEqual([200, true]);
    failures.push(failure);
  }
  expect(changesBetween(before, await stateOf())).toEqual([]);
  return failures;
}

/** Tools about a leg that an agent has. */
const OF_A_LEG: ReadonlySet<string> = new Set(['svc_confirm_leg', 'svc_complete_digital_leg']);

const MEGABYTE = 'A'.repeat(1_000_000);

describe('a tool call is refused with its reason and changes nothing', () => {
  test.each([
    ['svc_register_agent', 'agentPubkey'],
    ['svc_submit_bid', 'agentPubkey'],
    ['svc_confirm_leg', 'agentPubkey'],
    ['svc_post_task', 'shipperPubkey'],
    ['svc_post_digital_task', 'shipperPubkey'],
    ['svc_bid_digital_leg', 'agentPubkey'],
    ['svc_complete_digital_leg', 'agentPubkey'],
  ] as const)('for keys that no wallet has, in %s', async (tool, field) => {
    const { programId, coordinatorPubkey } = service.current.server;
    const { onChainVault } = await world.courier.client.getPackage({ packageId: world.listedId });
    const noWallets = [
      '11111111111111111111111111111111',
      'SysvarC1ock11111111111111111111111111111111',
      onChainVault,
      // To whom a leg belongs says the leg: any other key is the wrong one.
      ...(OF_A_LEG.has(tool) ? [] : [programId, coordinatorPubkey]),
    ];
    for (const key of noWallets) {
      for (const failure of await refusals(tool, { [field]: key })) {
        expect([key, failure]).toMatchObject([key, { code: 'invalid_input', errors: [{ field }] }]);
      }
    }
  });

  test.each([
    ['svc_post_task', 'description'],
    ['svc_submit_bid', 'reasoning'],
    ['svc_register_agent', 'displayName'],
    ['svc_list_packages', 'cursor'],
    ['svc_get_package', 'packageId'],
    ['svc_get_reputation', 'agentPubkey'],
    ['svc_post_digital_task', 'title'],
    ['svc_post_digital_task', 'description'],
    ['svc_list_digital_tasks', 'open'],
    ['svc_get_digital_task', 'taskId'],
    ['svc_bid_digital_leg', 'legId'],
    ['svc_complete_digital_leg', 'result'],
  ] as const)('for a megabyte of text, in %s: %s', async (tool, field) => {
    for (const failure of await refusals(tool, { [field]: MEGABYTE })) {
      expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ field }] });
    }
  });

  test('for ids that belong to something else', async () => {
    const { tasks } = world;
    const cases: [string, Record<string, unknown>, string][] = [
      ['svc_get_package', { packageId: world.swarmId }, 'packageId'],
      ['svc_submit_bid', { packageId: world.openLegId }, 'packageId'],
      ['svc_confirm_leg', { legId: world.listedId }, 'legId'],
      ['svc_get_digital_task', { taskId: world.listedId }, 'taskId'],
      ['svc_bid_digital_leg', { taskId: world.listedId }, 'taskId'],
      ['svc_bid_digital_leg', { taskId: tasks.quiet.taskId, legId: tasks.open.legId }, 'legId'],
      ['svc_complete_digital_leg', { legId: world.openLegId }, 'legId'],
    ];
    for (const [tool, changes, field] of cases) {
      for (const failure of await refusals(tool, changes)) {
        expect([tool, failure]).toMatchObject([tool, { code: 'not_found', errors: [{ field }] }]);
      }
    }
  });

  test('for amounts and distances that no rule allows', async () => {
    const cases: [string, Record<string, unknown>, string][] = [
      ['svc_submit_bid', { costSol: 5_000_000 }, 'costSol'],
      ['svc_submit_bid', { costSol: 0.0000000001 }, 'costSol'],
      ['svc_submit_bid', { costSol: 1e-9 }, 'costSol'],
      [
        'svc_submit_bid',
        { pickupLat: 90, pickupLng: 180, dropoffLat: -90, dropoffLng: -180, distanceKm: 0 },
        'distanceKm',
      ],
      ['svc_post_task', { maxBudgetSol: 2 }, 'maxBudgetSol'],
      ['svc_post_task', { deadline: new Date(0).toISOString() }, 'deadline'],
      ['svc_bid_digital_leg', { ...world.tasks.quiet, bidSol: 0.050000001 }, 'bidSol'],
      ['svc_bid_digital_leg', { bidSol: 0.0000000001 }, 'bidSol'],
      ['svc_post_digital_task', { maxBudgetSol: 2 }, 'maxBudgetSol'],
      ['svc_post_digital_task', { maxBudgetSol: 0.001, terms: 'plain' }, 'maxBudgetSol'],
      ['svc_post_digital_task', { deadline: new Date(Date.now() + 3_600_000).toISOString() }, 'deadline'],
    ];
    for (const [tool, changes, field] of cases) {
      for (const failure of await refusals(tool, changes)) {
        expect([tool, changes, failure.errors?.map((error) => error.field)]).toEqual([tool, changes, [field]]);
        expect(failure.hint).not.toBe('');
      }
    }
  });

  test('when it is made in the name of another agent', async () => {
    const bid = { packageId: world.listedId, agentPubkey: world.shipper.pubkey };
    const names: [string, Record<string, unknown>, Party, string, string][] = [
      ['svc_submit_bid', bid, world.courier, 'pubkey_mismatch', 'agentPubkey'],
      ['svc_register_agent', { agentPubkey: world.shipper.pubkey }, world.courier, 'pubkey_mismatch', 'agentPubkey'],
      ['svc_bid_digital_leg', {}, world.shipper, 'pubkey_mismatch', 'agentPubkey'],
      ['svc_complete_digital_leg', {}, world.shipper, 'pubkey_mismatch', 'agentPubkey'],
    ];
    const before = await stateOf();
    for (const [tool, changes, signer, code, field] of names) {
      for (const way of WAYS) {
        const body = callWith(way, tool, changes);
        const headers = await signatureHeaders(service.current, signer.signer, body, way);
        const { failure } = await sendCall(service.current, way, body, headers);
        expect([tool, way, failure]).toMatchObject([tool, way, { code, errors: [{ field }] }]);
      }
    }
    expect(changesBetween(before, await stateOf())).toEqual([]);
  });
});
